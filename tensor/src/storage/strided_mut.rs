//! Exclusive access to exactly the elements that a layout names.
//!
//! A `&mut [T]` claims every element of its range, so two mutable slices can never interleave in memory, though the two
//! halves of a matrix split by columns do. [`StridedMut`] claims single elements instead: it keeps a pointer to the buffer
//! that it was made from and a layout, and turns only elements named by that layout into references. That is what lets
//! mutable iterators, lanes and splits over any axis exist.
//!
//! **Why it is sound.** Three invariants hold for every [`StridedMut`] with life `'a`:
//! 1. *Inside*: every offset that `layout` names lies inside the buffer at `base`, which lives for `'a`.
//! 2. *Once*: `layout` names no offset by two indices.
//! 3. *Alone*: while it lives, nothing else reads or writes the elements that `layout` names.
//!
//! [`StridedMut::new`] establishes them: the first two by checks, the third because it takes a `&'a mut [T]`. Everything
//! else makes new layouts only by methods of [`TensorLayout`] that narrow a layout or reorder its axes, which keeps *inside*
//! and *once*, and gives up `self` for parts with different indices, which by *once* are different elements: that keeps
//! *alone*. Empty layouts are never turned into addresses.

#[cfg(test)]
mod tests;

use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::slice;

use tensor_core::{
    DynRank, LaneLayouts, Offsets, Rank, SliceSpec, TensorLayout, TensorRank, ValidationError,
};

use crate::view::ViewError;
use crate::{Result, TensorError, TypedTensorView};

/// The start of a buffer whose elements are lent one by one.
struct Base<'a, T> {
    start: NonNull<T>,
    life: PhantomData<&'a mut [T]>,
}

impl<T> Clone for Base<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Base<'_, T> {}

// SAFETY: a `Base` stands for the `&'a mut T` of the elements that its holder's layout names, and nothing else reaches
// them (invariant "alone"); a `&mut T` may be sent where a `T` may.
unsafe impl<T: Send> Send for Base<'_, T> {}

// SAFETY: through `&Base` its holders lend only `&T`, so sharing it is sharing a `&T`.
unsafe impl<T: Sync> Sync for Base<'_, T> {}

impl<'a, T> Base<'a, T> {
    /// # Safety
    /// `at` lies inside the buffer, and until `'a` ends the result is the only way by which the element is reached.
    #[inline]
    unsafe fn element(self, at: usize) -> &'a mut T {
        // SAFETY: inside the buffer by the caller's promise.
        let place = unsafe { self.start.add(at) };
        // SAFETY: the buffer holds initialised elements for `'a`, and the caller promises that there is no other access.
        unsafe { &mut *place.as_ptr() }
    }

    /// # Safety
    /// `at` lies inside the buffer, and until `'s` ends nothing writes the element.
    #[inline]
    unsafe fn shared<'s>(self, at: usize) -> &'s T
    where
        'a: 's,
    {
        // SAFETY: inside the buffer by the caller's promise.
        let place = unsafe { self.start.add(at) };
        // SAFETY: the buffer holds initialised elements for `'a`. No `&mut` is made on the way, which would end the
        // earlier shared references to the same element.
        unsafe { &*place.as_ptr() }
    }

    /// # Safety
    /// As [`Base::element`], for each of the `len` elements from `start` on.
    unsafe fn elements(self, start: usize, len: usize) -> &'a mut [T] {
        // SAFETY: inside the buffer by the caller's promise.
        let place = unsafe { self.start.add(start) };
        // SAFETY: as in `element`; the elements lie side by side in one buffer.
        unsafe { slice::from_raw_parts_mut(place.as_ptr(), len) }
    }
}

