//! Files of every format: those of other programs, those that are written here, and those that are damaged or lie.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

mod any;
mod container;
mod container_hostile;
mod gguf;
mod memory;
mod numpy;
mod numpy_hostile;
mod promises;
mod safetensors;
mod support;
