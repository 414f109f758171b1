//! The first 192 bytes of a container: magic and version, and two slots of which one is current.

use crate::FileFormat;
use crate::error::FileError;

pub(crate) const MAGIC: [u8; 8] = *b"\x89TNF\r\n\x1a\n";

/// The version that is written, and the newest that is read.
pub(crate) const VERSION: u32 = 1;

/// Tensors begin at multiples of this many bytes.
pub(super) const ALIGN: u64 = 64;

/// Bytes of the magic part and of each slot.
const PART: usize = 64;

/// Bytes of all three.
pub(super) const HEADER_BYTES: usize = 3 * PART;

/// The first byte behind them, where tensors may lie.
pub(super) const DATA_START: u64 = 192;

/// Where the checksum of a part is, in the part.
const SUM_AT: usize = PART - 4;

/// One state of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) generation: u64,
    pub(super) directory_start: u64,
    pub(super) directory_bytes: u64,
    pub(super) tensors: u64,
    /// The length of the file in this state.
    pub(super) end: u64,
    pub(super) directory_sum: u32,
}

/// Which of the states to open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Current,
    /// The one before the last append, or the only whole one.
    Earlier,
}

/// `N` bytes of `bytes` from `at`, which the caller knows to be there.
pub(super) fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&bytes[at..at + N]);
    out
}

fn seal(part: &mut [u8; PART]) {
    let sum = crc32fast::hash(&part[..SUM_AT]);
    part[SUM_AT..].copy_from_slice(&sum.to_le_bytes());
}

fn check(part: &[u8], what: &'static str, file: &str) -> Result<(), FileError> {
    let (found, expected) = (
        crc32fast::hash(&part[..SUM_AT]),
        u32::from_le_bytes(array(part, SUM_AT)),
    );
    if found == expected {
        return Ok(());
    }
    Err(FileError::Checksum {
        file: file.to_owned(),
        what,
        expected,
        found,
    })
}

/// Magic, version and two empty slots.
pub(super) fn empty() -> [u8; HEADER_BYTES] {
    let mut part = [0; PART];
    part[..8].copy_from_slice(&MAGIC);
    part[8..12].copy_from_slice(&VERSION.to_le_bytes());
    part[12..16].copy_from_slice(&64_u32.to_le_bytes());
    seal(&mut part);
    let mut header = [0; HEADER_BYTES];
    header[..PART].copy_from_slice(&part);
    header
}

impl Slot {
    /// Where the slot of this generation lies in the file.
    pub(super) fn position(&self) -> u64 {
        if self.generation % 2 == 1 { 64 } else { 128 }
    }

    pub(super) fn to_bytes(self) -> [u8; PART] {
        let mut part = [0; PART];
        let numbers = [
            self.generation,
            self.directory_start,
            self.directory_bytes,
            self.tensors,
            self.end,
        ];
        for (target, number) in part.chunks_exact_mut(8).zip(numbers) {
            target.copy_from_slice(&number.to_le_bytes());
        }
        part[40..44].copy_from_slice(&self.directory_sum.to_le_bytes());
        seal(&mut part);
        part
    }

    /// The slot in `part`, if it is in use.
    fn parse(part: &[u8], what: &'static str, file: &str) -> Result<Option<Self>, FileError> {
        if part.iter().all(|&byte| byte == 0) {
            return Ok(None);
        }
        check(part, what, file)?;
        let number = |index: usize| u64::from_le_bytes(array(part, 8 * index));
        Ok(Some(Self {
            generation: number(0),
            directory_start: number(1),
            directory_bytes: number(2),
            tensors: number(3),
            end: number(4),
            directory_sum: u32::from_le_bytes(array(part, 40)),
        }))
    }

    /// Whether the numbers fit each other and a file of `length` bytes.
    fn check(self, length: u64, file: &str) -> Result<Self, FileError> {
        let end = self.directory_start.checked_add(self.directory_bytes);
        if self.end > length {
            return Err(FileError::OutsideFile {
                file: file.to_owned(),
                what: "the container",
                start: 0,
                end: self.end,
                length,
            });
        }
        if self.directory_start < DATA_START || end.is_none_or(|end| end > self.end) {
            return Err(FileError::OutsideFile {
                file: file.to_owned(),
                what: "the directory",
                start: self.directory_start,
                end: end.unwrap_or(u64::MAX),
                length: self.end,
            });
        }
        Ok(self)
    }
}

/// Reads the header of a file of `length` bytes and chooses a state.
pub(super) fn parse(
    header: &[u8],
    length: u64,
    state: State,
    file: &str,
) -> Result<Slot, FileError> {
    if !header.starts_with(&MAGIC) {
        return Err(FileError::WrongFormat {
            file: file.to_owned(),
            format: FileFormat::Container,
            found: header[..header.len().min(8)].to_vec(),
        });
    }
    if header.len() < HEADER_BYTES {
        return Err(FileError::OutsideFile {
            file: file.to_owned(),
            what: "the header",
            start: 0,
            end: DATA_START,
            length,
        });
    }
    check(&header[..PART], "the header", file)?;
    let version = u32::from_le_bytes(array(header, 8));
    if version != VERSION {
        return Err(FileError::FormatVersion {
            file: file.to_owned(),
            format: FileFormat::Container,
            version,
            oldest: 1,
            newest: VERSION,
        });
    }
    let first = Slot::parse(
        &header[PART..2 * PART],
        "the first slot of the header",
        file,
    );
    let second = Slot::parse(&header[2 * PART..], "the second slot of the header", file);
    choose(first, second, state, file)?.check(length, file)
}

/// Of two states the one that was asked for.
fn choose(
    first: Result<Option<Slot>, FileError>,
    second: Result<Option<Slot>, FileError>,
    state: State,
    file: &str,
) -> Result<Slot, FileError> {
    let malformed = |found: String| FileError::Malformed {
        file: file.to_owned(),
        at: 64,
        what: "the slots of the header",
        found,
        expected: "one state, or two that follow each other".to_owned(),
    };
    match (first, second, state) {
        (Ok(Some(whole)), Err(_), State::Earlier) | (Err(_), Ok(Some(whole)), State::Earlier) => {
            Ok(whole)
        }
        (Err(error), _, _) | (_, Err(error), _) => Err(error),
        (Ok(None), Ok(None), _) => Err(malformed("empty: the file was never finished".to_owned())),
        (Ok(None), Ok(Some(only)), _) => Err(malformed(format!(
            "generation {} alone in the second slot",
            only.generation
        ))),
        (Ok(Some(only)), Ok(None), State::Current) if only.generation == 1 => Ok(only),
        (Ok(Some(only)), Ok(None), State::Earlier) if only.generation == 1 => {
            Err(FileError::NoEarlierState {
                file: file.to_owned(),
            })
        }
        (Ok(Some(only)), Ok(None), _) => Err(malformed(format!(
            "generation {} alone in the first slot",
            only.generation
        ))),
        (Ok(Some(first)), Ok(Some(second)), state) => {
            let odd_in_first = first.generation % 2 == 1;
            if !odd_in_first || first.generation.abs_diff(second.generation) != 1 {
                return Err(malformed(format!(
                    "generations {} and {}",
                    first.generation, second.generation
                )));
            }
            let second_is_newer = second.generation > first.generation;
            if second_is_newer == (state == State::Current) {
                Ok(second)
            } else {
                Ok(first)
            }
        }
    }
}
