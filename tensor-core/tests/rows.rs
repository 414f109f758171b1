//! The claims that the data model makes about its metadata, one test each, named by the claim's number: `a` the crate and
//! its ranks, `b` dtypes and promotion, `c` layouts. Where the crate decides otherwise than the claim, the test says so.

#[path = "rows/dtypes.rs"]
mod dtypes;
#[path = "rows/layouts.rs"]
mod layouts;
#[path = "rows/ranks.rs"]
mod ranks;
