//! The examples print what the files beside them say.
//!
//! Each `examples/NAME.rs` is compiled in here and run; its text must be `examples/NAME.txt`. Expected texts are worked out
//! by hand or taken from other tables, never copied from a run. To add an example, add a line to [`examples!`].

/// One module and one test per example.
macro_rules! examples {
    ($($name:ident at $path:literal says $expected:literal;)+) => {$(
        #[path = $path]
        #[expect(dead_code, reason = "a test has no use for the example's `main`")]
        pub mod $name;

        #[test]
        fn $name() {
            let mut printed = Vec::new();
            $name::run(&mut printed).expect("memory can be written");
            let printed = String::from_utf8(printed).expect("the example writes text");
            compare(&printed, include_str!($expected));
        }
    )+};
}

examples! {
    allocations at "../examples/allocations.rs" says "../examples/allocations.txt";
    data_model at "../examples/data_model.rs" says "../examples/data_model.txt";
    promotion at "../examples/promotion.rs" says "../examples/promotion.txt";
}

/// Names the first line that differs: texts of a hundred lines are hard to compare by eye.
fn compare(printed: &str, expected: &str) {
    for (number, (printed, expected)) in (1..).zip(printed.lines().zip(expected.lines())) {
        assert_eq!(printed, expected, "line {number}");
    }
    assert_eq!(printed, expected, "one text is longer");
}

#[test]
fn the_readme_shows_a_part_of_the_walk() {
    let walk = include_str!("../examples/data_model.txt");
    let part = walk
        .split("\n\n")
        .find(|part| part.starts_with("== Views: "))
        .unwrap();
    assert!(include_str!("../../README.md").contains(part), "{part}");
}
