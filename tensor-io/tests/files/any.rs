//! Files opened by their contents, and bytes that are in no file.

use std::fs;

use tensor::{
    Complex32, DType, ExternalScalar, Scalar, ScalarDomain, Tensor, TensorError, dispatch_dtype,
};
use tensor_io::{ElementFormat, FileError, FileFormat, TensorFile, save, view_bytes};

use crate::support::{Random, array, check_values, fixture, is_column_major, names, written};

#[test]
fn every_format_is_known_by_its_first_bytes() {
    for (file, format, tensors, first) in [
        ("version_1.tensors", FileFormat::Container, 75, "f32_scalar"),
        ("all.safetensors", FileFormat::SafeTensors, 70, "u64_cube"),
        (
            "model.safetensors.index.json",
            FileFormat::SafeTensors,
            3,
            "i64_vector",
        ),
        ("little.gguf", FileFormat::Gguf, 42, "f32_scalar"),
        ("float32_le_row.npy", FileFormat::Npy, 1, "float32_le_row"),
        ("deflated.npz", FileFormat::Npz, 6, "zeros"),
    ] {
        // Whatever the name is.
        let path = if file.ends_with(".json") {
            fixture(file)
        } else {
            let stem = file.split('.').next().unwrap();
            let path = written(&format!("{stem}.bin"));
            fs::copy(fixture(file), &path).unwrap();
            path
        };
        let mut opened = TensorFile::open(&path).unwrap();
        assert_eq!(opened.format(), format, "{file}");
        assert_eq!(FileFormat::of_name(file), Some(format), "{file}");
        let entries = opened.entries().to_vec();
        assert_eq!((entries.len(), entries[0].name.as_str()), (tensors, first));
        for entry in &entries {
            let name = &entry.name;
            match entry.format {
                ElementFormat::DType(dtype) => {
                    let tensor = opened.read(name).unwrap();
                    assert_eq!((tensor.dtype(), tensor.shape()), (dtype, &*entry.shape));
                    assert_eq!(u64::try_from(tensor.size_bytes()).unwrap(), entry.bytes);
                    match opened.map(name) {
                        Ok(mapped) => {
                            assert_eq!(mapped.to_le_bytes(), tensor.to_le_bytes());
                            assert_eq!(opened.raw(name).unwrap().len(), tensor.size_bytes());
                        }
                        Err(FileError::NotMapped { .. }) => {
                            assert_eq!(format, FileFormat::Npz);
                            assert!(opened.raw(name).is_err());
                        }
                        Err(error) => panic!("{error}"),
                    }
                }
                other => {
                    assert_eq!(format, FileFormat::Gguf, "{other}");
                    assert!(opened.read(name).is_err());
                    assert!(!opened.raw(name).unwrap().is_empty());
                }
            }
        }
        let error = opened.read("missing").unwrap_err();
        assert!(matches!(error, FileError::NoSuchTensor { .. }), "{error:?}");
    }
}

#[test]
fn metadata_are_texts() {
    let texts = |file| TensorFile::open(fixture(file)).unwrap().metadata();
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(
        texts("version_1.tensors"),
        [pair("made by", "python"), pair("größe", "µ")]
    );
    assert_eq!(texts("all.safetensors"), [pair("made by", "python \"µ\"")]);
    let gguf = texts("little.gguf");
    for expect in [
        pair("u64", "18446744073709551615"),
        pair("f32", "-1.5"),
        pair("integers", "[1, -2, 3]"),
        pair("texts", "[\"\", \"a\", \"µß\"]"),
        pair("yes", "true"),
    ] {
        assert!(gguf.contains(&expect), "{expect:?}");
    }
    assert!(texts("deflated.npz").is_empty());
    // Both shards have it; it is told once.
    assert_eq!(
        texts("model.safetensors.index.json"),
        [pair("format", "np")]
    );
}

#[test]
fn what_is_saved_is_read_again_with_progress() {
    let path = written("saved.bin");
    for (format, kept) in [
        (FileFormat::Container, names(|_| true)),
        (FileFormat::SafeTensors, names(|dtype| dtype != DType::C64)),
        (FileFormat::Npz, names(|dtype| dtype != DType::BF16)),
        (FileFormat::Npy, vec!["f32_turned".to_owned()]),
    ] {
        let arrays: Vec<Tensor> = kept.iter().map(|name| array(name)).collect();
        let tensors: Vec<(&str, &Tensor)> = kept.iter().map(String::as_str).zip(&arrays).collect();
        let bytes: usize = arrays.iter().map(Tensor::size_bytes).sum();
        let bytes = u64::try_from(bytes).unwrap();
        let mut told = (0, 0);
        let tell = |told: &mut (u64, u64), done, total| {
            assert!(done > told.0 && done <= total);
            *told = (done, total);
        };
        save(&path, format, &tensors, &[], |done, total| {
            tell(&mut told, done, total);
        })
        .unwrap();
        assert_eq!(told, (bytes, bytes), "{format}");
        let mut file = TensorFile::open(&path).unwrap();
        assert_eq!(file.format(), format);
        told = (0, 0);
        let back = file
            .read_all(|done, total| tell(&mut told, done, total))
            .unwrap();
        assert_eq!(told, (bytes, bytes), "{format}");
        assert_eq!(back.len(), kept.len());
        for (name, tensor) in back {
            let name = if format == FileFormat::Npy {
                assert_eq!(name, "saved");
                "f32_turned"
            } else {
                &name
            };
            check_values(name, &tensor);
        }
    }
}

