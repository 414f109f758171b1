//! What the demos share: where models are, how confidence looks, how a failure is told.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A file of the assets folder: `TENFOLD_ASSETS`, or `.assets` in the repository.
pub(crate) fn asset(path: &str) -> Result<PathBuf, Box<dyn Error>> {
    let folder = match env::var_os("TENFOLD_ASSETS") {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder),
        _ => Path::new(env!("CARGO_MANIFEST_DIR")).join("../.assets"),
    };
    let file = folder.join(path);
    if file.is_file() {
        return Ok(file);
    }
    let file = file.display();
    let cure = "fetch the models with `cargo xtask assets`, the large ones with `--all` or by name";
    Err(format!("{file} is not there: {cure}").into())
}

/// Ten blocks and a percentage.
pub(crate) fn confidence(score: f32) -> String {
    let filled = (score.clamp(0.0, 1.0) * 10.0).round() as usize;
    let bar: String = (0..10)
        .map(|at| if at < filled { '█' } else { '░' })
        .collect();
    format!("{bar} {:5.1} %", score * 100.0)
}

/// The index and the value of the largest element; the first one of several.
pub(crate) fn best(values: &[f32]) -> (usize, f32) {
    let start = (0, f32::NEG_INFINITY);
    let larger = |best: (usize, f32), (at, &value)| if value > best.1 { (at, value) } else { best };
    values.iter().enumerate().fold(start, larger)
}

/// What a demo returns.
pub(crate) type Ended = Result<(), Box<dyn Error>>;

/// Runs a demo on the arguments; an error is told with its causes.
pub(crate) fn main(demo: fn(&[String]) -> Ended) -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Err(error) = demo(&arguments) else {
        return ExitCode::SUCCESS;
    };
    eprintln!("error: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        eprintln!("  caused by: {error}");
        cause = error.source();
    }
    ExitCode::FAILURE
}
