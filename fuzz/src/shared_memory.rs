//! Memory under a name that another program has filled: a name's whole life, of which only reading depends on the bytes.

use std::path::PathBuf;
use std::{fs, process};

use tensor_io::container::Container;
use tensor_io::shared_memory::{self, SharedMemory};
use tensor_io::{ByteOrder, FileError, Mapping};

use crate::{check, container};

/// Opens, refuses to replace, and removes a name with these bytes. Where there is no shared memory, nothing.
pub fn run(bytes: &[u8]) {
    if !cfg!(target_os = "linux") {
        return;
    }
    let name = format!("file-tenfold-fuzz-{}", process::id());
    let path = PathBuf::from("/dev/shm").join(&name);
    fs::write(&path, bytes).expect("room in shared memory");
    let mapping = Mapping::from_bytes(bytes).expect("memory for a copy");
    let expect = Container::from_mapping(mapping, "file");
    match (shared_memory::open(&name), &expect) {
        (Ok(opened), Ok(expect)) => {
            assert_eq!(opened.entries(), expect.entries());
            check::file(&opened, bytes.len(), ByteOrder::Little);
        }
        (Err(_), Err(_)) => {}
        (opened, expect) => panic!("opened {:?}, expected {:?}", opened.err(), expect),
    }
    let taken = SharedMemory::create(&name, &[]);
    let taken = taken
        .map(SharedMemory::keep)
        .expect_err("the name is taken");
    assert!(matches!(taken, FileError::SharedExists { .. }), "{taken}");
    check::printed(&taken);
    // What is no container is somebody else's and stays.
    let removed = shared_memory::unlink(&name).is_ok();
    assert_eq!((removed, path.exists()), (expect.is_ok(), expect.is_err()));
    if !removed {
        fs::remove_file(&path).expect("a file of ours");
    }
}

/// Containers, and one that tells which process made it.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = container::seeds();
    let name = format!("seed-tenfold-fuzz-{}", process::id());
    if let Ok(shared) = SharedMemory::create(&name, &[]) {
        seeds.extend(fs::read(PathBuf::from("/dev/shm").join(&name)));
        drop(shared);
    }
    seeds
}
