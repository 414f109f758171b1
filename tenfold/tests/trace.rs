//! Traces: what is in the file, for whom, and what is said when it can't be written. Built with the feature `tracing` only.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;
use tenfold::prelude::*;
use tenfold::trace::{self, TraceError};

/// A file of one test; removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let name = format!("tenfold-trace-{}-{name}.json", std::process::id());
        Scratch(std::env::temp_dir().join(name))
    }

    /// The events, checked against what every trace must be.
    fn events(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.0).unwrap();
        let events: Vec<Value> = serde_json::from_str(&text).unwrap();
        check_format(&events);
        events
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _left_over = std::fs::remove_file(&self.0);
    }
}

/// The rules of the format for the phases `X` and `M`: names, process and thread numbers, times; and on each thread spans that
/// lie beside or inside each other, never across.
fn check_format(events: &[Value]) {
    let mut named = BTreeSet::new();
    let mut spans: Vec<(u64, f64, f64)> = Vec::new();
    for event in events {
        assert!(event["name"].is_string(), "{event}");
        assert_eq!(event["pid"], std::process::id(), "{event}");
        let thread = event["tid"].as_u64().unwrap();
        match event["ph"].as_str().unwrap() {
            "M" => assert!(
                event["args"]["name"].is_string() && named.insert(thread),
                "{event}"
            ),
            "X" => {
                assert!(
                    named.contains(&thread) && event["cat"].is_string(),
                    "{event}"
                );
                let (begin, length) = (event["ts"].as_f64(), event["dur"].as_f64());
                let (begin, length) = (begin.unwrap(), length.unwrap());
                assert!(begin >= 0.0 && length >= 0.0, "{event}");
                spans.push((thread, begin, begin + length));
            }
            other => panic!("no event of phase {other}: {event}"),
        }
    }
    // Half a nanosecond for the rounding of sums.
    let slack = 0.0005;
    for (at, &(thread, begin, end)) in spans.iter().enumerate() {
        for &(other, other_begin, other_end) in &spans[..at] {
            // Spans are written when they are left: a later one is behind this one or around it.
            let behind = begin + slack >= other_end;
            let around = begin <= other_begin + slack && end + slack >= other_end;
            assert!(
                thread != other || behind || around,
                "event {at} lies across another"
            );
        }
    }
}

fn spans<'a>(events: &'a [Value], start: &str) -> Vec<&'a Value> {
    let mine =
        |event: &&Value| event["ph"] == "X" && event["name"].as_str().unwrap().starts_with(start);
    events.iter().filter(mine).collect()
}

fn copy_something() {
    let matrix = Tensor::from_vec_row_major([2, 2], vec![1.0_f32; 4]).unwrap();
    matrix.view().unwrap().transpose().to_contiguous().unwrap();
}

#[test]
fn h06_a_run_is_traced_step_by_step() {
    let scratch = Scratch::new("run");
    let model = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tenfold-cli/tests/data/head.onnx"
    );
    for threads in [1, 2] {
        let trace = trace::to_file(&scratch.0).unwrap();
        let options = CompileOptions {
            threads: Some(threads),
            ..CompileOptions::default()
        };
        let function = Model::open(model).unwrap().compile(&options).unwrap();
        let x = Tensor::zeros(DType::F32, [2, 4]).unwrap();
        function.run(&[("x", &x)]).unwrap();
        trace.finish().unwrap();

        let events = scratch.events();
        let specialisation = function.specialise(&[("x", &x)]).unwrap();
        let plan = specialisation.plans().next().unwrap();
        let steps = spans(&events, "step ");
        assert_eq!(steps.len(), plan.steps.len());
        for (event, step) in steps.iter().zip(&plan.steps) {
            assert_eq!(event["name"], format!("step {}", step.name));
            assert_eq!(event["args"]["family"], step.kind.family());
            assert_eq!(event["args"]["bytes"], plan.buffer(step.out).size_bytes());
            assert_eq!(event["cat"], "cpu_interp::exec");
        }
        for once in ["open", "compile ", "specialise ", "prepare ", "run "] {
            assert_eq!(spans(&events, once).len(), 1, "{once}");
        }
        assert_eq!(spans(&events, "open")[0]["args"]["path"], model);
        assert!(!spans(&events, "allocate").is_empty());
    }
}

