//! A shape and exactly as many elements, read without a second bounds check.
//!
//! An index that is below its extent on every axis has a position below the product of the extents, and [`Dense`] and
//! [`DenseMut`] hold as many elements as that product. The compiler can't see this, and a check it can't remove keeps a
//! loop over such accesses from becoming vector instructions (measured: five times the time), so the access skips it.
//!
//! Invariant: without an extent of 0, the product of `shape` does not overflow and is `data.len()`. The fields are
//! private to this file, the constructors check them, and nothing changes a length afterwards.

use tensor_core::{ValidationError, checked_element_count};

use crate::Result;

/// Which axis varies fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The first.
    ColMajor,
    /// The last.
    RowMajor,
}

/// The position of `index` in a dense buffer, or `None` if it is not below its extent on every axis.
#[inline]
fn position<const N: usize>(shape: &[usize; N], index: &[usize; N], order: Order) -> Option<usize> {
    let mut at = 0_usize;
    for step in 0..N {
        let axis = match order {
            Order::ColMajor => N - 1 - step,
            Order::RowMajor => step,
        };
        if index[axis] >= shape[axis] {
            return None;
        }
        // If every index is below its extent, no extent is 0, and by induction `at` stays below the product of the
        // extents so far, which divides the element count. Otherwise the value may wrap, and is dropped by the `None`.
        at = at.wrapping_mul(shape[axis]).wrapping_add(index[axis]);
    }
    Some(at)
}

fn check_length(op: &'static str, shape: &[usize], length: usize) -> Result<()> {
    let product = checked_element_count(op, shape)?;
    if product == length {
        Ok(())
    } else {
        Err(ValidationError::ShapeDataLengthMismatch {
            op,
            product,
            length,
        }
        .into())
    }
}

/// A shape and exactly as many elements.
#[derive(Debug)]
pub(crate) struct Dense<'a, T, const N: usize> {
    shape: [usize; N],
    data: &'a [T],
}

impl<T, const N: usize> Clone for Dense<'_, T, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for Dense<'_, T, N> {}

impl<'a, T, const N: usize> Dense<'a, T, N> {
    pub(crate) fn new(op: &'static str, shape: [usize; N], data: &'a [T]) -> Result<Self> {
        check_length(op, &shape, data.len())?;
        Ok(Self { shape, data })
    }

    #[inline]
    pub(crate) fn shape(&self) -> [usize; N] {
        self.shape
    }

    #[inline]
    pub(crate) fn data(&self) -> &'a [T] {
        self.data
    }

    #[inline]
    pub(crate) fn get(&self, index: &[usize; N], order: Order) -> Option<&'a T> {
        let at = position(&self.shape, index, order)?;
        // SAFETY: every index is below its extent, so `at` is below the product of the extents, which is `data.len()`.
        Some(unsafe { self.data.get_unchecked(at) })
    }
}

/// A shape and exactly as many elements, to be written.
#[derive(Debug)]
pub(crate) struct DenseMut<'a, T, const N: usize> {
    shape: [usize; N],
    data: &'a mut [T],
}

impl<'a, T, const N: usize> DenseMut<'a, T, N> {
    pub(crate) fn new(op: &'static str, shape: [usize; N], data: &'a mut [T]) -> Result<Self> {
        check_length(op, &shape, data.len())?;
        Ok(Self { shape, data })
    }

    #[inline]
    pub(crate) fn shape(&self) -> [usize; N] {
        self.shape
    }

    #[inline]
    pub(crate) fn as_dense(&self) -> Dense<'_, T, N> {
        Dense {
            shape: self.shape,
            data: self.data,
        }
    }

    #[inline]
    pub(crate) fn data_mut(&mut self) -> &mut [T] {
        self.data
    }

    pub(crate) fn into_data(self) -> &'a mut [T] {
        self.data
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: &[usize; N], order: Order) -> Option<&mut T> {
        let at = position(&self.shape, index, order)?;
        // SAFETY: every index is below its extent, so `at` is below the product of the extents, which is `data.len()`.
        Some(unsafe { self.data.get_unchecked_mut(at) })
    }
}