/// Mutable access to exactly the elements that a layout names, side by side in memory or not.
///
/// Unlike a [`TypedTensorViewMut`](crate::TypedTensorViewMut), which borrows a whole range of memory, two of these can
/// interleave: the even and the odd rows, the left and the right columns. It reaches elements one by one and can't lend
/// a buffer. Made by [`TypedTensorViewMut::strided_mut`](crate::TypedTensorViewMut::strided_mut).
///
/// ```
/// use tensor::TypedTensorViewMut;
/// let mut data = [1, 2, 3, 4, 5, 6];
/// let mut view = TypedTensorViewMut::<i32>::from_slice([2, 3], &mut data)?;
/// let (left, right) = view.strided_mut().split_at(1, 1)?;
/// left.into_iter().for_each(|element| *element = 0);
/// right.into_iter().for_each(|element| *element *= 10);
/// assert_eq!(data, [0, 20, 30, 0, 50, 60]);
/// # Ok::<(), tensor::TensorError>(())
/// ```
/// Neither a part nor its elements can be had twice, or across threads if `T` can't be:
/// ```compile_fail,E0382
/// let mut data = [1, 2, 3];
/// let mut view = tensor::TypedTensorViewMut::<i32>::from_slice([3], &mut data).unwrap();
/// let part = view.strided_mut();
/// let (twice, again) = (part.into_iter(), part.into_iter());
/// ```
/// ```compile_fail,E0499
/// let mut data = [1, 2, 3];
/// let mut view = tensor::TypedTensorViewMut::<i32>::from_slice([3], &mut data).unwrap();
/// let (part, again) = (view.strided_mut(), view.strided_mut());
/// drop(part);
/// ```
/// ```compile_fail,E0277
/// fn check<T: Send>() {}
/// check::<tensor::StridedMut<'static, std::rc::Rc<u8>>>();
/// ```
pub struct StridedMut<'a, T, R: TensorRank = DynRank> {
    base: Base<'a, T>,
    layout: TensorLayout<R>,
}

impl<'a, T, R: TensorRank> StridedMut<'a, T, R> {
    /// The elements of `data` that `layout` names.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if one lies outside `data` or may be named by two indices.
    pub fn new(data: &'a mut [T], layout: TensorLayout<R>) -> Result<Self> {
        const OP: &str = "strided_mut";
        // Invariant "inside".
        layout
            .validate_in_bounds(data.len())
            .map_err(TensorError::from_validation(OP))?;
        // Invariant "once".
        layout
            .validate_mutable_no_overlap()
            .map_err(TensorError::from_validation(OP))?;
        // Invariant "alone": `data` is given up for all of `'a`.
        let base = Base {
            start: NonNull::from(data).cast(),
            life: PhantomData,
        };
        Ok(Self { base, layout })
    }

    /// The extents.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// Shape, strides and offset; the offset counts from the start of the buffer that all parts share.
    #[must_use]
    pub fn layout(&self) -> &TensorLayout<R> {
        &self.layout
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.layout.element_count()
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }

    /// The element at `index`.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the index has another rank or lies outside.
    pub fn get(&self, index: &[usize]) -> Result<&T> {
        let at = self.layout.offset_of(index)?;
        // SAFETY: `offset_of` gives an offset that the layout names, so it is inside, and by "alone" only `self` reaches
        // the element; `self` is borrowed for as long as the result, so nobody writes through it.
        Ok(unsafe { self.base.shared(at) })
    }

    /// The element at `index`, to be written.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the index has another rank or lies outside.
    pub fn get_mut(&mut self, index: &[usize]) -> Result<&mut T> {
        let at = self.layout.offset_of(index)?;
        // SAFETY: as in `get`, and `self` is mutably borrowed for as long as the result.
        Ok(unsafe { self.base.element(at) })
    }

