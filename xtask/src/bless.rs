//! `cargo xtask bless`: writes the committed files that tests compare with what happens.
//!
//! The tests write the files themselves when [`MODE`] is set, so that what is written and what is compared is made by the
//! same code. The ONNX backend suite has two such files: the list of the cases that fail, which the suite writes, and the
//! table of operators, which is made from the list. By default the list only gets better.

use crate::assets;
use crate::failure::Failure;
use crate::process;

pub(crate) const HELP: &str = "\
cargo xtask bless onnx-suite [--accept-failures]

Runs the ONNX backend suite (and fetches it, if it is not there), and writes tests/golden/onnx_suite_expected_failures.tsv
and SUPPORTED_OPS.md: cases that pass now leave the list, and reasons become those of now. A case that fails and was not on
the list still fails the command, and so does every panic. After a merge with conflicts in the two files this puts them right.

  --accept-failures   put new failures on the list too: for a new version of the suite, not for what passed before
";

/// Names the mode to the tests.
const MODE: &str = "TENFOLD_BLESS";

/// Writes what the arguments name.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mode = match arguments[..] {
        ["onnx-suite"] => "update",
        ["onnx-suite", "--accept-failures"] => "accept",
        _ => {
            return Err(Failure::usage(format!(
                "`cargo xtask bless` does not know {:?}\n\n{HELP}",
                arguments.join(" ")
            )));
        }
    };
    assets::ensure_named(&["onnx-suite"])?;
    let suite = test("onnx_suite", mode);
    // Also after a case that is still wrong: the table is about the list, whatever the list should be.
    test("onnx_operators", mode)?;
    suite
}

fn test(name: &str, mode: &str) -> Result<(), Failure> {
    let arguments = ["test", "-p", "tests", "--test", name, "--", "--nocapture"];
    let mut cargo = process::cargo(&arguments)?;
    cargo.env(MODE, mode);
    if process::succeeds(&mut cargo)? {
        return Ok(());
    }
    Err(Failure::failed(format!(
        "{name} has failures that blessing does not excuse; mend what is named above"
    )))
}
