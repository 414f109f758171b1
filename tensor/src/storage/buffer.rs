//! [`Buffer`]: memory that something else than a vector owns.

use std::any::Any;

use crate::{Placement, Result};

/// Memory for elements of type `T` that something else than a plain vector owns: a device, a pool, a mapped file.
///
/// A backend implements it for its own memory; a tensor made by
/// [`TypedTensor::from_buffer_row_major`](crate::TypedTensor::from_buffer_row_major) owns the buffer, and the backend finds
/// it again by [`TypedTensor::buffer`](crate::TypedTensor::buffer) and a downcast of [`Buffer::as_any`]. Nothing here is
/// called unseen: `download` runs only where the caller asks for a copy on the host by name.
///
/// An implementation that breaks its word (a `host` slice of another length than `len`, say) gives wrong results or panics,
/// but never undefined behaviour.
pub trait Buffer<T>: Send + Sync {
    /// The number of elements.
    fn len(&self) -> usize;

    /// Whether there is no element.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the memory is.
    fn placement(&self) -> Placement;

    /// All elements, if the host can read them where they are, without a transfer.
    fn host(&self) -> Option<&[T]>;

    /// All elements to be written, if the host can write them where they are.
    fn host_mut(&mut self) -> Option<&mut [T]>;

    /// The buffer itself, for the backend that made it.
    fn as_any(&self) -> &dyn Any;

    /// Copies the elements to the host.
    ///
    /// # Errors
    /// What the device reports, or [`TensorError::OutOfMemory`](crate::TensorError::OutOfMemory).
    fn download(&self) -> Result<Vec<T>>;
}
