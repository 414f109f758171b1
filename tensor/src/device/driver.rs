//! What a backend implements to bring a device: [`Driver`], [`Stream`], [`Event`].
//!
//! All of it is bytes: shapes, strides and dtypes are dealt with above, in `copy`. The traits are safe. What they are given
//! comes with its length, and a driver that reaches memory by `unsafe` code checks it again: anybody may call it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::{DeviceError, Transfer};
use crate::alloc::{Allocation, Allocator};
use crate::{Device, Placement};

/// A device that can be told to copy.
///
/// The blocking calls wait until they are done. They are not ordered behind what streams do: synchronise first.
pub trait Driver: Send + Sync + fmt::Debug {
    /// The device.
    fn device(&self) -> Device;

    /// An allocator for each kind of memory that the device has. The names of blocks that other allocators hand on (a pool
    /// over one of these, say) are those that these gave.
    fn allocators(&self) -> Vec<Arc<dyn Allocator>>;

    /// Copies host memory to device memory of the same size, which is not 0.
    ///
    /// # Errors
    /// [`DeviceError`]; the destination then holds anything.
    fn write(&self, from: &[u8], to: &MemoryRange) -> Result<(), DeviceError>;

    /// Copies device memory to host memory of the same size, which is not 0.
    ///
    /// # Errors
    /// [`DeviceError`]; the destination then holds anything.
    fn read(&self, from: &MemoryRange, to: &mut [u8]) -> Result<(), DeviceError>;

    /// Copies memory of this device to other memory of this device of the same size, which is not 0.
    ///
    /// # Errors
    /// [`DeviceError`]; the destination then holds anything.
    fn copy(&self, from: &MemoryRange, to: &MemoryRange) -> Result<(), DeviceError>;

    /// A new stream.
    ///
    /// # Errors
    /// [`DeviceError`].
    fn create_stream(&self) -> Result<Arc<dyn Stream>, DeviceError>;

    /// The driver itself, for the backend that made it.
    fn as_any(&self) -> &dyn Any;
}

/// A queue of work of one device. What is in one stream is done in order; streams are not ordered among each other, unless
/// one waits for an event of the other.
///
/// When something fails, whatever is behind it in the stream is not done, and `synchronize` of the stream and of its later
/// events gives the error.
pub trait Stream: Send + Sync + fmt::Debug {
    /// The device.
    fn device(&self) -> Device;

    /// Puts a copy at the end of the queue and returns at once. The stream owns it, and with it the memory of both sides,
    /// until it is done.
    ///
    /// # Errors
    /// [`DeviceError`]; nothing is queued then.
    fn enqueue(&self, transfer: Transfer) -> Result<(), DeviceError>;

    /// An event that is complete when everything queued so far is done.
    ///
    /// # Errors
    /// [`DeviceError`].
    fn record(&self) -> Result<Arc<dyn Event>, DeviceError>;

    /// Holds back what is queued from now on until `event`, of any stream of the device, is complete. Returns at once.
    ///
    /// # Errors
    /// [`DeviceError`], also if the event is of another device.
    fn wait(&self, event: &Arc<dyn Event>) -> Result<(), DeviceError>;

    /// Whether everything queued so far is done. Never waits.
    ///
    /// # Errors
    /// [`DeviceError`].
    fn is_idle(&self) -> Result<bool, DeviceError>;

    /// Waits until everything queued so far is done.
    ///
    /// # Errors
    /// What the device reports of it.
    fn synchronize(&self) -> Result<(), DeviceError>;

    /// The backend's own stream with its native handle.
    fn as_any(&self) -> &dyn Any;
}

/// A point in a stream.
pub trait Event: Send + Sync + fmt::Debug {
    /// Whether everything before it is done. Never waits.
    ///
    /// # Errors
    /// [`DeviceError`].
    fn is_complete(&self) -> Result<bool, DeviceError>;

    /// Waits until everything before it is done.
    ///
    /// # Errors
    /// What the device reports of it.
    fn synchronize(&self) -> Result<(), DeviceError>;

    /// The backend's own event with its native handle.
    fn as_any(&self) -> &dyn Any;
}

/// Some bytes of a block of memory, which it keeps alive.
#[derive(Clone, Debug)]
pub struct MemoryRange {
    memory: Arc<Allocation>,
    offset_bytes: usize,
    len_bytes: usize,
}

impl MemoryRange {
    /// `len_bytes` bytes of `memory` from `offset_bytes` on.
    ///
    /// # Errors
    /// [`DeviceError::OutOfRange`].
    pub fn new(
        memory: Arc<Allocation>,
        offset_bytes: usize,
        len_bytes: usize,
    ) -> Result<Self, DeviceError> {
        let size_bytes = memory.size_bytes();
        let end = offset_bytes.checked_add(len_bytes);
        if end.is_none_or(|end| end > size_bytes) {
            return Err(DeviceError::OutOfRange {
                offset_bytes,
                len_bytes,
                size_bytes,
                placement: memory.placement(),
            });
        }
        Ok(Self {
            memory,
            offset_bytes,
            len_bytes,
        })
    }

    /// All bytes of `memory`.
    #[must_use]
    pub fn whole(memory: Arc<Allocation>) -> Self {
        let len_bytes = memory.size_bytes();
        Self {
            memory,
            offset_bytes: 0,
            len_bytes,
        }
    }

    /// The block.
    #[must_use]
    pub fn memory(&self) -> &Arc<Allocation> {
        &self.memory
    }

    /// Where the range starts in its block.
    #[must_use]
    pub fn offset_bytes(&self) -> usize {
        self.offset_bytes
    }

    /// The length.
    #[must_use]
    pub fn len_bytes(&self) -> usize {
        self.len_bytes
    }

    /// Where the memory is.
    #[must_use]
    pub fn placement(&self) -> Placement {
        self.memory.placement()
    }
}
