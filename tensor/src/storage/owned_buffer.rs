//! Memory of others, with whoever owns it: [`OwnedBuffer`], [`OwnedBufferMut`], and [`RawBuffer`] for pointers.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::slice;

use super::{Buffer, copied};
use crate::{Placement, Result};

/// Elements that an owner of any type holds and lends for reading: an `Arc<[T]>`, a message, a mapped file.
///
/// The owner lives as long as the buffer and is dropped with it.
///
/// ```
/// use std::sync::Arc;
/// use tensor::{OwnedBuffer, Tensor, TypedTensor, DynRank, Gpu};
/// let weights: Arc<[f32]> = Arc::from([1.0, 2.0, 3.0, 4.0]);
/// let buffer = Box::new(OwnedBuffer::new(Arc::clone(&weights)));
/// let t = TypedTensor::<f32, DynRank, Gpu>::from_buffer_row_major([2, 2], buffer)?;
/// assert_eq!(t.storage()?.as_ptr(), weights.as_ptr());
/// assert_eq!(Tensor::from(t.into_dynamic()).to_string(), "[[1.0 2.0]\n [3.0 4.0]] f32[2, 2]");
/// # Ok::<(), tensor::TensorError>(())
/// ```
pub struct OwnedBuffer<T, O> {
    owner: O,
    placement: Placement,
    elements: PhantomData<fn() -> T>,
}

/// As [`OwnedBuffer`], of an owner that also lends its elements for writing.
pub struct OwnedBufferMut<T, O> {
    owner: O,
    placement: Placement,
    elements: PhantomData<fn() -> T>,
}

macro_rules! owner {
    ($Buffer:ident) => {
        impl<T, O> $Buffer<T, O> {
            /// A buffer of the owner's elements, in ordinary host memory.
            #[must_use]
            pub fn new(owner: O) -> Self {
                Self {
                    owner,
                    placement: Placement::HOST,
                    elements: PhantomData,
                }
            }

            /// Labels the memory; the host reads it in place whatever the label says.
            #[must_use]
            pub fn with_placement(mut self, placement: Placement) -> Self {
                self.placement = placement;
                self
            }

            /// The owner.
            #[must_use]
            pub fn owner(&self) -> &O {
                &self.owner
            }

            /// The owner, without the buffer.
            #[must_use]
            pub fn into_owner(self) -> O {
                self.owner
            }
        }

        /// The owner's type and the place only.
        impl<T, O> fmt::Debug for $Buffer<T, O> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($Buffer))
                    .field("owner", &std::any::type_name::<O>())
                    .field("placement", &format_args!("{}", self.placement))
                    .finish()
            }
        }
    };
}

owner!(OwnedBuffer);
owner!(OwnedBufferMut);

