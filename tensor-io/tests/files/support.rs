//! What all tests of files need: the arrays of the fixtures by name, readers that count, and mutations.
//!
//! The rules of the arrays are those of `python/values.py`.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::allow_attributes,
    reason = "each test program uses its part, and the helpers of a test fail as tests do"
)]

use std::fmt::Debug;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::PathBuf;

use tensor::{Complex32, Complex64, DType, Tensor, TensorElement, bf16, dispatch_dtype, f16};

/// The kinds of shapes; a `turned` array is column-major.
pub(crate) const KINDS: [&str; 5] = ["scalar", "empty", "vector", "cube", "turned"];

/// Kinds that are exchanged with Python beyond the fixtures; a `plane` is column-major, `strided` is seen in a larger one.
pub(crate) const MORE_KINDS: [&str; 9] = [
    "single", "nothing", "matrix", "plane", "row", "hyper", "units", "gap", "strided",
];

pub(crate) fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// A place for a file that a test writes.
pub(crate) fn written(name: &str) -> PathBuf {
    // Cargo names the folder to tests, but not to examples.
    let folder = option_env!("CARGO_TARGET_TMPDIR").map(PathBuf::from);
    folder.unwrap_or_else(std::env::temp_dir).join(name)
}

pub(crate) fn shape(kind: &str) -> &'static [usize] {
    match kind {
        "scalar" => &[],
        "empty" => &[0, 3],
        "vector" => &[5],
        "cube" | "turned" => &[2, 3, 4],
        "single" => &[1],
        "nothing" => &[0],
        "matrix" | "plane" => &[4, 2],
        "row" => &[1, 3],
        "hyper" => &[2, 1, 3, 2],
        "units" => &[1, 1, 1, 1],
        "gap" => &[2, 0, 3],
        "strided" => &[3, 4],
        other => panic!("no shape {other}"),
    }
}

/// Element k of every array of a type.
pub(crate) trait Value: TensorElement {
    fn value(k: u8) -> Self;
}

macro_rules! integers {
    ($($Type:ty)+) => {$(
        impl Value for $Type {
            fn value(k: u8) -> Self {
                match k {
                    0 => Self::MIN,
                    1 => Self::MAX,
                    k => Self::try_from(k).unwrap(),
                }
            }
        }
    )+};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

fn half_steps(k: u8) -> f32 {
    f32::from(k) / 2.0 - 1.0
}

macro_rules! others {
    ($($Type:ty: $k:ident => $value:expr;)+) => {$(
        impl Value for $Type {
            fn value($k: u8) -> Self {
                $value
            }
        }
    )+};
}

others! {
    bool: k => k.is_multiple_of(3);
    f32: k => half_steps(k);
    f64: k => half_steps(k).into();
    f16: k => f16::from_f32(half_steps(k));
    bf16: k => bf16::from_f32(half_steps(k));
    Complex32: k => Complex32::new(half_steps(k), k.into());
    Complex64: k => Complex64::new(half_steps(k).into(), k.into());
}

/// The elements of the array `dtype` of a shape, in row-major logical order.
pub(crate) fn values<T: Value>(shape: &[usize]) -> Vec<T> {
    let count = u8::try_from(shape.iter().product::<usize>()).unwrap();
    (0..count).map(T::value).collect()
}

/// The array called `DTYPE_KIND`.
pub(crate) fn array(name: &str) -> Tensor {
    let (dtype, kind) = name.split_once('_').unwrap();
    let shape = shape(kind);
    let dtype: DType = dtype.parse().unwrap();
    dispatch_dtype!(dtype, T => {
        let values = values::<T>(shape);
        if column_major(kind) {
            let places = (0..values.len()).map(|at| row_major_place(shape, at));
            let turned = places.map(|place| values[place]).collect();
            Tensor::from_vec_col_major(shape, turned).unwrap()
        } else {
            Tensor::from_vec_row_major(shape, values).unwrap()
        }
    }, _external => panic!("no array of {dtype}"))
}

fn column_major(kind: &str) -> bool {
    matches!(kind, "turned" | "plane")
}

/// The place in row-major order of the element that is number `at` in column-major order.
fn row_major_place(shape: &[usize], mut at: usize) -> usize {
    let (mut place, mut step) = (0, shape.iter().product::<usize>());
    for extent in shape {
        step /= extent;
        place += at % extent * step;
        at /= extent;
    }
    place
}

pub(crate) fn is_column_major(tensor: &Tensor) -> bool {
    let layout = tensor.layout();
    layout.is_col_major_contiguous() && !layout.is_row_major_contiguous()
}

/// Whether `tensor` is the array called `name`, in its memory order.
pub(crate) fn check_array(name: &str, tensor: &Tensor) {
    check_values(name, tensor);
    let kind = name.split('_').next_back().unwrap();
    assert_eq!(is_column_major(tensor), column_major(kind), "{name}");
}

/// Whether `tensor` has dtype, shape and values of the array called `name`.
pub(crate) fn check_values(name: &str, tensor: &Tensor) {
    fn check<T: Value + Debug>(name: &str, tensor: &Tensor, shape: &[usize]) {
        assert_eq!(tensor.to_vec::<T>().unwrap(), values::<T>(shape), "{name}");
    }
    let (dtype, kind) = name.split_once('_').unwrap();
    assert_eq!(
        (tensor.dtype().to_string().as_str(), tensor.shape()),
        (dtype, shape(kind)),
        "{name}"
    );
    dispatch_dtype!(tensor.dtype(), T => check::<T>(name, tensor, shape(kind)), _external => panic!("{name}"));
}

/// The names of all arrays of the dtypes that `keep` keeps.
pub(crate) fn names(keep: impl Fn(DType) -> bool) -> Vec<String> {
    DType::TAGS
        .iter()
        .filter(|&&dtype| keep(dtype))
        .flat_map(|dtype| KINDS.map(|kind| format!("{dtype}_{kind}")))
        .collect()
}

/// A reader that counts the bytes that were read.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) bytes: Cursor<Vec<u8>>,
    pub(crate) count: usize,
}