#[test]
fn what_a_format_can_not_do_is_said() {
    let path = written("refused.bin");
    let cube = array("f32_cube");
    let check = |format, tensors: &[(&str, &Tensor)], metadata: &[(&str, &str)], expect: &str| {
        let error = save(&path, format, tensors, metadata, |_, _| {}).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(expect), "{text:?} has no {expect:?}");
        assert!(!path.exists());
    };
    let one = [("a", &cube)];
    check(
        FileFormat::Gguf,
        &one,
        &[],
        "GGUF files are read here, not written",
    );
    check(
        FileFormat::Npy,
        &[("a", &cube), ("b", &cube)],
        &[],
        "a npy file holds one tensor, got 2",
    );
    check(FileFormat::Npy, &[], &[], "got 0");
    check(
        FileFormat::Npz,
        &one,
        &[("key", "value")],
        "npz has no place for metadata, and there are 1 texts",
    );
    check(
        FileFormat::Npz,
        &[("a", &array("bf16_cube"))],
        &[],
        "dtype bf16 does not exist in npz",
    );
}

#[test]
fn what_is_no_file_of_tensors() {
    let path = written("unknown.bin");
    let check = |bytes: &[u8], expect: &str| {
        fs::write(&path, bytes).unwrap();
        let error = TensorFile::open(&path).unwrap_err().to_string();
        assert!(error.contains(expect), "{error:?} has no {expect:?}");
    };
    check(b"", "it begins with []");
    check(
        b"\x08\x02\x12\x07pytorch",
        "containers of tensors, safetensors, GGUF, npy and npz are read",
    );
    check(b"{\"a\": 1}", "missing field `weight_map`");
    check(b" \n{\"weight_map\": []}", "invalid type: sequence");
    check(b"GGUF", "the version takes the bytes 4 to 8");
    check(b"\x89TNF\r\n\x1a\n", "the header takes the bytes 0 to 192");
    // A length that reads like the beginning of JSON.
    check(
        b"{\"\0\0\0\0\0\0{\"a\":1}",
        "the header takes the bytes 8 to",
    );
    check(b"PK\x03\x04", "zip archive");
    assert!(TensorFile::open(path.with_extension("missing")).is_err());
    assert_eq!(FileFormat::of_name("model.onnx"), None);
    assert_eq!(FileFormat::detect(b"\x93NUMPY"), Some(FileFormat::Npy));
}