    /// A shorter borrow of the same elements.
    #[must_use]
    pub fn reborrow(&mut self) -> StridedMut<'_, T, R> {
        StridedMut {
            base: self.base,
            layout: self.layout.clone(),
        }
    }

    /// The elements as one slice.
    ///
    /// # Errors
    /// [`ValidationError::NonContiguous`] unless they lie side by side in row-major order.
    pub fn into_slice(self) -> Result<&'a mut [T]> {
        self.dense()
            .map_err(|this| this.layout.non_contiguous("into_slice").into())
    }

    /// The elements as one slice, or `self` where they do not lie so; builds no error.
    fn dense(self) -> Result<&'a mut [T], Self> {
        if !self.layout.is_row_major_contiguous() {
            return Err(self);
        }
        if self.layout.is_empty() {
            return Ok(&mut []);
        }
        let (start, len) = (self.layout.offset(), self.layout.element_count());
        // SAFETY: a contiguous layout names exactly the `len` offsets from `start` on, so they are inside, and `self`,
        // which alone reaches them, is given up for all of `'a`.
        Ok(unsafe { self.base.elements(start, len) })
    }

    /// The elements, in row-major logical order.
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        self.reborrow().into_iter()
    }

    /// Writes `value` to every element.
    pub fn fill(&mut self, value: T)
    where
        T: Clone,
    {
        self.iter_mut()
            .for_each(|element| element.clone_from(&value));
    }

    /// Copies the elements of `source`, which has the same shape.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shapes differ.
    pub fn copy_from<R2: TensorRank>(&mut self, source: &TypedTensorView<'_, T, R2>) -> Result<()>
    where
        T: Clone,
    {
        if self.shape() != source.shape() {
            let (lhs, rhs) = (self.shape().into(), source.shape().into());
            return Err(ValidationError::ShapeMismatch {
                op: "copy_from",
                lhs,
                rhs,
            }
            .into());
        }
        match self.reborrow().dense() {
            Ok(to) => source.copy_into(to),
            Err(this) => {
                let elements = this.into_iter().zip(source.iter());
                elements.for_each(|(to, from)| to.clone_from(from));
                Ok(())
            }
        }
    }

    /// The same elements with axis `a` of the result being axis `axes[a]`.
    ///
    /// # Errors
    /// [`TensorError::Validation`] unless `axes` names every axis once.
    pub fn permute(self, axes: &[usize]) -> Result<Self> {
        let layout = self.layout.permute(axes)?;
        Ok(Self { layout, ..self })
    }

    /// The elements that `specs` take, one spec per leading axis; see [`SliceSpec`].
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there are more specs than axes or a step is 0.
    pub fn slice(self, specs: &[SliceSpec]) -> Result<Self> {
        let layout = self.layout.slice(specs)?;
        Ok(Self { layout, ..self })
    }

    /// The elements at `index` of axis `axis`; that axis is gone from the result.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the axis or the index does not exist.
    pub fn index_axis(self, axis: usize, index: usize) -> Result<StridedMut<'a, T>> {
        let layout = self.layout.index_axis(axis, index)?;
        Ok(StridedMut {
            base: self.base,
            layout,
        })
    }

    /// The elements with index below `index` on `axis`, and the others.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there is no such axis or `index` is above its extent.
    pub fn split_at(self, axis: usize, index: usize) -> Result<(Self, Self)> {
        // The halves have different indices, so by "once" different elements.
        let (low, high) = self.layout.split_at(axis, index)?;
        let part = |layout| Self {
            base: self.base,
            layout,
        };
        Ok((part(low), part(high)))
    }

    /// The two slices `a` and `b`, which share no element; they may interleave.
    ///
    /// # Errors
    /// [`ViewError::OverlappingSlices`] if an element is in both, else as [`StridedMut::slice`].
    pub fn multi_slice(self, a: &[SliceSpec], b: &[SliceSpec]) -> Result<(Self, Self)> {
        const OP: &str = "multi_slice";
        // Without a common index the slices have, by "once", no common element.
        if self
            .layout
            .slices_overlap(a, b)
            .map_err(TensorError::from_validation(OP))?
        {
            let shape = self.shape().into();
            return Err(ViewError::OverlappingSlices { op: OP, shape }.into());
        }
        let (a, b) = (self.layout.slice(a)?, self.layout.slice(b)?);
        let part = |layout| Self {
            base: self.base,
            layout,
        };
        Ok((part(a), part(b)))
    }

    /// The lanes along `axis`, in row-major order of the other axes.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there is no such axis.
    pub fn lanes(self, axis: usize) -> Result<LanesMut<'a, T>> {
        Ok(LanesMut {
            layouts: self.layout.lanes(axis)?,
            base: self.base,
        })
    }

    /// The parts at index 0, 1, ... of `axis`, without that axis.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there is no such axis.
    pub fn axis_iter(self, axis: usize) -> Result<AxisIterMut<'a, T, R>> {
        let rank = self.layout.rank();
        if axis >= rank {
            let op = "axis_iter";
            return Err(ValidationError::AxisOutOfBounds { op, axis, rank }.into());
        }
        Ok(AxisIterMut {
            rest: self,
            axis,
            next: 0,
        })
    }
}

impl<'a, T, R: TensorRank> IntoIterator for StridedMut<'a, T, R> {
    type Item = &'a mut T;
    type IntoIter = IterMut<'a, T>;

    fn into_iter(self) -> IterMut<'a, T> {
        let walk = match self.dense() {
            Ok(elements) => Walk::Dense(elements.iter_mut()),
            Err(this) => Walk::Strided(this.base, this.layout.offsets()),
        };
        IterMut { walk }
    }
}

/// Metadata only.
impl<T, R: TensorRank> fmt::Debug for StridedMut<'_, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StridedMut")
            .field("element", &std::any::type_name::<T>())
            .field("shape", &self.layout.shape())
            .field("strides", &self.layout.strides())
            .field("offset", &self.layout.offset())
            .finish()
    }
}

