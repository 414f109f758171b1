//! The judgement of fixtures, tried on messages made up here.

use serde_json::json;

use super::*;

fn fixture(folder: &str, source: &str) -> Fixture {
    Fixture {
        binary: format!("{folder}-x"),
        path: PathBuf::from("x.rs"),
        source: source.to_owned(),
    }
}

fn message(level: &str, line: u64, code: &str) -> Value {
    json!({
        "level": level, "message": "cannot move out of `t`", "code": { "code": code }, "rendered": "shown",
        "spans": [
            { "file_name": "x.rs", "is_primary": false, "line_start": 1, "label": "borrow of `t` occurs here" },
            { "file_name": "x.rs", "is_primary": true, "line_start": line, "label": null },
        ],
    })
}

#[test]
fn annotations_are_read_or_refused() {
    let read = annotations("a\nb //~ E0505: cannot move\n  //~^^ E0499: second\n").unwrap();
    let expect = |line, code: &str, words: &str| Annotation {
        line,
        code: code.to_owned(),
        words: words.to_owned(),
    };
    assert_eq!(
        read,
        [
            expect(2, "E0505", "cannot move"),
            expect(1, "E0499", "second")
        ]
    );
    for wrong in [
        "//~ E0505",
        "//~ E0505:",
        "//~ cannot move",
        "//~ X0505: a",
        "//~^ E0505: a",
    ] {
        assert!(annotations(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn every_difference_is_told() {
    type Said<'a> = &'a [(&'a str, u64, &'a str)];
    const ASKS: &str = "a\nb //~ E0505: borrow of `t`\n";
    const MOVED: Said<'_> = &[("error", 2, "E0505")];
    let table: [(&str, &str, bool, Said<'_>, &[&str]); 12] = [
        ("fail", ASKS, false, MOVED, &[]),
        (
            "fail",
            ASKS,
            true,
            &[("warning", 2, "E0505")],
            &["no error E0505"],
        ),
        (
            "fail",
            ASKS,
            false,
            &[("error", 1, "E0505")],
            &["line 2: no", "line 1: error"],
        ),
        (
            "fail",
            ASKS,
            false,
            &[("error", 2, "E0382")],
            &["no error", "E0382 that nothing"],
        ),
        (
            "fail",
            ASKS,
            false,
            &[MOVED[0], ("error", 1, "E0308")],
            &["E0308 that nothing"],
        ),
        (
            "fail",
            "\nb //~ E0505: others",
            false,
            MOVED,
            &["no error", "nothing asks"],
        ),
        (
            "fail",
            "a\nb",
            false,
            MOVED,
            &["has no `//~`", "nothing asks"],
        ),
        (
            "fail",
            ASKS,
            false,
            &[],
            &["neither refused nor accepted", "no error"],
        ),
        ("pass", "a\nb", true, &[], &[]),
        ("pass", "a\nb", false, MOVED, &["nothing asks"]),
        (
            "pass",
            "a\nb",
            false,
            &[],
            &["neither refused nor accepted"],
        ),
        ("pass", ASKS, true, &[], &["must compile", "no error E0505"]),
    ];
    for (folder, source, accepted, said, expect) in table {
        let refusals: Vec<_> = said
            .iter()
            .filter_map(|&(level, line, code)| {
                refusal(&message(level, line, code), Path::new("x.rs"))
            })
            .collect();
        let found = differences(&fixture(folder, source), accepted, &refusals);
        assert_eq!(found.len(), expect.len(), "{source}: {found:?}");
        for (found, expect) in found.iter().zip(expect) {
            assert!(found.contains(expect), "{found} lacks {expect}");
        }
    }
}

#[test]
fn errors_elsewhere_and_counts_are_told_apart() {
    let count =
        json!({ "level": "error", "message": "aborting due to 1 previous error", "spans": [] });
    assert!(refusal(&count, Path::new("x.rs")).is_none());
    let bare = json!({ "level": "error", "message": "linking failed", "spans": [] });
    assert_eq!(refusal(&bare, Path::new("x.rs")).unwrap().line, 0);
    let other = refusal(&message("error", 2, "E0505"), Path::new("y.rs")).unwrap();
    assert_eq!((other.line, other.code.as_str()), (0, "E0505"));
}
