//! The arrow rules on tables of arrows, and the readers of cargo's output on fixed texts.

use super::*;

#[test]
fn arrows() {
    // (from, to, `to` is ours, a part of the complaint or "" when the arrow is allowed)
    let cases = [
        ("tensor", "tensor-core", true, ""),
        ("tenfold-cli", "tenfold", true, ""),
        ("tenfold", "cpu-interp", true, ""),
        ("onnx", "optimizer", true, ""),
        ("onnx", "plan", true, ""),
        ("kernelgen", "plan", true, ""),
        ("vulkan-backend", "kernelgen", true, ""),
        ("xtask", "tenfold", true, ""),
        ("conformance", "cpu-interp", true, ""),
        ("tenfold-cli", "clap", false, ""),
        ("tensor-core", "half", false, ""),
        ("tensor", "graph", true, "not above tensor"),
        ("tensor", "tensor", true, "not above tensor"),
        ("tensor-io", "graph", true, "not above tensor-io"),
        ("tensor-core", "tensor", true, "never: it is the bottom"),
        (
            "graph",
            "cpu-interp",
            true,
            "never: a graph executes nothing",
        ),
        ("plan", "optimizer", true, "never: a plan knows no passes"),
        (
            "optimizer",
            "cpu-interp",
            true,
            "never: passes know no backend",
        ),
        (
            "optimizer",
            "vulkan-backend",
            true,
            "never: passes know no backend",
        ),
        ("onnx", "cpu-interp", true, "never: importers"),
        ("onnx", "kernelgen", true, "never: importers"),
        ("llm", "webgpu-backend", true, "never: models are graphs"),
        ("vulkan-backend", "onnx", true, "never: executors"),
        ("webgpu-backend", "vulkan-backend", true, "never: executors"),
        ("vulkan-backend", "cpu-interp", true, "never: executors"),
        ("onnx", "clap", false, "only tenfold-cli may depend on clap"),
        (
            "xtask",
            "clap",
            false,
            "only tenfold-cli may depend on clap",
        ),
        (
            "kernelgen",
            "wgpu",
            false,
            "only webgpu-backend may depend on wgpu",
        ),
        (
            "tensor",
            "xtask",
            true,
            "beside the crates of the architecture",
        ),
    ];
    for (from, to, ours, expect) in cases {
        let complaint = wrong_arrow(from, to, ours);
        match (&complaint, expect) {
            (None, "") => {}
            (Some(text), part) if !part.is_empty() && text.contains(part) => {}
            _ => panic!("{from} -> {to}: expected {expect:?}, got {complaint:?}"),
        }
    }
}

#[test]
fn metadata_is_read() {
    let metadata = r#"{"packages":[
        {"name":"tensor","dependencies":[
            {"name":"tensor-core","kind":null},{"name":"built","kind":"build","optional":true},
            {"name":"graph","kind":"dev"}]},
        {"name":"tensor-core","dependencies":[]},
        {"name":"tropical","manifest_path":"/somewhere/ext/tropical/Cargo.toml","dependencies":[
            {"name":"tensor","rename":"other","kind":null},{"name":"algebra","kind":"dev"}]}]}"#;
    let members = parse_members(metadata).unwrap();
    let expect = [
        Member {
            name: "tensor".to_owned(),
            dependencies: ["built", "tensor-core"].map(str::to_owned).into(),
            dev_dependencies: ["graph".to_owned()].into(),
            ext: false,
        },
        Member {
            name: "tensor-core".to_owned(),
            ..Member::default()
        },
        Member {
            name: "tropical".to_owned(),
            dependencies: ["tensor".to_owned()].into(),
            dev_dependencies: ["algebra".to_owned()].into(),
            ext: true,
        },
    ];
    assert_eq!(members, expect);
    assert_eq!(wrong_arrows(&members), Vec::<String>::new());
    for broken in ["", "{}", r#"{"packages":[{}]}"#] {
        assert!(parse_members(broken).is_err(), "{broken:?}");
    }
}

#[test]
fn all_wrong_arrows_are_reported() {
    let member = |name: &str, dependencies: &[&str]| Member {
        name: name.to_owned(),
        dependencies: dependencies
            .iter()
            .map(|&dependency| dependency.to_owned())
            .collect(),
        ..Member::default()
    };
    let members = [
        member("tensor-core", &["tensor"]),
        member("tensor", &["tensor-core", "graph"]),
        member("graph", &[]),
    ];
    let faults = wrong_arrows(&members);
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(
        faults[0].starts_with("tensor-core -> tensor: "),
        "{faults:?}"
    );
    assert!(faults[1].starts_with("tensor -> graph: "), "{faults:?}");
}

#[test]
fn scalars_outside_the_core_depend_on_tensor_only() {
    let check = |dependency: &str, dev: &str, expect: &[&str]| {
        let set = |name: &str| -> BTreeSet<String> {
            name.split_whitespace().map(str::to_owned).collect()
        };
        let member = Member {
            name: "tropical".to_owned(),
            ext: true,
            dependencies: set(dependency),
            dev_dependencies: set(dev),
        };
        let faults = wrong_arrows(&[member]);
        assert_eq!(faults.len(), expect.len(), "{faults:?}");
        for (fault, start) in faults.iter().zip(expect) {
            assert!(fault.starts_with(start), "{fault}");
        }
    };
    check("tensor", "algebra tensor", &[]);
    check("tensor tensor-core", "", &["tropical -> tensor-core: "]);
    check("half tensor", "", &["tropical -> half: "]);
    check("algebra", "", &["tropical -> algebra: "]);
    check(
        "",
        "tensor-core proptest",
        &["tropical -> proptest: ", "tropical -> tensor-core: "],
    );
    // A crate that is not in the folder may not need one that is.
    assert!(wrong_arrow("tensor", "tropical", true).is_some());
    for (manifest, expect) in [
        ("/somewhere/ext/tropical/Cargo.toml", true),
        ("/somewhere/tensor/Cargo.toml", false),
        ("/ext/tensor/sub/Cargo.toml", false),
        ("/somewhere/text/tropical/Cargo.toml", false),
    ] {
        assert_eq!(in_ext(manifest), expect, "{manifest}");
    }
}

#[test]
fn external_crates_and_c_builders() {
    let listing = "tenfold v0.1.0 (/somewhere/tenfold)\nhalf v2.7.1\nzstd-sys v2.0.1\nthiserror-impl v2.0.1 (proc-macro)\nours v0.1.0 (proc-macro) (/somewhere/ours)\nhalf v2.7.1 (*)\n\n";
    let packages = external_packages(listing);
    assert_eq!(
        packages,
        ["half", "thiserror-impl", "zstd-sys"]
            .map(str::to_owned)
            .into()
    );
    for (name, expect) in [
        ("half", false),
        ("zstd-sys", true),
        ("cc", true),
        ("windows-sys", false),
        ("libc", false),
        ("cmake", true),
    ] {
        assert_eq!(compiles_c(name), expect, "{name}");
    }
}
