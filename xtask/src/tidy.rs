//! `cargo xtask tidy`: the house rules that no compiler checks.
//!
//! Each rule is a function from one file to findings; [`findings`] runs them all, and the command prints every
//! finding as `path:line: what, what to do`. The rules: a Rust file begins with `//!`, stays below 1000 lines and says
//! why above 600; no tabs, no white space at the end of a line; no notes to self; `unsafe` only in the folders of
//! [`UNSAFE_FOLDERS`] and the tests of [`UNSAFE_TESTS`], and a crate root that says so to the compiler; no words that
//! belong to somebody's machine rather than to the project. One rule looks at the whole repository: the architecture's
//! page names every crate.
//!
//! Invariant: rules look at code through [`code_only`] where they mean code, so a word in a comment is no finding.
//! The words to find are put together from parts, so that this file does not find itself.

use crate::failure::Failure;
use crate::process;
use crate::source::{TextFile, code_only, text_files};

pub(crate) const HELP: &str = "\
cargo xtask tidy

Checks the house rules on every text file of the repository and prints all findings as `path:line: what, what to do`.
";

/// More lines than this and the file has to say why.
const LONG_LINES: usize = 600;

/// More lines than this are not allowed.
const MAX_LINES: usize = 1000;

/// Files above [`MAX_LINES`] that are tolerated. This list may only shrink.
const TOO_LONG_ALLOWED: &[&str] = &[];

/// The folders where `unsafe` has a place: storage, mapped memory, vector kernels and the GPU interfaces.
const UNSAFE_FOLDERS: &[&str] = &[
    "tensor/src/storage",
    "tensor-io/src",
    "cpu-interp/src/kernels",
    "vulkan-backend/src",
    "webgpu-backend/src",
];

/// Tests and examples that count allocations or refuse them: an allocator can only be written with `unsafe`.
const UNSAFE_TESTS: &[&str] = &[
    "tensor/examples/allocations.rs",
    "tensor/tests/cost.rs",
    "onnx/tests/cost.rs",
    "tests/tests/hostile.rs",
    "tests/tests/steady_runs.rs",
    "fuzz/tests/smoke.rs",
    "tensor-io/tests/failing_memory.rs",
];

/// What the root of a crate must say. Crates that are not named here must forbid `unsafe`.
const CRATE_ROOTS: &[(&str, Option<&str>)] = &[
    ("tensor", Some("#![deny(unsafe_code)]")),
    ("tensor-io", Some("#![deny(unsafe_code)]")),
    ("cpu-interp", Some("#![deny(unsafe_code)]")),
    ("vulkan-backend", None),
    ("webgpu-backend", None),
    // A macro of ndarray has an unsafe block and allows it.
    ("benches/data-model", Some("#![deny(unsafe_code)]")),
];

/// Marks of unfinished work.
const NOTES: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
];

/// The page that has to name every crate.
const ARCHITECTURE: &str = "design/ARCHITECTURE.md";

/// Words that have no place anywhere, and why.
const WORDS: &[(&str, &str)] = &[
    (
        concat!("py", "pi.org"),
        "names a registry host: say which package and version, clients know where",
    ),
    (
        concat!("pythonhosted", ".org"),
        "names a registry host: say which package and version, clients know where",
    ),
    (
        concat!("crates", ".io"),
        "names a registry host: say which crate and version, cargo knows where",
    ),
    (
        concat!("npm", "js.org"),
        "names a registry host: say which package and version, clients know where",
    ),
    (
        concat!("issue", " #"),
        "names an issue: say what it says instead",
    ),
];

/// Beginnings of absolute paths of somebody's machine.
const MACHINE_PATHS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
];

/// One broken rule.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    path: String,
    line: usize,
    what: String,
}

/// Checks the whole repository.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    if let Some(first) = arguments.first() {
        return Err(Failure::usage(format!(
            "`cargo xtask tidy` takes no argument, got {first:?}\n\n{HELP}"
        )));
    }
    let files = text_files(&process::workspace_root()?)?;
    let mut found: Vec<Finding> = files.iter().flat_map(findings).collect();
    found.extend(crates_not_named(&files));
    for Finding { path, line, what } in &found {
        println!("{path}:{line}: {what}");
    }
    if found.is_empty() {
        println!("{} files are tidy", files.len());
        return Ok(());
    }
    Err(Failure::failed(format!(
        "{} findings in {} files: see the lines above",
        found.len(),
        files.len()
    )))
}

/// All findings of all rules in one file.
fn findings(file: &TextFile) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut report = |line: usize, what: String| {
        found.push(Finding {
            path: file.path.clone(),
            line,
            what,
        })
    };
    check_lines(file, &mut report);
    if file.path.ends_with(".rs") {
        let code = code_only(&file.text);
        check_header(file, &mut report);
        check_length(file, &mut report);
        check_unsafe(file, &code, &mut report);
        check_crate_root(file, &mut report);
    }
    found.sort_by_key(|finding| finding.line);
    found
}

