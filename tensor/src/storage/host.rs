//! Plain host memory: one vector, adopted from the caller or filled here.

use std::fmt;

use crate::{Result, TensorError};

/// The elements of a host tensor, in memory order.
pub struct HostStorage<T> {
    data: Vec<T>,
}

/// The length only.
impl<T> fmt::Debug for HostStorage<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostStorage")
            .field("len", &self.data.len())
            .finish()
    }
}

impl<T> HostStorage<T> {
    pub(crate) fn new(data: Vec<T>) -> Self {
        Self { data }
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &self.data
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    pub(crate) fn into_vec(self) -> Vec<T> {
        self.data
    }
}

/// An empty vector with room for exactly `elements`, or an error where the allocator refuses.
pub(crate) fn try_vec<T>(op: &'static str, elements: usize) -> Result<Vec<T>> {
    let mut data = Vec::new();
    data.try_reserve_exact(elements)
        .map_err(|_| TensorError::OutOfMemory {
            op,
            elements,
            element_bytes: size_of::<T>(),
        })?;
    Ok(data)
}
