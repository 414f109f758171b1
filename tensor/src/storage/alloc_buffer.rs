//! [`AllocBuffer`]: elements in memory of an [`Allocator`].

use std::alloc::Layout;
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice;
use std::sync::Arc;

use tensor_core::{TensorLayout, TensorRank};

use super::alloc::{ALIGNMENT_BYTES, AllocError, Allocation, Allocator};
use super::{Buffer, copied, copy_strided};
use crate::{Placement, Result, trace_span};

/// Elements in memory that the host can address, of an allocator that the caller chose.
///
/// The elements are always initialised, and the memory is aligned to 64 bytes (more if `T` needs it). `T` is `Copy`, so
/// that elements need no destructor and a block can be filled in any order.
///
/// ```
/// use std::sync::Arc;
/// use tensor::alloc::{Allocator, SystemAllocator};
/// use tensor::AllocBuffer;
/// let system: Arc<dyn Allocator> = Arc::new(SystemAllocator::new());
/// let mut buffer = AllocBuffer::copied(&system, &[1.0_f32, 2.0])?;
/// buffer.as_mut_slice()[0] = 5.0;
/// assert_eq!(buffer.as_slice(), [5.0, 2.0]);
/// # Ok::<(), tensor::alloc::AllocError>(())
/// ```
pub struct AllocBuffer<T> {
    /// Invariant: host addressable, aligned for `T`, with room for `len` elements, all of them initialised.
    pub(super) allocation: Allocation,
    pub(super) len: usize,
    pub(super) elements: PhantomData<T>,
}

/// A block that is not yet filled; the same invariant, without "initialised".
struct Blank<T> {
    allocation: Allocation,
    len: usize,
    elements: PhantomData<T>,
}

/// The block of `len` elements of type `T`: their size, aligned to 64 bytes at least.
pub(crate) fn block_layout<T>(len: usize) -> Result<Layout, AllocError> {
    Layout::array::<T>(len)
        .and_then(|layout| layout.align_to(ALIGNMENT_BYTES))
        .map_err(|_| AllocError::TooLarge {
            elements: len,
            element_bytes: size_of::<T>(),
        })
}

impl<T: Copy + Send + Sync + 'static> Blank<T> {
    fn new(allocator: &Arc<dyn Allocator>, len: usize) -> Result<Self, AllocError> {
        let placement = allocator.placement();
        if !placement.memory_kind.is_host_addressable() {
            return Err(AllocError::NotHostAddressable { placement });
        }
        Ok(Self {
            allocation: Allocation::new(allocator, block_layout::<T>(len)?)?,
            len,
            elements: PhantomData,
        })
    }

    fn slots(&mut self) -> &mut [MaybeUninit<T>] {
        let start = self.allocation.as_ptr().cast::<MaybeUninit<T>>();
        // SAFETY: `new` made the block for an array of `len` elements, aligned for `T`, in memory that the host may read
        // and write (or of no size, where any aligned pointer serves). `self` owns it, is mutably borrowed for as long as
        // the slice, and a `MaybeUninit` needs no initialised bytes.
        unsafe { slice::from_raw_parts_mut(start.as_ptr(), self.len) }
    }

    /// # Safety
    /// Every slot has been written.
    unsafe fn filled(self) -> AllocBuffer<T> {
        AllocBuffer {
            allocation: self.allocation,
            len: self.len,
            elements: PhantomData,
        }
    }
}