/// The crates at the top of the repository that [`ARCHITECTURE`] does not name in backquotes.
fn crates_not_named(files: &[TextFile]) -> Vec<Finding> {
    let page = files.iter().find(|file| file.path == ARCHITECTURE);
    let text = page.map_or("", |page| page.text.as_str());
    let crates = files
        .iter()
        .filter_map(|file| file.path.strip_suffix("/Cargo.toml"))
        .filter(|folder| !folder.contains('/'));
    crates
        .filter(|name| !text.contains(&format!("`{name}`")))
        .map(|name| Finding {
            path: ARCHITECTURE.to_owned(),
            line: 1,
            what: format!(
                "does not name the crate `{name}`, say what it is for and what it never does"
            ),
        })
        .collect()
}

/// White space and words, line by line, in every text file.
fn check_lines(file: &TextFile, report: &mut impl FnMut(usize, String)) {
    for (line, text) in (1..).zip(file.text.lines()) {
        if text.contains('\t') {
            report(line, "a tab, use spaces".to_owned());
        }
        if text.ends_with(char::is_whitespace) {
            report(
                line,
                "white space at the end of the line, remove it".to_owned(),
            );
        }
        for note in NOTES.iter().filter(|note| has_word(text, note)) {
            report(
                line,
                format!("{note}, do it now or write down why it is left out"),
            );
        }
        for (word, why) in WORDS
            .iter()
            .filter(|(word, _)| text.to_lowercase().contains(word))
        {
            report(line, format!("{word:?} {why}"));
        }
        for path in MACHINE_PATHS
            .iter()
            .filter(|path| has_machine_path(text, path))
        {
            report(
                line,
                format!("{path:?} is a path of one machine: use a path relative to the repository"),
            );
        }
    }
    if !file.text.is_empty() && !file.text.ends_with('\n') {
        report(
            file.text.lines().count(),
            "no line break at the end of the file, add one".to_owned(),
        );
    }
}

fn check_header(file: &TextFile, report: &mut impl FnMut(usize, String)) {
    if !file.text.starts_with("//!") {
        report(
            1,
            "does not begin with `//!`, say purpose, how it works and invariants".to_owned(),
        );
    }
}

fn check_length(file: &TextFile, report: &mut impl FnMut(usize, String)) {
    let lines = file.text.lines().count();
    let allowed = TOO_LONG_ALLOWED.contains(&file.path.as_str());
    if lines > MAX_LINES && !allowed {
        report(
            lines,
            format!("{lines} lines, the limit is {MAX_LINES}: split the file"),
        );
    } else if lines <= MAX_LINES && allowed {
        report(
            lines,
            "no longer above the limit, remove it from the list of tolerated files".to_owned(),
        );
    }
    let header = file.text.lines().take_while(|line| line.starts_with("//!"));
    if lines > LONG_LINES && !header.into_iter().any(|line| line.contains("Length:")) {
        report(
            lines,
            format!(
                "{lines} lines, more than {LONG_LINES}: split it, or say why after `Length:` in its `//!`"
            ),
        );
    }
}

fn check_unsafe(file: &TextFile, code: &str, report: &mut impl FnMut(usize, String)) {
    let has_place = |folder: &&str| in_folder(&file.path, folder);
    if UNSAFE_FOLDERS.iter().any(has_place) || UNSAFE_TESTS.contains(&file.path.as_str()) {
        return;
    }
    for (line, text) in (1..).zip(code.lines()) {
        if has_word(text, "unsafe") {
            report(
                line,
                format!(
                    "`unsafe` has a place only in {}: use what they offer",
                    UNSAFE_FOLDERS.join(", ")
                ),
            );
        }
    }
}

/// Whether a path is the folder, a file in it, or the `.rs` file of the folder's module.
fn in_folder(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with('/') || rest == ".rs")
}

fn check_crate_root(file: &TextFile, report: &mut impl FnMut(usize, String)) {
    let Some(member) = file
        .path
        .strip_suffix("/src/lib.rs")
        .or_else(|| file.path.strip_suffix("/src/main.rs"))
    else {
        return;
    };
    let named = CRATE_ROOTS.iter().find(|(name, _)| *name == member);
    let wanted = named.map_or(Some("#![forbid(unsafe_code)]"), |(_, wanted)| *wanted);
    // What is stricter than asked for is fine too.
    let says = |attribute: &str| file.text.lines().any(|line| line.trim() == attribute);
    if let Some(attribute) = wanted
        && !says(attribute)
        && !says("#![forbid(unsafe_code)]")
    {
        report(
            1,
            format!("the crate root lacks `{attribute}`, add it below the `//!`"),
        );
    }
}

/// Whether `text` holds `word` with no letter, digit or `_` on either side.
fn has_word(text: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(inside) && !text[at + word.len()..].starts_with(inside)
    })
}

/// Whether `text` holds an absolute path that begins with `path`: what stands before is no part of a path.
fn has_machine_path(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        !text[..at].ends_with(|c: char| c.is_alphanumeric() || "._-~/*{}$".contains(c))
    })
}

#[cfg(test)]
mod tests;
