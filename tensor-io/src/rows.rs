//! Some rows of a tensor in a file: which bytes they are, and reading only those.
//!
//! Rows are the entries of axis 0. In row-major order they lie side by side; in column-major order they are one run of bytes
//! for each combination of the other indices.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use tensor::Tensor;
use tensor_core::MemoryOrder;

use crate::element::Encoding;
use crate::entry::Entry;
use crate::error::FileError;
use crate::mapped::{self, Reading};

/// Rows of a tensor, as runs of bytes at equal distances.
#[derive(Debug)]
pub(crate) struct Rows {
    /// The tensor that the rows make.
    part: Entry,
    /// The first byte of the first run, from the first of the whole tensor.
    first: u64,
    run_bytes: u64,
    distance: u64,
}

impl Rows {
    pub(crate) fn new(entry: &Entry, rows: Range<usize>, file: &str) -> Result<Self, FileError> {
        let dtype = entry.dtype(file)?;
        let Some(&all) = entry
            .shape
            .first()
            .filter(|&&all| rows.start <= rows.end && rows.end <= all)
        else {
            return Err(FileError::NoSuchRows {
                file: file.to_owned(),
                start: rows.start,
                end: rows.end,
                shape: entry.shape.clone(),
            });
        };
        let mut part = entry.clone();
        part.shape[0] = rows.len();
        // A part of what was checked; 0 if the whole or the part is empty.
        part.bytes = part.format.bytes(&part.shape).unwrap_or(0);
        let wide = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let (run_bytes, distance, row_bytes) = match entry.order {
            // Multiples of what was checked against the file: no overflow. An empty tensor has no row to go to.
            MemoryOrder::RowMajor => {
                let row = entry.bytes.checked_div(wide(all)).unwrap_or(0);
                (part.bytes, part.bytes, row)
            }
            MemoryOrder::ColMajor => {
                let element = wide(dtype.size_bytes());
                let bytes = |rows| wide(rows).saturating_mul(element);
                (bytes(rows.len()), bytes(all), element)
            }
        };
        let first = wide(rows.start).saturating_mul(row_bytes);
        Ok(Self {
            part,
            first,
            run_bytes,
            distance,
        })
    }

    /// Reads the rows; the tensor begins at byte `start` of the reader.
    pub(crate) fn read(
        &self,
        reader: &mut (impl Read + Seek),
        start: u64,
        encoding: Encoding,
        file: &str,
    ) -> Result<Tensor, FileError> {
        let mut runs = Runs {
            reader,
            next: start.saturating_add(self.first),
            left: 0,
            rows: self,
        };
        let seen = &mut |_: &[u8]| {};
        mapped::read(
            &self.part,
            &mut runs,
            encoding,
            file,
            &mut Reading::new(seen),
        )
    }
}

/// The runs one after the other.
struct Runs<'a, R> {
    reader: &'a mut R,
    /// Where the next run begins.
    next: u64,
    /// Bytes left of the current one.
    left: u64,
    rows: &'a Rows,
}

impl<R: Read + Seek> Read for Runs<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            self.reader.seek(SeekFrom::Start(self.next))?;
            self.next = self.next.saturating_add(self.rows.distance);
            self.left = self.rows.run_bytes;
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        let count = bytes.len().min(most);
        let count = self.reader.read(&mut bytes[..count])?;
        self.left -= u64::try_from(count).unwrap_or(0);
        Ok(count)
    }
}
