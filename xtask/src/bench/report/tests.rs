//! Reports with made-up times.

use super::super::cases::CASES;
use super::super::machine::Machine;
use super::super::statistics::summary;
use super::*;

fn row(peer: &'static str, median: f64, error: f64) -> Row {
    let run = summary(&[median]).unwrap();
    let numbers = Numbers {
        run,
        load: 3.0,
        compile: (peer == OURS).then_some(4.5),
        first_run: 2.0,
        to_first_answer: 9.5,
        peak_mib: Some(20.5),
        error,
    };
    Row {
        peer,
        numbers: Ok(numbers),
    }
}

fn report(rows: Vec<Row>) -> Report {
    Report {
        circumstances: Circumstances {
            date: "2026-11-30".into(),
            commit: "0123456789ab".into(),
            machine: Machine {
                cpu: "Some CPU".into(),
                cores: 2,
                system: "linux 6.1 x86_64".into(),
            },
            load_average: Some(0.25),
            versions: rows.iter().map(|row| (row.peer, "1.0".into())).collect(),
        },
        settings: Settings {
            rounds: 3,
            starts: 1,
        },
        missing: vec![Missing {
            name: "onnxruntime",
            reason: "no module".into(),
        }],
        groups: vec![Group {
            case: &CASES[0],
            threads: 2,
            others: Some(0.125),
            rows,
        }],
    }
}

#[test]
fn ratios_are_times_of_ours_and_a_wrong_peer_is_never_the_best() {
    let rows = vec![
        row(OURS, 4.0, 1e-7),
        row("rten", 6.0, 0.0),
        row("tract", 2.0, 0.5),
    ];
    let report = report(rows);
    let text = report.markdown();
    for expected in [
        "| Magika [1, 2048] |       2 |    4.00 | 6.00 (1.50×) | WRONG 2.00 (0.50×) | 1.50× rten |",
        "- tract is WRONG on Magika [1, 2048], 2 threads: 5.0e-1 from the golden output\n",
        "- onnxruntime was not measured: no module\n",
        "2 cores of Some CPU, linux 6.1 x86_64; 2026-11-30; commit 0123456789ab; load average 0.25 at the start.\n",
        "| tenfold |      4.00 |  4.00..4.00 |   4.00 |    1 |    3.00 |       4.50 |         2.00 |               9.50 |     20.5 | 1.0e-7 |",
    ] {
        assert!(text.contains(expected), "{expected}\nin\n{text}");
    }
    assert_eq!(
        report.left_out(),
        "onnxruntime (not measured: no module), tract (0 failed, 1 wrong)"
    );
    assert!(report.ours_is_right());
}

#[test]
fn a_failed_peer_is_told_with_its_reason() {
    let failed = Row {
        peer: "tract",
        numbers: Err("no such op".into()),
    };
    let mut report = report(vec![row(OURS, 4.0, 1.0), failed]);
    report.missing.clear();
    let text = report.markdown();
    assert!(text.contains("| failed |"), "{text}");
    assert!(
        text.contains("- tract failed on Magika [1, 2048], 2 threads: no such op\n"),
        "{text}"
    );
    assert_eq!(
        report.left_out(),
        "tenfold (0 failed, 1 wrong), tract (1 failed, 0 wrong)"
    );
    assert!(!report.ours_is_right());
}

#[test]
fn json_holds_every_number() {
    let json = report(vec![row(OURS, 4.0, 0.0), row("rten", 6.0, 0.0)]).json();
    for (pointer, expected) in [
        ("/machine/cores", json!(2)),
        ("/versions/rten", json!("1.0")),
        ("/not_measured/0/peer", json!("onnxruntime")),
        ("/results/0/case", json!("magika-1")),
        (
            "/results/0/best_peer",
            json!({ "peer": "rten", "times_ours": 1.5 }),
        ),
        ("/results/0/peers/0/run_ms/median", json!(4.0)),
        ("/results/0/peers/1/compile_ms", Value::Null),
        ("/results/0/peers/1/times_ours", json!(1.5)),
    ] {
        assert_eq!(json.pointer(pointer), Some(&expected), "{pointer}");
    }
}
