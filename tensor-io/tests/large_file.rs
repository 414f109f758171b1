//! A container far larger than memory should notice: alone in its program, since it measures the program's memory.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

#[path = "files/support.rs"]
mod support;

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Instant;

use support::{RawContainer, RawEntry, written};
use tensor::Tensor;
use tensor_io::container::Container;

/// A container of a hole of 4 GiB and a tensor of 1 MiB behind it.
fn sparse_container(path: &Path, small: &Tensor) -> io::Result<()> {
    let bytes = small.to_le_bytes().unwrap();
    let hole = 4_u64 << 30;
    let raw = RawContainer {
        entries: vec![
            RawEntry::new("large", 9, &[hole], 192, hole, 0),
            RawEntry::new(
                "small",
                1,
                &[1 << 18],
                192 + hole,
                1 << 20,
                crc32fast::hash(&bytes),
            ),
        ],
        directory_start: 192 + hole + (1 << 20),
        ..RawContainer::default()
    };
    let (header, directory) = raw.parts();
    let mut file = File::create(path)?;
    file.set_len(192 + hole)?;
    file.write_all(&header)?;
    file.seek(SeekFrom::Start(192 + hole))?;
    file.write_all(&bytes)?;
    file.write_all(&directory)
}

/// Opening costs no time and no memory for what is not read: 4 GiB of zeros, of which the disk has none.
#[test]
#[cfg(target_os = "linux")]
fn f04_a_large_file_costs_what_is_read_of_it() {
    fn resident_bytes() -> usize {
        let pages = fs::read_to_string("/proc/self/statm").unwrap();
        pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
    }
    let path = written("large.tensors");
    let _whatever = fs::remove_file(&path);
    let mib: Vec<f32> = (0..1_u32 << 18).map(|k| k as f32).collect();
    let mib = Tensor::from_vec_row_major([1 << 18], mib).unwrap();
    if sparse_container(&path, &mib).is_err() {
        // Not every file system makes files with holes.
        return;
    }
    let before = resident_bytes();
    let start = Instant::now();
    let container = Container::open(&path).unwrap();
    let opened = start.elapsed();
    let large = container.map_unverified("large").unwrap();
    let mapped = start.elapsed() - opened;
    let small = container.map("small").unwrap();
    assert_eq!(small.as_slice::<f32>().unwrap()[99_999], 99_999.0);
    assert_eq!(
        container.get("small").unwrap().to_vec::<f32>().unwrap()[7],
        7.0
    );
    let grown = resident_bytes().saturating_sub(before);
    assert_eq!(large.size_bytes(), 4 << 30);
    assert_eq!(large.as_slice::<u8>().unwrap()[3 << 30], 0);
    assert!(opened.as_millis() < 10, "opening took {opened:?}");
    assert!(mapped.as_millis() < 10, "mapping took {mapped:?}");
    assert!(grown < 4 << 20, "{grown} bytes more");
    fs::remove_file(&path).unwrap();
}
