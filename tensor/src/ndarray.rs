//! From and to the arrays of the `ndarray` crate, without copying elements; feature `ndarray`.
//!
//! **To `ndarray`.** Any layout becomes an array view with the same strides. `ndarray` builds views only from strides that
//! are not negative, so a view is built over the range of memory that the layout reaches with the strides' magnitudes, and
//! axes that run backwards are inverted after that. Owners hand over their vector.
//!
//! **From `ndarray`.** A view of ours holds a slice, and a slice is a claim on all elements of its range. An array view whose
//! elements have gaps between them (every second column, say) makes no such claim, since other views may be writing into
//! the gaps, so there is no sound way from it to a slice. Such an array is refused with an error that names the cure, a
//! copy. Arrays that fill their memory are taken in any axis order and direction.

#[cfg(test)]
mod tests;

use ::ndarray::{
    Array, ArrayBase, ArrayView, ArrayViewD, ArrayViewMut, ArrayViewMutD, Axis, Dimension, Ix0,
    Ix1, Ix2, Ix3, Ix4, Ix5, Ix6, IxDyn, RawData, ShapeBuilder, ShapeError, StrideShape,
};
use tensor_core::{DynRank, IntoRankShape, Rank, TensorLayout, TensorRank};

use crate::view::ViewError;
use crate::{
    Dynamic, Host, ReinterpretError, Result, TensorError, TypedTensor, TypedTensorView,
    TypedTensorViewMut,
};

/// A rank that `ndarray` has a dimension type for: [`DynRank`] and [`Rank<0>`](Rank) to [`Rank<6>`](Rank).
pub trait ArrayRank: TensorRank {
    /// The dimension type of `ndarray`.
    type Dim: Dimension;
}

macro_rules! array_ranks {
    ($($Rank:ty => $Dim:ty,)+) => {
        $(impl ArrayRank for $Rank {
            type Dim = $Dim;
        })+
    };
}

array_ranks! {
    DynRank => IxDyn,
    Rank<0> => Ix0,
    Rank<1> => Ix1,
    Rank<2> => Ix2,
    Rank<3> => Ix3,
    Rank<4> => Ix4,
    Rank<5> => Ix5,
    Rank<6> => Ix6,
}

/// The shape and the magnitudes of the strides.
fn magnitudes<R: TensorRank>(layout: &TensorLayout<R>) -> StrideShape<IxDyn> {
    // Nobody steps through an empty layout, and its strides may be anything.
    let strides: Vec<usize> = (layout.strides().iter())
        .map(|stride| {
            if layout.is_empty() {
                0
            } else {
                stride.unsigned_abs()
            }
        })
        .collect();
    IxDyn(layout.shape()).strides(IxDyn(&strides))
}

/// The range of memory that the layout reaches.
fn reach<R: TensorRank>(layout: &TensorLayout<R>) -> std::ops::Range<usize> {
    layout
        .min_max_offset()
        .map_or(0..0, |(min, max)| min..max + 1)
}

/// Turns the axes round that run backwards.
fn invert<S: RawData, R: TensorRank>(array: &mut ArrayBase<S, IxDyn>, layout: &TensorLayout<R>) {
    for (axis, &stride) in layout.strides().iter().enumerate() {
        if stride < 0 && !layout.is_empty() {
            array.invert_axis(Axis(axis));
        }
    }
}

fn refused<R: TensorRank>(
    op: &'static str,
    layout: &TensorLayout<R>,
) -> impl Fn(ShapeError) -> TensorError {
    let (shape, strides) = (layout.shape().into(), layout.strides().into());
    move |cause: ShapeError| {
        let (shape, strides): (Box<[usize]>, Box<[isize]>) =
            (Clone::clone(&shape), Clone::clone(&strides));
        let cause = cause.to_string();
        ViewError::NotAnArray {
            op,
            shape,
            strides,
            cause,
        }
        .into()
    }
}

/// The position of the first element in the slice that starts at the lowest address.
fn first_element(shape: &[usize], strides: &[isize]) -> usize {
    shape
        .iter()
        .zip(strides)
        .filter(|&(&extent, &stride)| extent > 1 && stride < 0)
        .map(|(&extent, &stride)| (extent - 1) * stride.unsigned_abs())
        .sum()
}

