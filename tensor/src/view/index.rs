//! Square brackets on views of static rank.
//!
//! The error of [`TypedTensorView::get`] is built only after the index is known to be wrong, so an access inlines to its
//! comparisons and one multiplication per axis. Dense views ([`RowMajorView`](crate::RowMajorView),
//! [`ColMajorView`](crate::ColMajorView)) do without one of the multiplications.

use std::ops::{Index, IndexMut};

use tensor_core::{Rank, TensorLayout, TensorRank};

use super::{TypedTensorView, TypedTensorViewMut};

/// The position of `index`, or `None` outside the shape.
#[inline]
fn position<const N: usize>(layout: &TensorLayout<Rank<N>>, index: &[usize; N]) -> Option<usize> {
    let (shape, strides) = (layout.shape(), layout.strides());
    let mut at = layout.offset();
    for axis in 0..N {
        if index[axis] >= shape[axis] {
            return None;
        }
        // Modulo the word size, a product with a negative stride is the same as with its bits read as unsigned.
        at = at.wrapping_add(index[axis].wrapping_mul(strides[axis] as usize));
    }
    Some(at)
}

/// Out of line, so that an access inlines to its comparisons.
#[cold]
#[inline(never)]
fn outside<R: TensorRank>(layout: &TensorLayout<R>, index: &[usize]) -> ! {
    match layout.offset_of(index) {
        Err(error) => panic!("{error}; use get() where the index may be wrong"),
        Ok(at) => {
            unreachable!("position {at} of {index:?} is outside the buffer of a checked view")
        }
    }
}

/// Panics where [`TypedTensorView::get`] fails.
impl<T, const N: usize> Index<[usize; N]> for TypedTensorView<'_, T, Rank<N>> {
    type Output = T;

    #[inline]
    fn index(&self, index: [usize; N]) -> &T {
        let element = position(&self.layout, &index).and_then(|at| self.data.get(at));
        match element {
            Some(element) => element,
            None => outside(&self.layout, &index),
        }
    }
}

/// Panics outside the shape.
impl<T, const N: usize> Index<[usize; N]> for TypedTensorViewMut<'_, T, Rank<N>> {
    type Output = T;

    #[inline]
    fn index(&self, index: [usize; N]) -> &T {
        let element = position(&self.layout, &index).and_then(|at| self.data.get(at));
        match element {
            Some(element) => element,
            None => outside(&self.layout, &index),
        }
    }
}

/// Panics where [`TypedTensorViewMut::get_mut`] fails.
impl<T, const N: usize> IndexMut<[usize; N]> for TypedTensorViewMut<'_, T, Rank<N>> {
    #[inline]
    fn index_mut(&mut self, index: [usize; N]) -> &mut T {
        let element = position(&self.layout, &index).and_then(|at| self.data.get_mut(at));
        match element {
            Some(element) => element,
            None => outside(&self.layout, &index),
        }
    }
}
