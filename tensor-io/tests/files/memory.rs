//! Files read into memory of an allocator that the caller chose, and what becomes of it when the allocator refuses.

use std::sync::Arc;

use tensor::alloc::{AllocError, Allocator, LimitAllocator, RecordingAllocator, SystemAllocator};
use tensor::{Tensor, TensorError};
use tensor_io::{FileError, TensorFile};

use crate::support::fixture;

/// Files of every format, with every dtype of theirs, both memory orders, both byte orders and tensors without elements.
const FILES: [&str; 7] = [
    "version_1.tensors",
    "all.safetensors",
    "model.safetensors.index.json",
    "little.gguf",
    "deflated.npz",
    "complex128_be_col.npy",
    "stored.npz",
];

type Named = Vec<(String, Tensor)>;

/// The tensors of a file that have a dtype, read one by one.
fn each_in(file: &str, allocator: &Arc<dyn Allocator>) -> Result<Named, FileError> {
    let mut opened = TensorFile::open(fixture(file))?;
    let entries = opened.entries().to_vec();
    let readable = entries.iter().filter(|e| e.format.dtype().is_some());
    let read = readable.map(|entry| {
        let tensor = opened.read_in(allocator, &entry.name)?;
        Ok((entry.name.clone(), tensor))
    });
    read.collect()
}

#[test]
fn d02_what_is_read_into_an_allocator_is_what_the_file_has() {
    for file in FILES {
        let recording = Arc::new(RecordingAllocator::over_system());
        let allocator: Arc<dyn Allocator> = recording.clone();
        let mut opened = TensorFile::open(fixture(file)).unwrap();
        let tensors = each_in(file, &allocator).unwrap();
        let mut blocks = 0;
        for (name, tensor) in &tensors {
            let expect = opened.read(name).unwrap();
            assert_eq!(tensor.layout(), expect.layout(), "{file}:{name}");
            assert_eq!(
                tensor.to_le_bytes().unwrap(),
                expect.to_le_bytes().unwrap(),
                "{file}:{name}"
            );
            let from = tensor.allocator().unwrap();
            assert!(Arc::ptr_eq(from, &allocator), "{file}:{name}");
            blocks += usize::from(!tensor.is_empty());
        }
        assert!(!tensors.is_empty());
        // One block for each that has elements, and nothing beside.
        assert_eq!(usize::try_from(recording.live()), Ok(blocks), "{file}");
        assert_eq!(recording.events().len(), blocks, "{file}");
        drop(tensors);
        assert_eq!(recording.live(), 0);
    }
}

#[test]
fn h10_a_refused_request_while_reading_leaves_nothing_behind() {
    for file in FILES {
        let recording = Arc::new(RecordingAllocator::over_system());
        let allocator: Arc<dyn Allocator> = recording.clone();
        for n in 0.. {
            recording.fail_at(Some(n));
            match each_in(file, &allocator) {
                Ok(_) => {
                    assert!(n > 0, "{file} must allocate");
                    break;
                }
                Err(error) => {
                    let refused = matches!(
                        error,
                        FileError::Tensor {
                            source: TensorError::Alloc {
                                op: "read_in",
                                source: AllocError::OutOfMemory { .. },
                            },
                            ..
                        }
                    );
                    assert!(refused, "{file}, request {n}: {error:?}");
                    assert_eq!(recording.live(), 0, "{file}, request {n}");
                }
            }
        }
    }
}

/// With every limit below what all tensors of a file take: the error has the bytes that were asked for, free and allowed.
#[test]
fn h10_a_limit_while_reading_is_told_with_its_bytes() {
    let file = "model.safetensors.index.json";
    let read = |limit: usize| {
        let limited: Arc<dyn Allocator> =
            Arc::new(LimitAllocator::new(Arc::new(SystemAllocator::new()), limit));
        let mut opened = TensorFile::open(fixture(file)).unwrap();
        let made = opened.read_all_in(&limited, |_, _| {});
        let left = limited.counters().read().live_bytes;
        (made, left)
    };
    let (all, bytes) = read(usize::MAX);
    let sizes = all.unwrap().into_iter().map(|(_, t)| t.size_bytes());
    let sizes: Vec<usize> = sizes.collect();
    assert_eq!(bytes, sizes.iter().sum::<usize>());
    for limit in 0..bytes {
        let (made, left) = read(limit);
        let error = made.unwrap_err();
        let FileError::Tensor {
            file,
            source:
                TensorError::Alloc {
                    source:
                        AllocError::LimitExceeded {
                            requested_bytes,
                            free_bytes,
                            limit_bytes,
                            ..
                        },
                    ..
                },
        } = &error
        else {
            panic!("{limit}: {error:?}");
        };
        assert!(file.contains("safetensors:"), "{file}");
        assert!(sizes.contains(requested_bytes) && requested_bytes > free_bytes);
        assert_eq!(*limit_bytes, limit);
        let text = error.to_string();
        for number in [requested_bytes, free_bytes, limit_bytes] {
            assert!(text.contains(&number.to_string()), "{text}");
        }
        // What was read before the refusal has gone back.
        assert_eq!(left, 0, "{limit}");
    }
}
