//! [`DeviceBuffer`]: elements in memory that only a driver reaches.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::{DeviceError, Driver, MemoryRange};
use crate::alloc::Allocation;
use crate::storage::{Buffer, bytes_of_mut, try_vec};
use crate::{Placement, Result, TensorElement, TensorError};

/// Elements in memory of a device that the host can't address.
///
/// A backend that runs operations finds the block by [`TypedTensor::buffer`](crate::TypedTensor::buffer), a downcast to
/// this type, and [`DeviceBuffer::memory`].
pub struct DeviceBuffer<T> {
    memory: Arc<Allocation>,
    driver: Arc<dyn Driver>,
    len: usize,
    elements: PhantomData<fn() -> T>,
}

impl<T: TensorElement> DeviceBuffer<T> {
    /// The first `len` elements of `memory`, which is of the driver's device. Their bytes may be anything.
    ///
    /// # Errors
    /// [`DeviceError::ForeignMemory`] or [`DeviceError::OutOfRange`].
    pub fn new(
        driver: Arc<dyn Driver>,
        memory: Arc<Allocation>,
        len: usize,
    ) -> Result<Self, DeviceError> {
        let placement = memory.placement();
        if placement.resident_device() != driver.device() {
            let device = driver.device();
            return Err(DeviceError::ForeignMemory { device, placement });
        }
        let bytes = len.saturating_mul(size_of::<T>());
        MemoryRange::new(Arc::clone(&memory), 0, bytes)?;
        Ok(Self {
            memory,
            driver,
            len,
            elements: PhantomData,
        })
    }

    /// The block.
    #[must_use]
    pub fn memory(&self) -> &Arc<Allocation> {
        &self.memory
    }

    /// Who reaches it.
    #[must_use]
    pub fn driver(&self) -> &Arc<dyn Driver> {
        &self.driver
    }

    /// The bytes of `len` elements from `start` on.
    pub(super) fn range(&self, start: usize, len: usize) -> Result<MemoryRange, DeviceError> {
        let bytes = |elements: usize| elements.saturating_mul(size_of::<T>());
        MemoryRange::new(Arc::clone(&self.memory), bytes(start), bytes(len))
    }

    /// Copies bytes of this buffer to the host, and counts them.
    pub(super) fn download_range(
        &self,
        from: &MemoryRange,
        to: &mut [u8],
    ) -> Result<(), DeviceError> {
        self.driver.read(from, to)?;
        self.memory.allocator().counters().copied_out(to.len());
        Ok(())
    }

    /// Copies bytes of the host to this buffer, and counts them.
    pub(super) fn upload_range(&self, from: &[u8], to: &MemoryRange) -> Result<(), DeviceError> {
        self.driver.write(from, to)?;
        self.memory.allocator().counters().copied_in(from.len());
        Ok(())
    }

    /// Copies bytes of `other`, which is of the same device, to this buffer, and counts them on both sides.
    pub(super) fn copy_range(
        &self,
        other: &Self,
        from: &MemoryRange,
        to: &MemoryRange,
    ) -> Result<(), DeviceError> {
        self.driver.copy(from, to)?;
        let bytes = to.len_bytes();
        other.memory.allocator().counters().copied_out(bytes);
        self.memory.allocator().counters().copied_in(bytes);
        Ok(())
    }

    /// A copy of `len` elements from `start` on.
    pub(super) fn read(&self, op: &'static str, start: usize, len: usize) -> Result<Vec<T>> {
        let failed = TensorError::from_device(op);
        let mut elements = try_vec::<T>(op, len)?;
        if len == 0 {
            return Ok(elements);
        }
        let range = self.range(start, len).map_err(&failed)?;
        if T::dtype().is_bool() {
            let mut bytes = try_vec(op, len)?;
            bytes.resize(len, 0);
            self.download_range(&range, &mut bytes).map_err(&failed)?;
            elements.extend(bytes.iter().map(|byte| T::read_le(&[*byte])));
            return Ok(elements);
        }
        elements.resize(len, T::default());
        let bytes = bytes_of_mut(&mut elements).expect("bool went the other way");
        self.download_range(&range, bytes).map_err(&failed)?;
        Ok(elements)
    }
}

/// The length and the place only.
impl<T> fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceBuffer")
            .field("element", &std::any::type_name::<T>())
            .field("len", &self.len)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

impl<T: TensorElement> Buffer<T> for DeviceBuffer<T> {
    fn len(&self) -> usize {
        self.len
    }

    fn placement(&self) -> Placement {
        self.memory.placement()
    }

    fn host(&self) -> Option<&[T]> {
        None
    }

    fn host_mut(&mut self) -> Option<&mut [T]> {
        None
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn download(&self) -> Result<Vec<T>> {
        self.read("download", 0, self.len)
    }
}
