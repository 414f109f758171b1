//! GGUF: files of ggml's Python package (`python/gguf_files.py`), and files that lie.

use std::fs;

use tensor::{DType, f16};
use tensor_io::gguf::{Array, Gguf, Value};
use tensor_io::{ByteOrder, ElementFormat, FileError, Mapping};

use crate::support::{Random, check_values, fixture, mutated, names};

fn of_bytes(bytes: &[u8]) -> Result<Gguf, FileError> {
    Gguf::from_mapping(Mapping::from_bytes(bytes)?, "file")
}

fn plain_names() -> Vec<String> {
    names(|dtype| {
        matches!(
            dtype,
            DType::F32
                | DType::F64
                | DType::F16
                | DType::BF16
                | DType::I8
                | DType::I16
                | DType::I32
                | DType::I64
        )
    })
}

#[test]
fn plain_tensors_in_both_byte_orders_and_versions() {
    let little = fs::read(fixture("little.gguf")).unwrap();
    let mut older = little.clone();
    older[4] = 2;
    let big = fs::read(fixture("big.gguf")).unwrap();
    for (bytes, version, order, alignment) in [
        (little, 3, ByteOrder::Little, 32),
        (older, 2, ByteOrder::Little, 32),
        (big, 3, ByteOrder::Big, 8),
    ] {
        let file = of_bytes(&bytes).unwrap();
        assert_eq!(
            (file.version(), file.byte_order(), file.alignment()),
            (version, order, alignment)
        );
        for name in plain_names() {
            let tensor = file.get(&name).unwrap();
            check_values(&name, &tensor);
            let mapped = file.map(&name);
            if order == ByteOrder::NATIVE || tensor.dtype() == DType::I8 {
                check_values(&name, &mapped.unwrap());
            } else {
                let error = mapped.unwrap_err();
                assert!(
                    matches!(error, FileError::ForeignByteOrder { .. }),
                    "{error:?}"
                );
            }
        }
        // ggml's dimensions [4, 3, 2] of the same bytes.
        let rows = file.rows("i32_cube", 1..2).unwrap();
        assert_eq!(
            (rows.shape(), rows.to_vec::<i32>().unwrap()),
            (&[1, 3, 4][..], (12..24).collect())
        );
    }
}

#[test]
fn metadata_of_every_type() {
    for name in ["little.gguf", "big.gguf"] {
        let file = Gguf::open(fixture(name)).unwrap();
        let expect = [
            ("general.architecture", Value::Text("test".into())),
            ("u8", Value::U8(u8::MAX)),
            ("i8", Value::I8(i8::MIN)),
            ("u16", Value::U16(u16::MAX)),
            ("i16", Value::I16(i16::MIN)),
            ("u32", Value::U32(u32::MAX)),
            ("i32", Value::I32(i32::MIN)),
            ("u64", Value::U64(u64::MAX)),
            ("i64", Value::I64(i64::MIN)),
            ("f32", Value::F32(-1.5)),
            ("f64", Value::F64(0.1)),
            ("yes", Value::Bool(true)),
            ("no", Value::Bool(false)),
            ("text", Value::Text("µ\nß".into())),
            ("integers", Value::Array(Array::I32(vec![1, -2, 3]))),
            ("floats", Value::Array(Array::F32(vec![0.5, -0.25]))),
            ("bools", Value::Array(Array::Bool(vec![true, false, true]))),
            (
                "texts",
                Value::Array(Array::Text(vec!["".into(), "a".into(), "µß".into()])),
            ),
            ("bytes", Value::Array(Array::U8(vec![0, 127, 255]))),
        ];
        for (key, value) in &expect {
            assert_eq!(file.value(key), Some(value), "{key} of {name}");
        }
        let more = usize::from(name == "big.gguf");
        assert_eq!(file.metadata().len(), expect.len() + more);
        assert_eq!(file.value("missing"), None);
        let value = |key| file.value(key).unwrap();
        assert_eq!(value("u64").as_u64(), Some(u64::MAX));
        assert_eq!(value("i64").as_u64(), None);
        assert_eq!(value("f32").as_f64(), Some(-1.5));
        assert_eq!(value("yes").as_bool(), Some(true));
        assert_eq!(value("text").as_str(), Some("µ\nß"));
        assert_eq!(value("texts").as_array().map(Array::len), Some(3));
    }
}