fn scattered(op: &'static str, shape: &[usize], strides: &[isize]) -> ViewError {
    ViewError::ScatteredArray {
        op,
        shape: shape.into(),
        strides: strides.into(),
    }
}

impl<'a, T, R: ArrayRank> TypedTensorView<'a, T, R> {
    /// The same elements as a view of `ndarray`, with the same strides; copies nothing.
    ///
    /// # Errors
    /// [`ViewError::NotAnArray`] if `ndarray` can't count the extents: it multiplies them though one is 0.
    pub fn to_ndarray(&self) -> Result<ArrayView<'a, T, R::Dim>> {
        const OP: &str = "to_ndarray";
        let layout = self.layout();
        let mut array = ArrayViewD::from_shape(magnitudes(layout), &self.storage()[reach(layout)])
            .map_err(refused(OP, layout))?;
        invert(&mut array, layout);
        array.into_dimensionality().map_err(refused(OP, layout))
    }
}

impl<'a, T, R: TensorRank> TypedTensorView<'a, T, R>
where
    for<'s> &'s [usize]: IntoRankShape<R>,
{
    /// The same elements as a view of ours, with the same strides; copies nothing.
    ///
    /// # Errors
    /// [`ViewError::ScatteredArray`] if the array does not fill its memory: take `array.as_standard_layout()`, which copies;
    /// [`TensorError::Validation`] if a static rank differs.
    pub fn from_ndarray<D: Dimension>(array: ArrayView<'a, T, D>) -> Result<Self> {
        const OP: &str = "from_ndarray";
        if array.is_empty() {
            return Self::from_slice(array.shape(), &[]);
        }
        let data = array
            .to_slice_memory_order()
            .ok_or_else(|| scattered(OP, array.shape(), array.strides()))?;
        let first = first_element(array.shape(), array.strides());
        Self::from_slice_strided(array.shape(), array.strides(), first, data)
    }
}

impl<'a, T, R: ArrayRank> TypedTensorViewMut<'a, T, R> {
    /// The same elements as a mutable view of `ndarray`, with the same strides; copies nothing.
    ///
    /// # Errors
    /// [`ViewError::NotAnArray`] if `ndarray` can't tell from the strides that no element has two indices, or can't count the
    /// extents.
    pub fn to_ndarray_mut(&mut self) -> Result<ArrayViewMut<'_, T, R::Dim>> {
        self.reborrow().into_ndarray_mut()
    }

    /// As [`TypedTensorViewMut::to_ndarray_mut`], for the whole life of the borrow.
    ///
    /// # Errors
    /// As [`TypedTensorViewMut::to_ndarray_mut`].
    pub fn into_ndarray_mut(self) -> Result<ArrayViewMut<'a, T, R::Dim>> {
        const OP: &str = "to_ndarray_mut";
        let (data, layout) = self.into_raw();
        let mut array = ArrayViewMutD::from_shape(magnitudes(&layout), &mut data[reach(&layout)])
            .map_err(refused(OP, &layout))?;
        invert(&mut array, &layout);
        array.into_dimensionality().map_err(refused(OP, &layout))
    }
}

impl<'a, T, R: TensorRank> TypedTensorViewMut<'a, T, R>
where
    for<'s> &'s [usize]: IntoRankShape<R>,
{
    /// The same elements as a mutable view of ours, with the same strides; copies nothing.
    ///
    /// # Errors
    /// As [`TypedTensorView::from_ndarray`].
    pub fn from_ndarray<D: Dimension>(array: ArrayViewMut<'a, T, D>) -> Result<Self> {
        const OP: &str = "from_ndarray";
        if array.is_empty() {
            return Self::from_slice(array.shape(), &mut []);
        }
        let (shape, strides) = (array.shape().to_vec(), array.strides().to_vec());
        let data = array
            .into_slice_memory_order()
            .ok_or_else(|| scattered(OP, &shape, &strides))?;
        let first = first_element(&shape, &strides);
        Self::from_slice_strided(&shape[..], &strides, first, data)
    }
}

