//! Files that lie, are cut, or hold what is no tensor: each a typed error, none a panic or a large allocation.
use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;

use tensor::{DType, Tensor, bf16};
use tensor_io::npz::{Compression, Npz};
use tensor_io::{FileError, npy, npz};
use zip::write::SimpleFileOptions;

use crate::support::{Random, mutated};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// A npy file of version 1.0 with this dictionary and this many zero bytes behind it.
fn npy_file(dictionary: &str, payload_bytes: usize) -> Vec<u8> {
    let length = u16::try_from(dictionary.len()).unwrap().to_le_bytes();
    [
        b"\x93NUMPY\x01\x00",
        &length[..],
        dictionary.as_bytes(),
        &vec![0; payload_bytes],
    ]
    .concat()
}

fn f32_file(shape: &str, payload_bytes: usize) -> Vec<u8> {
    npy_file(
        &format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}"),
        payload_bytes,
    )
}

/// A zip archive with one deflated entry.
fn archive_of(name: &str, contents: &[u8]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    writer
        .start_file(name, SimpleFileOptions::default())
        .unwrap();
    writer.write_all(contents).unwrap();
    writer.finish().unwrap().into_inner()
}

fn read_archive(bytes: Vec<u8>) -> Result<Vec<(String, Tensor)>, FileError> {
    Npz::from_reader(Cursor::new(bytes), "archive")?.read_all()
}

#[test]
fn sizes_that_do_not_add_up() {
    let huge = usize::MAX / 4;
    let cases = [
        (f32_file("(3,)", 11), 12, 11),
        (f32_file("(3,)", 13), 12, 13),
        (f32_file("()", 0), 4, 0),
        (f32_file("(0, 5)", 4), 0, 4),
        (f32_file("(1000000000000,)", 8), 4_000_000_000_000, 8),
        (f32_file(&format!("({huge}, 0)"), 1), 0, 1),
    ];
    for (bytes, expect_needed, expect_present) in cases {
        match npy::from_bytes(&bytes) {
            Err(FileError::SizeMismatch {
                needed,
                present,
                dtype: DType::F32,
                ..
            }) => {
                assert_eq!((needed, present), (expect_needed, expect_present));
            }
            other => panic!("{:?}: {other:?}", String::from_utf8_lossy(&bytes)),
        }
    }
    let overflow = npy::from_bytes(&f32_file(&format!("({huge}, {huge})"), 8));
    assert!(
        matches!(overflow, Err(FileError::Shape { .. })),
        "{overflow:?}"
    );
}

#[test]
fn cut_anywhere() {
    let whole = fs::read(fixture("float32_le_row.npy")).unwrap();
    for length in 0..whole.len() {
        assert!(
            npy::from_bytes(&whole[..length]).is_err(),
            "cut at {length}"
        );
    }
    let archive = fs::read(fixture("deflated.npz")).unwrap();
    for length in (0..archive.len()).step_by(7) {
        assert!(
            read_archive(archive[..length].to_vec()).is_err(),
            "cut at {length}"
        );
    }
}

/// One altered byte never panics; in the values of an archive the checksum notices it.
#[test]
fn altered_anywhere() {
    let npy_bytes = fs::read(fixture("float32_le_row.npy")).unwrap();
    for at in 0..npy_bytes.len() {
        let mut altered = npy_bytes.clone();
        altered[at] ^= 0x15;
        let _either = npy::from_bytes(&altered);
    }
    let archive = fs::read(fixture("deflated.npz")).unwrap();
    for at in 0..archive.len() {
        let mut altered = archive.clone();
        altered[at] ^= 0x15;
        let _either = read_archive(altered);
    }
    let mut stored = Cursor::new(Vec::new());
    let tensor = Tensor::from_vec_row_major([4], vec![0x1234_5678_i32; 4]).unwrap();
    npz::write_to(
        &mut stored,
        "archive",
        &[("a", &tensor)],
        Compression::Stored,
    )
    .unwrap();
    let mut bytes = stored.into_inner();
    let value = bytes
        .windows(4)
        .position(|window| window == 0x1234_5678_i32.to_le_bytes())
        .unwrap();
    bytes[value] ^= 1;
    assert!(matches!(
        read_archive(bytes),
        Err(FileError::Io {
            action: "read to the end",
            ..
        })
    ));
}

