//! Files between this library and those of Python: each side writes what the other reads and compares byte for byte.
//!
//! `exchange write FOLDER` writes every array of `tests/files/support.rs` in every format; `exchange check FOLDER` reads what
//! `tests/python/exchange.py` wrote there. `cargo xtask test --full` runs both directions.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::allow_attributes,
    reason = "a check tells what it did, and fails as tests do"
)]

#[path = "../tests/files/support.rs"]
mod support;

use std::error::Error;
use std::fs;
use std::path::Path;

use support::{KINDS, MORE_KINDS, array, check_array, check_values};
use tensor::{DType, SliceSpec, Tensor, dispatch_dtype};
use tensor_io::container::ContainerWriter;
use tensor_io::npz::{self, Compression};
use tensor_io::{ByteOrder, FileError, FileFormat, TensorFile, npy, safetensors, save};

type Outcome = Result<usize, Box<dyn Error>>;

const METADATA: [(&str, &str); 2] = [("made by", "python"), ("größe", "µ")];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [verb, folder] = arguments.as_slice() else {
        return Err("say `write FOLDER` or `check FOLDER`".into());
    };
    let folder = Path::new(folder);
    match verb.as_str() {
        "write" => println!("{} files: written by this library", write(folder)?),
        "check" => println!(
            "{} files: this library reads what Python wrote, byte for byte",
            check(folder)?
        ),
        other => return Err(format!("{other} is neither write nor check").into()),
    }
    Ok(())
}

/// The names of all arrays of the dtypes that `format` has.
fn names(format: FileFormat) -> Vec<String> {
    let kinds: Vec<&str> = KINDS.into_iter().chain(MORE_KINDS).collect();
    let dtypes = DType::TAGS.iter().filter(|&&dtype| format.holds(dtype));
    dtypes
        .flat_map(|dtype| kinds.iter().map(move |kind| format!("{dtype}_{kind}")))
        .collect()
}

fn arrays(format: FileFormat) -> Vec<(String, Tensor)> {
    let each = names(format).into_iter();
    each.map(|name| (name.clone(), array(&name))).collect()
}

fn lent(arrays: &[(String, Tensor)]) -> Vec<(&str, &Tensor)> {
    let each = arrays.iter();
    each.map(|(name, array)| (name.as_str(), array)).collect()
}

fn write(folder: &Path) -> Outcome {
    fs::create_dir_all(folder)?;
    let all = arrays(FileFormat::Container);
    let (first, rest) = all.split_at(all.len() / 2);
    put(ContainerWriter::create(folder.join("whole.tensors"))?, &all)?;
    put(
        ContainerWriter::create(folder.join("appended.tensors"))?,
        first,
    )?;
    put(
        ContainerWriter::append(folder.join("appended.tensors"))?,
        rest,
    )?;

    let format = FileFormat::SafeTensors;
    let some = arrays(format);
    save(
        folder.join("all.safetensors"),
        format,
        &lent(&some),
        &METADATA,
        |_, _| {},
    )?;
    let index = folder.join("model.safetensors.index.json");
    safetensors::write_shards(index, &lent(&some), &[], 4000)?;

    let some = arrays(FileFormat::Npz);
    npz::write(folder.join("stored.npz"), &lent(&some), Compression::Stored)?;
    npz::write(
        folder.join("deflated.npz"),
        &lent(&some),
        Compression::Deflated,
    )?;
    for (name, array) in &some {
        npy::write(folder.join(format!("{name}.little.npy")), array)?;
        npy::write_as(
            folder.join(format!("{name}.big.npy")),
            array,
            ByteOrder::Big,
        )?;
    }
    Ok(fs::read_dir(folder)?.count())
}

