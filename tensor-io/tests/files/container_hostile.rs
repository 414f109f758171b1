//! Containers that are damaged, cut or lie: an error that says where, before a tensor exists and before memory is asked for.
use std::fs;
use std::io::Cursor;

use crate::support::{
    Random, RawContainer, RawEntry, array, check_array, fixture, mutated, written,
};
use tensor::Tensor;
use tensor_io::container::{Container, ContainerReader, ContainerWriter};
use tensor_io::{FileError, Mapping};

fn read_all(bytes: &[u8]) -> Result<Vec<(String, Tensor)>, FileError> {
    let mapping = Mapping::from_bytes(bytes)?;
    let mapped = Container::from_mapping(mapping, "file").and_then(|container| {
        container.verify(|_, _| {})?;
        let names: Vec<String> = container.names().map(str::to_owned).collect();
        let map = |name: String| Ok((name.clone(), container.map(&name)?));
        names.into_iter().map(map).collect::<Result<Vec<_>, _>>()
    });
    let read = ContainerReader::new(Cursor::new(bytes), "file")
        .and_then(|mut reader| reader.read_all(|_, _| {}));
    // Both ways see the same.
    match (mapped, read) {
        (Ok(mapped), Ok(read)) => {
            assert!(
                mapped
                    .iter()
                    .map(|(name, _)| name)
                    .eq(read.iter().map(|(name, _)| name))
            );
            Ok(read)
        }
        (Err(mapped), Err(read)) => {
            assert_eq!(mapped.to_string(), read.to_string());
            Err(read)
        }
        (mapped, read) => panic!("mapped {mapped:?}, read {read:?}"),
    }
}

/// Every byte altered in turn: an error, or (in padding and old directories) the same tensors.
#[test]
fn f07_every_altered_byte_is_noticed() {
    for (file, padding) in [("appended_1.tensors", true), ("small.tensors", false)] {
        let whole = if padding {
            fs::read(fixture(file)).unwrap()
        } else {
            small()
        };
        let tensors = read_all(&whole).unwrap();
        let used: Vec<(u64, u64)> = {
            let mapping = Mapping::from_bytes(&whole).unwrap();
            let container = Container::from_mapping(mapping, file).unwrap();
            let entries = container.entries().iter();
            entries
                .map(|entry| (entry.offset, entry.offset + entry.bytes))
                .collect()
        };
        let mut harmless = 0;
        for at in 0..whole.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut altered = whole.clone();
                altered[at] ^= flip;
                let Ok(found) = read_all(&altered) else {
                    continue;
                };
                harmless += 1;
                let place = u64::try_from(at).unwrap();
                assert!(
                    at >= 192
                        && !used
                            .iter()
                            .any(|&(start, end)| (start..end).contains(&place)),
                    "byte {at} of {file}"
                );
                for ((name, tensor), (expect, _)) in found.iter().zip(&tensors) {
                    assert_eq!(name, expect);
                    check_array(name, tensor);
                }
            }
        }
        assert_eq!(harmless > 0, padding, "{file}");
    }
}

/// A container without padding or old directories: every byte counts.
fn small() -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = ContainerWriter::new(&mut bytes, "small").unwrap();
    writer.set_metadata("key", "value");
    writer.write("f64_cube", &array("f64_cube")).unwrap();
    writer.finish().unwrap();
    bytes.into_inner()
}

#[test]
fn f07_every_cut_is_noticed() {
    for whole in [fs::read(fixture("appended_1.tensors")).unwrap(), small()] {
        for length in 0..whole.len() {
            assert!(read_all(&whole[..length]).is_err(), "cut at {length}");
        }
        let mut longer = whole.clone();
        longer.extend_from_slice(b"what a crash left behind");
        assert_eq!(
            read_all(&longer).unwrap().len(),
            read_all(&whole).unwrap().len()
        );
    }
}

fn check(raw: &RawContainer, expect: &str) {
    let error = read_all(&raw.bytes()).unwrap_err().to_string();
    assert!(error.contains(expect), "{error:?} has no {expect:?}");
}

