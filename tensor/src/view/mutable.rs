//! Views that write. Transformations borrow the view again, so two of them never live at once.

mod axes;
mod parts;

use std::fmt;

use tensor_core::{DynRank, IntoRankShape, SliceSpec, TensorLayout, TensorRank, ValidationError};

use super::TypedTensorView;
use crate::{Result, TensorError, trace_span};

/// A borrowed view that can be written. Its layout reaches no element by two indices.
///
/// There is one at a time: it can't be copied, made twice, or made while the owner is read.
/// ```compile_fail,E0599
/// let mut data = [1, 2];
/// let view = tensor::TypedTensorViewMut::<i32>::from_slice([2], &mut data).unwrap();
/// let copy = view.clone();
/// ```
/// ```compile_fail,E0499
/// let mut t = tensor::TypedTensor::<f32>::zeros([2]).unwrap();
/// let (mut a, mut b) = (t.as_view_mut().unwrap(), t.as_view_mut().unwrap());
/// a.fill(0.0);
/// ```
/// ```compile_fail,E0502
/// let mut t = tensor::TypedTensor::<f32>::zeros([2]).unwrap();
/// let read = t.as_view().unwrap();
/// t.as_view_mut().unwrap().fill(1.0);
/// println!("{read:?}");
/// ```
/// ```compile_fail,E0499
/// let mut data = [1, 2];
/// let mut view = tensor::TypedTensorViewMut::<i32>::from_slice([2], &mut data).unwrap();
/// let (mut a, mut b) = (view.transpose(), view.transpose());
/// a.fill(0);
/// ```
pub struct TypedTensorViewMut<'a, T, R: TensorRank = DynRank> {
    pub(super) data: &'a mut [T],
    pub(super) layout: TensorLayout<R>,
}

impl<'a, T, R: TensorRank> TypedTensorViewMut<'a, T, R> {
    /// A view whose layout is known to fit and to be free of overlap.
    pub(crate) fn trusted(data: &'a mut [T], layout: TensorLayout<R>) -> Self {
        debug_assert!(
            layout.validate_in_bounds(data.len()).is_ok(),
            "a view must fit its buffer"
        );
        Self { data, layout }
    }

    /// A view of the caller's memory, whose elements are listed with the last axis fastest.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shape's element count is not `data.len()`.
    pub fn from_slice(shape: impl IntoRankShape<R>, data: &'a mut [T]) -> Result<Self> {
        let layout = TypedTensorView::from_slice(shape, &*data)?.layout().clone();
        Ok(Self::trusted(data, layout))
    }

    /// A view of the caller's memory with any strides, in elements, that name no element twice.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if an element lies outside `data`, is named twice, or ranks differ.
    pub fn from_slice_strided(
        shape: impl IntoRankShape<R>,
        strides: &[isize],
        offset: usize,
        data: &'a mut [T],
    ) -> Result<Self> {
        const OP: &str = "from_slice_strided";
        let layout = TensorLayout::from_parts(shape, strides, offset, data.len())
            .map_err(TensorError::from_validation(OP))?;
        layout
            .validate_mutable_no_overlap()
            .map_err(TensorError::from_validation(OP))?;
        Ok(Self::trusted(data, layout))
    }

    /// The buffer and the layout, to build another kind of view from.
    pub(crate) fn into_raw(self) -> (&'a mut [T], TensorLayout<R>) {
        (self.data, self.layout)
    }

