//! `tenfold bench`.

use serde_json::json;

use super::tenfold::{keys, tenfold};

#[test]
fn json_is_flat_and_has_these_keys() {
    let line = "bench head.onnx --random 1 --dim N=2 --iters 20 --warmup 1 --threads 2 --device cpu --json";
    let bench = tenfold(line).json();
    let expect = [
        "compile_ms",
        "device",
        "first_run_ms",
        "iters",
        "load_ms",
        "model",
        "p50_ms",
        "p90_ms",
        "p99_ms",
        "peak_rss_bytes",
        "planned_peak_bytes",
        "threads",
    ];
    assert_eq!(keys(&bench), expect);
    assert_eq!(
        (&bench["model"], &bench["device"]),
        (&json!("head.onnx"), &json!("cpu"))
    );
    assert_eq!(
        (&bench["iters"], &bench["threads"]),
        (&json!(20), &json!(2))
    );
    let ms = |key: &str| bench[key].as_f64().unwrap();
    assert!(
        0.0 < ms("p50_ms") && ms("p50_ms") <= ms("p90_ms") && ms("p90_ms") <= ms("p99_ms"),
        "{bench}"
    );
    assert!(
        ms("load_ms") > 0.0 && ms("compile_ms") > 0.0 && ms("first_run_ms") > 0.0,
        "{bench}"
    );
    if cfg!(target_os = "linux") {
        assert!(
            bench["peak_rss_bytes"].as_u64().unwrap() > 100_000,
            "{bench}"
        );
    }
}

#[test]
fn a_table_is_for_people() {
    let table =
        tenfold("bench head.onnx --random 1 --dim N=2 --iters 3 --warmup 0 --threads 1").success();
    let lines: Vec<&str> = table.lines().collect();
    assert!(
        lines[0].starts_with("head.onnx: cpu (chosen by auto: "),
        "{table}"
    );
    assert!(
        lines[0].ends_with(", 1 thread; 3 runs after 1 + 0"),
        "{table}"
    );
    let names: Vec<&str> = lines[1..]
        .iter()
        .map(|line| line[2..14].trim_end())
        .collect();
    let expect = [
        "load",
        "compile",
        "first run",
        "p50",
        "p90",
        "p99",
        "planned peak",
        "peak memory",
    ];
    let expect = if cfg!(target_os = "linux") {
        &expect[..]
    } else {
        &expect[..7]
    };
    assert_eq!(names, expect);
}
