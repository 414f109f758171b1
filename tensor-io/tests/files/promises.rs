//! What a container promises of any tensor: its bytes, every dtype and rank, and the ways to reach the elements.
use std::fs;
use std::io::Cursor;
use std::ops::Range;

use tensor::{DType, Tensor};
use tensor_io::container::{Container, ContainerReader, ContainerWriter};

use crate::support::{RawContainer, RawEntry, check_array, written};

fn container_of(tensors: &[(&str, Tensor)]) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = ContainerWriter::new(&mut bytes, "file").unwrap();
    for (name, tensor) in tensors {
        writer.write(name, tensor).unwrap();
    }
    writer.finish().unwrap();
    bytes.into_inner()
}

/// Every byte, put together by hand as the description of the format has them.
#[test]
fn f01_header_and_directory_are_as_described() {
    let column = Tensor::from_vec_col_major([2, 3], vec![1_i16, 2, 3, 4, 5, 6]).unwrap();
    let scalar = Tensor::scalar(-2.5_f32);
    let data = [
        &[1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0][..],
        &[0, 0, 0x20, 0xc0],
    ];
    let mut first = RawEntry::new("column", 6, &[2, 3], 192, 12, crc32fast::hash(data[0]));
    first.order = 1;
    let second = RawEntry::new("s", 1, &[], 256, 4, crc32fast::hash(data[1]));
    let raw = RawContainer {
        entries: vec![first, second],
        directory_start: 264,
        ..RawContainer::default()
    };
    let mut expect = raw.bytes();
    expect[192..204].copy_from_slice(data[0]);
    expect[256..260].copy_from_slice(data[1]);
    assert_eq!(expect[..16], *b"\x89TNF\r\n\x1a\n\x01\0\0\0\x40\0\0\0");
    let written = container_of(&[("column", column), ("s", scalar)]);
    assert_eq!(written, expect);
}

#[test]
fn f03_every_dtype_and_rank_comes_back_also_empty() {
    for &dtype in DType::TAGS {
        for rank in 0..=8_usize {
            for empty in [None, Some(0), rank.checked_sub(1)] {
                let mut shape: Vec<usize> = (0..rank).map(|axis| 1 + axis % 2).collect();
                if let Some(extent) = empty.and_then(|axis| shape.get_mut(axis)) {
                    *extent = 0;
                }
                let count = shape.iter().product::<usize>() * dtype.size_bytes();
                let bytes: Vec<u8> = (0..count).map(|at| u8::try_from(at % 2).unwrap()).collect();
                let tensor = Tensor::from_le_bytes(dtype, shape.as_slice(), &bytes).unwrap();
                let file = container_of(&[("t", tensor)]);
                let mut reader = ContainerReader::new(Cursor::new(file), "file").unwrap();
                let read = reader.get("t").unwrap();
                assert_eq!((read.dtype(), read.shape()), (dtype, shape.as_slice()));
                assert_eq!(read.to_le_bytes().unwrap(), bytes, "{dtype} {shape:?}");
            }
        }
    }
}

/// Where the first element is, as a number.
fn address(tensor: &Tensor) -> usize {
    tensor.as_slice::<f32>().unwrap().as_ptr().addr()
}

#[test]
fn g07_whoever_reads_chooses_between_a_copy_and_the_file_itself() {
    let path = written("strategies.tensors");
    let cube = crate::support::array("f32_cube");
    fs::write(&path, container_of(&[("f32_cube", cube)])).unwrap();
    let container = Container::open(&path).unwrap();
    let raw = container.raw("f32_cube").unwrap();
    let file: Range<usize> = raw.as_ptr().addr()..raw.as_ptr().addr() + raw.len();
    let mut streamed = Container::open_reader(fs::File::open(&path).unwrap(), "file").unwrap();
    let ways = [
        ("in the file, verified", container.map("f32_cube"), true),
        ("in the file", container.map_unverified("f32_cube"), true),
        ("copied from the mapping", container.get("f32_cube"), false),
        ("some rows", container.rows("f32_cube", 0..2), false),
        ("copied from a reader", streamed.get("f32_cube"), false),
    ];
    for (way, tensor, in_file) in ways {
        let tensor = tensor.unwrap();
        check_array("f32_cube", &tensor);
        assert_eq!(file.contains(&address(&tensor)), in_file, "{way}");
    }
}
