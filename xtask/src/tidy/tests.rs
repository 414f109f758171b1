//! Each rule on a file that breaks it and on one that does not.

use super::*;

/// The findings of a file as `line: beginning of what`.
fn check(path: &str, text: &str, expect: &[&str]) {
    let file = TextFile {
        path: path.to_owned(),
        text: text.to_owned(),
    };
    let found: Vec<String> = findings(&file)
        .iter()
        .map(|finding| format!("{}: {}", finding.line, finding.what))
        .collect();
    let fits = found.len() == expect.len()
        && found
            .iter()
            .zip(expect)
            .all(|(found, expect)| found.starts_with(expect));
    assert!(
        fits,
        "{path} {text:?}: expected {expect:?}, found {found:?}"
    );
}

#[test]
fn lines() {
    check("a.md", "fine\n", &[]);
    check("a.md", "", &[]);
    check("a.md", "a\tb\n", &["1: a tab"]);
    check("a.md", "a\nb \n", &["2: white space"]);
    check("a.md", "a", &["1: no line break"]);
    for note in NOTES {
        check(
            "a.md",
            &format!("x\n{note}: later\n"),
            &[&format!("2: {note}, do it now")],
        );
        check("a.md", &format!("a {note}S_LIST\n"), &[]);
    }
}

#[test]
fn words() {
    for (word, _) in WORDS {
        check(
            "a.md",
            &format!("see {}1\n", word.to_uppercase()),
            &[&format!("1: {word:?}")],
        );
    }
    for path in MACHINE_PATHS {
        check(
            "a.md",
            &format!("see `{path}file`\n"),
            &[&format!("1: {path:?} is a path of one machine")],
        );
        check("a.md", &format!("see docs{path}file\n"), &[]);
    }
}

#[test]
fn headers_and_lengths() {
    let file = |header: &str, lines: usize| format!("{header}\n{}", "x\n".repeat(lines - 1));
    check("a/src/x.rs", "//! Purpose.\n", &[]);
    check("a/src/x.rs", "// Purpose.\n", &["1: does not begin"]);
    check("a/src/x.rs", &file("//! Purpose.", 600), &[]);
    check(
        "a/src/x.rs",
        &file("//! Purpose.", 601),
        &["601: 601 lines, more than 600"],
    );
    check(
        "a/src/x.rs",
        &file("//! Purpose.\n//! Length: one table.", 1000),
        &["1001: 1001 lines, the limit is 1000"],
    );
    check("a/src/x.rs", &file("//! Length: one table.", 1000), &[]);
    check("a.md", &file("Text", 2000), &[]);
}

#[test]
fn where_unsafe_has_a_place() {
    let text =
        "//! Purpose.\n// unsafe in a comment, \"unsafe\" in a string\nfn f() { unsafe { g() } }\n";
    check("graph/src/x.rs", text, &["3: `unsafe` has a place only in"]);
    check(
        "tensor/src/view.rs",
        text,
        &["3: `unsafe` has a place only in"],
    );
    check(
        "tensor/src/storage_of_others.rs",
        text,
        &["3: `unsafe` has a place only in"],
    );
    check(
        "tensor/tests/views.rs",
        text,
        &["3: `unsafe` has a place only in"],
    );
    check("tensor/tests/cost.rs", text, &[]);
    check("tensor/src/storage.rs", text, &[]);
    check("tensor/src/storage/group.rs", text, &[]);
    check("cpu-interp/src/kernels/avx2.rs", text, &[]);
    check(
        "graph/src/x.rs",
        "//! Purpose.\nfn f() { g(\"unsafe\"); unsafe_name(); }\n",
        &[],
    );
}

#[test]
fn crate_roots() {
    let forbid = "//! Purpose.\n#![forbid(unsafe_code)]\n";
    let deny = "//! Purpose.\n#![deny(unsafe_code)]\n";
    check("graph/src/lib.rs", forbid, &[]);
    check(
        "graph/src/lib.rs",
        deny,
        &["1: the crate root lacks `#![forbid"],
    );
    check(
        "xtask/src/main.rs",
        "//! Purpose.\n",
        &["1: the crate root lacks `#![forbid"],
    );
    check("tensor/src/lib.rs", deny, &[]);
    check("tensor/src/lib.rs", forbid, &[]);
    check(
        "tensor/src/lib.rs",
        "//! Purpose.
",
        &["1: the crate root lacks `#![deny"],
    );
    check("vulkan-backend/src/lib.rs", "//! Purpose.\n", &[]);
    check("graph/src/op.rs", "//! Purpose.\n", &[]);
}

#[test]
fn the_architecture_names_every_crate() {
    let file = |path: &str, text: &str| TextFile {
        path: path.to_owned(),
        text: text.to_owned(),
    };
    let check = |page: &str, expect: &[&str]| {
        let files = [
            file("Cargo.toml", ""),
            file("graph/Cargo.toml", ""),
            file("graph-tools/Cargo.toml", ""),
            file("benches/peer/Cargo.toml", ""),
            file(ARCHITECTURE, page),
        ];
        let found: Vec<String> = crates_not_named(&files)
            .into_iter()
            .map(|finding| finding.what)
            .collect();
        let fits = found.len() == expect.len()
            && found
                .iter()
                .zip(expect)
                .all(|(found, expect)| found.contains(expect));
        assert!(fits, "{page:?}: expected {expect:?}, found {found:?}");
    };
    check("`graph` and `graph-tools`", &[]);
    check("`graph-tools` only", &["`graph`,"]);
    check("graph in plain words", &["`graph`,", "`graph-tools`,"]);
    assert_eq!(crates_not_named(&[file("graph/Cargo.toml", "")]).len(), 1);
}
