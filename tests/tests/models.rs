//! Real models through the facade: the answers of onnxruntime, the same bits every time, plans that stay good.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use std::fs;

use serde_json::Value;
use tenfold::plan::Step;
use tenfold::{CompileOptions, CompiledFunction, Model, Stage, Tensor};
use tests::models::{
    DETECTION, DIRECTION, MAGIKA, RECOGNITION, asset, golden, golden_path, pixels, rows,
};

/// Largest difference from onnxruntime; its own kernels differ by this much between machines.
const TOLERANCE: f32 = 2e-5;

fn open(model: &str) -> Model {
    Model::open(asset(model)).unwrap()
}

fn compile(model: &str, threads: usize) -> CompiledFunction {
    let options = CompileOptions {
        threads: Some(threads),
        ..CompileOptions::default()
    };
    open(model).compile(&options).unwrap()
}

/// The only output for a feed of the only input.
fn run(function: &CompiledFunction, feed: &Tensor) -> Tensor {
    let outputs = function.run(&[(&function.inputs()[0].name, feed)]).unwrap();
    let [(_, output)] = <[_; 1]>::try_from(outputs.into_vec()).unwrap();
    output
}

fn bits(tensor: &Tensor) -> Vec<u32> {
    tensor
        .to_vec::<f32>()
        .unwrap()
        .into_iter()
        .map(f32::to_bits)
        .collect()
}

fn assert_close(what: &str, got: &Tensor, want: &Tensor) {
    assert_eq!(got.shape(), want.shape(), "{what}");
    let (got, want) = (got.to_vec::<f32>().unwrap(), want.to_vec::<f32>().unwrap());
    let pairs = got.iter().zip(&want);
    let worst = pairs
        .map(|(a, b)| {
            if a.is_nan() {
                f32::INFINITY
            } else {
                (a - b).abs()
            }
        })
        .fold(0.0, f32::max);
    assert!(
        worst < TOLERANCE,
        "{what}: the largest difference is {worst:e}"
    );
}

/// Runs every feed twice on 1 and on 2 threads: all four have the same bits. Gives the outputs.
fn check(model: &str, cases: &[(Tensor, Tensor)]) -> Vec<Tensor> {
    let functions = [compile(model, 1), compile(model, 2)];
    let mut outputs = Vec::new();
    for (at, (feed, want)) in cases.iter().enumerate() {
        let what = format!("{model}, case {at}");
        let first = run(&functions[0], feed);
        assert_close(&what, &first, want);
        for function in &functions {
            for _ in 0..2 {
                let again = run(function, feed);
                assert!(
                    bits(&again) == bits(&first),
                    "{what}: other bits on {} threads",
                    function.threads()
                );
            }
        }
        outputs.push(first);
    }
    outputs
}

/// The index of the largest of each `width` values.
fn best(output: &Tensor) -> Vec<usize> {
    let width = *output.shape().last().unwrap();
    let values = output.to_vec::<f32>().unwrap();
    let largest = |row: &[f32]| {
        (0..width)
            .max_by(|&a, &b| row[a].total_cmp(&row[b]))
            .unwrap()
    };
    values.chunks_exact(width).map(largest).collect()
}

