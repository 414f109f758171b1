//! [`SharedTensor`]: many owners of one tensor, each looking at the whole of it or at a part.
//!
//! Owners are counted, views of them cost no copy and keep the storage alive, and nobody can write while there is another
//! holder: what a [`TensorView`] borrows for a scope, a shared tensor owns for as long as it likes. The layout belongs to
//! the holder, so reshaping one never changes another.

use std::fmt;
use std::sync::Arc;

use tensor_core::{DType, SliceSpec, TensorLayout};

use crate::{
    Placement, ReinterpretError, Result, Tensor, TensorElement, TensorError, TensorView,
    TensorViewMut, TypedTensor,
};

/// A tensor with many owners. Cloning and every view operation copy no element.
///
/// ```
/// use tensor::{SliceSpec, Tensor};
/// let all = Tensor::from_vec_row_major([2, 3], vec![1, 2, 3, 4, 5, 6])?.into_shared();
/// let column = all.slice(&[SliceSpec::all(), SliceSpec::range(1, 2)])?;
/// drop(all);
/// assert_eq!(column.view()?.to_vec::<i32>()?, [2, 5]);
/// # Ok::<(), tensor::TensorError>(())
/// ```
#[derive(Clone)]
pub struct SharedTensor {
    owner: Arc<Tensor>,
    /// What this holder sees if it is not what the owner is, so that a holder of a whole tensor is one pointer to move.
    part: Option<Arc<TensorLayout>>,
}

impl From<Tensor> for SharedTensor {
    #[inline]
    fn from(tensor: Tensor) -> Self {
        Self {
            owner: Arc::new(tensor),
            part: None,
        }
    }
}

impl SharedTensor {
    /// A holder of `owner` that sees it through `layout`, which fits its buffer.
    pub(crate) fn trusted(owner: Arc<Tensor>, layout: TensorLayout) -> Self {
        let part = (layout != *owner.layout()).then(|| Arc::new(layout));
        Self { owner, part }
    }

    fn with_layout(&self, layout: TensorLayout) -> Self {
        Self::trusted(Arc::clone(&self.owner), layout)
    }

    /// A tensor of this one's shape with other elements, which are listed with the last axis fastest. Adopts the vector.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the element count is not `elements.len()`.
    #[inline]
    pub fn row_major_like<T: TensorElement>(&self, elements: Vec<T>) -> Result<Self> {
        let layout = self.layout();
        if elements.len() != layout.element_count() {
            return Ok(Tensor::from_vec_row_major(layout.shape(), elements)?.into());
        }
        let simple = self.part.is_none() && layout.is_row_major_contiguous();
        let layout = if simple {
            layout.clone()
        } else {
            layout.row_major_like()
        };
        let tensor = TypedTensor::from_dense(layout, elements);
        Ok(Self {
            owner: Arc::new(tensor.into()),
            part: None,
        })
    }

