//! `cargo xtask deps`: the arrows between the crates go down only.
//!
//! [`LAYERS`] is the architecture's table, lowest crate first: a crate may depend on crates in rows above its own and
//! on no other. [`NEVER`] holds the arrows that the order alone would allow and the architecture forbids, [`ONLY`]
//! the external crates that belong to one crate alone. Normal and build dependencies count, optional ones and those
//! of any platform included; dev-dependencies do not, since no user's build follows them. The crates in the folder
//! [`EXT`] have a stricter rule, which does count them.
//!
//! The default build of the facade must need cargo and a linker only, so no crate that compiles C or binds a C
//! library may be in it ([`compiles_c`]).
//!
//! Invariant: the check reads what cargo says about the workspace, never the text of the manifests, and reports all
//! wrong arrows at once.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::failure::Failure;
use crate::process;

pub(crate) const HELP: &str = "\
cargo xtask deps

Prints each crate of the workspace with the crates that it depends on, and fails on an arrow that the architecture
does not allow, or on a crate in the library's default build that needs a C compiler or a C library.
";

/// The crates of the architecture, lowest first.
const LAYERS: [&str; 15] = [
    "tensor-core",
    "tensor",
    "quant",
    "tensor-io",
    "graph",
    "plan",
    "optimizer",
    "cpu-interp",
    "kernelgen",
    "vulkan-backend",
    "webgpu-backend",
    "onnx",
    "llm",
    "tenfold",
    "tenfold-cli",
];

/// The crates that execute or print kernels.
const EXECUTION: &[&str] = &[
    "cpu-interp",
    "kernelgen",
    "vulkan-backend",
    "webgpu-backend",
];

/// Arrows that are forbidden for a reason of their own; some are forbidden by the order too and stay when it changes.
const NEVER: &[(&str, &[&str], &str)] = &[
    (
        "tensor-core",
        &LAYERS,
        "it is the bottom and owns no storage",
    ),
    ("graph", EXECUTION, "a graph executes nothing"),
    ("plan", &["optimizer"], "a plan knows no passes"),
    ("plan", EXECUTION, "a plan knows no devices"),
    ("optimizer", EXECUTION, "passes know no backend"),
    (
        "onnx",
        EXECUTION,
        "importers build graphs, they know no kernels",
    ),
    ("llm", EXECUTION, "models are graphs, they know no kernels"),
    (
        "vulkan-backend",
        &["onnx", "llm", "cpu-interp", "webgpu-backend"],
        "executors see neither importers nor each other",
    ),
    (
        "webgpu-backend",
        &["onnx", "llm", "cpu-interp", "vulkan-backend"],
        "executors see neither importers nor each other",
    ),
    (
        "cpu-interp",
        &["onnx", "llm", "vulkan-backend", "webgpu-backend"],
        "executors see neither importers nor each other",
    ),
];

/// External crates that one crate of ours may depend on.
const ONLY: &[(&str, &str)] = &[
    ("clap", "tenfold-cli"),
    ("indicatif", "tenfold-cli"),
    ("ash", "vulkan-backend"),
    ("gpu-allocator", "vulkan-backend"),
    ("shaderc", "vulkan-backend"),
    ("wgpu", "webgpu-backend"),
];

/// The folder of scalars that are defined outside the core. They prove that the public API of `tensor` is enough for that,
/// so [`EXT_MAY`] is all that they may depend on, external crates included, and [`EXT_TESTS_MAY`] all that their tests may.
const EXT: &str = "ext";
const EXT_MAY: &[&str] = &["tensor"];
const EXT_TESTS_MAY: &[&str] = &["tensor", "algebra"];

/// Crates named `-sys` that only declare what the system or the browser offers: no C is compiled for them.
const DECLARATIONS_ONLY: &[&str] = &["js-sys", "linux-raw-sys", "web-sys", "windows-sys"];