/// Blocks of Q8_0: a scale d as f16 and 32 bytes q, for the values d q.
#[test]
fn quantised_tensors_are_described_and_their_bytes_are_there() {
    let file = Gguf::open(fixture("little.gguf")).unwrap();
    let entry = file
        .entries()
        .iter()
        .find(|entry| entry.name == "Q8_0_matrix");
    let entry = entry.unwrap();
    let ElementFormat::Block(block) = entry.format else {
        panic!("{entry:?}");
    };
    assert_eq!(
        (block.name, block.block_elements, block.block_bytes),
        ("Q8_0", 32, 34)
    );
    assert_eq!((entry.shape.as_slice(), entry.bytes), (&[2, 32][..], 68));
    let bytes = file.raw("Q8_0_matrix").unwrap();
    for (row, block) in bytes.chunks_exact(34).enumerate() {
        let scale = f16::from_le_bytes([block[0], block[1]]).to_f32();
        for (k, &q) in block[2..].iter().enumerate() {
            let k = f32::from(u8::try_from(k).unwrap());
            let expect = if row == 0 { k - 16.0 } else { k * 0.5 };
            let found = scale * f32::from(q.cast_signed());
            assert!((found - expect).abs() <= scale, "{row} {k}: {found}");
        }
    }
    assert_eq!(file.raw("Q4_0_matrix").unwrap().len(), 36);
    for error in [
        file.get("Q4_0_matrix").unwrap_err(),
        file.map("Q4_0_matrix").unwrap_err(),
        file.rows("Q4_0_matrix", 0..1).unwrap_err(),
    ] {
        assert!(
            error.to_string().contains(
                "little.gguf:Q4_0_matrix: elements of format Q4_0 are no tensor of a dtype"
            ),
            "{error}"
        );
    }
    assert!(file.read_all(|_, _| {}).is_err());
    let big = Gguf::open(fixture("big.gguf")).unwrap();
    assert_eq!(big.read_all(|_, _| {}).unwrap().len(), 40);
}

/// A file from its parts.
#[derive(Default)]
struct Raw {
    tensors: Option<u64>,
    pairs: Option<u64>,
    metadata: Vec<Vec<u8>>,
    infos: Vec<Vec<u8>>,
    data: usize,
}

impl Raw {
    fn bytes(&self) -> Vec<u8> {
        let count = |given: Option<u64>, parts: &[Vec<u8>]| {
            given
                .unwrap_or(u64::try_from(parts.len()).unwrap())
                .to_le_bytes()
        };
        let mut bytes = b"GGUF\x03\0\0\0".to_vec();
        bytes.extend_from_slice(&count(self.tensors, &self.infos));
        bytes.extend_from_slice(&count(self.pairs, &self.metadata));
        bytes.extend(self.metadata.concat());
        bytes.extend(self.infos.concat());
        bytes.resize(bytes.len().next_multiple_of(32) + self.data, 0);
        bytes
    }
}

fn text(text: &str) -> Vec<u8> {
    let length = u64::try_from(text.len()).unwrap().to_le_bytes();
    [&length[..], text.as_bytes()].concat()
}

fn info(name: &str, dims: &[u64], code: u32, offset: u64) -> Vec<u8> {
    let mut bytes = text(name);
    bytes.extend_from_slice(&u32::try_from(dims.len()).unwrap().to_le_bytes());
    for dim in dims {
        bytes.extend_from_slice(&dim.to_le_bytes());
    }
    bytes.extend_from_slice(&code.to_le_bytes());
    bytes.extend_from_slice(&offset.to_le_bytes());
    bytes
}