/// Writes arrays into a container, and the strided ones from a larger one that they are seen in.
fn put(mut writer: ContainerWriter<'_>, arrays: &[(String, Tensor)]) -> Result<(), FileError> {
    for (key, value) in METADATA {
        writer.set_metadata(key, value);
    }
    for (name, array) in arrays {
        if name.ends_with("strided") {
            let larger = every_second_of(array);
            let every_second = [SliceSpec::new(None, None, -2); 2];
            let view = larger.view().and_then(|view| view.slice(&every_second));
            writer.write_view(name, &view.unwrap())?;
        } else {
            writer.write(name, array)?;
        }
    }
    writer.finish()
}

/// A matrix of twice the extents that has the elements of `array` at every second place, from the end.
fn every_second_of(array: &Tensor) -> Tensor {
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    dispatch_dtype!(array.dtype(), T => {
        let small = array.to_vec::<T>().unwrap();
        let mut large = vec![small[0]; 4 * rows * columns];
        for (at, value) in small.into_iter().enumerate() {
            let (row, column) = (at / columns, at % columns);
            large[(2 * rows - 1 - 2 * row) * 2 * columns + 2 * columns - 1 - 2 * column] = value;
        }
        Tensor::from_vec_row_major([2 * rows, 2 * columns], large).unwrap()
    }, _external => panic!("a preset dtype"))
}

fn check(folder: &Path) -> Outcome {
    let mut count = 0;
    let mut file = |name: &str, expect: &[String], ordered: bool| -> Result<(), Box<dyn Error>> {
        count += 1;
        same(TensorFile::open(folder.join(name))?, expect, ordered)
            .map_err(|error| format!("{name}: {error}").into())
    };
    for name in ["whole.tensors", "appended.tensors"] {
        file(name, &names(FileFormat::Container), true)?;
    }
    for name in ["all.safetensors", "model.safetensors.index.json"] {
        file(name, &names(FileFormat::SafeTensors), false)?;
    }
    for name in ["stored.npz", "deflated.npz"] {
        file(name, &names(FileFormat::Npz), true)?;
    }
    let plain = ["f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64"];
    let mut in_gguf = names(FileFormat::Container);
    in_gguf.retain(|name| plain.contains(&name.split('_').next().unwrap()));
    for name in ["little.gguf", "big.gguf"] {
        // Beside blocks of quantised numbers, which have no dtype.
        file(name, &in_gguf, false)?;
    }
    for name in names(FileFormat::Npy) {
        for order in ["little", "big"] {
            count += 1;
            let path = folder.join(format!("{name}.{order}.npy"));
            check_bytes(&name, &npy::read(&path)?, true);
            match npy::map(&path) {
                Ok(mapped) => check_bytes(&name, &mapped, true),
                Err(FileError::ForeignByteOrder { .. }) => assert_eq!(order, "big"),
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(count)
}

/// Whether a file has these arrays and no other of a dtype, read and mapped.
fn same(mut file: TensorFile, expect: &[String], ordered: bool) -> Result<(), Box<dyn Error>> {
    let found = file.entries().iter();
    let found = found.filter(|entry| entry.format.dtype().is_some());
    let found: Vec<String> = found.map(|entry| entry.name.clone()).collect();
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort();
        names
    };
    assert_eq!(sorted(&found), sorted(expect));
    for name in found {
        check_bytes(&name, &file.read(&name)?, ordered);
        match file.map(&name) {
            Ok(mapped) => check_bytes(&name, &mapped, ordered),
            Err(
                FileError::NotMapped { .. }
                | FileError::ForeignByteOrder { .. }
                | FileError::Misaligned { .. },
            ) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Whether a tensor is the array of this name, to the last bit, in its memory order where the format has one.
fn check_bytes(name: &str, found: &Tensor, ordered: bool) {
    if ordered {
        check_array(name, found);
    } else {
        check_values(name, found);
    }
    let bytes = |tensor: &Tensor| tensor.to_le_bytes().unwrap();
    assert_eq!(bytes(found), bytes(&array(name)), "{name}");
}
