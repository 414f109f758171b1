//! The example `custom_scalar` prints what is written beside it.

#[path = "../examples/custom_scalar.rs"]
#[expect(dead_code, reason = "the example's `main` has no caller here")]
mod custom_scalar;

#[test]
fn a19_a37_the_example_prints_its_text() {
    let mut out = Vec::new();
    custom_scalar::run(&mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text, include_str!("../examples/custom_scalar.txt"));
}
