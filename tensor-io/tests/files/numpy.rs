//! Files that numpy wrote, read here; and what is written here, compared with numpy's bytes.
//!
//! `python/numpy_files.py` made the fixtures. What the last test leaves in the target folder is opened with
//! numpy by `numpy_files.py --check`.
use std::fs;
use std::io::{Cursor, Read};
use std::path::PathBuf;

use tensor::{Complex32, Complex64, DType, Tensor, TensorElement, TensorError, f16};
use tensor_io::npz::{Compression, Npz};
use tensor_io::{ByteOrder, FileError, npy, npz};

use crate::support::{array, check_array, is_column_major, names, written};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// Element k of the fixtures, by dtype: see `values` in `numpy_files.py`.
fn check_values(name: &str, tensor: &Tensor) {
    fn check<T: TensorElement + PartialEq + std::fmt::Debug>(
        name: &str,
        tensor: &Tensor,
        expect: [T; 6],
    ) {
        assert_eq!(tensor.shape(), [2, 3], "{name}");
        assert_eq!(tensor.to_vec::<T>().unwrap(), expect, "{name}");
    }
    let real = [-1.0_f32, -0.5, 0.0, 0.5, 1.0, 1.5];
    let imaginary = [0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0];
    let pairs: [(f32, f32); 6] = std::array::from_fn(|k| (real[k], imaginary[k]));
    match name.split('_').next().unwrap() {
        "bool" => check(name, tensor, [true, false, false, true, false, false]),
        "int8" => check(name, tensor, [i8::MIN, 1, 2, 3, 4, i8::MAX]),
        "int16" => check(name, tensor, [i16::MIN, 1, 2, 3, 4, i16::MAX]),
        "int32" => check(name, tensor, [i32::MIN, 1, 2, 3, 4, i32::MAX]),
        "int64" => check(name, tensor, [i64::MIN, 1, 2, 3, 4, i64::MAX]),
        "uint8" => check(name, tensor, [0, 1, 2, 3, 4, u8::MAX]),
        "uint16" => check(name, tensor, [0, 1, 2, 3, 4, u16::MAX]),
        "uint32" => check(name, tensor, [0, 1, 2, 3, 4, u32::MAX]),
        "uint64" => check(name, tensor, [0, 1, 2, 3, 4, u64::MAX]),
        "float16" => check(name, tensor, real.map(f16::from_f32)),
        "float32" => check(name, tensor, real),
        "float64" => check(name, tensor, real.map(f64::from)),
        "complex64" => check(name, tensor, pairs.map(|(re, im)| Complex32::new(re, im))),
        "complex128" => check(
            name,
            tensor,
            pairs.map(|(re, im)| Complex64::new(re.into(), im.into())),
        ),
        other => panic!("no values for {other}"),
    }
}

#[test]
fn every_dtype_in_both_byte_orders_and_both_memory_orders() {
    let arrays = npz::read(fixture("stored.npz")).unwrap();
    assert_eq!(arrays.len(), 14 * 4);
    for (name, tensor) in &arrays {
        check_values(name, tensor);
        assert_eq!(is_column_major(tensor), name.ends_with("_col"), "{name}");
    }
}

#[test]
fn single_files_of_every_version() {
    for name in ["float32_le_row", "float32_le_col", "complex128_be_col"] {
        let tensor = npy::read(fixture(&format!("{name}.npy"))).unwrap();
        check_values(name, &tensor);
        assert_eq!(is_column_major(&tensor), name.ends_with("_col"), "{name}");
    }
    for version in ["version_2.npy", "version_3.npy"] {
        check_values("uint16", &npy::read(fixture(version)).unwrap());
    }
}

#[test]
fn deflated_arrays_of_special_shapes() {
    let mut archive = Npz::open(fixture("deflated.npz")).unwrap();
    assert_eq!(
        archive.names(),
        ["zeros", "scalar", "vector", "empty", "cube_col", "strided"]
    );
    let scalar = archive.read("scalar").unwrap();
    assert_eq!(
        (scalar.shape(), scalar.to_vec::<f32>().unwrap()),
        (&[][..], vec![2.5])
    );
    let vector = archive.read("vector.npy").unwrap();
    assert_eq!(
        (vector.shape(), vector.to_vec::<i16>().unwrap()),
        (&[6][..], vec![0, 1, 2, 3, 4, 5])
    );
    let empty = archive.read("empty").unwrap();
    assert_eq!((empty.shape(), empty.dtype()), (&[0, 3][..], DType::F64));
    let cube = archive.read("cube_col").unwrap();
    assert_eq!(
        (cube.shape(), cube.to_vec::<i32>().unwrap()),
        (&[2, 3, 4][..], (0..24).collect())
    );
    assert!(is_column_major(&cube));
    let zeros = archive.read("zeros").unwrap();
    assert_eq!(
        (zeros.shape(), zeros.to_vec::<f64>().unwrap()),
        (&[100, 100][..], vec![0.0; 10_000])
    );
}

