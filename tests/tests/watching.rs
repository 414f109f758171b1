//! Looking into a run: dumps of intermediate values, compared with numbers worked out by hand.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use std::path::PathBuf;

use tenfold::{
    CompileOptions, CompiledFunction, DumpOptions, DumpWhen, Error, Model, Origin, Tensor,
};
use tensor_io::TensorFile;
use tests::wire;

/// `d = x - 1`, `l = log(d)`, `e = exp(l)`, `y = e + x`: one fused step, with NaN where `x` is below 1.
fn chain(memory_limit: Option<usize>) -> CompiledFunction {
    let file = wire::model(&[
        wire::input("x", &["N", "3"]),
        wire::initializer("one", wire::FLOAT, &[1], &1.0_f32.to_le_bytes()),
        wire::node("Sub", &["x", "one"], "d", &[]),
        wire::node("Log", &["d"], "l", &[]),
        wire::node("Exp", &["l"], "e", &[]),
        wire::node("Add", &["e", "x"], "y", &[]),
        wire::output("y", &["N", "3"]),
    ]);
    let options = CompileOptions {
        memory_limit,
        ..CompileOptions::default()
    };
    Model::from_bytes(file, "chain.onnx")
        .unwrap()
        .compile(&options)
        .unwrap()
}

fn matrix(elements: [f32; 6]) -> Tensor {
    Tensor::from_vec_row_major([2, 3], elements.to_vec()).unwrap()
}

const X: [f32; 6] = [2.0, 3.0, 0.5, 1.0, 4.0, 9.0];
const NAN: f32 = f32::NAN;
const LOWEST: f32 = f32::NEG_INFINITY;

/// What each value of the chain is for [`X`]; ln 2, ln 3 and ln 8 from a table.
const EXPECTED: [(&str, [f32; 6]); 4] = [
    ("d", [1.0, 2.0, -0.5, 0.0, 3.0, 8.0]),
    (
        "l",
        [
            0.0,
            std::f32::consts::LN_2,
            NAN,
            LOWEST,
            1.098_612_3,
            2.079_441_5,
        ],
    ),
    ("e", [1.0, 2.0, NAN, 0.0, 3.0, 8.0]),
    ("y", [3.0, 5.0, NAN, 1.0, 7.0, 17.0]),
];

/// Equal within a few units in the last place; NaN is NaN.
#[track_caller]
fn check(name: &str, found: &Tensor) {
    let (_, expect) = EXPECTED.iter().find(|(other, _)| *other == name).unwrap();
    let found = found.to_vec::<f32>().unwrap();
    assert_eq!(found.len(), expect.len());
    for (found, expect) in found.iter().zip(expect) {
        let close = (found - expect).abs() <= expect.abs() * 1e-6;
        assert!(
            close || found.to_bits() == expect.to_bits() || (found.is_nan() && expect.is_nan()),
            "{name}: {found} for {expect}"
        );
    }
}

fn scratch(name: &str) -> PathBuf {
    let name = format!("tenfold-watching-{}-{name}", std::process::id());
    std::env::temp_dir().join(name)
}

fn options(when: DumpWhen, names: Option<&str>) -> DumpOptions {
    DumpOptions {
        when,
        names: names.map(str::to_owned),
    }
}

#[test]
fn f09_a_dump_has_every_intermediate_and_names_the_first_nan() {
    let (function, x) = (chain(None), matrix(X));
    let feeds = [("x", &x)];
    // In a run the chain is one step, and nothing but `y` is ever stored.
    let specialisation = function.specialise(&feeds).unwrap();
    let steps: Vec<usize> = specialisation
        .plans()
        .map(|plan| plan.steps.len())
        .collect();
    assert_eq!(steps, [1]);
    let dump = function.dump(&feeds, &DumpOptions::default()).unwrap();
    let names: Vec<&str> = dump.values().map(|(origin, _)| &origin.name[..]).collect();
    assert_eq!(names, ["d", "l", "e", "y"]);
    for (origin, tensor) in dump.values() {
        check(&origin.name, tensor);
    }
    // x, the constant, and the four.
    assert_eq!(dump.looked_at(), 6);
    let first = dump.first_nan().unwrap();
    assert_eq!(
        (&first.name[..], &first.node[..], first.op, first.nan_count),
        ("l", "to_l", "log", 1)
    );
    assert_eq!(
        first.to_string(),
        r#""l" (log of "d", node "to_l"): f32[2, 3], 1 NaN and 1 infinite"#
    );
    assert_eq!(dump.first_infinite(), Some(first));
    let run = function.run(&feeds).unwrap();
    check("y", &run["y"]);
}