#[test]
fn bombs_are_refused_before_memory_is_asked_for() {
    // The directory claims 1 GiB for an entry of a few bytes: deflate can't do that.
    let small = archive_of("bomb.npy", &f32_file("(4,)", 16));
    let mut lying = small.clone();
    let directory = lying
        .windows(4)
        .position(|window| window == b"PK\x01\x02")
        .unwrap();
    lying[directory + 24..directory + 28].copy_from_slice(&(1_u32 << 30).to_le_bytes());
    assert!(matches!(
        read_archive(lying),
        Err(FileError::ImpossibleRatio {
            bytes: 0x4000_0000,
            ..
        })
    ));

    // An honest archive of zeros, above the limit that the caller set.
    let zeros = archive_of("zeros.npy", &f32_file("(1000000,)", 4_000_000));
    assert!(zeros.len() < 10_000);
    let mut archive = Npz::from_reader(Cursor::new(zeros), "archive").unwrap();
    archive.set_max_tensor_bytes(1_000_000);
    assert!(matches!(
        archive.read("zeros"),
        Err(FileError::AboveLimit {
            limit: 1_000_000,
            ..
        })
    ));
    archive.set_max_tensor_bytes(5_000_000);
    assert_eq!(archive.read("zeros").unwrap().shape(), [1_000_000]);
    assert_eq!(read_archive(small).unwrap().len(), 1);
}

#[test]
fn what_is_no_tensor_is_named() {
    let error = |name: &str| npy::read(fixture(name)).unwrap_err().to_string();
    assert!(
        error("text.npy").contains("numpy type \"<U6\" has no dtype here"),
        "{}",
        error("text.npy")
    );
    assert!(
        error("structure.npy").contains("structured types are not supported"),
        "{}",
        error("structure.npy")
    );
    assert!(
        error("stored.npz").contains("no npy data"),
        "{}",
        error("stored.npz")
    );
    assert!(
        error("nothing.npy").contains("nothing.npy: cannot open"),
        "{}",
        error("nothing.npy")
    );
    let in_archive = read_archive(archive_of("notes.txt", b"no array, this is text"))
        .unwrap_err()
        .to_string();
    assert!(
        in_archive.starts_with("archive:notes.txt: no npy data"),
        "{in_archive}"
    );
    assert!(matches!(
        read_archive(b"no archive".to_vec()),
        Err(FileError::Archive { .. })
    ));
}

#[test]
fn what_numpy_can_not_hold_is_not_written() {
    let brain = Tensor::from_vec_row_major([1], vec![bf16::ONE]).unwrap();
    assert!(matches!(
        npy::to_bytes(&brain),
        Err(FileError::UnsupportedDType {
            dtype: DType::BF16,
            ..
        })
    ));
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("never_made.npy");
    assert!(npy::write(&path, &brain).is_err());
    assert!(!path.exists(), "a refused tensor must not leave a file");
    let plain = Tensor::from_vec_row_major([1], vec![1.0_f32]).unwrap();
    let repeated = npz::write_to(
        Cursor::new(Vec::new()),
        "archive",
        &[("a", &plain), ("a.npy", &plain)],
        Compression::Stored,
    );
    assert!(matches!(repeated, Err(FileError::DuplicateName { .. })));
}

#[test]
fn unknown_arrays_are_listed() {
    let mut archive = Npz::open(fixture("deflated.npz")).unwrap();
    let error = archive.read("weights").unwrap_err().to_string();
    assert!(
        error.contains("no tensor \"weights\"; there are [\"zeros\", \"scalar\""),
        "{error}"
    );
}

/// Thousands of damaged files: no panic, and sizes that agree.
#[test]
fn mutations() {
    let mut random = Random::new(7);
    for name in ["float32_le_row.npy", "complex128_be_col.npy"] {
        let whole = fs::read(fixture(name)).unwrap();
        for _ in 0..2000 {
            if let Ok(tensor) = npy::from_bytes(&mutated(&whole, &mut random)) {
                assert!(tensor.size_bytes() < 2 * whole.len());
            }
        }
    }
    let whole = fs::read(fixture("deflated.npz")).unwrap();
    for _ in 0..2000 {
        let bytes = mutated(&whole, &mut random);
        let _either = read_archive(bytes.clone());
        let _either = Npz::from_reader(Cursor::new(bytes), "archive")
            .and_then(|mut archive| archive.entries());
    }
}