    /// The extents.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// The strides, in elements.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        self.layout.strides()
    }

    /// Shape, strides and offset.
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

    /// The whole buffer behind the view, in memory order; write it through [`TypedTensorViewMut::layout`].
    #[must_use]
    pub fn storage_mut(&mut self) -> &mut [T] {
        self.data
    }

    pub(super) fn into_storage(self) -> &'a mut [T] {
        self.data
    }

    /// The same view, read only.
    #[must_use]
    pub fn as_view(&self) -> TypedTensorView<'_, T, R> {
        TypedTensorView::trusted(self.data, self.layout.clone())
    }

    /// The elements in row-major order.
    ///
    /// # Errors
    /// [`ValidationError::NonContiguous`] if they do not lie so.
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
        if !self.layout.is_row_major_contiguous() {
            return Err(self.layout.non_contiguous("as_mut_slice").into());
        }
        let start = self.layout.offset();
        let len = self.len();
        Ok(&mut self.data[start..start + len])
    }

    /// The element at `index`.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the index has another rank or lies outside.
    pub fn get_mut(&mut self, index: &[usize]) -> Result<&mut T> {
        Ok(&mut self.data[self.layout.offset_of(index)?])
    }

    /// Calls `f` on every element, in row-major logical order.
    pub fn for_each(&mut self, f: impl FnMut(&mut T)) {
        self.iter_mut().for_each(f);
    }

    /// Writes `value` to every element.
    pub fn fill(&mut self, value: T)
    where
        T: Clone,
    {
        // Nobody can tell in which order, so the axes go in the order of memory.
        let mut in_memory = TypedTensorViewMut {
            layout: self.layout.descending(),
            data: self.data,
        };
        in_memory.for_each(|element| element.clone_from(&value));
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
        let _span = trace_span!(
            DEBUG,
            "copy_from",
            bytes = self.len().saturating_mul(size_of::<T>()),
            shape = ?self.shape(),
            strides = ?self.layout.strides(),
            from = ?source.layout().strides(),
            dtype = std::any::type_name::<T>(),
        );
        if self.layout.is_row_major_contiguous() {
            return source.copy_into(self.as_mut_slice()?);
        }
        // The side that is not dense drives the walk, run by run; stepping through a slice beside it is cheap.
        let mut from = source.iter();
        self.for_each(|to| {
            if let Some(from) = from.next() {
                to.clone_from(from);
            }
        });
        Ok(())
    }

    /// A shorter borrow of the same view.
    #[must_use]
    pub fn reborrow(&mut self) -> TypedTensorViewMut<'_, T, R> {
        TypedTensorViewMut {
            layout: self.layout.clone(),
            data: self.data,
        }
    }

    /// Axis `a` of the result is axis `axes[a]` of this view.
    ///
    /// # Errors
    /// [`TensorError::Validation`] unless `axes` names every axis once.
    pub fn permute(&mut self, axes: &[usize]) -> Result<TypedTensorViewMut<'_, T, R>> {
        Ok(TypedTensorViewMut {
            layout: self.layout.permute(axes)?,
            data: self.data,
        })
    }

    /// The axes in reverse order.
    #[must_use]
    pub fn transpose(&mut self) -> TypedTensorViewMut<'_, T, R> {
        TypedTensorViewMut {
            layout: self.layout.transpose(),
            data: self.data,
        }
    }

    /// The elements that `specs` take, one spec per leading axis.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there are more specs than axes or a step is 0.
    pub fn slice(&mut self, specs: &[SliceSpec]) -> Result<TypedTensorViewMut<'_, T, R>> {
        Ok(TypedTensorViewMut {
            layout: self.layout.slice(specs)?,
            data: self.data,
        })
    }

    /// The same elements, in row-major logical order, with another shape.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the element count differs, or if only a copy could do it.
    pub fn reshape(&mut self, shape: impl AsRef<[usize]>) -> Result<TypedTensorViewMut<'_, T>> {
        Ok(TypedTensorViewMut {
            layout: self.layout.reshape(shape)?,
            data: self.data,
        })
    }
}

/// Metadata only.
impl<T, R: TensorRank> fmt::Debug for TypedTensorViewMut<'_, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedTensorViewMut")
            .field("element", &std::any::type_name::<T>())
            .field("shape", &self.shape())
            .field("strides", &self.strides())
            .field("offset", &self.layout.offset())
            .finish()
    }
}