/// The facade: what a user of the library builds.
const FACADE: &str = "tenfold";

/// A member of the workspace and the packages that its manifest names.
#[derive(Debug, Default, PartialEq, Eq)]
struct Member {
    name: String,
    /// Whether it lies in the folder [`EXT`].
    ext: bool,
    /// All kinds but dev.
    dependencies: BTreeSet<String>,
    /// Those for tests, examples and benches alone.
    dev_dependencies: BTreeSet<String>,
}

/// Checks the workspace and prints its table.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    if let Some(first) = arguments.first() {
        return Err(Failure::usage(format!(
            "`cargo xtask deps` takes no argument, got {first:?}\n\n{HELP}"
        )));
    }
    let metadata = process::output(
        &mut process::cargo(&["metadata", "--no-deps", "--format-version", "1"])?,
        "",
    )?;
    let members = parse_members(&metadata)?;
    print_arrows(&members);
    let mut faults = wrong_arrows(&members);
    if members.iter().any(|member| member.name == FACADE) {
        let built = default_build()?;
        println!(
            "{FACADE}: its default build has {} external crates",
            built.len()
        );
        faults.extend(built.iter().filter(|name| compiles_c(name)).map(|name| {
            format!("{name}: in the default build of {FACADE}, which must need neither a C compiler nor a C library: put it behind a feature")
        }));
    } else {
        println!("{FACADE}: not a member of this workspace, so its default build was not checked");
    }
    if faults.is_empty() {
        return Ok(());
    }
    for fault in &faults {
        println!("{fault}");
    }
    Err(Failure::failed(format!(
        "{} wrong dependencies: see the lines above",
        faults.len()
    )))
}

fn print_arrows(members: &[Member]) {
    let names: BTreeSet<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let mut sorted: Vec<&Member> = members.iter().collect();
    sorted.sort_by_key(|member| (row(&member.name).unwrap_or(usize::MAX), member.name.clone()));
    for member in sorted {
        let mut ours: Vec<&str> = member
            .dependencies
            .iter()
            .map(String::as_str)
            .filter(|name| names.contains(name))
            .collect();
        ours.sort_by_key(|name| row(name).unwrap_or(usize::MAX));
        let arrows = if ours.is_empty() {
            "nothing of ours".to_owned()
        } else {
            ours.join(", ")
        };
        println!("{:<15} -> {arrows}", member.name);
    }
}

/// The row of a crate in the architecture's table.
fn row(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| *layer == name)
}

/// Reads what `cargo metadata --no-deps` prints.
fn parse_members(metadata: &str) -> Result<Vec<Member>, Failure> {
    let unexpected = || {
        Failure::failed(
            "`cargo metadata` printed something unexpected: is this cargo newer than 1.95?",
        )
    };
    let root: Value = serde_json::from_str(metadata).map_err(|_| unexpected())?;
    let packages = root
        .get("packages")
        .and_then(Value::as_array)
        .ok_or_else(unexpected)?;
    let mut members = Vec::new();
    for package in packages {
        let name = package
            .get("name")
            .and_then(Value::as_str)
            .ok_or_else(unexpected)?;
        let listed = package
            .get("dependencies")
            .and_then(Value::as_array)
            .ok_or_else(unexpected)?;
        let mut member = Member {
            name: name.to_owned(),
            ext: package
                .get("manifest_path")
                .and_then(Value::as_str)
                .is_some_and(in_ext),
            ..Member::default()
        };
        for dependency in listed {
            let kind = dependency.get("kind").and_then(Value::as_str);
            let name = dependency
                .get("name")
                .and_then(Value::as_str)
                .ok_or_else(unexpected)?;
            let set = match kind {
                Some("dev") => &mut member.dev_dependencies,
                _ => &mut member.dependencies,
            };
            set.insert(name.to_owned());
        }
        members.push(member);
    }
    Ok(members)
}

