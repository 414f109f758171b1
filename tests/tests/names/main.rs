//! The names of the EVE engine's tensor module, one by one: each has a row in the table of `tenfold::names`, and the expression
//! of that row is compiled and run here.
//!
//! `tests/golden/tensor_module_names.txt` is the list. A method that is renamed here breaks the build of this test, a row
//! that says something else than what is compiled fails it, and so does a name without a row.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

mod functions;
mod rows;
mod tensors;

use std::collections::{BTreeMap, BTreeSet};

use rows::Rows;

const LIST: &str = include_str!("../../golden/tensor_module_names.txt");
const TABLE: &str = include_str!("../../../tenfold/src/names.md");

/// Names of things that are not there yet; their rows say what is.
const AWAITED: [&str; 2] = ["tf.quantizeWeight", "t.isQuantized"];

/// The expression of each name in the table, or nothing where the row has none.
fn table() -> BTreeMap<&'static str, Option<&'static str>> {
    let mut found = BTreeMap::new();
    for line in TABLE.lines().filter(|line| line.starts_with("| `")) {
        let mut cells = line.trim_matches('|').split(" | ");
        let (names, here) = (cells.next().unwrap(), cells.next().unwrap());
        let code =
            (!here.trim_start().starts_with("not yet")).then(|| here.split('`').nth(1).unwrap());
        for name in names.split('`').skip(1).step_by(2) {
            assert!(found.insert(name, code).is_none(), "{name} has two rows");
        }
    }
    found
}

#[test]
fn j13_every_name_has_a_row_that_compiles_and_gives_what_is_expected() {
    let mut rows = Rows::default();
    tensors::made(&mut rows).unwrap();
    tensors::elementwise(&mut rows).unwrap();
    tensors::with_numbers(&mut rows).unwrap();
    tensors::shaped(&mut rows).unwrap();
    tensors::reduced(&mut rows).unwrap();
    tensors::networks(&mut rows).unwrap();
    tensors::read_and_written(&mut rows).unwrap();
    functions::built(&mut rows).unwrap();
    functions::run(&mut rows).unwrap();

    let (table, compiled) = (table(), rows.into_compiled());
    let spaceless = |code: &str| code.split_whitespace().collect::<String>();
    for (name, code) in &compiled {
        let row = table
            .get(name)
            .unwrap_or_else(|| panic!("{name} has no row"));
        let row = row.unwrap_or_else(|| panic!("the row of {name} has no expression"));
        assert_eq!(spaceless(row), spaceless(code), "the row of {name}");
    }
    let listed: BTreeSet<&str> = LIST.lines().collect();
    let served: BTreeSet<&str> = compiled.keys().copied().chain(AWAITED).collect();
    assert_eq!(listed, served);
    assert_eq!(listed, table.keys().copied().collect());
    assert_eq!(LIST.lines().count(), 199);
}
