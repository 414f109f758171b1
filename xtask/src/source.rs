//! The repository's text files, and Rust source without its comments and literals.
//!
//! [`text_files`] walks the tree and leaves out what is built, fetched or stored as data: a rule about prose or code
//! has nothing to say about a golden file. [`code_only`] blanks comments, strings and character literals with spaces,
//! keeping every line break, so that a search for a keyword finds code alone and line numbers stay right. It knows
//! nested block comments, raw strings with any number of `#`, byte and C strings, and tells lifetimes from characters.

use std::fs;
use std::path::Path;

use crate::failure::Failure;

/// Folders that hold no source of ours, whatever their depth.
const NOT_OURS: &[&str] = &[
    "target",
    ".git",
    ".assets",
    "__pycache__",
    "samples",
    "fixtures",
    "compile-fail",
];

/// What counts as text by its ending; scripts without an ending are listed in [`SCRIPTS`].
const TEXT_ENDINGS: &[&str] = &[
    "rs", "toml", "md", "py", "sh", "glsl", "wgsl", "yml", "yaml", "js", "html",
];
const SCRIPTS: &[&str] = &[".ci/run", ".gitignore"];

/// A text file of the repository.
#[derive(Debug)]
pub(crate) struct TextFile {
    /// Its path below the workspace root, with `/` on every system.
    pub(crate) path: String,
    /// Its contents; bytes that are not UTF-8 are replaced.
    pub(crate) text: String,
}

/// All text files below the workspace root, sorted by path.
pub(crate) fn text_files(root: &Path) -> Result<Vec<TextFile>, Failure> {
    let mut files = Vec::new();
    walk(root, "", &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn walk(root: &Path, below: &str, files: &mut Vec<TextFile>) -> Result<(), Failure> {
    let cannot_read = |error| {
        Failure::failed(format!(
            "cannot read {}: {error}",
            root.join(below).display()
        ))
    };
    for entry in fs::read_dir(root.join(below)).map_err(cannot_read)? {
        let entry = entry.map_err(cannot_read)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() {
            name.clone()
        } else {
            format!("{below}/{name}")
        };
        let kind = entry.file_type().map_err(cannot_read)?;
        if kind.is_dir() && !NOT_OURS.contains(&name.as_str()) {
            walk(root, &path, files)?;
        } else if kind.is_file() && is_text(&path) {
            let bytes = fs::read(entry.path()).map_err(cannot_read)?;
            files.push(TextFile {
                path,
                text: String::from_utf8_lossy(&bytes).into_owned(),
            });
        }
    }
    Ok(())
}

fn is_text(path: &str) -> bool {
    let ending = path
        .rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'))
        .map_or("", |(_, ending)| ending);
    TEXT_ENDINGS.contains(&ending) || SCRIPTS.contains(&path)
}

/// Rust source with comments, strings and characters blanked; the number of lines stays.
pub(crate) fn code_only(source: &str) -> String {
    let characters: Vec<char> = source.chars().collect();
    let mut code = String::with_capacity(source.len());
    let mut at = 0;
    while at < characters.len() {
        let end = opaque_end(&characters, at);
        if end == at {
            code.push(characters[at]);
            at += 1;
        } else {
            code.extend(
                characters[at..end]
                    .iter()
                    .map(|&c| if c == '\n' { '\n' } else { ' ' }),
            );
            at = end;
        }
    }
    code
}

/// The end of the comment or literal that begins at `at`, or `at` if none does.
fn opaque_end(characters: &[char], at: usize) -> usize {
    let here = characters[at];
    let next = characters.get(at + 1).copied();
    // A prefix such as the `r` of a raw string is no prefix inside a longer name.
    let in_name = at > 0 && (characters[at - 1].is_alphanumeric() || characters[at - 1] == '_');
    match (here, next) {
        ('/', Some('/')) => (at..characters.len())
            .find(|&i| characters[i] == '\n')
            .unwrap_or(characters.len()),
        ('/', Some('*')) => block_comment_end(characters, at),
        ('"', _) => quoted_end(characters, at + 1, '"'),
        ('\'', Some('\\')) => quoted_end(characters, at + 1, '\''),
        ('\'', Some(_)) if characters.get(at + 2) == Some(&'\'') => at + 3,
        ('r', Some('"' | '#')) if !in_name => raw_string_end(characters, at, at + 1),
        ('b' | 'c', Some('r')) if !in_name => raw_string_end(characters, at, at + 2),
        _ => at,
    }
}

fn block_comment_end(characters: &[char], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while at < characters.len() {
        match (characters[at], characters.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    characters.len()
}

/// The end of a literal whose contents begin at `at`; a backslash takes the next character with it.
fn quoted_end(characters: &[char], mut at: usize, quote: char) -> usize {
    while at < characters.len() {
        match characters[at] {
            '\\' => at += 2,
            c if c == quote => return at + 1,
            _ => at += 1,
        }
    }
    characters.len()
}

/// The end of a raw string whose `#`s begin at `hashes`, or `start` if it is none (a raw name such as `r#type`).
fn raw_string_end(characters: &[char], start: usize, hashes: usize) -> usize {
    let count = characters[hashes..]
        .iter()
        .take_while(|&&c| c == '#')
        .count();
    let open = hashes + count;
    if characters.get(open) != Some(&'"') {
        return start;
    }
    let closes = |at: usize| {
        characters[at] == '"'
            && characters[at + 1..]
                .iter()
                .take(count)
                .filter(|&&c| c == '#')
                .count()
                == count
    };
    (open + 1..characters.len())
        .find(|&at| closes(at))
        .map_or(characters.len(), |at| at + 1 + count)
}

#[cfg(test)]
mod tests {
    //! The lexer on the cases where a plain search goes wrong.

    use super::*;

    #[test]
    fn comments_and_literals_are_blank() {
        let cases = [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            ("f(\"x\\\"y\", z)", "f(      , z)"),
            ("'a' '\\'' 'static", "         'static"),
            ("r#\"x\"y\"# z", "         z"),
            ("br\"x\" b\"y\" c\"z\"", "      b    c   "),
            ("r#type bar\"s\"", "r#type bar   "),
            ("\"open\nend", "     \n   "),
            ("/* open", "       "),
            ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
        ];
        for (source, expect) in cases {
            assert_eq!(code_only(source), expect, "{source:?}");
        }
    }

    #[test]
    fn text_is_known_by_its_ending() {
        let cases = [
            ("xtask/src/main.rs", true),
            (".ci/run", true),
            ("README.md", true),
            ("tests/golden/magika.npz", false),
            ("Cargo.lock", false),
            ("LICENSE-MIT", false),
        ];
        for (path, expect) in cases {
            assert_eq!(is_text(path), expect, "{path}");
        }
    }
}
