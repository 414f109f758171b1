//! Where the elements of an owned tensor lie.
//!
//! The representation is a type: [`Host`] is a plain vector, [`Gpu`] a [`Buffer`] that something else owns (a device, a
//! pool, a mapped file), [`Dynamic`] is one of the two, decided when running. The sealed trait behind [`Representation`]
//! chooses the storage type and is the only way from a storage to host memory; it is fallible, so no read of a tensor can
//! move data between memories unseen.
//!
//! The files with `unsafe` lend elements of host memory that was checked before: `dense` without a second bounds check,
//! `strided_mut` one by one where mutable slices would overlap; `strided_copy` copies them out of any layout.

#[expect(
    unsafe_code,
    reason = "hands out raw memory; everything above it is safe"
)]
pub mod alloc;
#[expect(
    unsafe_code,
    reason = "makes slices of an allocator's blocks, whose elements it has written"
)]
mod alloc_buffer;
mod buffer;
#[expect(
    unsafe_code,
    reason = "reads and writes preset elements as their bytes"
)]
mod bytes;
#[expect(
    unsafe_code,
    reason = "skips the bounds check that keeps loops over dense views from being vectorised"
)]
mod dense;
mod host;
#[expect(
    unsafe_code,
    reason = "makes slices of memory that foreign code gave as a pointer"
)]
mod owned_buffer;
#[expect(
    unsafe_code,
    reason = "fills memory in another order than a vector grows, in whole cache lines"
)]
mod strided_copy;
#[expect(
    unsafe_code,
    reason = "lends elements of interleaved parts one by one, which no safe slice can"
)]
mod strided_mut;

pub use alloc_buffer::AllocBuffer;
pub(crate) use alloc_buffer::block_layout;
pub use buffer::Buffer;
pub(crate) use bytes::{bytes_of, bytes_of_mut};
pub(crate) use dense::{Dense, DenseMut, Order};
pub use host::HostBufferRecycler;
pub(crate) use host::{HostStorage, copied, try_vec};
pub use owned_buffer::{Deleter, OwnedBuffer, OwnedBufferMut, RawBuffer};
pub(crate) use strided_copy::{copy_strided, gather_into, gathered};
pub use strided_mut::{AxisIterMut, IterMut, LanesMut, StridedMut};

use std::fmt;

use crate::{Placement, Result, TensorError};

/// Where a tensor's elements lie; sealed. Memory of one's own is a [`Buffer`].
pub trait Representation: sealed::Storing {}

/// Plain host memory, known when compiling; the only representation that is `Clone`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Host;

/// A [`Buffer`], known when compiling.
///
/// It says who owns the memory, not where it is: promoted host memory is `Gpu` too, and the host still reads it in place
/// ([`TypedTensor::is_on_host`](crate::TypedTensor::is_on_host)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gpu;

/// Plain host memory or a [`Buffer`], decided when running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dynamic;

impl Representation for Host {}
impl Representation for Gpu {}
impl Representation for Dynamic {}

/// The storage of [`Gpu`].
pub(crate) type BufferBox<T> = Box<dyn Buffer<T>>;

/// The storage of [`Dynamic`].
pub enum DynamicStorage<T> {
    Host(HostStorage<T>),
    Buffer(BufferBox<T>),
}

impl<T> fmt::Debug for DynamicStorage<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(host) => f.debug_tuple("Host").field(host).finish(),
            Self::Buffer(buffer) => f.debug_tuple("Buffer").field(&buffer.placement()).finish(),
        }
    }
}

pub(crate) mod sealed {
    use super::{Buffer, Placement, Result};

    /// What a representation stores and how host code reaches it.
    pub trait Storing: 'static {
        type Storage<T>;
        const NAME: &'static str;

        fn host<'s, T>(storage: &'s Self::Storage<T>, op: &'static str) -> Result<&'s [T]>;
        fn host_mut<'s, T>(
            storage: &'s mut Self::Storage<T>,
            op: &'static str,
        ) -> Result<&'s mut [T]>;
        fn buffer<T>(storage: &Self::Storage<T>) -> Option<&dyn Buffer<T>>;
        fn placement<T>(storage: &Self::Storage<T>) -> Placement;
    }
}

impl sealed::Storing for Host {
    type Storage<T> = HostStorage<T>;
    const NAME: &'static str = "Host";

    fn host<'s, T>(storage: &'s HostStorage<T>, _op: &'static str) -> Result<&'s [T]> {
        Ok(storage.as_slice())
    }

    fn host_mut<'s, T>(storage: &'s mut HostStorage<T>, _op: &'static str) -> Result<&'s mut [T]> {
        Ok(storage.as_mut_slice())
    }

    fn buffer<T>(_storage: &HostStorage<T>) -> Option<&dyn Buffer<T>> {
        None
    }

    fn placement<T>(storage: &HostStorage<T>) -> Placement {
        storage.placement()
    }
}

impl sealed::Storing for Gpu {
    type Storage<T> = BufferBox<T>;
    const NAME: &'static str = "Gpu";

    fn host<'s, T>(storage: &'s BufferBox<T>, op: &'static str) -> Result<&'s [T]> {
        storage.host().ok_or_else(|| TensorError::NotOnHost {
            op,
            placement: storage.placement(),
        })
    }

    fn host_mut<'s, T>(storage: &'s mut BufferBox<T>, op: &'static str) -> Result<&'s mut [T]> {
        let (readable, placement) = (storage.host().is_some(), storage.placement());
        storage.host_mut().ok_or(if readable {
            TensorError::ReadOnly { op, placement }
        } else {
            TensorError::NotOnHost { op, placement }
        })
    }

    fn buffer<T>(storage: &BufferBox<T>) -> Option<&dyn Buffer<T>> {
        Some(&**storage)
    }

    fn placement<T>(storage: &BufferBox<T>) -> Placement {
        storage.placement()
    }
}

impl sealed::Storing for Dynamic {
    type Storage<T> = DynamicStorage<T>;
    const NAME: &'static str = "Dynamic";

    fn host<'s, T>(storage: &'s DynamicStorage<T>, op: &'static str) -> Result<&'s [T]> {
        match storage {
            DynamicStorage::Host(host) => Host::host(host, op),
            DynamicStorage::Buffer(buffer) => Gpu::host(buffer, op),
        }
    }

    fn host_mut<'s, T>(
        storage: &'s mut DynamicStorage<T>,
        op: &'static str,
    ) -> Result<&'s mut [T]> {
        match storage {
            DynamicStorage::Host(host) => Host::host_mut(host, op),
            DynamicStorage::Buffer(buffer) => Gpu::host_mut(buffer, op),
        }
    }

    fn buffer<T>(storage: &DynamicStorage<T>) -> Option<&dyn Buffer<T>> {
        match storage {
            DynamicStorage::Host(_) => None,
            DynamicStorage::Buffer(buffer) => Some(&**buffer),
        }
    }

    fn placement<T>(storage: &DynamicStorage<T>) -> Placement {
        match storage {
            DynamicStorage::Host(host) => host.placement(),
            DynamicStorage::Buffer(buffer) => buffer.placement(),
        }
    }
}