#[test]
fn h07_a_trace_is_whole_however_it_ends() {
    // Dropped, not finished; and in the middle of a span.
    let scratch = Scratch::new("dropped");
    let trace = trace::to_file(&scratch.0).unwrap();
    let open = tracing::info_span!("never left in time").entered();
    copy_something();
    drop(trace);
    drop(open);
    copy_something();
    let events = scratch.events();
    assert_eq!(spans(&events, "to_contiguous").len(), 1);
    assert_eq!(spans(&events, "never").len(), 0);

    // Nothing happened.
    let nothing = Scratch::new("nothing");
    trace::to_file(&nothing.0).unwrap().finish().unwrap();
    assert_eq!(spans(&nothing.events(), ""), Vec::<&Value>::new());

    // A panic on the way.
    let panicked = Scratch::new("panicked");
    let path = panicked.0.clone();
    let thread = std::thread::Builder::new().name("unlucky".to_owned());
    let thread = thread.spawn(move || {
        let _trace = trace::to_file(path).unwrap();
        let _open = tracing::info_span!("unlucky").entered();
        copy_something();
        panic!("on purpose");
    });
    thread.unwrap().join().unwrap_err();
    let events = panicked.events();
    assert_eq!(spans(&events, "unlucky").len(), 1);
    let name = events.iter().find(|event| event["name"] == "thread_name");
    assert_eq!(name.unwrap()["args"]["name"], "unlucky");
}

#[test]
fn h07_other_threads_are_traced_where_they_say_so() {
    let scratch = Scratch::new("threads");
    let trace = trace::to_file(&scratch.0).unwrap();
    let dispatch = trace.dispatch().clone();
    std::thread::scope(|scope| {
        scope.spawn(copy_something);
        scope.spawn(|| tracing::dispatcher::with_default(&dispatch, copy_something));
    });
    copy_something();
    trace.finish().unwrap();
    let events = scratch.events();
    let found = spans(&events, "to_contiguous");
    assert_eq!(found.len(), 2);
    assert_ne!(found[0]["tid"], found[1]["tid"]);
}

#[test]
fn h07_what_a_program_traces_itself_is_in_it_too() {
    let scratch = Scratch::new("own");
    let trace = trace::to_file(&scratch.0).unwrap();
    let span = tracing::info_span!(
        "frame",
        number = 7_u64,
        ready = tracing::field::Empty,
        half = 0.5,
        done = true
    );
    span.in_scope(copy_something);
    span.record("ready", -1_i64);
    span.in_scope(copy_something);
    drop(span.clone());
    drop(span);
    trace.finish().unwrap();
    let events = scratch.events();
    let frames = spans(&events, "frame");
    assert_eq!(frames.len(), 2);
    assert_eq!(
        frames[0]["args"],
        serde_json::json!({"number": 7, "half": 0.5, "done": true})
    );
    assert_eq!(frames[1]["args"]["ready"], -1);
}

#[test]
fn h07_a_file_that_cannot_be_written_is_told() {
    let error = trace::to_file("/no/such/folder/trace.json").unwrap_err();
    assert!(matches!(error, TraceError::Create { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "cannot make the trace \"/no/such/folder/trace.json\"; name a file in a folder that can be written"
    );
    // Linux has a disk that is always full.
    let full = PathBuf::from("/dev/full");
    if !full.exists() {
        return;
    }
    let trace = trace::to_file(&full).unwrap();
    for _ in 0..1000 {
        copy_something();
    }
    let error = trace.finish().unwrap_err();
    assert!(matches!(error, TraceError::Write { .. }), "{error}");
    let trace = trace::to_file(&full).unwrap();
    copy_something();
    drop(trace);
}
