//! `cargo xtask demo`: the library at work on real models, in one command.
//!
//! A demo is an example of the facade crate; this command fetches the model that it needs, builds the example
//! optimised, and runs it on the files that were named or on files of the repository, so that it works in a fresh
//! clone without any argument.

use std::path::Path;

use crate::assets;
use crate::failure::Failure;
use crate::process;

pub(crate) const HELP: &str = "\
cargo xtask demo [FILES..]        tells the types of files with the Magika model
cargo xtask demo ocr [IMAGE]      reads a line of text with the PP-OCRv4 direction and recognition models
cargo xtask demo sentences [TEXTS..]
                                  tells how alike texts are, with the model all-MiniLM-L6-v2

Without a file or text, files of this repository and texts of the demo are used. Models are fetched first if they are
not there (see `cargo xtask assets --help`).
";

/// What the file type demo looks at when nothing is named: some text, some code, some binary data.
const FILES: [&str; 5] = [
    "README.md",
    "Cargo.toml",
    "xtask/src/main.rs",
    ".ci/run",
    "tests/golden/magika/magika.npz",
];

/// The line of text that the repository drew for the reading demo.
const IMAGE: &str = "tests/golden/example_line.png";

/// Runs the demo that the first argument names, or the file type demo.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    if let Some(flag) = arguments.iter().find(|argument| argument.starts_with('-')) {
        return Err(Failure::usage(format!(
            "`cargo xtask demo` has no option {flag:?}\n\n{HELP}"
        )));
    }
    match arguments {
        [demo, images @ ..] if demo == "ocr" => {
            if images.len() > 1 {
                return Err(Failure::usage(format!(
                    "`cargo xtask demo ocr` reads one image, got {}\n\n{HELP}",
                    images.len()
                )));
            }
            run_example("ocr", "ppocr", &or_default(images, &[IMAGE])?)
        }
        [demo, texts @ ..] if demo == "sentences" => run_example("sentences", "minilm", texts),
        files => run_example("magika", "magika", &or_default(files, &FILES)?),
    }
}

/// Whether the facade has the example of this name.
pub(crate) fn has_example(name: &str) -> Result<bool, Failure> {
    let example = process::workspace_root()?
        .join("tenfold/examples")
        .join(name);
    Ok(example.with_extension("rs").is_file() || example.join("main.rs").is_file())
}

/// The named files, which are looked for where the person called us, or the default ones, which are the repository's own.
fn or_default(named: &[String], default: &[&str]) -> Result<Vec<String>, Failure> {
    if named.is_empty() {
        return Ok(default.iter().map(|&file| file.to_owned()).collect());
    }
    absolute(named)
}

/// Runs an example of the facade with these arguments.
fn run_example(example: &str, asset: &str, arguments: &[String]) -> Result<(), Failure> {
    if !has_example(example)? {
        return Err(Failure::failed(format!(
            "this tree has no example {example:?} in tenfold/examples"
        )));
    }
    assets::ensure_named(&[asset])?;
    let mut cargo = process::cargo(&[
        "run",
        "--release",
        "--quiet",
        "-p",
        "tenfold",
        "--example",
        example,
        "--",
    ])?;
    if process::succeeds(cargo.args(arguments))? {
        return Ok(());
    }
    Err(Failure::failed(format!(
        "the example {example:?} failed: see its message above"
    )))
}

fn absolute(named: &[String]) -> Result<Vec<String>, Failure> {
    let absolute_file = |name: &String| {
        let path = std::path::absolute(Path::new(name))
            .map_err(|error| Failure::failed(format!("{name}: {error}")))?;
        if path.is_file() {
            Ok(path.display().to_string())
        } else {
            Err(Failure::failed(format!("there is no file {name:?}")))
        }
    };
    named.iter().map(absolute_file).collect()
}
