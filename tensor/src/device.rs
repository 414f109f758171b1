//! Devices at work: which allocators and drivers there are, copies between memories, streams.
//!
//! A [`Device`](crate::Device) only names one. A backend brings two things, once: an [`Allocator`](crate::alloc::Allocator)
//! for each kind of memory it has, and a [`Driver`] that copies bytes and makes streams. Nothing else in this crate knows
//! about it. All are values in a [`Devices`]; there is no global one.
//!
//! **Invariants.** No copy happens unless its name says so. Shapes, dtypes and byte counts are compared before anything is
//! written. What an asynchronous copy reads or writes is owned by it until it is done.

mod buffer;
pub mod conformance;
mod copy;
mod devices;
mod driver;
mod error;
mod pending;
mod registry;
mod transfer;

pub use buffer::DeviceBuffer;
pub use copy::{Source, Target, copy};
pub use devices::{Devices, same_device};
pub use driver::{Driver, Event, MemoryRange, Stream};
pub use error::DeviceError;
pub use pending::Pending;
pub use registry::AllocatorRegistry;
pub use transfer::{HostSource, HostTarget, Landing, Transfer, TransferKind};
