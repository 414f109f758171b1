//! The native container: as it is, and with right checksums, which damage would otherwise hide behind.

use std::io::Cursor;

use tensor_io::container::{Container, ContainerReader, ContainerWriter};
use tensor_io::{ByteOrder, FileError, Mapping};

use crate::{check, source};

/// Reads a container mapped and through a reader, in its last state and in the one before.
pub fn run(bytes: &[u8]) {
    read(bytes);
    let mut sealed = bytes.to_vec();
    if seal(&mut sealed) && sealed != bytes {
        read(&sealed);
    }
}

/// Files of every dtype, one with metadata, and one with an old state.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let tensors = source::tensors(|_| true);
    let mut seeds: Vec<Vec<u8>> = tensors.chunks(2).map(written).collect();
    seeds.push(written(&[]));
    seeds.push(source::fixture("appended_1.tensors"));
    seeds
}

pub(crate) fn written(tensors: &[(String, tensor::Tensor)]) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let mut write = || -> Result<(), FileError> {
        let mut writer = ContainerWriter::new(&mut bytes, "seed")?;
        writer.set_metadata("key", "value");
        for (name, tensor) in tensors {
            writer.write(name, tensor)?;
        }
        writer.finish()
    };
    write().expect("memory can be written");
    bytes.into_inner()
}

fn read(bytes: &[u8]) {
    let mapping = Mapping::from_bytes(bytes).expect("memory for a copy");
    let mapped = Container::from_mapping(mapping, "file");
    let reader = ContainerReader::new(Cursor::new(bytes), "file");
    match (mapped, reader) {
        (Ok(mapped), Ok(mut reader)) => {
            assert_eq!(mapped.entries(), reader.entries());
            check::file(&mapped, bytes.len(), ByteOrder::Little);
            for entry in mapped.entries() {
                both_ways(&mapped, &mut reader, &entry.name);
            }
            write_again(&mapped);
        }
        (Err(mapped), Err(reader)) => {
            check::printed(&mapped);
            assert_eq!(mapped.to_string(), reader.to_string());
        }
        (mapped, reader) => panic!("mapped {:?}, read {:?}", mapped.err(), reader.err()),
    }
}

fn both_ways(mapped: &Container, reader: &mut ContainerReader<Cursor<&[u8]>>, name: &str) {
    match (mapped.get(name), reader.get(name)) {
        (Ok(mapped), Ok(read)) => assert_eq!(check::plain(&mapped), check::plain(&read)),
        (Err(mapped), Err(read)) => assert_eq!(mapped.to_string(), read.to_string()),
        (mapped, read) => panic!("{name}: mapped {:?}, read {:?}", mapped.err(), read.err()),
    }
}

/// What could be read can be written, and is then the same.
fn write_again(file: &Container) {
    let Ok(tensors) = file.read_all(|_, _| {}) else {
        return;
    };
    let mapping = Mapping::from_bytes(&written(&tensors)).expect("memory for a copy");
    let again = Container::from_mapping(mapping, "file").expect("what was just written");
    let again = again.read_all(|_, _| {}).expect("what was just written");
    assert_eq!(tensors.len(), again.len());
    for ((name, before), (name_after, after)) in tensors.iter().zip(&again) {
        assert_eq!(
            (name, before.dtype(), before.shape()),
            (name_after, after.dtype(), after.shape())
        );
        assert_eq!(check::plain(before), check::plain(after));
    }
}

const PART: usize = 64;

/// Corrects the checksums of the header, of both slots and of the directories that they name; whether there is a header.
fn seal(bytes: &mut [u8]) -> bool {
    if bytes.len() < 3 * PART {
        return false;
    }
    for slot in 1..3 {
        let part = &bytes[slot * PART..(slot + 1) * PART];
        if part.iter().all(|&byte| byte == 0) {
            continue;
        }
        let number = |at: usize| {
            let eight = part[at..at + 8].try_into().expect("eight bytes");
            usize::try_from(u64::from_le_bytes(eight)).ok()
        };
        let range = number(8).zip(number(16)).and_then(|(start, count)| {
            let end = start.checked_add(count)?;
            bytes.get(start..end)
        });
        if let Some(sum) = range.map(crc32fast::hash) {
            bytes[slot * PART + 40..slot * PART + 44].copy_from_slice(&sum.to_le_bytes());
        }
    }
    for part in 0..3 {
        let part = &mut bytes[part * PART..(part + 1) * PART];
        if part.iter().any(|&byte| byte != 0) {
            let sum = crc32fast::hash(&part[..PART - 4]);
            part[PART - 4..].copy_from_slice(&sum.to_le_bytes());
        }
    }
    true
}