/// Every dtype with every rank up to 8, extents of 0 to 3, both memory orders, random bits.
#[test]
fn random_tensors_come_back_bit_for_bit() {
    fn tensor(random: &mut Random, dtype: DType, shape: &[usize], column_major: bool) -> Tensor {
        let count: usize = shape.iter().product();
        let mut bytes = Vec::new();
        bytes.resize_with(count * dtype.size_bytes(), || {
            u8::try_from(random.below(256)).unwrap()
        });
        let flat = Tensor::from_le_bytes(dtype, [count], &bytes).unwrap();
        dispatch_dtype!(dtype, T => {
            let values = flat.to_vec::<T>().unwrap();
            if column_major {
                Tensor::from_vec_col_major(shape, values).unwrap()
            } else {
                Tensor::from_vec_row_major(shape, values).unwrap()
            }
        }, _external => panic!("{dtype}"))
    }
    let mut random = Random::new(11);
    let mut made = Vec::new();
    for dtype in DType::TAGS {
        for rank in 0..=8 {
            let shape: Vec<usize> = (0..rank).map(|_| (random.below(16) / 4 + 1) % 5).collect();
            let column_major = random.below(2) == 1;
            let tensor = tensor(&mut random, *dtype, &shape, column_major);
            made.push((format!("{dtype} {shape:?}"), tensor));
        }
    }
    for (format, refused) in [
        (FileFormat::Container, None),
        (FileFormat::SafeTensors, Some(DType::C64)),
        (FileFormat::Npz, Some(DType::BF16)),
    ] {
        let path = written("random.bin");
        let kept: Vec<(&str, &Tensor)> = made
            .iter()
            .filter(|(_, tensor)| Some(tensor.dtype()) != refused)
            .map(|(name, tensor)| (name.as_str(), tensor))
            .collect();
        save(&path, format, &kept, &[], |_, _| {}).unwrap();
        let mut file = TensorFile::open(&path).unwrap();
        for (name, tensor) in kept {
            let back = file.read(name).unwrap();
            assert_eq!(
                (back.dtype(), back.shape()),
                (tensor.dtype(), tensor.shape())
            );
            assert_eq!(back.to_le_bytes(), tensor.to_le_bytes(), "{name}");
            if format != FileFormat::SafeTensors {
                assert_eq!(is_column_major(&back), is_column_major(tensor), "{name}");
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Percent(u8);

impl Scalar for Percent {
    const DOMAIN: ScalarDomain = ScalarDomain::NonField;
}

impl std::fmt::Display for Percent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl ExternalScalar for Percent {
    const NAME: &'static str = "test.percent";
}

#[test]
fn g02_bytes_are_seen_where_they_lie() {
    let words = [0x3fc0_0000_u32, 0xc000_0000, 0, 0x4120_0000];
    let bytes: &[u8] = bytemuck::cast_slice(&words);
    let floats = view_bytes(DType::F32, &[2, 2], bytes).unwrap();
    assert_eq!(floats.to_vec::<f32>().unwrap(), [1.5, -2.0, 0.0, 10.0]);
    assert_eq!(
        floats.as_slice::<f32>().unwrap().as_ptr().addr(),
        bytes.as_ptr().addr()
    );
    let complex = view_bytes(DType::C32, &[2], bytes).unwrap();
    assert_eq!(
        complex.get::<Complex32>(&[1]).unwrap(),
        Complex32::new(0.0, 10.0)
    );
    let flags = view_bytes(DType::Bool, &[3], &[1, 0, 1]).unwrap();
    assert_eq!(flags.to_vec::<bool>().unwrap(), [true, false, true]);
    for dtype in DType::TAGS {
        assert!(
            view_bytes(*dtype, &[0, 7], &bytes[1..1])
                .unwrap()
                .is_empty()
        );
    }

    let refused = |dtype, shape: &[usize], bytes: &[u8], expect: &str| {
        let error = view_bytes(dtype, shape, bytes).unwrap_err().to_string();
        assert!(error.contains(expect), "{error:?} has no {expect:?}");
    };
    refused(
        DType::F32,
        &[1],
        &bytes[1..5],
        "can't be used where they lie",
    );
    refused(
        DType::F32,
        &[3],
        bytes,
        "f32 [3] needs 12 bytes, 16 are there",
    );
    refused(
        DType::F64,
        &[1 << 40, 1 << 40],
        bytes,
        "needs 18446744073709551615 bytes",
    );
    refused(
        DType::Bool,
        &[2],
        &[1, 2],
        "element 1 is a bool with the byte 2",
    );
    refused(
        Percent::DTYPE,
        &[4],
        &bytes[..4],
        "are no tensor of a dtype",
    );
}

#[test]
fn a_view_of_a_read_only_mapping_refuses_to_be_written() {
    let file = TensorFile::open(fixture("version_1.tensors")).unwrap();
    let mut mapped = file.map("f32_cube").unwrap();
    let error = mapped.view_mut().unwrap_err();
    assert!(matches!(error, TensorError::ReadOnly { .. }), "{error:?}");
}

#[test]
fn a_file_tells_its_version_and_what_only_its_format_has() {
    for (file, version, gguf, shards) in [
        ("version_1.tensors", Some("1"), false, None),
        ("all.safetensors", None, false, None),
        ("model.safetensors.index.json", None, false, Some(2)),
        ("little.gguf", Some("3"), true, None),
        ("float32_le_row.npy", Some("1.0"), false, None),
        ("version_2.npy", Some("2.0"), false, None),
        ("deflated.npz", None, false, None),
    ] {
        let opened = TensorFile::open(fixture(file)).unwrap();
        assert_eq!(opened.version().as_deref(), version, "{file}");
        assert_eq!(opened.as_gguf().is_some(), gguf, "{file}");
        let files = opened.as_shards().map(|shards| shards.files().len());
        assert_eq!(files, shards, "{file}");
    }
}

/// What `holds` says is what `save` does.
#[test]
fn a_format_tells_what_it_can_hold() {
    let path = written("holds");
    for format in [
        FileFormat::Container,
        FileFormat::SafeTensors,
        FileFormat::Gguf,
        FileFormat::Npy,
        FileFormat::Npz,
    ] {
        for &dtype in DType::TAGS {
            let tensor = Tensor::zeros(dtype, [1]).unwrap();
            let saved = save(&path, format, &[("a", &tensor)], &[], |_, _| {});
            assert_eq!(format.holds(dtype), saved.is_ok(), "{format} {dtype}");
        }
        if format != FileFormat::Gguf {
            let tensor = Tensor::scalar(1_u8);
            let saved = save(&path, format, &[("a", &tensor)], &[("k", "v")], |_, _| {});
            assert_eq!(format.holds_metadata(), saved.is_ok(), "{format}");
        }
    }
}
