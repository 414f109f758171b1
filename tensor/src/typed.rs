//! Owned tensors whose element type is known when compiling.
//!
//! A [`TypedTensor`] is a layout and a storage. Its layout is dense (row-major or column-major, as the constructor says)
//! and starts at the first element, so it owns exactly as many elements as its shape has.
//!
//! Files: this one has the type, its constructors and metadata; `access` reads and writes elements; `convert` consumes.

mod access;
mod complex;
mod convert;
mod dense_views;
#[cfg(test)]
mod tests;

use std::fmt;

use tensor_core::{DynRank, IntoRankShape, TensorLayout, TensorRank, ValidationError};

use crate::storage::{Dynamic, DynamicStorage, Host, HostStorage, Representation, try_vec};
use crate::{Result, TensorError};

/// An owned tensor: element type `T`, rank `R`, representation `D`. Move-only unless `D` is [`Host`].
///
/// `T` has no bound: any element type can be stored, viewed and indexed; only copies ask for `Clone`, and only what needs
/// a dtype asks for [`TensorElement`](crate::TensorElement).
///
/// ```
/// use tensor::TypedTensor;
/// let t = TypedTensor::<f32>::from_vec_row_major([2, 3], vec![1., 2., 3., 4., 5., 6.])?;
/// assert_eq!(t.get(&[1, 0])?, &4.0);
/// # Ok::<(), tensor::TensorError>(())
/// ```
///
/// A copy has a name, since a clone could move data between memories unseen:
/// ```compile_fail,E0599
/// let t = tensor::TypedTensor::<f32>::zeros([2]).unwrap();
/// let copy = t.clone();
/// ```
/// A shape written as an array must have the static rank, and element types do not mix:
/// ```compile_fail,E0277
/// let t = tensor::TypedTensor::<f32, tensor::Rank<2>>::zeros([2, 3, 1]);
/// ```
/// ```compile_fail,E0308
/// let t: tensor::TypedTensor<f64> = tensor::TypedTensor::<f32>::zeros([2]).unwrap();
/// ```
/// Nothing can be written while a view lives:
/// ```compile_fail,E0502
/// let mut t = tensor::Tensor::scalar(1.0_f32);
/// let view = t.view();
/// t.as_mut_slice::<f32>().unwrap()[0] = 2.0;
/// println!("{view}");
/// ```
pub struct TypedTensor<T, R: TensorRank = DynRank, D: Representation = Dynamic> {
    layout: TensorLayout<R>,
    storage: D::Storage<T>,
}

/// Checks that `data` fills the layout, and names `op` in what the layout refused.
fn filled<R: TensorRank>(
    op: &'static str,
    layout: Result<TensorLayout<R>, ValidationError>,
    length: usize,
) -> Result<TensorLayout<R>> {
    let layout = layout.map_err(TensorError::from_validation(op))?;
    let product = layout.element_count();
    if product == length {
        Ok(layout)
    } else {
        Err(ValidationError::ShapeDataLengthMismatch {
            op,
            product,
            length,
        }
        .into())
    }
}

fn filled_with<T: Clone>(op: &'static str, count: usize, value: T) -> Result<Vec<T>> {
    let mut data = try_vec(op, count)?;
    data.resize(count, value);
    Ok(data)
}

impl<T, R: TensorRank> TypedTensor<T, R, Dynamic> {
    fn from_host(layout: TensorLayout<R>, data: Vec<T>) -> Self {
        Self {
            layout,
            storage: DynamicStorage::Host(HostStorage::new(data)),
        }
    }

    /// A tensor of elements already in the order of a dense `layout` of as many elements.
    pub(crate) fn from_dense(layout: TensorLayout<R>, data: Vec<T>) -> Self {
        debug_assert_eq!(
            layout.element_count(),
            data.len(),
            "a dense layout owns its whole buffer"
        );
        Self::from_host(layout, data)
    }

