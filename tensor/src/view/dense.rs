//! Dense views of static rank: a shape and a slice, without strides.
//!
//! [`ColMajorView`] and [`RowMajorView`] read, [`ColMajorViewMut`] and [`RowMajorViewMut`] write. They hold nothing but the
//! extents and the elements, so a position costs one multiplication less than a strided one, an element access is
//! inlined without any error value on its way, and rows or columns are plain slices. They are what an inner loop of
//! hand-written numeric code wants; [`TypedTensorView`] is what everything else wants.
//!
//! One macro writes the types of both orders, because they differ only in which axis varies fastest.
//!
//! Invariant: the slice has exactly as many elements as the shape; [`Dense`] checks and keeps it.

mod lanes;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::{Index, IndexMut};
use std::slice;

use tensor_core::{Rank, TensorLayout, ValidationError};

use super::{TypedTensorView, TypedTensorViewMut};
use crate::Result;
use crate::storage::{Dense, DenseMut, Order};

pub use lanes::{DenseLanes, DenseLanesMut};

/// Out of line, so that an access inlines to its comparisons.
#[cold]
#[inline(never)]
fn outside(index: &[usize], shape: &[usize]) -> ! {
    panic!("index {index:?} is outside shape {shape:?}; use get() where the index may be wrong")
}