fn pair(key: &str, code: u32, value: &[u8]) -> Vec<u8> {
    [&text(key)[..], &code.to_le_bytes(), value].concat()
}

fn check(raw: &Raw, expect: &str) {
    let error = of_bytes(&raw.bytes()).unwrap_err().to_string();
    assert!(error.contains(expect), "{error:?} has no {expect:?}");
}

#[test]
fn tensors_that_lie() {
    let one = |info: Vec<u8>| Raw {
        infos: vec![info],
        data: 64,
        ..Raw::default()
    };
    let two = |first: (u64, u64), second: (u64, u64)| Raw {
        infos: vec![
            info("a", &[first.1], 24, first.0),
            info("b", &[second.1], 24, second.0),
        ],
        data: 64,
        ..Raw::default()
    };
    assert!(of_bytes(&one(info("a", &[16], 0, 0)).bytes()).is_ok());
    assert!(of_bytes(&two((0, 32), (32, 32)).bytes()).is_ok());
    check(
        &one(info("a", &[17], 0, 0)),
        "file:a: the tensor takes the bytes",
    );
    check(
        &one(info("a", &[16], 0, 32)),
        "file:a: the tensor takes the bytes",
    );
    check(
        &one(info("a", &[16], 0, 1 << 60)),
        "the tensor takes the bytes",
    );
    check(
        &one(info("a", &[16], 0, u64::MAX - 31)),
        "the tensor takes the bytes",
    );
    check(
        &one(info("a", &[4], 0, 4)),
        "the offset is 4; expected a multiple of",
    );
    check(&one(info("a", &[4], 4, 0)), "the type is 4");
    check(&one(info("a", &[4], 42, 0)), "the type is 42");
    check(
        &one(info("a", &[33], 8, 0)),
        "the shape is [33]; expected whole blocks",
    );
    check(
        &one(info("a", &[1, 32], 8, 0)),
        "the shape is [32, 1]; expected whole blocks of Q8_0 along the last axis",
    );
    check(
        &one(info("a", &[1 << 32, 1 << 32], 0, 0)),
        "the shape is [4294967296, 4294967296]",
    );
    check(&two((0, 33), (32, 1)), "\"a\" and \"b\" both take byte");
    check(&two((0, 32), (0, 32)), "\"a\" and \"b\" both take byte");
    let mut same = two((0, 32), (32, 32));
    same.infos[1] = info("a", &[32], 24, 32);
    check(&same, "two tensors are called \"a\"");
    let mut many = one(info("a", &[16], 0, 0));
    many.tensors = Some(1 << 60);
    check(&many, "the number of tensors is 1152921504606846976");
    let mut ranks = info("a", &[], 0, 0);
    ranks[9..13].copy_from_slice(&u32::MAX.to_le_bytes());
    check(&one(ranks), "the number of dimensions is 4294967295");
}

/// Without its padding the file ends before the place where an empty tensor is said to be.
#[test]
fn an_empty_tensor_behind_the_end() {
    let raw = Raw {
        infos: vec![info("a", &[3, 0], 0, 0)],
        ..Raw::default()
    };
    let mut bytes = raw.bytes();
    let header = 24 + raw.infos[0].len();
    assert!(header < bytes.len());
    bytes.truncate(header);
    let file = of_bytes(&bytes).unwrap();
    assert!(file.raw("a").unwrap().is_empty());
    assert_eq!(file.get("a").unwrap().shape(), [0, 3]);
    assert_eq!(file.map("a").unwrap().shape(), [0, 3]);
    assert_eq!(file.rows("a", 0..0).unwrap().shape(), [0, 3]);
}

