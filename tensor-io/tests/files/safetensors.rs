//! safetensors: files of the format's own library, what is written here, and files that lie.
//!
//! `python/safetensors_files.py` made the fixtures with that library, and its `--check` reads with it what these tests leave
//! in the target folder.

use std::fs;

use tensor::{DType, Tensor, TensorError};
use tensor_io::safetensors::{self, SafeTensors, Shards, write_shards};
use tensor_io::{ElementFormat, FileError, Mapping};

use crate::support::{Random, array, check_array, check_values, fixture, mutated, names, written};

const METADATA: [(&str, &str); 1] = [("made by", "python \"µ\"")];

/// All arrays that the format can hold.
fn all_names() -> Vec<String> {
    names(|dtype| dtype != DType::C64)
}

fn arrays(names: &[String]) -> Vec<(&str, Tensor)> {
    names
        .iter()
        .map(|name| (name.as_str(), array(name)))
        .collect()
}

fn borrowed<'a>(arrays: &'a [(&'a str, Tensor)]) -> Vec<(&'a str, &'a Tensor)> {
    arrays
        .iter()
        .map(|(name, tensor)| (*name, tensor))
        .collect()
}

fn of_bytes(bytes: &[u8]) -> Result<SafeTensors, FileError> {
    SafeTensors::from_mapping(Mapping::from_bytes(bytes)?, "file")
}

#[test]
fn every_dtype_and_shape_of_the_library() {
    let file = SafeTensors::open(fixture("all.safetensors")).unwrap();
    let mut found: Vec<&str> = file.names().collect();
    let mut expect = all_names();
    found.sort_unstable();
    expect.sort_unstable();
    assert_eq!(found, expect);
    assert_eq!(
        file.metadata(),
        [("made by".to_owned(), "python \"µ\"".to_owned())]
    );
    for name in file.names() {
        check_values(name, &file.get(name).unwrap());
        let mut mapped = file.map(name).unwrap();
        check_values(name, &mapped);
        let copied = name.starts_with("bool") || mapped.is_empty();
        let read_only = matches!(mapped.view_mut(), Err(TensorError::ReadOnly { .. }));
        assert_eq!(read_only, !copied, "{name}");
        assert_eq!(*file.raw(name).unwrap(), mapped.to_le_bytes().unwrap());
    }
    let mut told = Vec::new();
    let all = file
        .read_all(|done, total| told.push((done, total)))
        .unwrap();
    assert_eq!(all.len(), file.entries().len());
    let bytes: usize = all.iter().map(|(_, tensor)| tensor.size_bytes()).sum();
    let bytes = u64::try_from(bytes).unwrap();
    assert_eq!(told.last(), Some(&(bytes, bytes)));
    let rows = file.rows("i32_cube", 1..2).unwrap();
    assert_eq!(
        (rows.shape(), rows.to_vec::<i32>().unwrap()),
        (&[1, 3, 4][..], (12..24).collect())
    );
}

#[test]
fn written_bytes_are_those_of_the_library() {
    let names = all_names();
    let arrays = arrays(&names);
    let mut shuffled = borrowed(&arrays);
    shuffled.reverse();
    let bytes = safetensors::to_bytes(&shuffled, &METADATA).unwrap();
    assert!(
        bytes == fs::read(fixture("all.safetensors")).unwrap(),
        "other bytes than the library's"
    );
    let path = written("tensor_io.safetensors");
    safetensors::write(&path, &shuffled, &METADATA).unwrap();
    assert_eq!(fs::read(&path).unwrap(), bytes);
    let empty = safetensors::to_bytes(&[], &[]).unwrap();
    assert_eq!(empty, b"\x08\0\0\0\0\0\0\0{}      ");
    assert!(of_bytes(&empty).unwrap().entries().is_empty());
}

/// Types that no dtype stands for: described, readable as bytes, and no tensor.
#[test]
fn eighths_are_bytes_but_no_tensors() {
    let file = SafeTensors::open(fixture("eighths.safetensors")).unwrap();
    check_array("f32_vector", &file.get("f32_vector").unwrap());
    let entry = |name: &str| {
        let mut entries = file.entries().iter();
        entries.find(|entry| entry.name == name).unwrap().clone()
    };
    let ElementFormat::Block(block) = entry("e4m3").format else {
        panic!("{:?}", entry("e4m3"));
    };
    assert_eq!(
        (block.name, block.block_elements, block.block_bytes),
        ("F8_E4M3", 1, 1)
    );
    assert_eq!(*file.raw("e4m3").unwrap(), [0x38, 0x40, 0xb8, 0x7e]);
    assert_eq!(entry("e5m2").shape, [3]);
    for error in [
        file.get("e5m2").unwrap_err(),
        file.map("e5m2").unwrap_err(),
        file.rows("e5m2", 0..1).unwrap_err(),
        file.read_all(|_, _| {}).unwrap_err(),
    ] {
        let FileError::UnsupportedElement { file, element } = &error else {
            panic!("{error:?}");
        };
        assert!(file.contains("eighths.safetensors:e"), "{file}");
        assert!(element.starts_with("F8_E"), "{element}");
    }
}

#[test]
fn shards_of_the_library_and_our_own() {
    let index = fixture("model.safetensors.index.json");
    let shards = Shards::open(&index).unwrap();
    assert!(shards.names().eq(["i64_vector", "f32_cube", "f16_cube"]));
    for name in shards.names() {
        check_array(name, &shards.get(name).unwrap());
        check_array(name, &shards.map(name).unwrap());
    }
    assert_eq!(
        shards.file_of("f16_cube").unwrap(),
        "model-00002-of-00002.safetensors"
    );
    let error = shards.get("f64_cube").unwrap_err().to_string();
    assert!(
        error.ends_with(
            "no tensor \"f64_cube\"; there are [\"i64_vector\", \"f32_cube\", \"f16_cube\"]"
        ),
        "{error}"
    );

    let names = all_names();
    let arrays = arrays(&names);
    let path = written("written.safetensors.index.json");
    write_shards(&path, &borrowed(&arrays), &METADATA, 500).unwrap();
    let shards = Shards::open(&path).unwrap();
    assert_eq!(shards.entries().len(), names.len());
    for (name, tensor) in shards.read_all(|_, _| {}).unwrap() {
        check_values(&name, &tensor);
    }
    assert!(shards.files().len() > 5);
    for (_, file) in shards.files() {
        let bytes: u64 = file.entries().iter().map(|entry| entry.bytes).sum();
        assert!(bytes <= 500, "{bytes}");
    }
    let one = written("one.safetensors.index.json");
    let cube = array("f64_cube");
    write_shards(&one, &[("a", &cube), ("b", &cube)], &[], 1).unwrap();
    assert_eq!(Shards::open(&one).unwrap().files().len(), 2);
    write_shards(&one, &[], &[], 1).unwrap();
    assert_eq!(Shards::open(&one).unwrap().entries().len(), 0);
    let twice = write_shards(&one, &[("a", &cube), ("a", &cube)], &[], 1).unwrap_err();
    assert!(
        matches!(twice, FileError::DuplicateName { .. }),
        "{twice:?}"
    );
}

#[test]
fn an_index_leads_nowhere_else() {
    let path = written("hostile.safetensors.index.json");
    let check = |json: &str, expect: &str| {
        fs::write(&path, json).unwrap();
        let error = Shards::open(&path).unwrap_err().to_string();
        assert!(error.contains(expect), "{error:?} has no {expect:?}");
    };
    let map = |file: &str| format!("{{\"weight_map\": {{\"a\": {file:?}}}}}");
    for file in [
        "../x.safetensors",
        "/etc/passwd",
        "a/b.safetensors",
        "..",
        "",
        "./x",
    ] {
        check(&map(file), "is not in the folder of the index");
    }
    check(
        &map("missing.safetensors"),
        "missing.safetensors: cannot open",
    );
    fs::write(
        path.with_file_name("present.safetensors"),
        safetensors::to_bytes(&[], &[]).unwrap(),
    )
    .unwrap();
    check(
        &map("present.safetensors"),
        "present.safetensors: no tensor \"a\"; there are []",
    );
    check("{\"weight_map\": {\"a\": 1}}", "expected a string");
    check("{}", "missing field `weight_map`");
    check(
        "{\"weight_map\": {\"a\": \"x\", \"a\": \"y\"}}",
        "the key \"a\" comes twice",
    );
    let deep = format!("{{\"metadata\": {}", "[".repeat(100_000));
    // What is ignored is not descended into.
    check(&deep, "EOF while parsing a list");
}

/// A file with this header and this many bytes of data.
fn file_of(header: &str, data: usize) -> Vec<u8> {
    let length = u64::try_from(header.len()).unwrap().to_le_bytes();
    [&length[..], header.as_bytes(), &vec![0; data]].concat()
}

fn tensor(name: &str, dtype: &str, shape: &str, start: u64, end: u64) -> String {
    format!("{name:?}:{{\"dtype\":{dtype:?},\"shape\":{shape},\"data_offsets\":[{start},{end}]}}")
}

fn check(bytes: &[u8], expect: &str) {
    let error = of_bytes(bytes).unwrap_err().to_string();
    assert!(error.contains(expect), "{error:?} has no {expect:?}");
}

#[test]
fn numbers_that_do_not_add_up() {
    let one = |dtype, shape, start, end, data| {
        file_of(
            &format!("{{{}}}", tensor("a", dtype, shape, start, end)),
            data,
        )
    };
    let two = |first: (u64, u64), second: (u64, u64), data| {
        let [first, second] = [("a", first), ("b", second)]
            .map(|(name, (start, end))| tensor(name, "U8", "[4]", start, end));
        file_of(&format!("{{{first},{second}}}"), data)
    };
    assert_eq!(
        of_bytes(&one("F32", "[1]", 0, 4, 4))
            .unwrap()
            .entries()
            .len(),
        1
    );
    check(b"", "no safetensors file");
    check(
        b"\x02\0\0\0\0\0\0\0[]",
        "no safetensors file, it begins with",
    );
    check(
        b"\xff\xff\0\0\0\0\0\0{}",
        "the header takes the bytes 8 to 65543 (excluded), the file has 10",
    );
    check(
        b"\xff\xff\xff\xff\xff\xff\xff\xff{}",
        "18446744073709551615 bytes are above the limit of 100000000",
    );
    check(&one("F32", "[1]", 0, 4, 3), "the tensor takes the bytes");
    check(&one("F32", "[1]", 0, 4, 5), "the length of the file is");
    check(
        &one("F32", "[1]", 4, 8, 8),
        "the first byte of the tensor is",
    );
    check(&one("F32", "[2]", 0, 4, 4), "expected 8 bytes for F32 [2]");
    check(&one("F32", "[1]", 4, 0, 4), "data_offsets is 4 to 0");
    check(
        &one("F33", "[1]", 0, 4, 4),
        "file:a: byte 8: the dtype is \"F33\"",
    );
    check(&one("F4", "[3]", 0, 2, 2), "the shape is [3]");
    check(
        &one("F32", "[4294967296,4294967296]", 0, 4, 4),
        "the shape is [4294967296, 4294967296]",
    );
    check(&one("F32", "[-1]", 0, 4, 4), "invalid value: integer `-1`");
    check(
        &one("F32", "[1.5]", 0, 4, 4),
        "invalid type: floating point",
    );
    check(
        &one("F32", "[1]", u64::MAX - 3, u64::MAX, 4),
        "data_offsets is 18446744073709551612",
    );
    check(&two((0, 4), (2, 6), 6), "\"a\" and \"b\" both take byte");
    check(&two((0, 4), (0, 4), 4), "\"a\" and \"b\" both take byte");
    check(&two((0, 4), (5, 9), 9), "file:b: byte");
}

#[test]
fn json_that_is_no_header() {
    let repeated = tensor("a", "U8", "[1]", 0, 1);
    check(
        &file_of(&format!("{{{repeated},{repeated}}}"), 1),
        "two tensors are called \"a\"",
    );
    check(
        &file_of(
            "{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}",
            1,
        ),
        "duplicate field `dtype`",
    );
    check(
        &file_of("{\"__metadata__\":{\"a\":1}}", 0),
        "expected a string",
    );
    check(
        &file_of("{\"__metadata__\":{},\"__metadata__\":{}}", 0),
        "__metadata__ comes twice",
    );
    check(
        &file_of("{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}", 0),
        "the key \"k\" comes twice",
    );
    check(&file_of("{} x", 0), "trailing characters");
    check(&file_of("{\"a\":null}", 0), "invalid type: null");
    for bomb in ["{\"a\":", "[", "{\"a\":["] {
        let deep = format!("{{\"a\":{{\"more\":{}", bomb.repeat(100_000));
        check(&file_of(&deep, 0), "EOF while parsing");
    }
    let mut not_text = file_of("{\"a\":1}", 0);
    not_text[10] = 0xff;
    check(&not_text, "invalid unicode");
}

#[test]
fn a_misaligned_tensor_is_copied_not_mapped() {
    let header = format!(
        "{{{},{},{}}}",
        tensor("a", "U8", "[1]", 0, 1),
        tensor("b", "F32", "[1]", 1, 5),
        tensor("c", "F32", "[0]", 5, 5)
    );
    let mut bytes = file_of(&header, 5);
    let at = bytes.len() - 4;
    bytes[at..].copy_from_slice(&1.5_f32.to_le_bytes());
    // At an even address the float behind one byte is at an odd one.
    if bytes.len().is_multiple_of(2) {
        bytes = file_of(&format!("{header} "), 5);
        let at = bytes.len() - 4;
        bytes[at..].copy_from_slice(&1.5_f32.to_le_bytes());
    }
    let file = of_bytes(&bytes).unwrap();
    assert_eq!(file.get("b").unwrap().to_vec::<f32>().unwrap(), [1.5]);
    assert_eq!(file.map("c").unwrap().shape(), [0]);
    let error = file.map("b").unwrap_err();
    assert!(
        matches!(
            error,
            FileError::Misaligned {
                dtype: DType::F32,
                align: 4,
                ..
            }
        ),
        "{error:?}"
    );
}

#[test]
fn what_the_format_can_not_hold_is_not_written() {
    let path = written("never_made.safetensors");
    let complex = array("c64_cube");
    let error = safetensors::write(&path, &[("a", &complex)], &[]).unwrap_err();
    assert!(
        error.to_string().ends_with(
            "a: dtype c64 does not exist in safetensors; cast the tensor first, for example to f32"
        ),
        "{error}"
    );
    assert!(!path.exists());
    let plain = array("u8_vector");
    let error = |tensors: &[(&str, &Tensor)], metadata: &[(&str, &str)]| {
        safetensors::to_bytes(tensors, metadata).unwrap_err()
    };
    assert!(matches!(
        error(&[("a", &plain), ("a", &plain)], &[]),
        FileError::DuplicateName { .. }
    ));
    assert!(matches!(
        error(&[("__metadata__", &plain)], &[]),
        FileError::ReservedName { .. }
    ));
    assert!(matches!(
        error(&[], &[("a", "1"), ("a", "2")]),
        FileError::DuplicateName { .. }
    ));
}

/// Damage is an error, or it is in the values, the names or the texts: the format has no checksum.
#[test]
fn damage_never_panics() {
    let read = |bytes: &[u8]| {
        let file = of_bytes(bytes)?;
        for entry in file.entries() {
            if let Ok(tensor) = file.get(&entry.name) {
                assert_eq!(tensor.shape(), entry.shape);
            }
        }
        Ok::<usize, FileError>(file.entries().len())
    };
    let whole = fs::read(fixture("all.safetensors")).unwrap();
    for length in 0..whole.len() {
        assert!(read(&whole[..length]).is_err(), "cut at {length}");
    }
    let small = fs::read(fixture("model-00001-of-00002.safetensors")).unwrap();
    for at in 0..small.len() {
        for flip in [0x01, 0x20, 0x80] {
            let mut altered = small.clone();
            altered[at] ^= flip;
            let _either = read(&altered);
        }
    }
    let mut random = Random::new(3);
    for _ in 0..2000 {
        let _either = read(&mutated(&whole, &mut random));
        let _either = read(&mutated(&small, &mut random));
    }
}
