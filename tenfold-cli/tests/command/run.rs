//! `tenfold run`: values, files, JSON, stages.

use serde_json::{Value, json};
use tenfold::Tensor;
use tensor_io::{npy, npz};

use super::tenfold::{Scratch, call, keys, tenfold};

/// `x = [[1, 2, 3, 4], [0, 0, 0, 0]]`, for which head.onnx gives [`OUT`] and [`BEST`].
fn write_x(file: &str) {
    let x = Tensor::from_vec_row_major([2, 4], vec![1.0_f32, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
    npy::write(file, &x.expect("8 elements for [2, 4]"))
        .expect("the scratch folder can be written");
}

/// `relu(x @ w + b)`: the sums are 4.5, 4, -8 and 0.5, -1, 2.
const OUT: [f32; 6] = [4.5, 4.0, 0.0, 0.5, 0.0, 2.0];
/// The largest value of each row.
const BEST: [f32; 2] = [4.5, 2.0];

#[test]
fn outputs_are_shown_with_their_statistics() {
    let scratch = Scratch::new("table");
    let x = scratch.file("x.npy");
    write_x(&x);
    let table = call(&[
        "run",
        "head.onnx",
        "--input",
        &format!("x={x}"),
        "--device",
        "cpu",
        "--threads",
        "1",
    ])
    .success();
    let expect = "\
output       dtype  shape   min  max     mean
/head/out:0  f32    [2, 3]    0  4.5  1.83333
best         f32    [2]       2  4.5     3.25
cpu (as asked), 1 thread; load ";
    assert!(table.starts_with(expect), "{table}");
    assert_eq!(table.lines().count(), 4, "{table}");
}

#[test]
fn json_has_these_keys() {
    let run = tenfold("run head.onnx --random 5 --dim N=3 --threads 2 --json").json();
    let expect = [
        "compile_ms",
        "device",
        "load_ms",
        "model",
        "outputs",
        "peak_rss_bytes",
        "planned_peak_bytes",
        "run_ms",
        "threads",
    ];
    assert_eq!(keys(&run), expect);
    assert_eq!(
        (&run["model"], &run["device"], &run["threads"]),
        (&json!("head.onnx"), &json!("cpu"), &json!(2))
    );
    let outputs = run["outputs"].as_array().unwrap();
    let expect = [
        "dtype",
        "inf_count",
        "max",
        "mean",
        "min",
        "name",
        "nan_count",
        "shape",
    ];
    assert_eq!(keys(&outputs[0]), expect);
    let ports: Vec<[&Value; 3]> = outputs
        .iter()
        .map(|output| ["name", "dtype", "shape"].map(|key| &output[key]))
        .collect();
    let expect = [
        [json!("/head/out:0"), json!("f32"), json!([3, 3])],
        [json!("best"), json!("f32"), json!([3])],
    ];
    assert_eq!(ports, expect.each_ref().map(|port| port.each_ref()));
}

#[test]
fn outputs_are_written_under_their_own_names() {
    let scratch = Scratch::new("outputs");
    let (x, out) = (scratch.file("x.npy"), scratch.file("out.npz"));
    write_x(&x);
    let run = call(&[
        "run",
        "head.onnx",
        "--input",
        &format!("x={x}"),
        "--outputs",
        &out,
        "--json",
    ])
    .json();
    assert_eq!(run["outputs"][0]["mean"].as_f64(), Some(11.0 / 6.0));
    let arrays = npz::read(&out).unwrap();
    let names: Vec<&str> = arrays.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["/head/out:0", "best"]);
    assert_eq!(arrays[0].1.to_vec::<f32>().unwrap(), OUT);
    assert_eq!(arrays[1].1.to_vec::<f32>().unwrap(), BEST);
}

#[test]
fn an_npz_gives_all_inputs() {
    let scratch = Scratch::new("npz");
    let file = scratch.file("in.npz");
    let x = Tensor::from_vec_row_major([2, 2], vec![0.5_f32, 1.5, 2.5, 3.5]).unwrap();
    let n = Tensor::from_vec_row_major([2, 1], vec![1_i64, -2]).unwrap();
    npz::write(&file, &[("x", &x), ("n=1", &n)], npz::Compression::Deflated).unwrap();
    let out = scratch.file("out.npz");
    call(&["run", "pair.onnx", "--inputs", &file, "--outputs", &out]).success();
    let y = &npz::read(&out).unwrap()[0].1;
    assert_eq!(y.to_vec::<f32>().unwrap(), [1.5, 2.5, 0.5, 1.5]);
}

#[test]
fn a_column_major_file_gives_the_same_values() {
    let scratch = Scratch::new("order");
    let (x, out) = (scratch.file("x.npy"), scratch.file("out.npz"));
    let columns =
        Tensor::from_vec_col_major([2, 4], vec![1.0_f32, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 0.0]);
    npy::write(&x, &columns.unwrap()).unwrap();
    call(&[
        "run",
        "head.onnx",
        "--input",
        &format!("x={x}"),
        "--outputs",
        &out,
    ])
    .success();
    assert_eq!(npz::read(&out).unwrap()[0].1.to_vec::<f32>().unwrap(), OUT);
}

#[test]
fn a_seed_gives_the_same_outputs_again() {
    let scratch = Scratch::new("seed");
    let run = |seed: &str, name: &str| {
        let file = scratch.file(name);
        let dims = ["--dim", "N=4", "--dim", "x.1=5"];
        let line = ["run", "pair.onnx", "--random", seed, "--outputs", &file];
        call(&[&line[..], &dims].concat()).success();
        std::fs::read(file).unwrap()
    };
    let first = run("1", "a.npz");
    assert_eq!(first, run("1", "b.npz"));
    assert_ne!(first, run("2", "c.npz"));
}

#[test]
fn each_stage_has_a_text() {
    let emit = |words: &str| tenfold(&format!("run head.onnx {words}")).success();
    let import = emit("--emit import");
    assert!(
        import.contains("f32[N, 4]") && import.contains("matmul"),
        "{import}"
    );
    let symbolic = emit("--emit canonical");
    assert!(symbolic.contains("f32[N, 4]"), "{symbolic}");
    let special = emit("--emit canonical --dim N=7");
    assert!(
        special.contains("f32[7, 4]") && !special.contains("[N"),
        "{special}"
    );
    let fused = emit("--emit fused --dim N=7");
    assert!(
        fused.contains("plan head { N = 7 }") && !fused.contains(" arena "),
        "{fused}"
    );
    let planned = emit("--emit planned --random 1 --dim N=7");
    assert!(
        planned.contains("contract") && planned.contains("output 0"),
        "{planned}"
    );
    assert_eq!(
        planned,
        emit("--emit planned --dim x.0=7"),
        "only shapes matter"
    );
}

/// `x[0, 2]` is NaN, so row 0 of the product is; the input is to blame. Row 1 is the biases.
#[test]
fn f09_intermediates_are_dumped_and_the_first_nan_is_named() {
    let scratch = Scratch::new("dump");
    let (x, file) = (scratch.file("x.npy"), scratch.file("dump.tensors"));
    let elements = vec![1.0_f32, 2.0, f32::NAN, 4.0, 0.0, 0.0, 0.0, 0.0];
    npy::write(&x, &Tensor::from_vec_row_major([2, 4], elements).unwrap()).unwrap();
    let input = format!("x={x}");
    let base = ["run", "head.onnx", "--input", &input, "--dump", &file];
    let said = call(&base).success();
    let line = "the first NaN is in \"x\" (input): f32[2, 4], 1 NaN and 0 infinite\n";
    assert!(said.contains(line), "{said}");
    let line = format!("{file}: 4 values of 7 that were looked at\n");
    assert!(said.contains(&line), "{said}");
    let dumped = tensor_io::container::Container::open(&file).unwrap();
    let names: Vec<&str> = dumped.names().collect();
    assert_eq!(names, ["product", "sum", "/head/out:0", "best"]);
    let product = dumped.get("product").unwrap().to_vec::<f32>().unwrap();
    assert!(product[..3].iter().all(|value| value.is_nan()));
    assert_eq!(product[3..], [0.0; 3]);
    let sum = dumped.get("sum").unwrap().to_vec::<f32>().unwrap();
    assert_eq!(sum[3..], [0.5, -1.0, 2.0]);

    let more = ["--dump-when", "nan", "--dump-names", "s*", "--json"];
    let run = call(&[&base[..], &more].concat()).json();
    let dump = &run["dump"];
    assert_eq!(
        keys(dump),
        ["first_infinite", "first_nan", "looked_at", "values"]
    );
    let first = &dump["first_nan"];
    assert_eq!(
        (&first["name"], &first["op"]),
        (&json!("x"), &json!("input"))
    );
    let sum = json!([{
        "name": "sum", "node": "/head/Add", "op": "add", "inputs": ["product", "b"], "dtype": "f32", "shape": [2, 3],
        "nan_count": 3, "inf_count": 0,
    }]);
    assert_eq!(dump["values"], sum);

    // Nothing to write is no file.
    let other = scratch.file("none.npz");
    write_x(&x);
    let line = [
        "run",
        "head.onnx",
        "--input",
        &input,
        "--dump",
        &other,
        "--dump-when",
        "nan",
    ];
    let said = call(&line).success();
    let line = format!("{other} was not written: none of 7 values is to be dumped\n");
    assert!(said.contains(&line), "{said}");
    assert!(!std::path::Path::new(&other).exists());
}

#[cfg(not(feature = "tracing"))]
#[test]
fn a_build_that_cannot_trace_says_how_to_make_one() {
    let said = tenfold("run head.onnx --random 1 --dim N=1 --trace never.json").failure(1);
    assert!(said.contains("--features tracing"), "{said}");
}

#[cfg(feature = "tracing")]
#[test]
fn h06_every_command_writes_a_trace() {
    let scratch = Scratch::new("trace");
    let file = scratch.file("trace.json");
    for (line, span) in [
        ("run head.onnx --random 1 --dim N=1", "run head"),
        (
            "bench head.onnx --random 1 --dim N=1 --iters 1 --json",
            "run head",
        ),
        ("inspect head.onnx", "process_name"),
    ] {
        tenfold(&format!("{line} --trace {file}")).success();
        let events: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let events = events.as_array().unwrap();
        assert!(events.iter().any(|event| event["name"] == span), "{line}");
    }
    let said = tenfold("inspect head.onnx --trace /no/such/folder/t.json").failure(1);
    assert!(said.contains("cannot make the trace"), "{said}");
}