impl<T, R: ArrayRank> TypedTensor<T, R, Host> {
    /// The same tensor as an array of `ndarray`, in the same memory order; copies nothing.
    ///
    /// # Errors
    /// The tensor itself, with [`ViewError::NotAnArray`] if `ndarray` can't count the extents: it multiplies them though one
    /// is 0.
    pub fn into_ndarray(self) -> Result<Array<T, R::Dim>, ReinterpretError<Self>> {
        // What a view can't be, an owner can't be either, and a failed owner would lose the vector.
        if let Err(error) = self
            .as_view()
            .and_then(|view| view.to_ndarray().map(|_| ()))
        {
            return Err(ReinterpretError::new(self, error));
        }
        let (data, layout) = self.into_parts();
        Ok(owned_array(data, &layout))
    }
}

impl<T, R: ArrayRank> TypedTensor<T, R, Dynamic> {
    /// The same tensor as an array of `ndarray`, in the same memory order; copies nothing.
    ///
    /// # Errors
    /// The tensor itself, if it is not plain host memory, or with [`ViewError::NotAnArray`] if `ndarray` can't count the
    /// extents: it multiplies them though one is 0.
    pub fn into_ndarray(self) -> Result<Array<T, R::Dim>, ReinterpretError<Self>> {
        self.into_host()?.into_ndarray().map_err(|failed| {
            let (owner, error) = failed.into_parts();
            ReinterpretError::new(owner.into_dynamic(), error)
        })
    }
}

impl<T, R: TensorRank> TypedTensor<T, R, Dynamic>
where
    for<'s> &'s [usize]: IntoRankShape<R>,
{
    /// The same array as a tensor, in the same memory order. Adopts the vector; elements move only if the array was cut out
    /// of a larger one, whose other elements are dropped.
    ///
    /// # Errors
    /// The array itself, with [`ViewError::ScatteredArray`] if it does not fill its memory or an axis runs backwards:
    /// take `array.as_standard_layout()`, which copies; or with [`TensorError::Validation`] if a static rank differs.
    pub fn from_ndarray<D: Dimension>(
        array: Array<T, D>,
    ) -> Result<Self, ReinterpretError<Array<T, D>>> {
        let layout = match owned_layout(&array) {
            Ok(layout) => layout,
            Err(error) => return Err(ReinterpretError::new(array, error)),
        };
        let count = layout.element_count();
        let (mut data, first) = array.into_raw_vec_and_offset();
        // No axis runs backwards, so the first element has the lowest address.
        let first = first.unwrap_or(0);
        data.truncate(first + count);
        data.drain(..first.min(data.len()));
        Ok(Self::from_dense(layout, data))
    }
}

/// The array of a layout of which a view was made before.
fn owned_array<T, R: ArrayRank>(data: Vec<T>, layout: &TensorLayout<R>) -> Array<T, R::Dim> {
    let made = Array::from_shape_vec(magnitudes(layout), data).map(|mut array| {
        invert(&mut array, layout);
        array
    });
    made.and_then(Array::into_dimensionality)
        .expect("a view of the same layout was made before")
}

/// The layout of an array that fills its memory, in any order of its axes.
fn owned_layout<T, R: TensorRank, D: Dimension>(array: &Array<T, D>) -> Result<TensorLayout<R>>
where
    for<'s> &'s [usize]: IntoRankShape<R>,
{
    const OP: &str = "from_ndarray";
    let named = TensorError::from_validation(OP);
    let (shape, strides) = (array.shape(), array.strides());
    if array.is_empty() {
        return TensorLayout::row_major(shape).map_err(named);
    }
    let dense = TensorLayout::row_major(shape).map_err(&named)?;
    // As many places as elements and no place twice: the elements fill the memory.
    TensorLayout::from_parts(shape, strides, 0, dense.element_count())
        .ok()
        .filter(|layout: &TensorLayout<R>| layout.validate_mutable_no_overlap().is_ok())
        .ok_or_else(|| scattered(OP, shape, strides).into())
}