#[test]
fn f09_a_dump_keeps_what_is_asked_for() {
    let (function, x, good) = (chain(None), matrix(X), matrix([2.0; 6]));
    let mut infinite = X;
    infinite[2] = f32::INFINITY;
    let infinite = matrix(infinite);
    let names = |x: &Tensor, when, pattern: Option<&str>| {
        let dump = function.dump(&[("x", x)], &options(when, pattern)).unwrap();
        let names: Vec<String> = dump.values().map(|(o, _)| o.name.clone()).collect();
        let first = |origin: Option<&Origin>| origin.map(|o| format!("{} {}", o.op, o.name));
        (
            names.concat(),
            first(dump.first_nan()),
            first(dump.first_infinite()),
        )
    };
    let some = |text: &str| Some(text.to_owned());
    let log = some("log l");
    assert_eq!(
        names(&x, DumpWhen::Always, None),
        ("dley".into(), log.clone(), log.clone())
    );
    assert_eq!(
        names(&x, DumpWhen::Nan, None),
        ("ley".into(), log.clone(), log.clone())
    );
    assert_eq!(
        names(&x, DumpWhen::Abnormal, Some("l*")),
        ("l".into(), log.clone(), log)
    );
    // Only what is computed is looked at.
    assert_eq!(
        names(&x, DumpWhen::Always, Some("d")),
        ("d".into(), None, None)
    );
    assert_eq!(
        names(&good, DumpWhen::Nan, None),
        (String::new(), None, None)
    );
    assert_eq!(
        names(&good, DumpWhen::Always, Some("*")),
        ("dley".into(), None, None)
    );
    // What was fed explains the rest: no step is to blame.
    let input = some("input x");
    assert_eq!(
        names(&infinite, DumpWhen::Nan, None),
        (String::new(), None, input.clone())
    );
    assert_eq!(
        names(&infinite, DumpWhen::Abnormal, None),
        ("dley".into(), None, input)
    );
}

#[test]
fn f09_other_tools_read_the_file() {
    let (function, x) = (chain(None), matrix(X));
    let dump = function
        .dump(&[("x", &x)], &options(DumpWhen::Nan, None))
        .unwrap();
    for ending in ["tensors", "safetensors", "npz"] {
        let path = scratch(&format!("dump.{ending}"));
        dump.save(&path).unwrap();
        let mut file = TensorFile::open(&path).unwrap();
        assert_eq!(file.entries().len(), 3, "{ending}");
        for name in ["l", "e", "y"] {
            check(name, &file.read(name).unwrap());
        }
        let texts = file.metadata();
        let told = texts.iter().find(|(key, _)| key == "tenfold.first_nan");
        let expect = r#""l" (log of "d", node "to_l"): f32[2, 3], 1 NaN and 1 infinite"#;
        assert_eq!(
            told.map(|(_, text)| &text[..]),
            (ending != "npz").then_some(expect)
        );
        drop(file);
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn f09_what_cannot_be_dumped_says_why() {
    let (function, x) = (chain(None), matrix(X));
    let feeds = [("x", &x)];
    let error = function
        .dump(&feeds, &options(DumpWhen::Always, Some("q*")))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"no value of "main" has a name that matches "q*"; `*` stands for any text, and the import stage lists the names"#
    );
    let dump = function.dump(&feeds, &DumpOptions::default()).unwrap();
    for name in ["dump.gguf", "dump.npy", "dump"] {
        let error = dump.save(name).unwrap_err();
        assert!(matches!(error, Error::DumpFormat { .. }), "{error}");
    }
    let error = dump.save("/no/such/folder/dump.npz").unwrap_err();
    assert!(matches!(error, Error::File(_)), "{error}");
    let error = function.dump(&[], &DumpOptions::default()).unwrap_err();
    assert!(matches!(error, Error::MissingInput { .. }), "{error}");
    // A run of the fused plan fits 24 bytes of output; four outputs do not.
    let small = chain(Some(30));
    small.run(&feeds).unwrap();
    let error = small.dump(&feeds, &DumpOptions::default()).unwrap_err();
    assert!(
        matches!(
            error,
            Error::MemoryLimit {
                limit_bytes: 30,
                ..
            }
        ),
        "{error}"
    );
}
