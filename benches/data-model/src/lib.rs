//! Single operations of the data model beside ndarray's.
//!
//! A [`Case`] is one operation written for either side, on equal inputs. [`cases`] lists them; [`interleave`] times the two
//! sides of a case in turns, which is what `cargo xtask bench data` shows and records; `benches/data_model.rs` gives the
//! same cases to criterion, for its statistics and its comparison with the run before.
//!
//! Invariants: both sides of a case gave the same shape and elements before either is timed; inputs are opaque to the
//! compiler in every iteration, so that nothing is moved out of the timed loop; a case allocates only what its operation
//! does.
// Not `forbid`: ndarray's macro `s!` allows itself an unsafe block of its own.
#![deny(unsafe_code)]

mod answer;
mod case;
pub mod cases;
pub mod interleave;

pub use answer::{Answer, Answered};
pub use case::{Case, Side};
