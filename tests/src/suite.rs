//! The node cases of the ONNX backend suite: which there are, what comes of each, and the table of operators.
//!
//! Three files of the folder `golden/` belong together. `onnx_suite.tsv` says what each case is about and what onnxruntime
//! makes of it (`make_onnx_suite.py`). `onnx_suite_expected_failures.tsv` lists the cases that fail here, with the reason:
//! [`Lists::compare`] holds it against what [`run`] found, in both directions. `SUPPORTED_OPS.md` at the root counts
//! both by operator: [`table`] makes it.
//!
//! Invariants: the cases that run are those of class `core` for which onnxruntime has no other result than the suite
//! expects. A wrong result is listed as such, never as something that is not supported. A panic, and a file of the suite
//! that cannot be read, are failures that no list excuses.

mod data;
mod judge;
mod list;
mod table;

pub use judge::{Failure, run};
pub use list::{Case, Comparison, EXPECTED_FAILURES, Lists, OnnxRuntime, cases};
pub use table::{table, table_path};

/// The folder of the cases in the folder of assets.
pub const NODE_CASES: &str = "onnx/onnx/backend/test/data/node";

/// Names the mode in which the test writes its lists: `update` or `accept`. `cargo xtask bless` sets it.
pub const BLESS: &str = "TENFOLD_BLESS";
