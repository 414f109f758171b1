//! What the compiler must refuse, and what it must accept beside it.
//!
//! `compile-fail/fail/*.rs` are programs that must not compile, `compile-fail/pass/*.rs` programs that must; both see the
//! crate as any other crate does. A line that must be refused says so: `//~ E0505: cannot move` asks for an error of that code
//! on its line, whose message or labels hold those words (`//~^` asks for it one line higher). Any other error is a
//! failure too. Code, line and key words are pinned rather than whole texts, because texts change with every compiler.
//!
//! One throw-away package below cargo's folder for tests has a binary per fixture, and is built once; what must compile is
//! run too, so its assertions hold. Invariants: each fixture is accounted for, refused or accepted, or the test fails; each
//! `fail` fixture has a `pass` fixture of the same name, so that no guarantee is kept by refusing everything.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

/// One `//~` comment.
#[derive(Debug, PartialEq, Eq)]
struct Annotation {
    line: usize,
    code: String,
    words: String,
}

/// One error of the compiler.
#[derive(Debug)]
struct Refusal {
    line: usize,
    code: String,
    /// The message and all labels.
    text: String,
    rendered: String,
}

struct Fixture {
    /// The name of its binary: folder, `-`, file name.
    binary: String,
    path: PathBuf,
    source: String,
}

impl Fixture {
    fn must_fail(&self) -> bool {
        self.binary.starts_with("fail-")
    }
}

/// The annotations of a fixture, or what is wrong with one.
fn annotations(source: &str) -> Result<Vec<Annotation>, String> {
    let mut found = Vec::new();
    for (line, text) in (1..).zip(source.lines()) {
        let Some((_, note)) = text.split_once("//~") else {
            continue;
        };
        let rest = note.trim_start_matches('^');
        let above = note.len() - rest.len();
        let malformed = || format!("line {line}: write `//~ E0000: key words`, not `//~{note}`");
        let (code, words) = rest.split_once(':').ok_or_else(malformed)?;
        let (code, words) = (code.trim(), words.trim());
        let is_code = code.len() == 5 && code.starts_with('E') && code[1..].parse::<u16>().is_ok();
        if !is_code || words.is_empty() || above >= line {
            return Err(malformed());
        }
        found.push(Annotation {
            line: line - above,
            code: code.to_owned(),
            words: words.to_owned(),
        });
    }
    Ok(found)
}

/// The error in a message of the compiler, unless it is a warning or the count at the end.
fn refusal(message: &Value, file: &Path) -> Option<Refusal> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let spans = message["spans"].as_array().cloned().unwrap_or_default();
    let headline = text(&message["message"]);
    let is_count = spans.is_empty() && headline.starts_with("aborting due to");
    if message["level"] != "error" || is_count {
        return None;
    }
    let here = |span: &&Value| Path::new(&text(&span["file_name"])) == file;
    let primary = spans.iter().find(|span| span["is_primary"] == true);
    let line = primary.filter(here).and_then(|s| s["line_start"].as_u64());
    let labels = spans.iter().map(|span| text(&span["label"]));
    Some(Refusal {
        // Line 0 has no annotation, so an error elsewhere never matches one.
        line: line.and_then(|line| line.try_into().ok()).unwrap_or(0),
        code: text(&message["code"]["code"]),
        text: [headline]
            .into_iter()
            .chain(labels)
            .collect::<Vec<_>>()
            .join("\n"),
        rendered: text(&message["rendered"]),
    })
}

/// What differs between what a fixture asks for and what the compiler did; nothing if all is well.
fn differences(fixture: &Fixture, accepted: bool, refusals: &[Refusal]) -> Vec<String> {
    let wanted = match annotations(&fixture.source) {
        Ok(wanted) => wanted,
        Err(malformed) => return vec![malformed],
    };
    let mut found = Vec::new();
    match (fixture.must_fail(), wanted.is_empty()) {
        (true, true) => found.push("has no `//~` annotation: say what must be refused".to_owned()),
        (false, false) => found.push("has a `//~` annotation, but must compile".to_owned()),
        _ => {}
    }
    if !accepted && refusals.is_empty() {
        found.push("was neither refused nor accepted: cargo did not build it".to_owned());
    }
    let fits = |want: &Annotation, got: &Refusal| {
        want.line == got.line && want.code == got.code && got.text.contains(&want.words)
    };
    for want in &wanted {
        if !refusals.iter().any(|got| fits(want, got)) {
            let Annotation { line, code, words } = want;
            found.push(format!("line {line}: no error {code} with `{words}`"));
        }
    }
    for got in refusals {
        if !wanted.iter().any(|want| fits(want, got)) {
            let Refusal {
                line,
                code,
                rendered,
                ..
            } = got;
            found.push(format!(
                "line {line}: error {code} that nothing asks for:\n{rendered}"
            ));
        }
    }
    found
}

