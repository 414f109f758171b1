//! What can go wrong with devices.

use std::fmt::Write as _;

use crate::alloc::AllocError;
use crate::{Device, MemoryKind, Placement};

/// A device that is not there, or that could not do what it was told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// No memory.
    #[error(transparent)]
    Alloc(#[from] AllocError),
    /// Nobody registered a driver for the device.
    #[error(
        "no driver for {device} is registered, only for: {}; register one",
        names(known)
    )]
    UnknownDevice {
        /// The device asked for.
        device: Device,
        /// Those that have a driver.
        known: Box<[Device]>,
    },
    /// Nobody registered an allocator for this kind of memory of the device.
    #[error(
        "no allocator for {} of {device} is registered, only for: {}; register one",
        kind.words(),
        places(known)
    )]
    NoAllocator {
        /// The device asked for.
        device: Device,
        /// The kind of memory asked for.
        kind: MemoryKind,
        /// What there is.
        known: Box<[(Device, MemoryKind)]>,
    },
    /// A range that is not inside its block.
    #[error(
        "bytes {offset_bytes} to {offset_bytes} + {len_bytes} do not lie in a block of {size_bytes} bytes of {placement}"
    )]
    OutOfRange {
        /// The start of the range.
        offset_bytes: usize,
        /// The length of the range.
        len_bytes: usize,
        /// The size of the block.
        size_bytes: usize,
        /// Where.
        placement: Placement,
    },
    /// The two sides of a copy have different sizes; nothing was written.
    #[error("a copy of {from_bytes} bytes to {to_bytes} bytes; both sides must have one size")]
    ByteCount {
        /// The bytes of the source.
        from_bytes: usize,
        /// The bytes of the destination.
        to_bytes: usize,
    },
    /// Memory that belongs to another device, or to another driver.
    #[error("{device} can't reach {placement}; copy through the host")]
    ForeignMemory {
        /// The device that was asked.
        device: Device,
        /// Where the memory is.
        placement: Placement,
    },
    /// The device is gone; its memory is, too.
    #[error("{device} is lost: {detail}; open it again and copy the tensors over again")]
    Lost {
        /// The device.
        device: Device,
        /// What the driver knows.
        detail: Box<str>,
    },
    /// The device failed.
    #[error("{device} failed: {detail}")]
    Failed {
        /// The device.
        device: Device,
        /// What the driver knows.
        detail: Box<str>,
    },
    /// An asynchronous copy was given up before it was done.
    #[error("a copy on a stream of {device} was given up before it was done")]
    GivenUp {
        /// The device.
        device: Device,
    },
}

fn names(devices: &[Device]) -> String {
    let mut text = String::new();
    for device in devices {
        let separator = if text.is_empty() { "" } else { ", " };
        // Writing to a string can't fail.
        let _ = write!(text, "{separator}{device}");
    }
    if text.is_empty() { "none".into() } else { text }
}

fn places(places: &[(Device, MemoryKind)]) -> String {
    let mut text = String::new();
    for (device, kind) in places {
        let separator = if text.is_empty() { "" } else { ", " };
        // Writing to a string can't fail.
        let _ = write!(text, "{separator}{} of {device}", kind.words());
    }
    if text.is_empty() { "none".into() } else { text }
}