#[test]
fn f03_numbers_that_do_not_add_up() {
    let entry = |offset| RawEntry::new("a", 1, &[16], offset, 64, 0);
    let with = |entries: &[RawEntry]| RawContainer {
        entries: entries.into(),
        directory_start: 512,
        ..RawContainer::default()
    };
    let altered = |alter: &dyn Fn(&mut RawEntry)| {
        let mut entry = entry(192);
        alter(&mut entry);
        with(&[entry])
    };
    let named = |name: &str, offset| RawEntry::new(name, 1, &[16], offset, 64, 0);
    check(
        &with(&[entry(192), entry(256)]),
        "two tensors are called \"a\"",
    );
    check(
        &with(&[named("a", 192), named("b", 192)]),
        "\"a\" and \"b\" both take byte 192",
    );
    check(
        &with(&[RawEntry::new("a", 1, &[4], 512, 16, 0)]),
        "\"a\" and \"the directory\" both take byte 512",
    );
    check(
        &altered(&|entry| entry.offset = 128),
        "file:a: the tensor takes the bytes 128 to 192",
    );
    check(
        &altered(&|entry| entry.offset = 1 << 40),
        "the tensor takes the bytes 1099511627776 to 1099511627840",
    );
    check(
        &altered(&|entry| entry.offset = u64::MAX - 63),
        "the tensor takes the bytes",
    );
    check(
        &altered(&|entry| entry.offset = 200),
        "the first byte is 200; expected a multiple of 64",
    );
    check(
        &altered(&|entry| entry.bytes = 60),
        "f32 [16] needs 64 bytes, 60 are there",
    );
    check(
        &altered(&|entry| entry.shape = vec![1 << 32, 1 << 32]),
        "needs 18446744073709551615 bytes",
    );
    check(
        &altered(&|entry| entry.shape = vec![1 << 62, 2]),
        "needs 18446744073709551615 bytes",
    );
    check(&altered(&|entry| entry.dtype = 0), "the dtype is 0");
    check(&altered(&|entry| entry.dtype = 16), "the dtype is 16");
    check(&altered(&|entry| entry.order = 2), "the memory order is 2");
    check(
        &altered(&|entry| entry.name = vec![b'x', 0xff]),
        "a name is [78, ff]; expected UTF-8",
    );
    check(
        &altered(&|entry| entry.device = vec![0xc0]),
        "a device's name is [c0]",
    );
}

#[test]
fn headers_that_lie() {
    let default = RawContainer::default();
    let raw = |alter: &dyn Fn(&mut RawContainer)| {
        let mut raw = RawContainer {
            entries: vec![RawEntry::new("a", 1, &[0], 192, 0, 0)],
            ..default.clone()
        };
        alter(&mut raw);
        raw
    };
    assert_eq!(read_all(&raw(&|_| {}).bytes()).unwrap()[0].1.shape(), [0]);
    check(
        &raw(&|raw| raw.version = 2),
        "file: container version 2 is not known, 1 to 1 are",
    );
    check(
        &raw(&|raw| raw.tensors = Some(1 << 60)),
        "the number of tensors is 1152921504606846976; expected at most 1",
    );
    check(
        &raw(&|raw| raw.directory_bytes = Some(1 << 60)),
        "the directory takes the bytes 192 to 1152921504606847168",
    );
    check(
        &raw(&|raw| {
            raw.directory_bytes = Some(u64::MAX);
        }),
        "the directory takes the bytes",
    );
    check(
        &raw(&|raw| raw.end = Some(1 << 50)),
        "the container takes the bytes 0 to 1125899906842624",
    );
    check(&raw(&|raw| raw.end = Some(200)), "the directory takes");
    check(
        &raw(&|raw| raw.generation = 3),
        "generation 3 alone in the first slot",
    );
    check(&raw(&|raw| raw.tensors = Some(0)), "bytes");
    check(
        &raw(&|raw| raw.rest = vec![0; 5]),
        "the rest of the directory is 1 bytes; expected nothing",
    );
    check(
        &raw(&|raw| raw.rest = vec![0xff; 4]),
        "the length of a key is 4 bytes long; expected at most the 0 bytes left",
    );
    check(
        &raw(&|raw| {
            raw.rest = [1_u32, 1 << 31, 0]
                .iter()
                .flat_map(|n| n.to_le_bytes())
                .collect()
        }),
        "a key is 2147483648 bytes long",
    );
    let mut long = raw(&|_| {}).bytes();
    long[192 + 4..192 + 8].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(
        read_all(&long),
        Err(FileError::Checksum {
            what: "the directory",
            ..
        })
    ));
    let error = read_all(b"PK\x03\x04").unwrap_err().to_string();
    assert_eq!(
        error,
        "file: no container file, it begins with [50, 4b, 03, 04]"
    );
    let unfinished = [&raw(&|_| {}).bytes()[..64], &[0; 128]].concat();
    let error = read_all(&unfinished).unwrap_err().to_string();
    assert!(error.contains("the file was never finished"), "{error}");
}

