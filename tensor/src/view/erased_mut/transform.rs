//! Transformations of an erased mutable view: each is the typed one of the variant inside.

use tensor_core::SliceSpec;

use super::TensorViewMut;
use crate::Result;
use crate::payload::{ViewMutPayload, each_preset};

impl TensorViewMut<'_> {
    /// Axis `a` of the result is axis `axes[a]` of this view.
    ///
    /// # Errors
    /// [`TensorError::Validation`](crate::TensorError::Validation) unless `axes` names every axis once.
    pub fn permute(&mut self, axes: &[usize]) -> Result<TensorViewMut<'_>> {
        each_preset!(ViewMutPayload, &mut self.payload, view => Ok(view.permute(axes)?.into()))
    }

    /// The axes in reverse order.
    #[must_use]
    pub fn transpose(&mut self) -> TensorViewMut<'_> {
        each_preset!(ViewMutPayload, &mut self.payload, view => view.transpose().into())
    }

    /// The elements that `specs` take, one spec per leading axis; see [`SliceSpec`].
    ///
    /// # Errors
    /// [`TensorError::Validation`](crate::TensorError::Validation) if there are more specs than axes or a step is 0.
    pub fn slice(&mut self, specs: &[SliceSpec]) -> Result<TensorViewMut<'_>> {
        each_preset!(ViewMutPayload, &mut self.payload, view => Ok(view.slice(specs)?.into()))
    }

    /// The elements that `spec` takes of axis `axis`.
    ///
    /// # Errors
    /// [`TensorError::Validation`](crate::TensorError::Validation) if there is no such axis or the step is 0.
    pub fn slice_axis(&mut self, axis: usize, spec: SliceSpec) -> Result<TensorViewMut<'_>> {
        each_preset!(ViewMutPayload, &mut self.payload, view => Ok(view.slice_axis(axis, spec)?.into()))
    }

    /// The elements at `index` of axis `axis`; that axis is gone from the result.
    ///
    /// # Errors
    /// [`TensorError::Validation`](crate::TensorError::Validation) if the axis or the index does not exist.
    pub fn index_axis(&mut self, axis: usize, index: usize) -> Result<TensorViewMut<'_>> {
        each_preset!(ViewMutPayload, &mut self.payload, view => Ok(view.index_axis(axis, index)?.into()))
    }

    /// The same elements, in row-major logical order, with another shape.
    ///
    /// # Errors
    /// [`TensorError::Validation`](crate::TensorError::Validation) if the element count differs, or if only a copy could do
    /// it.
    pub fn reshape(&mut self, shape: impl AsRef<[usize]>) -> Result<TensorViewMut<'_>> {
        let shape = shape.as_ref();
        each_preset!(ViewMutPayload, &mut self.payload, view => Ok(view.reshape(shape)?.into()))
    }

    /// The elements with index below `index` on `axis`, and the others.
    ///
    /// # Errors
    /// As [`TypedTensorViewMut::split_at`](crate::TypedTensorViewMut::split_at).
    pub fn split_at(
        &mut self,
        axis: usize,
        index: usize,
    ) -> Result<(TensorViewMut<'_>, TensorViewMut<'_>)> {
        each_preset!(ViewMutPayload, &mut self.payload, view => {
            let (low, high) = view.split_at(axis, index)?;
            Ok((low.into(), high.into()))
        })
    }

    /// The two slices `a` and `b`, which share no element.
    ///
    /// # Errors
    /// As [`TypedTensorViewMut::multi_slice_mut`](crate::TypedTensorViewMut::multi_slice_mut).
    pub fn multi_slice_mut(
        &mut self,
        a: &[SliceSpec],
        b: &[SliceSpec],
    ) -> Result<(TensorViewMut<'_>, TensorViewMut<'_>)> {
        each_preset!(ViewMutPayload, &mut self.payload, view => {
            let (a, b) = view.multi_slice_mut(a, b)?;
            Ok((a.into(), b.into()))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{DType, SliceSpec, Tensor};

    #[test]
    fn erased_mutable_views_are_transformed_and_split() {
        let mut t = Tensor::zeros(DType::I32, [2, 3]).unwrap();
        let mut view = t.view_mut().unwrap();
        let source = Tensor::full([3], 7_i32).unwrap();
        let mut row = view.index_axis(0, 1).unwrap();
        row.copy_from(&source.view().unwrap()).unwrap();
        let one = Tensor::full([2], 1_i32).unwrap();
        let mut turned = view.permute(&[1, 0]).unwrap();
        turned
            .index_axis(0, 0)
            .unwrap()
            .copy_from(&one.view().unwrap())
            .unwrap();
        let mut turned = view.transpose();
        let last = [SliceSpec::range(2, 3), SliceSpec::range(0, 1)];
        turned
            .slice(&last)
            .unwrap()
            .reshape([1])
            .unwrap()
            .as_mut_slice::<i32>()
            .unwrap()[0] = 9;
        let mut middle = view.slice_axis(1, SliceSpec::range(1, 2)).unwrap();
        assert!(middle.as_mut_slice::<i32>().is_err());
        let (low, high) = view.split_at(0, 1).unwrap();
        assert_eq!((low.shape(), high.shape()), (&[1, 3][..], &[1, 3][..]));
        assert!(view.split_at(1, 1).is_err());
        let range = |start| [SliceSpec::range(start, start + 1)];
        let (mut a, b) = view.multi_slice_mut(&range(1), &range(0)).unwrap();
        a.copy_from(&b.as_view()).unwrap();
        assert!(view.multi_slice_mut(&range(0), &range(0)).is_err());
        assert_eq!(t.to_vec::<i32>().unwrap(), [1, 0, 9, 1, 0, 9]);
    }
}
