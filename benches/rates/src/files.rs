//! A file of tensors opened, loaded and read to its last byte: ours, safetensors' and candle's.
//!
//! The same tensors are written once as safetensors and once in the native container, which only we read: its rows have the
//! others read the safetensors file. The files are in the system's cache. Every side ends by adding up all elements as
//! whole numbers, which must give the same each time; so nobody gains by leaving pages unread. What is compared is alike: a
//! load that owns its memory with others that do, a mapping with mappings. The others' own functions that map are unsafe
//! to call; they read our [`Mapping`] instead, which is made by the same call of the same crate.

use std::fs::{self, File};
use std::hint::black_box;
use std::path::PathBuf;

use candle_core::safetensors::{SliceSafetensors, load};
use candle_core::{CpuStorage, Device, Storage};
use safetensors::SafeTensors as Parsed;
use tensor::Tensor;
use tensor_io::Mapping;
use tensor_io::container::{Container, ContainerWriter};
use tensor_io::safetensors::{self as ours, SafeTensors};

use crate::Failure;
use crate::measure::{Case, Side, timed};

const GROUP: &str = "file";

/// How many tensors there are, and their shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content {
    tensors: usize,
    shape: [usize; 2],
}

/// 1 GiB of `f32`.
pub(crate) const FULL: Content = Content {
    tensors: 16,
    shape: [4096, 4096],
};

impl Content {
    fn bytes(self) -> usize {
        self.tensors * self.shape[0] * self.shape[1] * size_of::<f32>()
    }

    /// As f32, whatever they mean: every bit counts in a sum of whole numbers.
    fn tensor(self, number: usize) -> Result<Tensor, Failure> {
        let first = number as u32;
        let value = |at: u32| f32::from_bits((at ^ first).wrapping_mul(0x9e37_79b1) & 0x7fff_ffff);
        let count = self.shape[0] * self.shape[1];
        let values = (0..).map(value).take(count).collect::<Vec<f32>>();
        Ok(Tensor::from_vec_row_major(self.shape, values)?)
    }
}

/// A load of all tensors, and the sum of what it gave.
type Load = fn(&Files) -> Result<u64, Failure>;

/// The cases: name, our load, that of the crate safetensors, and candle's.
const CASES: [(&str, Load, Load, Load); 6] = [
    (
        "owned, the file read",
        our_copies,
        read_and_parsed,
        candle_load,
    ),
    (
        "owned, copied out of a mapping",
        our_copies,
        map_copied,
        candle_map_copied,
    ),
    ("mapped", our_mapping, map_and_parsed, candle_map),
    (
        "container: owned, checksums verified",
        container_copies,
        read_and_parsed,
        candle_load,
    ),
    (
        "container: mapped",
        container_unverified,
        map_and_parsed,
        candle_map,
    ),
    (
        "container: mapped, checksums verified",
        container_mapping,
        map_and_parsed,
        candle_map,
    ),
];

/// The files, removed when dropped.
struct Files {
    folder: PathBuf,
    safetensors: PathBuf,
    container: PathBuf,
}

/// Shows each wanted case to `visit`.
pub(crate) fn each(
    content: Content,
    wanted: impl Fn(&str, &str) -> bool,
    visit: &mut dyn FnMut(Case<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let cases = CASES.iter().filter(|(name, ..)| wanted(GROUP, name));
    let cases: Vec<_> = cases.collect();
    if cases.is_empty() {
        return Ok(());
    }
    let files = Files::write(content)?;
    let memory = fs::read(&files.safetensors)?;
    let mut copy = memory.clone();
    let expect = our_copies(&files)?;
    for (name, ours, parsed, candle) in cases {
        for (side, load) in [
            ("tenfold", ours),
            ("safetensors", parsed),
            ("candle", candle),
        ] {
            let found = load(&files)?;
            if found != expect {
                return Err(format!("{name}: {side} sums to {found}, not to {expect}").into());
            }
        }
        let files = &files;
        let side = |load: Load| -> Side<'_> { Box::new(move || timed(|| load(files))) };
        visit(Case {
            group: GROUP,
            name: (*name).into(),
            bytes: content.bytes(),
            sides: vec![
                ("tenfold", side(*ours)),
                ("safetensors", side(*parsed)),
                ("candle", side(*candle)),
                (
                    "memcpy",
                    Box::new(|| timed(|| copy.copy_from_slice(&memory))),
                ),
            ],
        })?;
    }
    black_box(&copy);
    Ok(())
}

impl Files {
    /// Writes the files to a new folder and waits until they are on the disk, so that nothing is written while reading is
    /// timed.
    fn write(content: Content) -> Result<Self, Failure> {
        let folder = (0..)
            .map(|number| format!("rates-{}-{number}", std::process::id()))
            .map(|name| std::env::temp_dir().join(name))
            .find(|folder| !folder.exists())
            .ok_or("a folder for temporary files")?;
        fs::create_dir(&folder)?;
        let files = Self {
            safetensors: folder.join("model.safetensors"),
            container: folder.join("model.tensors"),
            folder,
        };
        eprintln!("writing two files of {} MiB", content.bytes() >> 20);
        let made = (0..content.tensors)
            .map(|number| Ok((format!("layer.{number}"), content.tensor(number)?)));
        let made = made.collect::<Result<Vec<_>, Failure>>()?;
        let named: Vec<(&str, &Tensor)> = made.iter().map(|(name, t)| (name.as_str(), t)).collect();
        ours::write(&files.safetensors, &named, &[])?;
        let mut writer = ContainerWriter::create(&files.container)?;
        for (name, tensor) in named {
            writer.write(name, tensor)?;
        }
        writer.finish()?;
        for path in [&files.safetensors, &files.container] {
            File::open(path)?.sync_all()?;
        }
        Ok(files)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.folder);
    }
}