impl Counted {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes: Cursor::new(bytes),
            count: 0,
        }
    }
}

impl Read for Counted {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(target)?;
        self.count += count;
        Ok(count)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(to)
    }
}

/// Random numbers that are the same in every run (xorshift64*).
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(number).unwrap() % limit
    }
}

/// `whole` with some damage: bits turned, bytes and numbers replaced, parts cut, doubled or moved.
pub(crate) fn mutated(whole: &[u8], random: &mut Random) -> Vec<u8> {
    const NUMBERS: [u64; 8] = [0, 1, 7, 255, 65_536, 1 << 31, 1 << 60, u64::MAX];
    let mut bytes = whole.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len().max(1));
        let Some(byte) = bytes.get_mut(at) else { break };
        match random.below(6) {
            0 => *byte ^= 1 << random.below(8),
            1 => *byte = u8::try_from(random.below(256)).unwrap(),
            2 => {
                let number = NUMBERS[random.below(NUMBERS.len())].to_le_bytes();
                let count = number.len().min(bytes.len() - at);
                bytes[at..at + count].copy_from_slice(&number[..count]);
            }
            3 => bytes.truncate(at),
            4 => {
                let part = bytes[at..bytes.len().min(at + 16)].to_vec();
                bytes.splice(at..at, part);
            }
            _ => {
                let end = bytes.len().min(at + 1 + random.below(16));
                bytes.drain(at..end);
            }
        }
    }
    bytes
}

/// A tensor's part of a container's directory, with whatever numbers.
#[derive(Clone, Debug)]
pub(crate) struct RawEntry {
    pub(crate) name: Vec<u8>,
    pub(crate) dtype: u8,
    pub(crate) order: u8,
    pub(crate) shape: Vec<u64>,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    pub(crate) sum: u32,
    pub(crate) device: Vec<u8>,
}

impl RawEntry {
    pub(crate) fn new(
        name: &str,
        dtype: u8,
        shape: &[u64],
        offset: u64,
        bytes: u64,
        sum: u32,
    ) -> Self {
        Self {
            name: name.into(),
            dtype,
            order: 0,
            shape: shape.into(),
            offset,
            bytes,
            sum,
            device: Vec::new(),
        }
    }
}

/// A container with whatever numbers and right checksums of header and directory.
#[derive(Clone, Debug)]
pub(crate) struct RawContainer {
    pub(crate) version: u32,
    pub(crate) entries: Vec<RawEntry>,
    pub(crate) directory_start: u64,
    /// Instead of the numbers that would be right.
    pub(crate) tensors: Option<u64>,
    pub(crate) directory_bytes: Option<u64>,
    pub(crate) end: Option<u64>,
    pub(crate) generation: u64,
    /// Bytes behind the tensors' parts: the metadata.
    pub(crate) rest: Vec<u8>,
}

impl Default for RawContainer {
    fn default() -> Self {
        Self {
            version: 1,
            entries: Vec::new(),
            directory_start: 192,
            tensors: None,
            directory_bytes: None,
            end: None,
            generation: 1,
            rest: vec![0; 4],
        }
    }
}

fn sealed(mut part: Vec<u8>) -> Vec<u8> {
    part.resize(60, 0);
    let sum = crc32fast::hash(&part);
    part.extend_from_slice(&sum.to_le_bytes());
    part
}

impl RawContainer {
    /// Header and directory.
    pub(crate) fn parts(&self) -> (Vec<u8>, Vec<u8>) {
        let mut directory = Vec::new();
        for entry in &self.entries {
            let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap().to_le_bytes();
            directory.extend_from_slice(&length(&entry.name));
            directory.extend_from_slice(&u32::try_from(entry.shape.len()).unwrap().to_le_bytes());
            directory.extend_from_slice(&length(&entry.device)[..2]);
            directory.extend_from_slice(&[entry.dtype, entry.order]);
            directory.extend_from_slice(&entry.sum.to_le_bytes());
            directory.extend_from_slice(&entry.offset.to_le_bytes());
            directory.extend_from_slice(&entry.bytes.to_le_bytes());
            for extent in &entry.shape {
                directory.extend_from_slice(&extent.to_le_bytes());
            }
            directory.extend_from_slice(&entry.name);
            directory.extend_from_slice(&entry.device);
        }
        directory.extend_from_slice(&self.rest);
        let mut magic = b"\x89TNF\r\n\x1a\n".to_vec();
        magic.extend_from_slice(&self.version.to_le_bytes());
        magic.extend_from_slice(&64_u32.to_le_bytes());
        let length = u64::try_from(directory.len()).unwrap();
        let mut slot = Vec::new();
        for number in [
            self.generation,
            self.directory_start,
            self.directory_bytes.unwrap_or(length),
            self.tensors
                .unwrap_or(u64::try_from(self.entries.len()).unwrap()),
            self.end.unwrap_or(self.directory_start + length),
        ] {
            slot.extend_from_slice(&number.to_le_bytes());
        }
        slot.extend_from_slice(&crc32fast::hash(&directory).to_le_bytes());
        let header = [sealed(magic), sealed(slot), vec![0; 64]].concat();
        (header, directory)
    }

    /// The whole file, in which the tensors' bytes are zero.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let (mut bytes, directory) = self.parts();
        bytes.resize(usize::try_from(self.directory_start).unwrap(), 0);
        bytes.extend_from_slice(&directory);
        bytes
    }
}