    /// A tensor whose elements are listed with the last axis fastest. Adopts the vector; nothing is copied.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shape's rank is not `R` or its element count is not `data.len()`.
    pub fn from_vec_row_major(shape: impl IntoRankShape<R>, data: Vec<T>) -> Result<Self> {
        let layout = filled(
            "from_vec_row_major",
            TensorLayout::row_major(shape),
            data.len(),
        )?;
        Ok(Self::from_host(layout, data))
    }

    /// A tensor whose elements are listed with the first axis fastest. Adopts the vector; nothing is copied.
    ///
    /// # Errors
    /// As [`TypedTensor::from_vec_row_major`].
    pub fn from_vec_col_major(shape: impl IntoRankShape<R>, data: Vec<T>) -> Result<Self> {
        let layout = filled(
            "from_vec_col_major",
            TensorLayout::col_major(shape),
            data.len(),
        )?;
        Ok(Self::from_host(layout, data))
    }

    /// A row-major tensor in which every element is `value`.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shape's rank is not `R` or it overflows, or [`TensorError::OutOfMemory`].
    pub fn full(shape: impl IntoRankShape<R>, value: T) -> Result<Self>
    where
        T: Clone,
    {
        let layout =
            TensorLayout::row_major(shape).map_err(TensorError::from_validation("full"))?;
        let data = filled_with("full", layout.element_count(), value)?;
        Ok(Self::from_host(layout, data))
    }

    /// A row-major tensor in which every element is `T::default()`, the zero of a number.
    ///
    /// # Errors
    /// As [`TypedTensor::full`].
    pub fn zeros(shape: impl IntoRankShape<R>) -> Result<Self>
    where
        T: Clone + Default,
    {
        let layout =
            TensorLayout::row_major(shape).map_err(TensorError::from_validation("zeros"))?;
        let data = filled_with("zeros", layout.element_count(), T::default())?;
        Ok(Self::from_host(layout, data))
    }
}

impl<T> TypedTensor<T, DynRank, Dynamic> {
    /// A tensor of rank 0.
    #[must_use]
    pub fn scalar(value: T) -> Self {
        Self::from_host(TensorLayout::scalar(), vec![value])
    }
}

impl<T, R: TensorRank> TypedTensor<T, R, Host> {
    /// As [`TypedTensor::from_vec_row_major`], for a tensor that is known to be in host memory.
    ///
    /// # Errors
    /// As [`TypedTensor::from_vec_row_major`].
    pub fn from_host_vec_row_major(shape: impl IntoRankShape<R>, data: Vec<T>) -> Result<Self> {
        let layout = filled(
            "from_host_vec_row_major",
            TensorLayout::row_major(shape),
            data.len(),
        )?;
        Ok(Self {
            layout,
            storage: HostStorage::new(data),
        })
    }

    /// As [`TypedTensor::from_vec_col_major`], for a tensor that is known to be in host memory.
    ///
    /// # Errors
    /// As [`TypedTensor::from_vec_row_major`].
    pub fn from_host_vec_col_major(shape: impl IntoRankShape<R>, data: Vec<T>) -> Result<Self> {
        let layout = filled(
            "from_host_vec_col_major",
            TensorLayout::col_major(shape),
            data.len(),
        )?;
        Ok(Self {
            layout,
            storage: HostStorage::new(data),
        })
    }
}

impl<T, R: TensorRank, D: Representation> TypedTensor<T, R, D> {
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

    /// The number of axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.layout.rank()
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
}

/// Metadata only: printing never moves data. `Display` of a [`Tensor`](crate::Tensor) prints values.
impl<T, R: TensorRank, D: Representation> fmt::Debug for TypedTensor<T, R, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedTensor")
            .field("element", &std::any::type_name::<T>())
            .field("shape", &self.shape())
            .field("strides", &self.strides())
            .field("representation", &D::NAME)
            .finish()
    }
}
