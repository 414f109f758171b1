//! Devices at work: which allocators and drivers there are, copies between memories, streams.
//!
//! A [`Device`](crate::Device) only names one. A backend brings two things, once: an [`Allocator`](crate::alloc::Allocator)
//! for each kind of memory it has, and a [`Driver`] that copies bytes and makes streams. Nothing else in this crate knows
//! about it. All are values in a [`Devices`]; there is no global one.
//!
//! **Invariants.** No copy happens unless its name says so. Shapes, dtypes and byte counts are compared before anything is
//! written. What an asynchronous copy reads or writes is owned by it until it is done.

mod error;
mod registry;

pub use error::DeviceError;
pub use registry::AllocatorRegistry;