/// A directory of 2^31 tensors in a file with a hole: refused by its numbers alone.
#[test]
fn a_huge_directory_is_not_read() {
    let path = written("huge_directory.tensors");
    let raw = RawContainer {
        directory_bytes: Some(1 << 40),
        end: Some(192 + (1 << 40)),
        tensors: Some(1 << 31),
        ..RawContainer::default()
    };
    let file = fs::File::create(&path).unwrap();
    if file.set_len(192 + (1 << 40)).is_err() {
        return;
    }
    let mut bytes = &raw.parts().0[..];
    std::io::copy(&mut bytes, &mut &file).unwrap();
    let error = Container::open(&path).unwrap_err();
    assert!(
        matches!(
            error,
            FileError::AboveLimit {
                bytes: 0x100_0000_0000,
                ..
            }
        ),
        "{error:?}"
    );
    fs::remove_file(&path).unwrap();
}

/// A torn slot is never taken for an old state unasked.
#[test]
fn a_torn_slot_is_told_apart_from_an_old_state() {
    let path = written("torn.tensors");
    let mut bytes = fs::read(fixture("appended_1.tensors")).unwrap();
    bytes[64 + 8] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let error = Container::open(&path).unwrap_err().to_string();
    assert!(
        error.contains("the first slot of the header has the checksum"),
        "{error}"
    );
    assert!(ContainerWriter::append(&path).is_err());
    let earlier = Container::open_earlier(&path).unwrap();
    assert!(earlier.names().eq(["i16_vector", "bool_cube"]));
    check_array("i16_vector", &earlier.map("i16_vector").unwrap());
}

#[test]
fn f07_damage_is_an_error_before_a_tensor_exists() {
    let mut bytes = small();
    bytes[192 + 100] ^= 4;
    let container = Container::from_mapping(Mapping::from_bytes(&bytes).unwrap(), "file").unwrap();
    let error = container.map("f64_cube").unwrap_err().to_string();
    assert!(
        error.starts_with("file:f64_cube: the tensor has the checksum"),
        "{error}"
    );
    for error in [
        container.get("f64_cube").unwrap_err(),
        container.verify_tensor("f64_cube").unwrap_err(),
        container.verify(|_, _| {}).unwrap_err(),
    ] {
        assert_eq!(error.to_string(), error.to_string());
    }
    // Who asks for it gets the damaged values.
    assert!(container.map_unverified("f64_cube").is_ok());
}

/// A bool that was written wrongly, with a right checksum.
#[test]
fn a_byte_that_is_no_bool() {
    let mut raw = RawContainer {
        entries: vec![RawEntry::new("flags", 13, &[3], 192, 3, 0)],
        directory_start: 256,
        ..RawContainer::default()
    };
    raw.entries[0].sum = crc32fast::hash(&[1, 0, 7]);
    let mut bytes = raw.bytes();
    bytes[192..195].copy_from_slice(&[1, 0, 7]);
    let container = Container::from_mapping(Mapping::from_bytes(&bytes).unwrap(), "file").unwrap();
    for error in [
        container.map("flags").unwrap_err(),
        container.get("flags").unwrap_err(),
        container.map_unverified("flags").unwrap_err(),
        container.rows("flags", 0..3).unwrap_err(),
    ] {
        assert!(
            matches!(error, FileError::NoBool { at: 2, byte: 7, .. }),
            "{error:?}"
        );
    }
    assert_eq!(
        container
            .rows("flags", 0..2)
            .unwrap()
            .to_vec::<bool>()
            .unwrap(),
        [true, false]
    );
}

/// Thousands of damaged files: no panic, and what is read is what was written.
#[test]
fn mutations() {
    for (seed, file) in ["appended_1.tensors", "version_1.tensors"]
        .iter()
        .enumerate()
    {
        let whole = fs::read(fixture(file)).unwrap();
        let mut random = Random::new(u64::try_from(seed).unwrap() + 1);
        for _ in 0..2000 {
            let bytes = mutated(&whole, &mut random);
            for (name, tensor) in read_all(&bytes).unwrap_or_default() {
                check_array(&name, &tensor);
            }
        }
    }
}