    /// The element type.
    #[inline]
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.owner.dtype()
    }

    /// Shape, strides and offset.
    #[inline]
    #[must_use]
    pub fn layout(&self) -> &TensorLayout {
        self.part.as_deref().unwrap_or_else(|| self.owner.layout())
    }

    /// The extents.
    #[inline]
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.layout().shape()
    }

    /// The strides, in elements.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        self.layout().strides()
    }

    /// The number of axes.
    #[inline]
    #[must_use]
    pub fn rank(&self) -> usize {
        self.layout().rank()
    }

    /// The number of logical elements.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.layout().element_count()
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layout().is_empty()
    }

    /// Where the elements are.
    #[must_use]
    pub fn placement(&self) -> Placement {
        self.owner.placement()
    }

    /// How many hold the storage, this one included.
    #[must_use]
    pub fn holders(&self) -> usize {
        Arc::strong_count(&self.owner)
    }

    /// Whether both look at one storage.
    #[must_use]
    pub fn shares_storage_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.owner, &other.owner)
    }

    /// The elements, to be read; copies and allocates nothing.
    ///
    /// # Errors
    /// [`TensorError::NotOnHost`]: a view never moves data.
    pub fn view(&self) -> Result<TensorView<'_>> {
        let all = self.owner.view()?;
        Ok(match self.part.as_deref() {
            None => all,
            Some(layout) => all.with_layout(layout.clone()),
        })
    }

    /// The elements, if they lie in row-major order without gaps.
    ///
    /// # Errors
    /// [`TensorError::DTypeMismatch`], [`TensorError::NotOnHost`], or
    /// [`ValidationError::NonContiguous`](tensor_core::ValidationError::NonContiguous) if they do not lie so.
    #[inline]
    pub fn as_slice<T: TensorElement>(&self) -> Result<&[T]> {
        let typed = self.owner.as_typed::<T>();
        let typed = typed.ok_or_else(|| self.owner.mismatch::<T>("as_slice"))?;
        if !self.layout().is_row_major_contiguous() {
            return Err(self.layout().non_contiguous("as_slice").into());
        }
        let start = self.layout().offset();
        Ok(&typed.storage()?[start..start + self.len()])
    }

    /// The elements, to be written. Only the single holder may.
    ///
    /// # Errors
    /// [`TensorError::Shared`], [`TensorError::Validation`] if the layout reaches an element twice (a broadcast), or as
    /// [`Tensor::view_mut`].
    pub fn view_mut(&mut self) -> Result<TensorViewMut<'_>> {
        let (owner, layout) = self.owner_mut("SharedTensor::view_mut")?;
        Ok(owner.view_mut()?.with_layout(layout))
    }

    /// The tensor below, to be written at the elements of the layout, which names none twice.
    pub(crate) fn owner_mut(&mut self, op: &'static str) -> Result<(&mut Tensor, TensorLayout)> {
        let layout = self.layout().clone();
        layout
            .validate_mutable_no_overlap()
            .map_err(TensorError::from_validation(op))?;
        let holders = self.holders();
        let owner = Arc::get_mut(&mut self.owner).ok_or(TensorError::Shared { op, holders })?;
        Ok((owner, layout))
    }

    /// The tensor that this looks at, if it sees all of it and the elements lie in row-major order without gaps.
    #[must_use]
    pub fn whole(&self) -> Option<&Arc<Tensor>> {
        let layout = self.owner.layout();
        let whole = self.part.is_none() && layout.is_row_major_contiguous();
        (whole && layout.offset() == 0).then_some(&self.owner)
    }

    /// The tensor below.
    pub(crate) fn owner(&self) -> &Tensor {
        &self.owner
    }

    /// The tensor, if this is its single holder and sees all of it; no element moves.
    ///
    /// # Errors
    /// The holder itself, with [`TensorError::Shared`] or [`TensorError::NotWhole`].
    pub fn try_into_tensor(self) -> Result<Tensor, ReinterpretError<Self>> {
        const OP: &str = "SharedTensor::try_into_tensor";
        if self.part.is_some() {
            let (shape, strides) = (self.shape().into(), self.strides().into());
            let error = TensorError::NotWhole {
                op: OP,
                shape,
                strides,
            };
            return Err(ReinterpretError::new(self, error));
        }
        let holders = self.holders();
        Arc::try_unwrap(self.owner).map_err(|owner| {
            let whole = Self { owner, part: None };
            ReinterpretError::new(whole, TensorError::Shared { op: OP, holders })
        })
    }

    /// The elements in row-major order: the same storage if they lie so, else a copy.
    ///
    /// # Errors
    /// [`TensorError::NotOnHost`] or [`TensorError::OutOfMemory`].
    pub fn to_contiguous(&self) -> Result<Self> {
        if self.layout().is_row_major_contiguous() {
            return Ok(self.clone());
        }
        Ok(self.view()?.to_contiguous()?.into())
    }

    /// Axis `a` of the result is axis `axes[a]` of this one.
    ///
    /// # Errors
    /// [`TensorError::Validation`] unless `axes` names every axis once.
    pub fn permute(&self, axes: &[usize]) -> Result<Self> {
        Ok(self.with_layout(self.layout().permute(axes)?))
    }

    /// The axes in reverse order.
    #[must_use]
    pub fn transpose(&self) -> Self {
        self.with_layout(self.layout().transpose())
    }

    /// The elements that `specs` take, one spec per leading axis; see [`SliceSpec`].
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there are more specs than axes or a step is 0.
    pub fn slice(&self, specs: &[SliceSpec]) -> Result<Self> {
        Ok(self.with_layout(self.layout().slice(specs)?))
    }

    /// The elements that `spec` takes of axis `axis`.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there is no such axis or the step is 0.
    pub fn slice_axis(&self, axis: usize, spec: SliceSpec) -> Result<Self> {
        Ok(self.with_layout(self.layout().slice_axis(axis, spec)?))
    }

    /// The elements at `index` of axis `axis`; that axis is gone from the result.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the axis or the index does not exist.
    pub fn index_axis(&self, axis: usize, index: usize) -> Result<Self> {
        Ok(self.with_layout(self.layout().index_axis(axis, index)?))
    }

    /// The same elements, in row-major logical order, with another shape.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the element count differs, or if only a copy could do it: `to_contiguous()` first.
    pub fn reshape(&self, shape: impl AsRef<[usize]>) -> Result<Self> {
        Ok(self.with_layout(self.layout().reshape(shape)?))
    }

    /// The elements repeated to `shape` by numpy's rules, with stride 0.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shapes do not broadcast.
    pub fn broadcast_to(&self, shape: impl AsRef<[usize]>) -> Result<Self> {
        Ok(self.with_layout(self.layout().broadcast_to(shape)?))
    }
}