/// The sum of elements as whole numbers; four bytes of each.
fn sum(elements: &[f32]) -> u64 {
    let add = |sum: u32, value: &f32| sum.wrapping_add(value.to_bits());
    u64::from(elements.iter().fold(0, add))
}

/// As [`sum`], of the bytes of a file.
fn sum_bytes(bytes: &[u8]) -> u64 {
    let (words, _) = bytes.as_chunks::<4>();
    let add = |sum: u32, word: &[u8; 4]| sum.wrapping_add(u32::from_le_bytes(*word));
    u64::from(words.iter().fold(0, add))
}

fn our_copies(files: &Files) -> Result<u64, Failure> {
    let tensors = SafeTensors::open(&files.safetensors)?.read_all(|_, _| {})?;
    our_sum(&tensors)
}

fn container_copies(files: &Files) -> Result<u64, Failure> {
    let tensors = Container::open(&files.container)?.read_all(|_, _| {})?;
    our_sum(&tensors)
}

fn our_sum(tensors: &[(String, Tensor)]) -> Result<u64, Failure> {
    tensors
        .iter()
        .try_fold(0, |total, (_, tensor)| Ok(total + sum(tensor.as_slice()?)))
}

fn our_mapping(files: &Files) -> Result<u64, Failure> {
    let file = SafeTensors::open(&files.safetensors)?;
    file.names().try_fold(
        0,
        |total, name| Ok(total + sum(file.map(name)?.as_slice()?)),
    )
}

fn container_unverified(files: &Files) -> Result<u64, Failure> {
    let file = Container::open(&files.container)?;
    file.names().try_fold(0, |total, name| {
        Ok(total + sum(file.map_unverified(name)?.as_slice()?))
    })
}

fn container_mapping(files: &Files) -> Result<u64, Failure> {
    let file = Container::open(&files.container)?;
    file.names().try_fold(
        0,
        |total, name| Ok(total + sum(file.map(name)?.as_slice()?)),
    )
}

fn read_and_parsed(files: &Files) -> Result<u64, Failure> {
    let bytes = fs::read(&files.safetensors)?;
    parsed_sum(&bytes)
}

fn map_and_parsed(files: &Files) -> Result<u64, Failure> {
    parsed_sum(&Mapping::open(&files.safetensors)?)
}

fn parsed_sum(bytes: &[u8]) -> Result<u64, Failure> {
    let tensors = Parsed::deserialize(bytes)?.tensors();
    Ok(tensors
        .iter()
        .map(|(_, tensor)| sum_bytes(tensor.data()))
        .sum())
}

fn map_copied(files: &Files) -> Result<u64, Failure> {
    let mapped = Mapping::open(&files.safetensors)?;
    let tensors = Parsed::deserialize(&mapped)?.tensors();
    let owned: Vec<_> = tensors
        .iter()
        .map(|(_, tensor)| tensor.data().to_vec())
        .collect();
    Ok(owned.iter().map(|bytes| sum_bytes(bytes)).sum())
}

fn candle_load(files: &Files) -> Result<u64, Failure> {
    let tensors = load(&files.safetensors, &Device::Cpu)?;
    tensors
        .values()
        .try_fold(0, |total, tensor| Ok(total + candle_sum(tensor)?))
}

fn candle_map_copied(files: &Files) -> Result<u64, Failure> {
    let mapped = Mapping::open(&files.safetensors)?;
    let file = SliceSafetensors::new(&mapped)?;
    let names = file.tensors().into_iter().map(|(name, _)| name);
    let tensors = names.map(|name| file.load(&name, &Device::Cpu));
    let tensors = tensors.collect::<Result<Vec<_>, _>>()?;
    tensors
        .iter()
        .try_fold(0, |total, tensor| Ok(total + candle_sum(tensor)?))
}

fn candle_map(files: &Files) -> Result<u64, Failure> {
    let mapped = Mapping::open(&files.safetensors)?;
    let file = SliceSafetensors::new(&mapped)?;
    Ok(file
        .tensors()
        .iter()
        .map(|(_, tensor)| sum_bytes(tensor.data()))
        .sum())
}

fn candle_sum(tensor: &candle_core::Tensor) -> Result<u64, Failure> {
    match &*tensor.storage_and_layout().0 {
        Storage::Cpu(CpuStorage::F32(elements)) => Ok(sum(elements)),
        _ => Err("candle has made no f32 on the CPU".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sides_agree() {
        let small = Content {
            tensors: 3,
            shape: [17, 9],
        };
        let mut names = Vec::new();
        each(small, |_, _| true, &mut |mut case| {
            for (_, side) in &mut case.sides {
                side();
            }
            names.push(case.name);
            Ok(())
        })
        .unwrap();
        assert_eq!(names.len(), CASES.len());
    }

    #[test]
    fn sums_are_those_of_the_words() {
        let values = [1.0_f32, -2.0, 0.0];
        // 0x3f80_0000 + 0xc000_0000, below 2^32.
        assert_eq!(sum(&values), 0xff80_0000);
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        assert_eq!(sum_bytes(&bytes), 0xff80_0000);
    }
}