/// The native arrays of the fixtures, read and written again, have numpy's bytes.
#[test]
fn written_bytes_are_those_of_numpy() {
    let mut archive =
        zip::ZipArchive::new(Cursor::new(fs::read(fixture("stored.npz")).unwrap())).unwrap();
    let mut compared = 0;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        let written = npy::to_bytes(&npy::from_bytes(&bytes).unwrap()).unwrap();
        if name.contains("_le_") {
            assert_eq!(written, bytes, "{name}");
            compared += 1;
        } else {
            // The same array in the other byte order: read again it is equal.
            check_values(&name, &npy::from_bytes(&written).unwrap());
        }
    }
    assert_eq!(compared, 14 * 2);
}

#[test]
fn archives_round_trip() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let mut arrays = npz::read(fixture("stored.npz")).unwrap();
    arrays.retain(|(name, _)| name.contains("_le_"));
    let mut special = npz::read(fixture("deflated.npz")).unwrap();
    special.retain(|(name, _)| name != "zeros");
    arrays.append(&mut special);
    let borrowed: Vec<(&str, &Tensor)> = arrays
        .iter()
        .map(|(name, tensor)| (name.as_str(), tensor))
        .collect();
    for (file, compression) in [
        ("tensor_io_stored.npz", Compression::Stored),
        ("tensor_io_deflated.npz", Compression::Deflated),
    ] {
        let path = folder.join(file);
        npz::write(&path, &borrowed, compression).unwrap();
        let back = npz::read(&path).unwrap();
        assert_eq!(back.len(), arrays.len());
        for ((name, tensor), (expect_name, expect)) in back.iter().zip(&arrays) {
            assert_eq!(
                (name, tensor.shape(), tensor.dtype()),
                (expect_name, expect.shape(), expect.dtype())
            );
            assert_eq!(
                npy::to_bytes(tensor).unwrap(),
                npy::to_bytes(expect).unwrap(),
                "{name}"
            );
        }
        let first = fs::read(&path).unwrap();
        npz::write(&path, &borrowed, compression).unwrap();
        assert_eq!(
            fs::read(&path).unwrap(),
            first,
            "the same arrays must give the same bytes"
        );
    }
}

/// Every array written in the other byte order and read again.
#[test]
fn f08_big_endian_values_are_written_too() {
    for name in names(|dtype| dtype != DType::BF16) {
        let tensor = array(&name);
        let bytes = npy::to_bytes_as(&tensor, ByteOrder::Big).unwrap();
        check_array(&name, &npy::from_bytes(&bytes).unwrap());
        let little = npy::to_bytes(&tensor).unwrap();
        let swapped = tensor.dtype().size_bytes() > 1;
        let descr = |bytes: &[u8]| bytes.windows(2).any(|pair| pair == b"'>");
        assert_eq!((descr(&bytes), descr(&little)), (swapped, false), "{name}");
        let values = tensor.to_be_bytes().unwrap();
        if !name.ends_with("turned") {
            assert!(bytes.ends_with(&values), "{name}");
        }
        let path = written("big.npy");
        npy::write_as(&path, &tensor, ByteOrder::Big).unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn arrays_map_where_they_lie() {
    for name in names(|dtype| dtype != DType::BF16) {
        let path = written("mapped.npy");
        npy::write(&path, &array(&name)).unwrap();
        let mut mapped = npy::map(&path).unwrap();
        fs::remove_file(&path).unwrap();
        check_array(&name, &mapped);
        let copied = name.starts_with("bool") || mapped.is_empty();
        let read_only = matches!(mapped.view_mut(), Err(TensorError::ReadOnly { .. }));
        assert_eq!(read_only, !copied, "{name}");
    }
    let column = npy::map(fixture("float32_le_col.npy")).unwrap();
    check_values("float32_le_col", &column);
    assert!(is_column_major(&column));
    let error = npy::map(fixture("complex128_be_col.npy")).unwrap_err();
    assert!(
        matches!(error, FileError::ForeignByteOrder { .. }),
        "{error:?}"
    );
}

#[test]
fn entries_of_an_archive_say_what_is_in_it() {
    let mut archive = Npz::open(fixture("deflated.npz")).unwrap();
    let lines: Vec<_> = archive
        .entries()
        .unwrap()
        .into_iter()
        .map(|entry| {
            (
                entry.name,
                entry.format.to_string(),
                entry.shape,
                entry.bytes,
            )
        })
        .collect();
    let line = |name: &str, dtype: &str, shape: &[usize], bytes| {
        (name.to_owned(), dtype.to_owned(), shape.to_vec(), bytes)
    };
    assert_eq!(
        lines,
        [
            line("zeros", "f64", &[100, 100], 80_000),
            line("scalar", "f32", &[], 4),
            line("vector", "i16", &[6], 12),
            line("empty", "f64", &[0, 3], 0),
            line("cube_col", "i32", &[2, 3, 4], 96),
            line("strided", "i32", &[2, 2], 16),
        ]
    );
}
