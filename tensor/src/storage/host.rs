//! Plain host memory: one vector, adopted from the caller or filled here.

use std::any::Any;
use std::fmt;
use std::sync::Weak;

use super::Buffer;
use super::alloc::prefer_huge_pages;
use crate::{Placement, Result, TensorError, trace_span};

/// Takes back the vectors of tensors that are no longer needed, so that their memory can be used again.
///
/// A tensor holds its recycler weakly: when the tensor is dropped and the recycler still lives, it gets the vector, once;
/// otherwise the vector is freed. The call comes from `drop`, on whatever thread that happens: take no lock that a caller
/// may hold while it drops tensors.
pub trait HostBufferRecycler<T>: Send + Sync {
    /// Takes the vector of a dropped tensor; its elements are the tensor's last ones.
    fn recycle(&self, data: Vec<T>);
}

/// The elements of a host tensor, in memory order.
pub struct HostStorage<T> {
    data: Vec<T>,
    /// Boxed, so that the plain tensor, which has none of it, stays small.
    extras: Option<Box<Extras<T>>>,
}

/// What few tensors have.
struct Extras<T> {
    recycler: Option<Weak<dyn HostBufferRecycler<T>>>,
    placement: Placement,
}

/// The length only.
impl<T> fmt::Debug for HostStorage<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostStorage")
            .field("len", &self.data.len())
            .finish_non_exhaustive()
    }
}

impl<T> HostStorage<T> {
    pub(crate) fn new(data: Vec<T>) -> Self {
        Self { data, extras: None }
    }

    pub(crate) fn with_recycler(data: Vec<T>, recycler: Weak<dyn HostBufferRecycler<T>>) -> Self {
        let extras = Extras {
            recycler: Some(recycler),
            placement: Placement::default(),
        };
        Self {
            data,
            extras: Some(Box::new(extras)),
        }
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &self.data
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// The vector; the recycler doesn't get it any more.
    pub(crate) fn into_vec(mut self) -> Vec<T> {
        self.extras = None;
        std::mem::take(&mut self.data)
    }

    pub(crate) fn placement(&self) -> Placement {
        self.extras
            .as_ref()
            .map_or_else(Placement::default, |extras| extras.placement)
    }

    pub(crate) fn set_placement(&mut self, placement: Placement) {
        let extras = self.extras.get_or_insert_with(|| {
            Box::new(Extras {
                recycler: None,
                placement,
            })
        });
        extras.placement = placement;
    }

    /// A copy in ordinary memory that no recycler waits for.
    pub(crate) fn duplicate(&self, op: &'static str) -> Result<Self>
    where
        T: Clone,
    {
        Ok(Self::new(copied(op, &self.data)?))
    }
}

impl<T> Drop for HostStorage<T> {
    fn drop(&mut self) {
        if let Some(extras) = self.extras.take() {
            extras.finish(std::mem::take(&mut self.data));
        }
    }
}

impl<T> Extras<T> {
    /// Gives the vector to its recycler, if there is one that still lives.
    #[cold]
    fn finish(self, data: Vec<T>) {
        if let Some(recycler) = self.recycler.and_then(|weak| weak.upgrade()) {
            recycler.recycle(data);
        }
    }
}

/// Promoted host memory: a buffer like any other, except that the host reads it in place.
impl<T: Clone + Send + Sync + 'static> Buffer<T> for HostStorage<T> {
    fn len(&self) -> usize {
        self.data.len()
    }

    fn placement(&self) -> Placement {
        self.placement()
    }

    fn host(&self) -> Option<&[T]> {
        Some(&self.data)
    }

    fn host_mut(&mut self) -> Option<&mut [T]> {
        Some(&mut self.data)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn download(&self) -> Result<Vec<T>> {
        copied("download", &self.data)
    }
}

/// An empty vector with room for exactly `elements`, on huge pages if it is large, or an error where the allocator refuses.
pub(crate) fn try_vec<T>(op: &'static str, elements: usize) -> Result<Vec<T>> {
    let _span = trace_span!(
        TRACE,
        "allocate",
        op,
        bytes = elements.saturating_mul(size_of::<T>()),
        device = %Placement::HOST,
    );
    let mut data = Vec::new();
    data.try_reserve_exact(elements)
        .map_err(|_| TensorError::OutOfMemory {
            op,
            elements,
            element_bytes: size_of::<T>(),
        })?;
    prefer_huge_pages(data.spare_capacity_mut());
    Ok(data)
}

/// A copy of `data`, or an error where the allocator refuses.
pub(crate) fn copied<T: Clone>(op: &'static str, data: &[T]) -> Result<Vec<T>> {
    let _span = trace_span!(
        DEBUG,
        "copy",
        op,
        bytes = size_of_val(data),
        dtype = std::any::type_name::<T>(),
        device = %Placement::HOST,
    );
    let mut copy = try_vec(op, data.len())?;
    copy.extend_from_slice(data);
    Ok(copy)
}
