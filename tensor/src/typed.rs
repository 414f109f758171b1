//! Owned tensors whose element type is known when compiling.
//!
//! A [`TypedTensor`] is a layout and a storage. Its layout is dense (row-major or column-major, as the constructor says)
//! and starts at the first element, so it owns exactly as many elements as its shape has.
//!
//! Files: this one has the type and its metadata; `construct` makes tensors, `allocated` makes them in memory of an
//! allocator; `access` reads and writes elements; `convert` consumes.

mod access;
mod allocated;
mod complex;
mod construct;
mod convert;
mod dense_views;
#[cfg(test)]
mod tests;

pub(crate) use allocated::dense_in_axis_order;

use std::fmt;

use tensor_core::{DynRank, TensorLayout, TensorRank};

use crate::Placement;
use crate::storage::{Buffer, Dynamic, Representation};

/// An owned tensor: element type `T`, rank `R`, representation `D`. Move-only unless `D` is [`Host`](crate::Host).
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
/// In an expression name the type parameters, at least as `TypedTensor::<f32>` or by the type of the variable: defaults of
/// parameters count in types only, and without them the compiler has no rank to read a shape for.
///
/// A copy has a name, since a clone could move data between memories unseen:
/// ```compile_fail,E0599
/// let t = tensor::TypedTensor::<f32>::zeros([2]).unwrap();
/// let copy = t.clone();
/// ```
/// A shape written as an array must have the static rank:
/// ```compile_fail,E0277
/// let t = tensor::TypedTensor::<f32, tensor::Rank<2>>::zeros([2, 3, 1]);
/// ```
pub struct TypedTensor<T, R: TensorRank = DynRank, D: Representation = Dynamic> {
    layout: TensorLayout<R>,
    storage: D::Storage<T>,
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

    /// Where the elements are: the kind of memory, the device, the cores close to it.
    #[must_use]
    pub fn placement(&self) -> Placement {
        D::placement(&self.storage)
    }

    /// Whether host code can read the elements where they are. If not, [`TypedTensor::to_host`] copies them.
    #[must_use]
    pub fn is_on_host(&self) -> bool {
        D::host(&self.storage, "is_on_host").is_ok()
    }

    /// The buffer that owns the elements; `None` for plain host memory.
    #[must_use]
    pub fn buffer(&self) -> Option<&dyn Buffer<T>> {
        D::buffer(&self.storage)
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
            .field("placement", &format_args!("{}", self.placement()))
            .finish()
    }
}