impl<T: Copy + Send + Sync + 'static> AllocBuffer<T> {
    /// `len` elements that are `value`.
    ///
    /// # Errors
    /// [`AllocError::NotHostAddressable`], [`AllocError::TooLarge`], or what the allocator says.
    pub fn filled(
        allocator: &Arc<dyn Allocator>,
        len: usize,
        value: T,
    ) -> Result<Self, AllocError> {
        let mut blank = Blank::new(allocator, len)?;
        for slot in blank.slots() {
            slot.write(value);
        }
        // SAFETY: the loop went over all slots.
        Ok(unsafe { blank.filled() })
    }

    /// A copy of `elements`.
    ///
    /// # Errors
    /// As [`AllocBuffer::filled`].
    pub fn copied(allocator: &Arc<dyn Allocator>, elements: &[T]) -> Result<Self, AllocError> {
        let _span = trace_span!(
            DEBUG,
            "copy",
            bytes = size_of_val(elements),
            dtype = std::any::type_name::<T>(),
            device = %allocator.placement(),
        );
        let mut blank = Blank::new(allocator, elements.len())?;
        // Panics if the lengths differ.
        blank.slots().write_copy_of_slice(elements);
        allocator.counters().copied_in(size_of_val(elements));
        // SAFETY: as many elements as slots were copied.
        Ok(unsafe { blank.filled() })
    }

    /// The elements that `layout`, which fits `data`, names in it, in row-major logical order.
    pub(crate) fn gathered<R: TensorRank>(
        allocator: &Arc<dyn Allocator>,
        data: &[T],
        layout: &TensorLayout<R>,
    ) -> Result<Self, AllocError> {
        let mut blank = Blank::new(allocator, layout.element_count())?;
        copy_strided(data, layout, blank.slots());
        allocator
            .counters()
            .copied_in(layout.element_count() * size_of::<T>());
        // SAFETY: `copy_strided` writes every slot.
        Ok(unsafe { blank.filled() })
    }

    /// The elements.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        let start = self.allocation.as_ptr().cast::<T>();
        // SAFETY: by the invariant of `allocation` the block holds `len` initialised elements, aligned, that the host may
        // read; `self` owns it and is borrowed for as long as the slice. A block of no size is dangling and aligned.
        unsafe { slice::from_raw_parts(start.as_ptr(), self.len) }
    }

    /// The elements, to be written.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        let start = self.allocation.as_ptr().cast::<T>();
        // SAFETY: as in `as_slice`, and `self` is mutably borrowed for as long as the slice.
        unsafe { slice::from_raw_parts_mut(start.as_ptr(), self.len) }
    }

    /// The block of memory.
    #[must_use]
    pub fn allocation(&self) -> &Allocation {
        &self.allocation
    }
}

/// The length and the place only.
impl<T> fmt::Debug for AllocBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AllocBuffer")
            .field("element", &std::any::type_name::<T>())
            .field("len", &self.len)
            .field("allocation", &self.allocation)
            .finish()
    }
}

impl<T: Copy + Send + Sync + 'static> Buffer<T> for AllocBuffer<T> {
    fn len(&self) -> usize {
        self.len
    }

    fn placement(&self) -> Placement {
        self.allocation.placement()
    }

    fn host(&self) -> Option<&[T]> {
        Some(self.as_slice())
    }

    fn host_mut(&mut self) -> Option<&mut [T]> {
        Some(self.as_mut_slice())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn download(&self) -> Result<Vec<T>> {
        copied("download", self.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alloc::{RecordingAllocator, SystemAllocator};
    use crate::{Device, DeviceKind};

    #[test]
    fn elements_are_filled_copied_and_written() {
        let system: Arc<dyn Allocator> = Arc::new(SystemAllocator::new());
        let mut buffer = AllocBuffer::filled(&system, 3, 7_u16).unwrap();
        buffer.as_mut_slice()[1] = 8;
        assert_eq!(buffer.host(), Some(&[7, 8, 7][..]));
        assert_eq!(buffer.download().unwrap(), [7, 8, 7]);
        let copy = AllocBuffer::copied(&system, buffer.as_slice()).unwrap();
        assert_eq!(copy.as_slice(), [7, 8, 7]);
        assert_eq!(copy.allocation().size_bytes(), 6);
        assert!(copy.as_slice().as_ptr().addr().is_multiple_of(64));
    }

    #[test]
    fn no_elements_and_elements_without_a_size_allocate_nothing() {
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(align(128))]
        struct Nothing;
        let recording = Arc::new(RecordingAllocator::over_system());
        let allocator: Arc<dyn Allocator> = recording.clone();
        let mut none = AllocBuffer::copied(&allocator, &[] as &[f64]).unwrap();
        assert_eq!(none.as_mut_slice(), [0.0_f64; 0]);
        let nothings = AllocBuffer::filled(&allocator, 5, Nothing).unwrap();
        assert_eq!(nothings.as_slice(), [Nothing; 5]);
        assert_eq!(recording.events(), []);
    }

    #[test]
    fn what_cannot_be_is_an_error() {
        let system: Arc<dyn Allocator> = Arc::new(SystemAllocator::new());
        let error = AllocBuffer::filled(&system, usize::MAX / 2, 0_u32).unwrap_err();
        assert!(matches!(
            error,
            AllocError::TooLarge {
                element_bytes: 4,
                ..
            }
        ));
        let placement = Placement::on_device(Device::new(DeviceKind::Vulkan, 0));
        let far: Arc<dyn Allocator> = Arc::new(SystemAllocator::new().labelled(placement));
        let error = AllocBuffer::filled(&far, 1, 0_u32).unwrap_err();
        assert_eq!(error, AllocError::NotHostAddressable { placement });
    }
}
