//! The lists of the ONNX backend suite are in order, and the table of operators says what they say.
//!
//! This needs the lists alone; `onnx_suite.rs` holds them against what happens. With the environment variable
//! `TENFOLD_BLESS` the table is written.

use std::env;
use std::fs;

use tests::suite::{BLESS, Failure, Lists, cases, table, table_path};

#[test]
fn the_table_of_operators_is_up_to_date() {
    let cases = cases();
    let page = table(&cases, &Lists::committed(&cases));
    let path = table_path();
    if env::var_os(BLESS).is_some() {
        fs::write(&path, &page).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap();
    assert!(
        there == page,
        "the table of operators is another one; `cargo xtask bless onnx-suite` writes it"
    );
}

#[test]
fn cases_are_sorted_and_no_panic_is_listed() {
    let cases = cases();
    assert!(cases.len() > 1_700);
    assert!(cases.windows(2).all(|pair| pair[0].name < pair[1].name));
    let listed = Lists::committed(&cases);
    let panic = Failure::Panic(String::new()).to_string();
    for (name, reason) in listed.iter() {
        assert!(!reason.starts_with(panic.trim()), "{name}: {reason}");
    }
}
