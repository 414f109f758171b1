//! Where the elements of an owned tensor lie.
//!
//! The representation is a type: [`Host`] is a plain vector, [`Dynamic`] is decided when running and today always plain
//! host memory. The sealed trait behind [`Representation`] chooses the storage type and is the only way from a storage to
//! host memory, and it is fallible, so that a representation in device memory can be added without touching tensors.
//!
//! The two files with `unsafe` lend elements of host memory that was checked before: `dense` without a second bounds check,
//! `strided_mut` one by one where mutable slices would overlap.

#[expect(
    unsafe_code,
    reason = "skips the bounds check that keeps loops over dense views from being vectorised"
)]
mod dense;
mod host;
#[expect(
    unsafe_code,
    reason = "lends elements of interleaved parts one by one, which no safe slice can"
)]
mod strided_mut;

pub(crate) use dense::{Dense, DenseMut, Order};
pub(crate) use host::{HostStorage, try_vec};
pub use strided_mut::{AxisIterMut, IterMut, LanesMut, StridedMut};

use std::fmt;

use crate::Result;

/// Where a tensor's elements lie; sealed.
pub trait Representation: sealed::Storing {}

/// Plain host memory, known when compiling; the only representation that is `Clone`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Host;

/// Decided when running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dynamic;

impl Representation for Host {}
impl Representation for Dynamic {}

/// The storage of [`Dynamic`].
pub enum DynamicStorage<T> {
    Host(HostStorage<T>),
}

impl<T> fmt::Debug for DynamicStorage<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Host(host) = self;
        f.debug_tuple("Host").field(host).finish()
    }
}

pub(crate) mod sealed {
    use super::Result;

    /// What a representation stores and how host code reaches it.
    pub trait Storing: 'static {
        type Storage<T>;
        const NAME: &'static str;

        fn host<'s, T>(storage: &'s Self::Storage<T>, op: &'static str) -> Result<&'s [T]>;
        fn host_mut<'s, T>(
            storage: &'s mut Self::Storage<T>,
            op: &'static str,
        ) -> Result<&'s mut [T]>;
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
}

impl sealed::Storing for Dynamic {
    type Storage<T> = DynamicStorage<T>;
    const NAME: &'static str = "Dynamic";

    fn host<'s, T>(storage: &'s DynamicStorage<T>, _op: &'static str) -> Result<&'s [T]> {
        let DynamicStorage::Host(host) = storage;
        Ok(host.as_slice())
    }

    fn host_mut<'s, T>(
        storage: &'s mut DynamicStorage<T>,
        _op: &'static str,
    ) -> Result<&'s mut [T]> {
        let DynamicStorage::Host(host) = storage;
        Ok(host.as_mut_slice())
    }
}
