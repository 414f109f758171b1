//! `cargo xtask miri`: the tests of the data model under the interpreter that notices undefined behaviour.
//!
//! It needs the nightly toolchain with the component `miri`, so it is not part of `cargo xtask test`, which needs the
//! stable one alone. Only the crates below the kernels run: an interpreter is some hundred times slower than the machine,
//! and knows no vector instructions. Doctests and the property tests are left out for their time.

use crate::failure::Failure;
use crate::process;

pub(crate) const HELP: &str = "\
cargo xtask miri

Runs the unit tests of tensor-core and tensor, and the tests of owners and views, under Miri, with the nightly toolchain.
`rustup toolchain install nightly --component miri` fetches it.
";

/// Runs the tests.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::usage(format!(
            "`cargo xtask miri` takes no arguments, and got {argument:?}\n\n{HELP}"
        )));
    }
    for tests in [
        &["-p", "tensor-core", "--lib"][..],
        &[
            "-p",
            "tensor",
            "--lib",
            "--test",
            "rows_storage",
            "--test",
            "rows_views",
        ],
    ] {
        let command = [&["run", "nightly", "cargo", "miri", "test"], tests].concat();
        let mut cargo = process::program("rustup", &command)?;
        // A failing test prints the time and the place, which the interpreter hides otherwise.
        cargo.env("MIRIFLAGS", "-Zmiri-disable-isolation");
        if !process::succeeds(&mut cargo)? {
            return Err(Failure::failed(format!(
                "`{}` failed; if the toolchain is missing, `rustup toolchain install nightly --component miri`",
                process::shown(&cargo)
            )));
        }
    }
    Ok(())
}