/// Whether the manifest at this path is that of a crate in the folder [`EXT`].
fn in_ext(manifest: &str) -> bool {
    // The file, the crate's folder, the folder that holds it.
    let holder = Path::new(manifest).ancestors().nth(2);
    holder.is_some_and(|folder| folder.ends_with(EXT))
}

/// All arrows that the table does not allow, in words.
fn wrong_arrows(members: &[Member]) -> Vec<String> {
    let names: BTreeSet<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let mut faults = Vec::new();
    for member in members {
        if member.ext {
            faults.extend(wrong_arrows_of_ext(member));
            continue;
        }
        for dependency in &member.dependencies {
            if let Some(reason) = wrong_arrow(
                &member.name,
                dependency,
                names.contains(dependency.as_str()),
            ) {
                faults.push(format!("{} -> {dependency}: {reason}", member.name));
            }
        }
    }
    faults
}

/// What a crate in the folder [`EXT`] may not depend on, in words.
fn wrong_arrows_of_ext(member: &Member) -> Vec<String> {
    let kinds = [
        (&member.dependencies, EXT_MAY, "its crates"),
        (&member.dev_dependencies, EXT_TESTS_MAY, "their tests"),
    ];
    let faults = kinds.into_iter().flat_map(|(dependencies, may, who)| {
        dependencies
            .iter()
            .filter(move |dependency| !may.contains(&dependency.as_str()))
            .map(move |dependency| {
                format!(
                    "{} -> {dependency}: {EXT}/ shows what the public API of tensor is enough for: {who} may depend on {} only",
                    member.name,
                    may.join(", ")
                )
            })
    });
    faults.collect()
}

/// Why `from -> to` is not allowed, if so. `ours` says whether `to` is a member of the workspace.
fn wrong_arrow(from: &str, to: &str, ours: bool) -> Option<String> {
    if let Some((_, owner)) = ONLY
        .iter()
        .find(|(external, owner)| *external == to && *owner != from)
    {
        return Some(format!(
            "only {owner} may depend on {to}; use what {owner} offers, or move the code there"
        ));
    }
    if let Some((_, _, reason)) = NEVER
        .iter()
        .find(|(name, never, _)| *name == from && never.contains(&to))
    {
        return Some(format!("never: {reason}"));
    }
    if !ours {
        return None;
    }
    match (row(from), row(to)) {
        (Some(_), None) => Some(format!(
            "{to} stands beside the crates of the architecture: nothing in them may need it"
        )),
        (Some(own), Some(other)) if other >= own => Some(format!(
            "{to} is not above {from} in the architecture's table: move the shared part down, or pass it in"
        )),
        _ => None,
    }
}

/// The external crates of the facade's default build on this machine, without versions.
fn default_build() -> Result<BTreeSet<String>, Failure> {
    let mut tree = process::cargo(&[
        "tree",
        "-p",
        FACADE,
        "-e",
        "normal,build",
        "--prefix",
        "none",
        "--no-dedupe",
        "--format",
        "{p}",
    ])?;
    Ok(external_packages(&process::output(&mut tree, "")?))
}

/// The names in a `cargo tree --prefix none` listing that come from a registry: only crates of ours have a path, which
/// cargo prints in parentheses behind the version, where `(proc-macro)` and `(*)` may stand too.
fn external_packages(listing: &str) -> BTreeSet<String> {
    let is_path = |word: &str| word.starts_with('(') && word != "(proc-macro)" && word != "(*)";
    let external = listing
        .lines()
        .filter(|line| !line.split_whitespace().any(is_path));
    external
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

/// Whether a crate of this name builds C code or binds a C library.
fn compiles_c(name: &str) -> bool {
    let builders = ["cc", "cmake", "bindgen", "pkg-config", "vcpkg"];
    builders.contains(&name) || (name.ends_with("-sys") && !DECLARATIONS_ONLY.contains(&name))
}

#[cfg(test)]
mod tests;