#[test]
fn metadata_that_lie() {
    let with = |pairs: &[Vec<u8>]| Raw {
        metadata: pairs.to_vec(),
        ..Raw::default()
    };
    let array = |code: u32, length: u64, rest: &[u8]| {
        [&code.to_le_bytes()[..], &length.to_le_bytes(), rest].concat()
    };
    assert!(of_bytes(&with(&[pair("a", 7, &[1])]).bytes()).is_ok());
    check(
        &Raw {
            pairs: Some(u64::MAX),
            ..Raw::default()
        },
        "the number of metadata pairs is 18446744073709551615",
    );
    check(
        &with(&[pair("a", 13, &[0; 8])]),
        "the type of a value is 13",
    );
    check(
        &with(&[pair("a", 7, &[2])]),
        "a bool is [02]; expected 0 or 1",
    );
    check(
        &with(&[pair("a", 8, &(1_u64 << 60).to_le_bytes())]),
        "a text is 1152921504606846976; expected at most",
    );
    check(
        &with(&[pair("a", 8, &[2, 0, 0, 0, 0, 0, 0, 0, 0xc3, 0x28])]),
        "a text is [c3, 28]; expected UTF-8",
    );
    for (code, expect) in [
        (0, "at most"),
        (5, "at most"),
        (8, "at most"),
        (9, "at most"),
    ] {
        check(
            &with(&[pair("a", 9, &array(code, 1 << 40, &[0; 64]))]),
            expect,
        );
    }
    check(
        &with(&[pair("a", 9, &array(13, 1, &[0; 8]))]),
        "the type of an array is 13",
    );
    let nested = |depth: usize| {
        let inner = (0..depth).fold(array(0, 0, &[]), |inner, _| array(9, 1, &inner));
        with(&[pair("a", 9, &inner)])
    };
    assert!(of_bytes(&nested(15).bytes()).is_ok());
    check(&nested(16), "an array is one too many in an array");
    check(&nested(1000), "an array is one too many in an array");
    check(
        &with(&[pair("a", 7, &[1]), pair("a", 7, &[1])]),
        "a key is \"a\" again",
    );
    for (code, value) in [(4, 0_u64), (4, 24), (10, 32), (5, 32)] {
        check(
            &with(&[pair(
                "general.alignment",
                code,
                &value.to_le_bytes()[..if code == 10 { 8 } else { 4 }],
            )]),
            "a power of two as U32",
        );
    }
    let mut file = Raw::default().bytes();
    for (version, shown) in [
        ([1, 0, 0, 0], "GGUF version 1 is not known, 2 to 3 are"),
        ([4, 0, 0, 0], "GGUF version 4"),
        ([0, 0, 0, 4], "GGUF version 4"),
        ([0, 0, 0, 0], "GGUF version 0"),
    ] {
        file[4..8].copy_from_slice(&version);
        let error = of_bytes(&file).unwrap_err().to_string();
        assert!(error.contains(shown), "{error}");
    }
    assert!(of_bytes(b"GGML").is_err());
}

/// Damage is an error, or it is in the values, the names or the texts: the format has no checksum.
#[test]
fn damage_never_panics() {
    let read = |bytes: &[u8]| {
        let file = of_bytes(bytes)?;
        for entry in file.entries() {
            assert_eq!(
                u64::try_from(file.raw(&entry.name).unwrap().len()).unwrap(),
                entry.bytes
            );
            if let Ok(tensor) = file.get(&entry.name) {
                assert_eq!(tensor.shape(), entry.shape);
            }
        }
        Ok::<_, FileError>(())
    };
    for (seed, name) in [(5, "little.gguf"), (6, "big.gguf")] {
        let whole = fs::read(fixture(name)).unwrap();
        read(&whole).unwrap();
        let file = of_bytes(&whole).unwrap();
        let end = file
            .entries()
            .iter()
            .map(|entry| entry.offset + entry.bytes)
            .max();
        // Only padding may be missing at the end.
        for length in 0..usize::try_from(end.unwrap()).unwrap() {
            assert!(read(&whole[..length]).is_err(), "cut at {length}");
        }
        let mut random = Random::new(seed);
        for _ in 0..3000 {
            let _either = read(&mutated(&whole, &mut random));
        }
    }
}
