//! Files read while memory fails: alone in its program, since it takes the place of the program's allocator.
#![expect(
    unsafe_code,
    clippy::unwrap_used,
    reason = "an allocator for the whole program is unsafe to write, and the helpers of a test fail as tests do"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Display;
use std::path::PathBuf;
use std::ptr;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

use tensor::Tensor;
use tensor_io::container::{Container, ContainerWriter};
use tensor_io::{FileError, FileFormat, Mapping, TensorFile, npy, npz, safetensors, save};

/// Requests of at least this size are counted and may fail: the elements of tensors, and no name or list.
const LARGE: usize = 1 << 18;
const ELEMENTS: usize = 1 << 18;
const BYTES: u64 = 4 << 18;

/// The system's memory, which refuses one large request when told to.
struct Failing {
    /// How many large requests are left until the one that fails; negative for none.
    countdown: AtomicIsize,
    live_bytes: AtomicUsize,
}

#[global_allocator]
static MEMORY: Failing = Failing {
    countdown: AtomicIsize::new(-1),
    live_bytes: AtomicUsize::new(0),
};

impl Failing {
    fn refuses(&self, bytes: usize) -> bool {
        bytes >= LARGE
            && self.countdown.load(Ordering::Relaxed) >= 0
            && self.countdown.fetch_sub(1, Ordering::Relaxed) == 0
    }
}

// SAFETY: blocks are the system's, and go back to it with the layout that they were made with.
unsafe impl GlobalAlloc for Failing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if self.refuses(layout.size()) {
            return ptr::null_mut();
        }
        self.live_bytes.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise about the layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        self.live_bytes.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `alloc` got the block from the system for this layout.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Calls `read` with the n-th large request failing, for all n, and checks what it says and leaves behind.
#[track_caller]
fn fail_everywhere<T, E: Display>(
    what: &str,
    read: impl Fn() -> Result<T, E>,
    refused: impl Fn(&E) -> bool,
) {
    for n in 0.. {
        let before = MEMORY.live_bytes.load(Ordering::Relaxed);
        MEMORY.countdown.store(n, Ordering::Relaxed);
        let result = read();
        MEMORY.countdown.store(-1, Ordering::Relaxed);
        match result {
            Ok(_) => {
                assert!(n > 0, "{what} asks for no memory");
                return;
            }
            Err(error) => {
                assert!(refused(&error), "{what}, request {n}: {error}");
                drop(error);
                let left = MEMORY.live_bytes.load(Ordering::Relaxed);
                // Small things of the test's own threads may come and go; no block of elements may stay.
                assert!(left < before + LARGE, "{what}, request {n}: a leak");
            }
        }
        assert!(n < 20, "{what} never succeeds");
    }
}

fn of_file(error: &FileError) -> bool {
    matches!(error, FileError::OutOfMemory { bytes, .. } if *bytes >= BYTES)
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("failing-memory.{name}"))
}

/// A GGUF file of one f32 tensor called "a", as the format's description has it.
fn gguf(tensor: &Tensor) -> Vec<u8> {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3_u32.to_le_bytes());
    // One tensor, no metadata; its name, one axis, the type f32, the first byte of the data.
    for number in [1_u64, 0, 1] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.push(b'a');
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(u64::try_from(ELEMENTS).unwrap().to_le_bytes());
    bytes.extend(0_u32.to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    bytes.resize(bytes.len().next_multiple_of(32), 0);
    bytes.extend(tensor.to_le_bytes().unwrap());
    bytes
}

/// Every format, by every way that asks for memory of a tensor's size. One test: the allocator belongs to the whole program.
#[test]
fn h10_no_format_leaks_or_aborts_when_memory_fails() {
    let elements: Vec<f32> = (0..ELEMENTS).map(|k| k as f32).collect();
    let tensor = Tensor::from_vec_row_major([512, 512], elements).unwrap();
    let named = [("a", &tensor)];
    for (name, format) in [
        ("tensors", FileFormat::Container),
        ("safetensors", FileFormat::SafeTensors),
        ("npy", FileFormat::Npy),
        ("npz", FileFormat::Npz),
    ] {
        let path = path(name);
        save(&path, format, &named, &[], |_, _| {}).unwrap();
        let first = TensorFile::open(&path).unwrap().entries()[0].name.clone();
        let read = || TensorFile::open(&path)?.read(&first);
        fail_everywhere(name, read, of_file);
        let all = || TensorFile::open(&path)?.read_all(|_, _| {});
        fail_everywhere(name, all, of_file);
    }
    let deflated = path("deflated.npz");
    npz::write(&deflated, &named, npz::Compression::Deflated).unwrap();
    fail_everywhere("deflated npz", || npz::read(&deflated), of_file);
    fail_everywhere("npy::read", || npy::read(path("npy")), of_file);
    std::fs::write(path("gguf"), gguf(&tensor)).unwrap();
    fail_everywhere(
        "gguf",
        || TensorFile::open(path("gguf"))?.read("a"),
        of_file,
    );
    let index = path("safetensors.index.json");
    safetensors::write_shards(&index, &named, &[], 1 << 30).unwrap();
    let shards = || safetensors::Shards::open(&index)?.get("a");
    fail_everywhere("shards", shards, of_file);
    let container = || Container::open(path("tensors"))?.rows("a", 0..512);
    fail_everywhere("rows", container, of_file);
    let bytes = std::fs::read(path("tensors")).unwrap();
    fail_everywhere("from_bytes", || Mapping::from_bytes(&bytes), of_file);
    // A tensor that lies in a file becomes a copy.
    let mapped = Container::open(path("tensors")).unwrap().map("a").unwrap();
    let too_large = |error: &tensor::TensorError| {
        matches!(
            error,
            tensor::TensorError::OutOfMemory {
                elements: ELEMENTS,
                element_bytes: 4,
                ..
            }
        )
    };
    fail_everywhere("duplicate", || mapped.duplicate(), too_large);
    let turned = mapped.view().unwrap().transpose();
    fail_everywhere("to_contiguous", || turned.to_contiguous(), too_large);
    // Writing a view in another order needs no second tensor.
    let mut writer = ContainerWriter::create(path("turned.tensors")).unwrap();
    MEMORY.countdown.store(0, Ordering::Relaxed);
    let written = writer.write_view("a", &turned);
    let left = MEMORY.countdown.swap(-1, Ordering::Relaxed);
    written.unwrap();
    writer.finish().unwrap();
    assert_eq!(left, 0, "no large request was made");
    // What was read after all that is right.
    let back = TensorFile::open(path("npz")).unwrap().read("a").unwrap();
    assert_eq!(
        back.to_vec::<f32>().unwrap(),
        tensor.to_vec::<f32>().unwrap()
    );
}