/// The elements of a mutable view, in row-major logical order, each lent once.
pub struct IterMut<'a, T> {
    walk: Walk<'a, T>,
}

/// Elements side by side need no layout, and compilers vectorise a slice.
#[expect(
    clippy::large_enum_variant,
    reason = "an iterator lives on the stack, and a box would allocate"
)]
enum Walk<'a, T> {
    Dense(slice::IterMut<'a, T>),
    /// The offsets are those that the layout of a given up [`StridedMut`] names, each once; what is left of them has not
    /// been lent yet.
    Strided(Base<'a, T>, Offsets),
}

impl<'a, T> IterMut<'a, T> {
    /// All elements of a slice.
    pub(crate) fn dense(elements: &'a mut [T]) -> Self {
        Self {
            walk: Walk::Dense(elements.iter_mut()),
        }
    }
}

impl<'a, T> Iterator for IterMut<'a, T> {
    type Item = &'a mut T;

    #[inline]
    fn next(&mut self) -> Option<&'a mut T> {
        match &mut self.walk {
            Walk::Dense(elements) => elements.next(),
            Walk::Strided(base, offsets) => offsets.next().map(|at| {
                // SAFETY: the layout names `at`, so it is inside; no offset comes twice, so this is its only reference.
                unsafe { base.element(at) }
            }),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.walk {
            Walk::Dense(elements) => elements.size_hint(),
            Walk::Strided(_, offsets) => offsets.size_hint(),
        }
    }

    fn fold<B, F: FnMut(B, &'a mut T) -> B>(self, init: B, mut f: F) -> B {
        match self.walk {
            Walk::Dense(elements) => elements.fold(init, f),
            Walk::Strided(base, offsets) => offsets.fold(init, |acc, at| {
                // SAFETY: as in `next`.
                f(acc, unsafe { base.element(at) })
            }),
        }
    }
}

impl<T> ExactSizeIterator for IterMut<'_, T> {}
impl<T> FusedIterator for IterMut<'_, T> {}

/// The number of elements left.
impl<T> fmt::Debug for IterMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterMut")
            .field("left", &self.len())
            .finish()
    }
}

/// The lanes of a mutable view along one axis, in row-major order of the other axes.
pub struct LanesMut<'a, T> {
    base: Base<'a, T>,
    /// Lanes of the layout of a given up [`StridedMut`]; each element is in one of them, so what is left of them has not
    /// been lent yet.
    layouts: LaneLayouts,
}

impl<'a, T> Iterator for LanesMut<'a, T> {
    type Item = StridedMut<'a, T, Rank<1>>;

    fn next(&mut self) -> Option<StridedMut<'a, T, Rank<1>>> {
        let base = self.base;
        self.layouts
            .next()
            .map(|layout| StridedMut { base, layout })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.layouts.size_hint()
    }

    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let base = self.base;
        self.layouts
            .fold(init, |acc, layout| f(acc, StridedMut { base, layout }))
    }
}

impl<T> ExactSizeIterator for LanesMut<'_, T> {}
impl<T> FusedIterator for LanesMut<'_, T> {}

/// The number of lanes left.
impl<T> fmt::Debug for LanesMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LanesMut")
            .field("left", &self.len())
            .finish()
    }
}

/// The parts of a mutable view at index 0, 1, ... of one axis, without that axis.
#[derive(Debug)]
pub struct AxisIterMut<'a, T, R: TensorRank> {
    /// Only its parts at index `next` and above are lent from here on.
    rest: StridedMut<'a, T, R>,
    axis: usize,
    next: usize,
}

impl<'a, T, R: TensorRank> Iterator for AxisIterMut<'a, T, R> {
    type Item = StridedMut<'a, T>;

    fn next(&mut self) -> Option<StridedMut<'a, T>> {
        // Past the last index there is no layout. Parts at different indices have, by "once", different elements, and no
        // index comes twice.
        let layout = self.rest.layout.index_axis(self.axis, self.next).ok()?;
        self.next += 1;
        let base = self.rest.base;
        Some(StridedMut { base, layout })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.rest.layout.shape()[self.axis] - self.next;
        (left, Some(left))
    }
}

impl<T, R: TensorRank> ExactSizeIterator for AxisIterMut<'_, T, R> {}
impl<T, R: TensorRank> FusedIterator for AxisIterMut<'_, T, R> {}
