//! Why memory could not be had.

use crate::Placement;

/// A request for memory that failed; nothing was taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AllocError {
    /// The system or the device has no such block left.
    #[error(
        "cannot allocate {requested_bytes} bytes (alignment {alignment_bytes}) of {placement}; free some of it or use smaller shapes"
    )]
    OutOfMemory {
        /// The bytes asked for.
        requested_bytes: usize,
        /// The alignment asked for.
        alignment_bytes: usize,
        /// Where.
        placement: Placement,
    },
    /// The request would go over the limit that the program set.
    #[error(
        "{requested_bytes} bytes of {placement} asked for, {free_bytes} free of the limit of {limit_bytes}; free some of it, raise the limit or use smaller shapes"
    )]
    LimitExceeded {
        /// The bytes asked for.
        requested_bytes: usize,
        /// The bytes that were left.
        free_bytes: usize,
        /// The limit.
        limit_bytes: usize,
        /// Where.
        placement: Placement,
    },
    /// The memory can't be aligned so.
    #[error(
        "{placement} aligns blocks to at most {most_bytes} bytes, {alignment_bytes} asked for; ask for less"
    )]
    Alignment {
        /// The alignment asked for.
        alignment_bytes: usize,
        /// The most that can be had.
        most_bytes: usize,
        /// Where.
        placement: Placement,
    },
    /// The size is beyond what any address space holds.
    #[error(
        "{elements} elements of {element_bytes} bytes are more than an address space holds; use a smaller shape"
    )]
    TooLarge {
        /// The number of elements.
        elements: usize,
        /// Bytes of one.
        element_bytes: usize,
    },
    /// A block of 0 bytes.
    #[error(
        "a block of 0 bytes was asked for, which needs no allocator; Allocation::new makes one"
    )]
    NoBytes,
    /// Elements were to be made in memory that the host can't address.
    #[error("the host can't write to {placement}; make the tensor on the host and copy it over")]
    NotHostAddressable {
        /// Where.
        placement: Placement,
    },
    /// A heap of names says that the host reads its memory in place.
    #[error(
        "{placement} is host addressable, and only an Allocator can promise that; implement Allocator for it"
    )]
    HostAddressable {
        /// Where.
        placement: Placement,
    },
}