fn json(path: &std::path::Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn texts(listed: &Value) -> Vec<String> {
    let listed = listed.as_array().unwrap().iter();
    listed
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn magika_answers_as_onnxruntime() {
    let file = "magika/magika.npz";
    let (bytes, exact) = (golden(file, "bytes"), golden(file, "exact"));
    // One file at a time, onnxruntime itself is further from the exact answer than the tolerance.
    let alone = rows::<i32>(&bytes).into_iter().zip(rows::<f32>(&exact));
    let cases: Vec<_> = [(bytes, golden(file, "batch_8"))]
        .into_iter()
        .chain(alone)
        .collect();
    let outputs = check(MAGIKA, &cases);
    assert_close("all together, exactly", &outputs[0], &exact);

    let config = json(&asset(MAGIKA).with_file_name("config.min.json"));
    let names = texts(&config["target_labels_space"]);
    let samples = json(&golden_path("magika/magika.json"));
    let labels = samples["samples"].as_array().unwrap();
    let want: Vec<&str> = labels
        .iter()
        .map(|sample| sample["label"].as_str().unwrap())
        .collect();
    let together: Vec<&str> = best(&outputs[0])
        .into_iter()
        .map(|at| &names[at][..])
        .collect();
    assert_eq!(together, want);
    let alone: Vec<&str> = outputs[1..]
        .iter()
        .flat_map(best)
        .map(|at| &names[at][..])
        .collect();
    assert_eq!(alone, want);
}

#[test]
fn direction_answers_as_onnxruntime() {
    let file = "ppocr/direction.npz";
    let lines = pixels(file);
    let alone = rows::<f32>(&lines)
        .into_iter()
        .zip(rows::<f32>(&golden(file, "batch_1")));
    let cases: Vec<_> = [(lines, golden(file, "batch_5"))]
        .into_iter()
        .chain(alone)
        .collect();
    let outputs = check(DIRECTION, &cases);

    let direction = &json(&golden_path("ppocr/ppocr.json"))["direction"];
    let (classes, want) = (texts(&direction["classes"]), texts(&direction["read"]));
    let together: Vec<&str> = best(&outputs[0])
        .into_iter()
        .map(|at| &classes[at][..])
        .collect();
    assert_eq!(together, want);
    let alone: Vec<&str> = outputs[1..]
        .iter()
        .flat_map(best)
        .map(|at| &classes[at][..])
        .collect();
    assert_eq!(alone, want);
}

#[test]
fn detection_answers_as_onnxruntime() {
    let file = "ppocr/detection.npz";
    check(DETECTION, &[(pixels(file), golden(file, "output"))]);
    assert!(
        Model::inspect(asset(DETECTION))
            .unwrap()
            .unsupported
            .is_empty()
    );
}

#[test]
fn recognition_answers_as_onnxruntime() {
    let names = [
        "recognition_320",
        "recognition_320_batch_2",
        "recognition_777",
    ];
    let case = |name: &str| {
        let file = format!("ppocr/{name}.npz");
        (pixels(&file), golden(&file, "output"))
    };
    let outputs = check(RECOGNITION, &names.map(case));

    let model = open(RECOGNITION);
    let listed = model
        .info()
        .metadata
        .iter()
        .find(|(key, _)| key == "character")
        .unwrap();
    let characters: Vec<&str> = [""]
        .into_iter()
        .chain(listed.1.lines())
        .chain([" "])
        .collect();
    assert_eq!(characters.len(), 6625);
    let goldens = json(&golden_path("ppocr/ppocr.json"));
    for (name, output) in names.iter().zip(&outputs) {
        let steps = output.shape()[1];
        let read: Vec<String> = best(output)
            .chunks_exact(steps)
            .map(|line| ctc(line, &characters))
            .collect();
        assert_eq!(read, texts(&goldens["recognition"][name]["read"]), "{name}");
    }
}

/// Greedy CTC: repetitions are merged, then blanks, which have no text, are dropped.
fn ctc(classes: &[usize], characters: &[&str]) -> String {
    let merged = classes
        .chunk_by(|a, b| a == b)
        .map(|run| characters[run[0]]);
    merged.collect()
}

/// A layout is no meaning: what is stored column by column gives the same answer.
#[test]
fn column_major_feeds_answer_as_row_major_ones() {
    let lines = pixels("ppocr/direction.npz");
    let (values, shape) = (lines.to_vec::<f32>().unwrap(), lines.shape().to_vec());
    let mut columns = vec![0.0; values.len()];
    let to = |at: usize| {
        let (mut rest, mut index) = (at, [0; 4]);
        for axis in (0..4).rev() {
            index[axis] = rest % shape[axis];
            rest /= shape[axis];
        }
        (0..4)
            .rev()
            .fold(0, |offset, axis| offset * shape[axis] + index[axis])
    };
    for (at, value) in values.into_iter().enumerate() {
        columns[to(at)] = value;
    }
    let columns = Tensor::from_vec_col_major(&shape[..], columns).unwrap();
    assert_ne!(columns.layout(), lines.layout());
    let function = compile(DIRECTION, 2);
    let output = run(&function, &columns);
    assert_close(
        "column-major",
        &output,
        &golden("ppocr/direction.npz", "batch_5"),
    );
    assert_close("both layouts", &output, &run(&function, &lines));
}

/// Feeds of zeros for the shapes at which plans are looked at.
fn planned(model: &str) -> (CompiledFunction, Tensor) {
    let shape: &[usize] = match model {
        MAGIKA => &[1, 2048],
        RECOGNITION => &[1, 3, 48, 320],
        _ => &[1, 3, 48, 192],
    };
    let function = compile(model, 1);
    let feed = Tensor::zeros(function.inputs()[0].ty.dtype, shape).unwrap();
    (function, feed)
}

const STAGES: [Stage; 4] = [
    Stage::Import,
    Stage::Canonical,
    Stage::Fused,
    Stage::Planned,
];

#[test]
fn compiling_twice_gives_the_same_text() {
    for model in [MAGIKA, RECOGNITION, DIRECTION] {
        let texts = [planned(model), planned(model)].map(|(function, feed)| {
            let name = function.inputs()[0].name.clone();
            let specialisation = function.specialise(&[(&name, &feed)]).unwrap();
            STAGES.map(|stage| specialisation.emit(stage))
        });
        for (at, stage) in STAGES.iter().enumerate() {
            assert!(
                texts[0][at] == texts[1][at],
                "{model}: two texts of the stage {stage}"
            );
        }
    }
}

/// Fusion and memory planning as good as they are: a pass that stops working shows here.
#[test]
fn plans_stay_small() {
    // Steps at most, of these at most so many maps, and the arena at most in percent of the bytes without reuse.
    let table = [
        (MAGIKA, 15, 5, 75),
        (RECOGNITION, 65, 2, 10),
        (DIRECTION, 66, 0, 16),
    ];
    let mut worse = Vec::new();
    for (model, steps, maps, percent) in table {
        let (function, feed) = planned(model);
        let name = function.inputs()[0].name.clone();
        let specialisation = function.specialise(&[(&name, &feed)]).unwrap();
        let plan = specialisation.plans().next().unwrap();
        assert_eq!(specialisation.planned_peak_bytes(), plan.arena_bytes);
        let is_map = |step: &&Step| step.kind.family() == "map";
        let got = [
            plan.steps.len(),
            plan.steps.iter().filter(is_map).count(),
            plan.arena_bytes * 100 / plan.unshared_bytes(),
        ];
        if got
            .iter()
            .zip([steps, maps, percent])
            .any(|(got, most)| *got > most)
        {
            worse.push(format!(
                "{model}: {got:?} for [{steps}, {maps}, {percent}]\n{plan}"
            ));
        }
    }
    assert!(worse.is_empty(), "{}", worse.join("\n"));
}

#[test]
fn specialisations_are_kept() {
    let function = compile(DIRECTION, 1);
    let feed = |batch: usize| Tensor::zeros(tenfold::DType::F32, &[batch, 3, 48, 192][..]).unwrap();
    let plan = |feed: &Tensor| {
        let specialisation = function.specialise(&[("x", feed)]).unwrap();
        std::ptr::from_ref(specialisation.plans().next().unwrap())
    };
    let (one, two) = (feed(1), feed(2));
    let plans = [plan(&one), plan(&two)];
    assert_ne!(plans[0], plans[1]);
    for _ in 0..2 {
        run(&function, &one);
        run(&function, &two);
        assert_eq!([plan(&one), plan(&two)], plans);
    }
    // A handle outlives what the function keeps.
    let handle = function.specialise(&[("x", &one)]).unwrap();
    drop(function);
    assert_eq!(handle.run(&[("x", &one)]).unwrap().len(), 1);
}