macro_rules! define_dense_views {
    (
        $View:ident, $ViewMut:ident, order $order:literal, fastest $fastest:literal axis $axis:expr,
        order_tag $Order:ident, layout $layout:ident, contiguous $is_contiguous:ident,
        from $view:ident $view_mut:ident $into_view_mut:ident
    ) => {
        #[doc = concat!("A borrowed dense view in ", $order, " order: ", $fastest, " axis varies fastest.")]
        ///
        /// ```
        #[doc = concat!("use tensor::", stringify!($View), ";")]
        #[doc = concat!("let view = ", stringify!($View), "::from_slice([2, 3], &[1, 2, 3, 4, 5, 6])?;")]
        /// assert_eq!(view[[1, 2]], 6);
        /// assert_eq!(view.get([2, 0]), None);
        /// # Ok::<(), tensor::TensorError>(())
        /// ```
        pub struct $View<'a, T, const N: usize> {
            dense: Dense<'a, T, N>,
        }

        #[doc = concat!("A borrowed dense view in ", $order, " order that can be written: ", $fastest, " axis varies fastest.")]
        pub struct $ViewMut<'a, T, const N: usize> {
            dense: DenseMut<'a, T, N>,
        }

        impl<T, const N: usize> Clone for $View<'_, T, N> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T, const N: usize> Copy for $View<'_, T, N> {}

        impl<'a, T, const N: usize> $View<'a, T, N> {
            #[doc = concat!("A view of the caller's memory, whose elements are listed with ", $fastest, " axis fastest.")]
            ///
            /// # Errors
            /// [`TensorError::Validation`](crate::TensorError::Validation) if the shape's element count is not `data.len()` or overflows.
            pub fn from_slice(shape: [usize; N], data: &'a [T]) -> Result<Self> {
                Dense::new(concat!(stringify!($View), "::from_slice"), shape, data).map(|dense| Self { dense })
            }

            /// The extents.
            #[inline]
            #[must_use]
            pub fn shape(&self) -> [usize; N] {
                self.dense.shape()
            }

            /// The number of elements.
            #[inline]
            #[must_use]
            pub fn len(&self) -> usize {
                self.as_slice().len()
            }

            /// Whether there is no element.
            #[inline]
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.as_slice().is_empty()
            }

            #[doc = concat!("The elements in ", $order, " order.")]
            #[inline]
            #[must_use]
            pub fn as_slice(&self) -> &'a [T] {
                self.dense.data()
            }

            #[doc = concat!("The elements in ", $order, " order.")]
            #[inline]
            pub fn iter(&self) -> slice::Iter<'a, T> {
                self.dense.data().iter()
            }

            /// The element at `index`, or `None` outside the shape.
            #[inline]
            #[must_use]
            pub fn get(&self, index: [usize; N]) -> Option<&'a T> {
                self.dense.get(&index, Order::$Order)
            }

            #[doc = concat!("The lanes along ", $fastest, " axis, each a contiguous slice, in ", $order, " order of the other axes.")]
            ///
            /// Rank 0 has one lane, of its one element.
            #[must_use]
            pub fn lanes(&self) -> DenseLanes<'a, T> {
                DenseLanes::new(self.dense.data(), &self.shape(), $axis(N))
            }

            /// The same elements as a view that can be transformed.
            #[must_use]
            pub fn to_typed_view(&self) -> TypedTensorView<'a, T, Rank<N>> {
                TypedTensorView::trusted(self.dense.data(), dense_layout(TensorLayout::$layout(self.dense.shape())))
            }
        }

        impl<'a, T, const N: usize> $ViewMut<'a, T, N> {
            #[doc = concat!("A view of the caller's memory, whose elements are listed with ", $fastest, " axis fastest.")]
            ///
            /// # Errors
            /// [`TensorError::Validation`](crate::TensorError::Validation) if the shape's element count is not `data.len()` or overflows.
            pub fn from_slice(shape: [usize; N], data: &'a mut [T]) -> Result<Self> {
                DenseMut::new(concat!(stringify!($ViewMut), "::from_slice"), shape, data).map(|dense| Self { dense })
            }

            /// The extents.
            #[inline]
            #[must_use]
            pub fn shape(&self) -> [usize; N] {
                self.dense.shape()
            }

            /// The number of elements.
            #[inline]
            #[must_use]
            pub fn len(&self) -> usize {
                self.as_slice().len()
            }

            /// Whether there is no element.
            #[inline]
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.as_slice().is_empty()
            }

            /// The same view, read only.
            #[inline]
            #[must_use]
            pub fn as_view(&self) -> $View<'_, T, N> {
                $View { dense: self.dense.as_dense() }
            }

            #[doc = concat!("The elements in ", $order, " order.")]
            #[inline]
            #[must_use]
            pub fn as_slice(&self) -> &[T] {
                self.dense.as_dense().data()
            }

            #[doc = concat!("The elements in ", $order, " order, to be written.")]
            #[inline]
            #[must_use]
            pub fn as_mut_slice(&mut self) -> &mut [T] {
                self.dense.data_mut()
            }

            #[doc = concat!("The elements in ", $order, " order.")]
            #[inline]
            pub fn iter(&self) -> slice::Iter<'_, T> {
                self.as_slice().iter()
            }

            #[doc = concat!("The elements in ", $order, " order, to be written.")]
            #[inline]
            pub fn iter_mut(&mut self) -> slice::IterMut<'_, T> {
                self.dense.data_mut().iter_mut()
            }

            /// The element at `index`, or `None` outside the shape.
            #[inline]
            #[must_use]
            pub fn get(&self, index: [usize; N]) -> Option<&T> {
                self.dense.as_dense().get(&index, Order::$Order)
            }

            /// The element at `index`, to be written, or `None` outside the shape.
            #[inline]
            #[must_use]
            pub fn get_mut(&mut self, index: [usize; N]) -> Option<&mut T> {
                self.dense.get_mut(&index, Order::$Order)
            }

            #[doc = concat!("The lanes along ", $fastest, " axis, each a contiguous slice.")]
            #[must_use]
            pub fn lanes(&self) -> DenseLanes<'_, T> {
                self.as_view().lanes()
            }

            #[doc = concat!("The lanes along ", $fastest, " axis, each a contiguous slice to be written.")]
            #[must_use]
            pub fn lanes_mut(&mut self) -> DenseLanesMut<'_, T> {
                let shape = self.shape();
                DenseLanesMut::new(self.dense.data_mut(), &shape, $axis(N))
            }

            /// The same elements as a mutable view that can be transformed.
            #[must_use]
            pub fn into_typed_view(self) -> TypedTensorViewMut<'a, T, Rank<N>> {
                let layout = dense_layout(TensorLayout::$layout(self.dense.shape()));
                TypedTensorViewMut::trusted(self.dense.into_data(), layout)
            }
        }

        /// Panics outside the shape.
        impl<T, const N: usize> Index<[usize; N]> for $View<'_, T, N> {
            type Output = T;

            #[inline]
            fn index(&self, index: [usize; N]) -> &T {
                match self.get(index) {
                    Some(element) => element,
                    None => outside(&index, &self.shape()),
                }
            }
        }

        /// Panics outside the shape.
        impl<T, const N: usize> Index<[usize; N]> for $ViewMut<'_, T, N> {
            type Output = T;

            #[inline]
            fn index(&self, index: [usize; N]) -> &T {
                match self.get(index) {
                    Some(element) => element,
                    None => outside(&index, &self.shape()),
                }
            }
        }

        /// Panics outside the shape.
        impl<T, const N: usize> IndexMut<[usize; N]> for $ViewMut<'_, T, N> {
            #[inline]
            fn index_mut(&mut self, index: [usize; N]) -> &mut T {
                let shape = self.shape();
                match self.get_mut(index) {
                    Some(element) => element,
                    None => outside(&index, &shape),
                }
            }
        }

        impl<'a, T, const N: usize> IntoIterator for &$View<'a, T, N> {
            type Item = &'a T;
            type IntoIter = slice::Iter<'a, T>;

            fn into_iter(self) -> slice::Iter<'a, T> {
                self.iter()
            }
        }

        impl<'a, T, const N: usize> IntoIterator for &'a mut $ViewMut<'_, T, N> {
            type Item = &'a mut T;
            type IntoIter = slice::IterMut<'a, T>;

            fn into_iter(self) -> slice::IterMut<'a, T> {
                self.iter_mut()
            }
        }

        /// Metadata only.
        impl<T, const N: usize> fmt::Debug for $View<'_, T, N> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($View))
                    .field("element", &std::any::type_name::<T>())
                    .field("shape", &self.shape())
                    .finish()
            }
        }

        /// Metadata only.
        impl<T, const N: usize> fmt::Debug for $ViewMut<'_, T, N> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($ViewMut))
                    .field("element", &std::any::type_name::<T>())
                    .field("shape", &self.shape())
                    .finish()
            }
        }

        impl<'a, T, const N: usize> TypedTensorView<'a, T, Rank<N>> {
            #[doc = concat!("The same elements as a [`", stringify!($View), "`].")]
            ///
            /// # Errors
            #[doc = concat!("[`ValidationError::NonContiguous`] unless they lie side by side in ", $order, " order.")]
            pub fn $view(&self) -> Result<$View<'a, T, N>> {
                if !self.layout().$is_contiguous() {
                    return Err(self.layout().non_contiguous(stringify!($view)).into());
                }
                let start = self.layout().offset();
                let data = &self.storage()[start..start + self.len()];
                Dense::new(stringify!($view), static_shape(self.layout()), data).map(|dense| $View { dense })
            }
        }

        impl<'a, T, const N: usize> TypedTensorViewMut<'a, T, Rank<N>> {
            #[doc = concat!("The same elements as a [`", stringify!($View), "`].")]
            ///
            /// # Errors
            #[doc = concat!("[`ValidationError::NonContiguous`] unless they lie side by side in ", $order, " order.")]
            pub fn $view(&self) -> Result<$View<'_, T, N>> {
                self.as_view().$view()
            }

            #[doc = concat!("The same elements as a [`", stringify!($ViewMut), "`].")]
            ///
            /// # Errors
            #[doc = concat!("[`ValidationError::NonContiguous`] unless they lie side by side in ", $order, " order.")]
            pub fn $view_mut(&mut self) -> Result<$ViewMut<'_, T, N>> {
                self.reborrow().$into_view_mut()
            }

            #[doc = concat!("As [`Self::", stringify!($view_mut), "`], for the whole life of the borrow.")]
            ///
            /// # Errors
            #[doc = concat!("[`ValidationError::NonContiguous`] unless they lie side by side in ", $order, " order.")]
            pub fn $into_view_mut(self) -> Result<$ViewMut<'a, T, N>> {
                if !self.layout().$is_contiguous() {
                    return Err(self.layout().non_contiguous(stringify!($view_mut)).into());
                }
                let (data, layout) = self.into_raw();
                let (start, len) = (layout.offset(), layout.element_count());
                let data = &mut data[start..start + len];
                DenseMut::new(stringify!($view_mut), static_shape(&layout), data).map(|dense| $ViewMut { dense })
            }
        }
    };
}