impl<T, O> Buffer<T> for OwnedBuffer<T, O>
where
    T: Clone + 'static,
    O: AsRef<[T]> + Send + Sync + 'static,
{
    fn len(&self) -> usize {
        self.owner.as_ref().len()
    }

    fn placement(&self) -> Placement {
        self.placement
    }

    fn host(&self) -> Option<&[T]> {
        Some(self.owner.as_ref())
    }

    fn host_mut(&mut self) -> Option<&mut [T]> {
        None
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn download(&self) -> Result<Vec<T>> {
        copied("download", self.owner.as_ref())
    }
}

impl<T, O> Buffer<T> for OwnedBufferMut<T, O>
where
    T: Clone + 'static,
    O: AsRef<[T]> + AsMut<[T]> + Send + Sync + 'static,
{
    fn len(&self) -> usize {
        self.owner.as_ref().len()
    }

    fn placement(&self) -> Placement {
        self.placement
    }

    fn host(&self) -> Option<&[T]> {
        Some(self.owner.as_ref())
    }

    fn host_mut(&mut self) -> Option<&mut [T]> {
        Some(self.owner.as_mut())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn download(&self) -> Result<Vec<T>> {
        copied("download", self.owner.as_ref())
    }
}

/// What a [`RawBuffer`] calls when it is dropped, with the start and the number of its elements.
pub type Deleter<T> = Box<dyn FnOnce(NonNull<T>, usize) + Send>;

/// Elements behind a pointer that foreign code gave: with a deleter, which is called once, or without one, when somebody
/// else frees the memory.
pub struct RawBuffer<T> {
    start: NonNull<T>,
    len: usize,
    writable: bool,
    placement: Placement,
    deleter: Option<Deleter<T>>,
}

// SAFETY: the constructor's caller promises memory that any thread may use, and the deleter may be sent. Others may hold
// references to the elements of a `read_only` buffer, so sending it shares them: `T` has to be `Sync` too.
unsafe impl<T: Send + Sync> Send for RawBuffer<T> {}

// SAFETY: a shared `RawBuffer` lends only `&[T]`; the deleter is reached only by `drop`, which has the buffer to itself.
unsafe impl<T: Sync> Sync for RawBuffer<T> {}

impl<T> RawBuffer<T> {
    /// The `len` elements from `start` on, to be read.
    ///
    /// When the buffer is dropped, `deleter` gets `start` and `len`, once. Without one nothing is freed.
    ///
    /// # Safety
    /// Until the buffer is dropped, on whatever thread: `start` is aligned and points at `len` initialised elements in
    /// one object that the host can read, of at most `isize::MAX` bytes, and nobody writes them.
    #[must_use]
    pub unsafe fn read_only(start: NonNull<T>, len: usize, deleter: Option<Deleter<T>>) -> Self {
        Self {
            start,
            len,
            writable: false,
            placement: Placement::HOST,
            deleter,
        }
    }

    /// The `len` elements from `start` on, to be read and written.
    ///
    /// # Safety
    /// As [`RawBuffer::read_only`]; the host may also write the elements, and nobody else uses them.
    #[must_use]
    pub unsafe fn writable(start: NonNull<T>, len: usize, deleter: Option<Deleter<T>>) -> Self {
        Self {
            start,
            len,
            writable: true,
            placement: Placement::HOST,
            deleter,
        }
    }

    /// Labels the memory; the host reads it in place whatever the label says.
    #[must_use]
    pub fn with_placement(mut self, placement: Placement) -> Self {
        self.placement = placement;
        self
    }

    fn as_slice(&self) -> &[T] {
        // SAFETY: the constructor's caller promised `len` initialised, aligned elements that nobody writes but through
        // `self`, which is borrowed for as long as the slice.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T> Drop for RawBuffer<T> {
    fn drop(&mut self) {
        if let Some(delete) = self.deleter.take() {
            delete(self.start, self.len);
        }
    }
}

/// The address, the length and the place only.
impl<T> fmt::Debug for RawBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawBuffer")
            .field("start", &self.start)
            .field("len", &self.len)
            .field("writable", &self.writable)
            .field("deleter", &self.deleter.is_some())
            .field("placement", &format_args!("{}", self.placement))
            .finish()
    }
}

impl<T: Clone + Send + Sync + 'static> Buffer<T> for RawBuffer<T> {
    fn len(&self) -> usize {
        self.len
    }

    fn placement(&self) -> Placement {
        self.placement
    }

    fn host(&self) -> Option<&[T]> {
        Some(self.as_slice())
    }

    fn host_mut(&mut self) -> Option<&mut [T]> {
        if !self.writable {
            return None;
        }
        // SAFETY: the caller of `writable` promised `len` initialised, aligned elements that the host may write and nobody
        // else uses; `self` is mutably borrowed for as long as the slice.
        Some(unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) })
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
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::{DynRank, Gpu, TensorError, TypedTensor};

    #[test]
    fn d17_a_deleter_is_called_exactly_once() {
        let calls = Arc::new(AtomicUsize::new(0));
        let elements: &'static mut [f32] = Box::leak(vec![1.0, 2.0, 3.0].into_boxed_slice());
        let (start, len) = (NonNull::from(&mut *elements).cast(), elements.len());
        let counted = Arc::clone(&calls);
        let deleter = move |start: NonNull<f32>, len| {
            counted.fetch_add(1, Ordering::Relaxed);
            let whole = std::ptr::slice_from_raw_parts_mut(start.as_ptr(), len);
            // SAFETY: it is the leaked box, and the buffer that used it calls this when it is dropped.
            drop(unsafe { Box::from_raw(whole) });
        };
        // SAFETY: the leaked box is valid until the deleter frees it, and nobody else uses it.
        let buffer = unsafe { RawBuffer::writable(start, len, Some(Box::new(deleter))) };
        let mut t =
            TypedTensor::<f32, DynRank, Gpu>::from_buffer_row_major([3], Box::new(buffer)).unwrap();
        t.as_mut_slice().unwrap()[0] = 9.0;
        assert_eq!(t.to_vec().unwrap(), [9.0, 2.0, 3.0]);
        assert_eq!(calls.load(Ordering::Relaxed), 0);
        std::thread::spawn(move || drop(t)).join().unwrap();
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn d17_memory_without_a_deleter_is_never_freed() {
        let elements = [1_i64, 2, 3, 4];
        let start = NonNull::from(&elements).cast();
        // SAFETY: `elements` lives until the end of the test, longer than the tensor, and nobody writes it.
        let buffer = unsafe { RawBuffer::read_only(start, 4, None) };
        let mut t =
            TypedTensor::<i64, DynRank, Gpu>::from_buffer_col_major([2, 2], Box::new(buffer))
                .unwrap();
        assert_eq!(t.to_vec().unwrap(), [1, 3, 2, 4]);
        assert!(matches!(t.storage_mut(), Err(TensorError::ReadOnly { .. })));
        drop(t);
        assert_eq!(elements, [1, 2, 3, 4]);
    }

    #[test]
    fn d17_a_refused_buffer_still_frees_its_memory() {
        let owner: Arc<[u8]> = Arc::from([1, 2, 3]);
        let buffer = Box::new(OwnedBuffer::new(Arc::clone(&owner)));
        assert!(TypedTensor::<u8, DynRank, Gpu>::from_buffer_row_major([4], buffer).is_err());
        assert_eq!(Arc::strong_count(&owner), 1);
    }
}
