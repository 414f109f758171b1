//! How fast files are written, copied, verified and mapped, beside a plain copy of memory.
//!
//!     cargo run --release -p tensor-io --example file_rates [FOLDER]
//!
//! One tensor of 512 MiB in the folder given, or the one for temporary files; the best of five runs. Reading is from the
//! system's cache, so that the numbers are the library's and not the disk's.
#![expect(clippy::print_stdout, reason = "it prints what it measures")]

use std::error::Error;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tensor::Tensor;
use tensor_io::container::Container;
use tensor_io::safetensors::SafeTensors;
use tensor_io::{FileFormat, save};

const BYTES: usize = 512 << 20;

fn best<T>(mut run: impl FnMut() -> Result<T, Box<dyn Error>>) -> Result<Duration, Box<dyn Error>> {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        black_box(run()?);
        best = best.min(start.elapsed());
    }
    Ok(best)
}

fn show(what: &str, time: Duration) {
    let rate = BYTES as f64 / time.as_secs_f64() / 1e9;
    if rate < 1e4 {
        println!("{what:34} {time:>12.1?}  {rate:8.2} GB/s");
    } else {
        println!("{what:34} {time:>12.1?}");
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .map_or_else(std::env::temp_dir, PathBuf::from);
    let values: Vec<f32> = (0..BYTES / 4).map(|k| k as f32).collect();
    show("copy of memory", best(|| Ok(values.clone()))?);
    let tensor = Tensor::from_vec_row_major([BYTES / 4], values)?;
    for (format, name) in [
        (FileFormat::Container, "rates.tensors"),
        (FileFormat::SafeTensors, "rates.safetensors"),
    ] {
        let path = folder.join(name);
        let write = || Ok(save(&path, format, &[("a", &tensor)], &[], |_, _| {})?);
        show(&format!("{format}: write"), best(write)?);
        if format == FileFormat::Container {
            show("container: open", best(|| Ok(Container::open(&path)?))?);
            let map = || Ok(Container::open(&path)?.map_unverified("a")?);
            show("container: open, map unverified", best(map)?);
            show(
                "container: open, map",
                best(|| Ok(Container::open(&path)?.map("a")?))?,
            );
            show(
                "container: open, copy",
                best(|| Ok(Container::open(&path)?.get("a")?))?,
            );
        } else {
            show(
                "safetensors: open, map",
                best(|| Ok(SafeTensors::open(&path)?.map("a")?))?,
            );
            show(
                "safetensors: open, copy",
                best(|| Ok(SafeTensors::open(&path)?.get("a")?))?,
            );
        }
        std::fs::remove_file(&path)?;
    }
    Ok(())
}
