//! [`MappedTensors`]: a mapped file, its entries, and the ways to a tensor: what all formats that map have in common.

use std::io::Cursor;
use std::ops::Range;

use tensor::Tensor;

use crate::element::Encoding;
use crate::entry::{Entries, Entry};
use crate::error::FileError;
use crate::mapped;
use crate::mapping::{MappedBytes, Mapping, length};
use crate::rows::Rows;

/// The tensors of a mapped file without checksums.
#[derive(Debug)]
pub(crate) struct MappedTensors {
    pub(crate) mapping: Mapping,
    pub(crate) entries: Entries,
    pub(crate) encoding: Encoding,
}

impl MappedTensors {
    fn entry(&self, name: &str) -> Result<(&Entry, String), FileError> {
        let index = self.entries.find(name)?;
        Ok((&self.entries.list()[index], self.entries.label(name)))
    }

    fn bytes(&self, entry: &Entry) -> MappedBytes {
        self.mapping.part(entry.offset, entry.bytes)
    }

    pub(crate) fn get_with(
        &self,
        name: &str,
        moved: &mut dyn FnMut(u64),
    ) -> Result<Tensor, FileError> {
        let (entry, label) = self.entry(name)?;
        let mut bytes: &[u8] = &self.bytes(entry);
        mapped::read(entry, &mut bytes, self.encoding, &label, &mut |piece| {
            moved(length(piece));
        })
    }

    pub(crate) fn map(&self, name: &str) -> Result<Tensor, FileError> {
        let (entry, label) = self.entry(name)?;
        mapped::map(entry, self.bytes(entry), self.encoding, &label)
    }

    pub(crate) fn raw(&self, name: &str) -> Result<MappedBytes, FileError> {
        self.entry(name).map(|(entry, _)| self.bytes(entry))
    }

    pub(crate) fn rows(&self, name: &str, rows: Range<usize>) -> Result<Tensor, FileError> {
        let (entry, label) = self.entry(name)?;
        let mut bytes = Cursor::new(&*self.mapping);
        Rows::new(entry, rows, &label)?.read(&mut bytes, entry.offset, self.encoding, &label)
    }

    pub(crate) fn read_all(
        &self,
        progress: impl FnMut(u64, u64),
    ) -> Result<Vec<(String, Tensor)>, FileError> {
        read_all(self.entries.list(), progress, |name, moved| {
            self.get_with(name, moved)
        })
    }
}

/// Reads the tensors of `entries` one after the other with `read`, and tells `progress` the bytes done and of all.
pub(crate) fn read_all(
    entries: &[Entry],
    mut progress: impl FnMut(u64, u64),
    mut read: impl FnMut(&str, &mut dyn FnMut(u64)) -> Result<Tensor, FileError>,
) -> Result<Vec<(String, Tensor)>, FileError> {
    let total = entries.iter().map(|entry| entry.bytes).sum();
    let mut done = 0;
    let one = |entry: &Entry| {
        let tensor = read(&entry.name, &mut |bytes| {
            done += bytes;
            progress(done, total);
        })?;
        Ok((entry.name.clone(), tensor))
    };
    entries.iter().map(one).collect()
}