/// Metadata only: `Display` prints values.
impl fmt::Debug for SharedTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedTensor")
            .field("dtype", &self.dtype())
            .field("shape", &self.shape())
            .field("strides", &self.strides())
            .field("placement", &format_args!("{}", self.placement()))
            .field("holders", &self.holders())
            .finish()
    }
}

impl fmt::Display for SharedTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.view() {
            Ok(view) => view.fmt(f),
            Err(_) => self.owner.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared() -> SharedTensor {
        Tensor::from_vec_row_major([2, 3], vec![1, 2, 3, 4, 5, 6])
            .unwrap()
            .into_shared()
    }

    #[test]
    fn holders_share_and_slices_keep_the_storage_alive() {
        let all = shared();
        let row = all.index_axis(0, 1).unwrap();
        assert!(row.shares_storage_with(&all.clone()));
        assert_eq!(row.holders(), 2);
        drop(all);
        assert_eq!(row.view().unwrap().to_vec::<i32>().unwrap(), [4, 5, 6]);
        assert_eq!(row.to_string(), "[4 5 6] i32[3]");
    }

    #[test]
    fn only_a_single_holder_writes() {
        let mut all = shared();
        let other = all.clone();
        let error = all.view_mut().unwrap_err();
        assert_eq!(
            error.to_string(),
            "SharedTensor::view_mut: 2 holders share the elements; drop the others, or make a copy of this one"
        );
        drop(other);
        let mut row = all.index_axis(0, 0).unwrap();
        drop(all);
        row.view_mut().unwrap().as_mut_slice::<i32>().unwrap()[2] = 9;
        assert_eq!(row.view().unwrap().to_vec::<i32>().unwrap(), [1, 2, 9]);
        let mut repeated = row.broadcast_to([2, 3]).unwrap();
        drop(row);
        assert!(matches!(
            repeated.view_mut(),
            Err(TensorError::Validation(_))
        ));
    }

    #[test]
    fn the_owner_comes_back_whole_or_the_holder_does() {
        let all = shared();
        let pointer = all.view().unwrap().as_slice::<i32>().unwrap().as_ptr();
        let other = all.clone();
        let (all, error) = all.try_into_tensor().unwrap_err().into_parts();
        assert!(matches!(error, TensorError::Shared { holders: 2, .. }));
        drop(other);
        let (turned, error) = all.transpose().try_into_tensor().unwrap_err().into_parts();
        assert!(matches!(error, TensorError::NotWhole { .. }));
        drop(turned);
        let tensor = all.try_into_tensor().unwrap();
        assert_eq!(tensor.as_slice::<i32>().unwrap().as_ptr(), pointer);
    }

    #[test]
    fn contiguous_shares_where_it_can() {
        let all = shared();
        assert!(
            all.to_contiguous().unwrap().shares_storage_with(&all)
                && !all
                    .transpose()
                    .to_contiguous()
                    .unwrap()
                    .shares_storage_with(&all)
        );
    }
}