/// The fixtures of one folder, by name.
fn fixtures(folder: &str) -> Vec<Fixture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile-fail");
    let entries = fs::read_dir(root.join(folder)).expect("the folder of the fixtures is there");
    let mut found: Vec<_> = entries
        .map(|entry| entry.expect("the folder can be listed").path())
        .map(|path| {
            let stem = path
                .file_stem()
                .expect("a file has a name")
                .to_string_lossy();
            assert!(
                path.extension().is_some_and(|e| e == "rs"),
                "{path:?} is no fixture"
            );
            Fixture {
                binary: format!("{folder}-{stem}"),
                source: fs::read_to_string(&path).expect("a fixture can be read"),
                path,
            }
        })
        .collect();
    found.sort_by(|a, b| a.binary.cmp(&b.binary));
    found
}

/// Writes the throw-away package and returns its folder.
fn write_package(fixtures: &[Fixture]) -> PathBuf {
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile-fail");
    let tensor = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut manifest = format!(
        "[package]\nname = \"fixtures\"\nedition = \"2024\"\nautobins = false\n\n[workspace]\n\n[profile.dev]\ndebug = 0\nstrip = true\n\n\
         [dependencies]\ntensor = {{ path = '{}' }}\n",
        tensor.display()
    );
    for fixture in fixtures {
        let (name, path) = (&fixture.binary, fixture.path.display());
        write!(manifest, "\n[[bin]]\nname = \"{name}\"\npath = '{path}'\n")
            .expect("a string can be written");
    }
    fs::create_dir_all(&package).expect("cargo's folder for tests can be written");
    fs::write(package.join("Cargo.toml"), manifest).expect("the manifest can be written");
    // The versions of the workspace, so that nothing has to be looked up. Without it (a crate on its own) cargo resolves.
    let lock = tensor.join("../Cargo.lock");
    if lock.exists() {
        fs::copy(lock, package.join("Cargo.lock")).expect("the lock file can be copied");
    }
    package
}

/// Builds the package: cargo's messages, and what it wrote for people.
fn build_package(package: &Path) -> (Vec<Value>, String) {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    let output = Command::new(cargo)
        .args([
            "build",
            "--keep-going",
            "--offline",
            "--message-format=json",
        ])
        .arg("--target-dir")
        .arg(package.join("target"))
        .current_dir(package)
        // Neither lints of the caller nor a wrapper (such as clippy's) may change what is an error.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .output()
        .expect("cargo can be started");
    let messages = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("cargo writes one JSON value per line"))
        .collect();
    (
        messages,
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// What a binary told if it failed.
fn failed_run(artifact: &Value) -> Option<String> {
    let program = artifact["executable"]
        .as_str()
        .expect("a binary has a path");
    let output = Command::new(program)
        .output()
        .expect("what was built can be started");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    (!output.status.success()).then(|| format!("compiles, but fails when run:\n{told}"))
}

#[test]
fn a36_fixtures_are_refused_and_accepted_as_they_say() {
    let (fail, pass) = (fixtures("fail"), fixtures("pass"));
    assert!(
        !fail.is_empty() && !pass.is_empty(),
        "there are no fixtures"
    );
    let name = |fixture: &Fixture| fixture.binary[5..].to_owned();
    let legal: Vec<_> = pass.iter().map(name).collect();
    let all: Vec<_> = fail.into_iter().chain(pass).collect();
    let package = write_package(&all);
    let (messages, told) = build_package(&package);

    let mut report = String::new();
    for fixture in &all {
        let of = |reason: &'static str| {
            let binary = &fixture.binary;
            messages
                .iter()
                .filter(move |m| m["reason"] == reason && m["target"]["name"] == **binary)
        };
        let refusals: Vec<_> = of("compiler-message")
            .filter_map(|m| refusal(&m["message"], &fixture.path))
            .collect();
        let built = of("compiler-artifact").next();
        let mut found = differences(fixture, built.is_some(), &refusals);
        if let Some(built) = built.filter(|_| !fixture.must_fail()) {
            found.extend(failed_run(built));
        }
        if fixture.must_fail() && !legal.contains(&name(fixture)) {
            found.push("has no twin in `pass`: show the legal form".to_owned());
        }
        for difference in found {
            let folder = fixture.path.strip_prefix(env!("CARGO_MANIFEST_DIR"));
            let path = folder.unwrap_or(&fixture.path).display();
            writeln!(report, "{path}: {difference}").expect("a string can be written");
        }
    }
    assert!(report.is_empty(), "{report}\ncargo said:\n{told}");
}

#[path = "compile-fail/judgement.rs"]
mod judgement;