/// The extents as an array.
fn static_shape<const N: usize>(layout: &TensorLayout<Rank<N>>) -> [usize; N] {
    let mut shape = [0; N];
    shape.copy_from_slice(layout.shape());
    shape
}

/// The layout of a shape that a slice of elements fills.
fn dense_layout<const N: usize>(
    made: Result<TensorLayout<Rank<N>>, ValidationError>,
) -> TensorLayout<Rank<N>> {
    made.expect("the shape was counted when the view was made")
}

/// The first axis, the fastest in column-major order; rank 0 has none.
fn first(rank: usize) -> Option<usize> {
    (rank > 0).then_some(0)
}

/// The last axis, the fastest in row-major order; rank 0 has none.
fn last(rank: usize) -> Option<usize> {
    rank.checked_sub(1)
}

define_dense_views! {
    ColMajorView, ColMajorViewMut, order "column-major", fastest "the first" axis first,
    order_tag ColMajor, layout col_major, contiguous is_col_major_contiguous,
    from col_major_view col_major_view_mut into_col_major_view_mut
}

define_dense_views! {
    RowMajorView, RowMajorViewMut, order "row-major", fastest "the last" axis last,
    order_tag RowMajor, layout row_major, contiguous is_row_major_contiguous,
    from row_major_view row_major_view_mut into_row_major_view_mut
}
