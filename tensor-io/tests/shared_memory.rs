//! Tensors between two processes: this program runs itself again as the other one.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use std::env;
use std::fs;
use std::path::Path;
use std::process::{self, Command, Output};

use tensor::Tensor;
use tensor_io::FileError;
use tensor_io::shared_memory::{self, SharedMemory};

const NAME: &str = "TENSOR_IO_SHARED_NAME";
const PART: &str = "TENSOR_IO_SHARED_PART";

/// A name that no other run of the tests has.
fn name(of: &str) -> String {
    format!("tensor-io-{of}-{}", process::id())
}

fn wave() -> Tensor {
    let values: Vec<f32> = (0..1024_u16).map(|i| f32::from(i) * 0.5).collect();
    Tensor::from_vec_row_major([32, 32], values).unwrap()
}

fn other_process(part: &str, name: &str) -> Output {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "the_other_process", "--nocapture"])
        .env(PART, part)
        .env(NAME, name)
        .output()
        .unwrap()
}

/// What the other process does; nothing where the tests run as usual.
#[test]
fn the_other_process() {
    let (Ok(part), Ok(name)) = (env::var(PART), env::var(NAME)) else {
        return;
    };
    match part.as_str() {
        "read" => {
            let seen = shared_memory::open(&name).unwrap().map("wave").unwrap();
            assert_eq!(seen.shape(), [32, 32]);
            assert_eq!(
                seen.as_slice::<f32>().unwrap(),
                wave().as_slice::<f32>().unwrap()
            );
            println!("read all of it");
        }
        "create and die" => {
            let _shared = SharedMemory::create(&name, &[("wave", &wave())]).unwrap();
            process::abort();
        }
        other => panic!("{other}"),
    }
}

#[test]
fn g03_another_process_reads_what_this_one_shares() {
    let name = name("read");
    let shared = SharedMemory::create(&name, &[("wave", &wave())]).unwrap();
    let output = other_process("read", &name);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("read all of it"),
        "{text}"
    );

    // What is open outlives the name, and the name goes with its owner.
    let open = shared_memory::open(shared.name()).unwrap();
    drop(shared);
    assert!(matches!(
        shared_memory::open(&name),
        Err(FileError::Io { .. })
    ));
    let seen = open.map("wave").unwrap();
    drop(open);
    assert_eq!(seen.to_vec::<f32>().unwrap()[1023], 511.5);
    assert!(!other_process("read", &name).status.success());
}

/// Who opens a name finds every tensor at the place, from the beginning of the memory on, that the header says.
#[test]
fn g04_places_are_offsets_from_the_base() {
    let name = name("base");
    let small = Tensor::from_vec_row_major([3], vec![1_u8, 2, 3]).unwrap();
    let shared = SharedMemory::create(&name, &[("small", &small), ("wave", &wave())]).unwrap();
    let open = shared_memory::open(shared.name()).unwrap();
    let place = |index: usize| {
        let entry = &open.entries()[index];
        let at = open.raw(&entry.name).unwrap().as_ptr().addr();
        (at, usize::try_from(entry.offset).unwrap())
    };
    let ((small_at, small_offset), (wave_at, wave_offset)) = (place(0), place(1));
    // Both tell the same base, which is that of a page.
    let base = small_at - small_offset;
    assert_eq!((wave_at - wave_offset, base % 4096), (base, 0));
    assert_eq!((small_offset, wave_offset), (192, 256));
    let mapped = open.map("wave").unwrap();
    let elements = mapped.as_slice::<f32>().unwrap();
    assert_eq!((elements.as_ptr().addr(), elements[1]), (wave_at, 0.5));
}

#[test]
fn g03_a_killed_creator_leaves_a_name_that_can_be_read_and_removed() {
    let name = name("killed");
    assert!(!other_process("create and die", &name).status.success());
    assert!(other_process("read", &name).status.success());
    let error = SharedMemory::create(&name, &[]).unwrap_err().to_string();
    assert!(error.contains("which no longer runs"), "{error}");
    shared_memory::unlink(&name).unwrap();
    let again = SharedMemory::create(&name, &[("wave", &wave())]).unwrap();
    let error = SharedMemory::create(&name, &[]).unwrap_err().to_string();
    assert!(
        error.contains(&format!("process {}, which still runs", process::id())),
        "{error}"
    );
    again.keep();
    assert!(shared_memory::open(&format!("/{name}")).is_ok());
    shared_memory::unlink(&name).unwrap();
}

#[test]
fn g03_what_is_damaged_or_no_container_is_neither_read_nor_removed() {
    let (cut, strange) = (name("cut"), name("strange"));
    let at = |name: &str| Path::new("/dev/shm").join(name);
    let shared = SharedMemory::create(&cut, &[("wave", &wave())]).unwrap();
    let whole = fs::read(at(&cut)).unwrap();
    for length in [0, 7, 64, whole.len() / 2, whole.len() - 1] {
        fs::write(at(&strange), &whole[..length]).unwrap();
        assert!(shared_memory::open(&strange).is_err(), "{length} bytes");
        assert!(shared_memory::unlink(&strange).is_err(), "{length} bytes");
        let error = SharedMemory::create(&strange, &[]).unwrap_err().to_string();
        assert!(error.contains("made by another program"), "{error}");
    }
    fs::remove_file(at(&strange)).unwrap();
    drop(shared);
}

#[test]
fn leftovers_of_killed_writers_go_and_those_of_living_ones_stay() {
    let name = name("leftovers");
    let hidden = |id: u32| Path::new("/dev/shm").join(format!(".{name}.{id}.7.part"));
    // No process has the highest number, and this one runs.
    let (dead, living) = (hidden(u32::MAX), hidden(process::id()));
    fs::write(&dead, b"half").unwrap();
    fs::write(&living, b"half").unwrap();
    drop(SharedMemory::create(&name, &[]).unwrap());
    assert!(!dead.exists() && living.exists());
    fs::remove_file(living).unwrap();
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let long = "x".repeat(201);
    for name in [
        "", "/", ".", "..", ".hidden", "a/b", "../etc", "//a", "a b", "ä", &long,
    ] {
        let refused = matches!(
            SharedMemory::create(name, &[]),
            Err(FileError::SharedName { .. })
        );
        assert!(refused, "{name:?}");
        assert!(matches!(
            shared_memory::open(name),
            Err(FileError::SharedName { .. })
        ));
        assert!(matches!(
            shared_memory::unlink(name),
            Err(FileError::SharedName { .. })
        ));
    }
}
