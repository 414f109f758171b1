//! Copies between tensors wherever they are.
//!
//! | source | destination | how |
//! |---|---|---|
//! | host | host | element by element where they lie, without a buffer between |
//! | host | device | one write; elements in another order are arranged in host memory first |
//! | device | host | one read, straight into the destination where the order is the same |
//! | device | same device | the driver's own copy where the order is the same |
//! | device | device | a read to the host and a write from it |
//!
//! A destination with gaps (a slice of a device tensor) is read, filled in and written back, since devices copy ranges.
//! Invariant: dtypes and shapes are compared before anything is read, and everything is read before anything is written.

use std::any::Any;

use tensor_core::{DType, ValidationError, dispatch_dtype};

use super::DeviceBuffer;
#[cfg(feature = "tracing")]
use crate::Placement;
use crate::storage::{bytes_of, bytes_of_mut, try_vec};
use crate::{
    Result, SharedTensor, Tensor, TensorElement, TensorError, TensorLayout, TensorView,
    TensorViewMut, TypedTensor, TypedTensorView, TypedTensorViewMut, trace_span,
};

const OP: &str = "copy";

/// What is copied: a tensor or a part of one, wherever it is.
#[derive(Debug)]
pub struct Source<'a>(SourceKind<'a>);

#[derive(Debug)]
enum SourceKind<'a> {
    View(TensorView<'a>),
    Owner(&'a Tensor, &'a TensorLayout),
}

/// What is written: a tensor or a part of one, wherever it is.
#[derive(Debug)]
pub struct Target<'a>(TargetKind<'a>);

#[derive(Debug)]
enum TargetKind<'a> {
    View(TensorViewMut<'a>),
    Owner(&'a mut Tensor, TensorLayout),
}

impl<'a> From<&'a Tensor> for Source<'a> {
    fn from(tensor: &'a Tensor) -> Self {
        Self(SourceKind::Owner(tensor, tensor.layout()))
    }
}

impl<'a> From<&'a SharedTensor> for Source<'a> {
    fn from(tensor: &'a SharedTensor) -> Self {
        Self(SourceKind::Owner(tensor.owner(), tensor.layout()))
    }
}

impl<'a> From<TensorView<'a>> for Source<'a> {
    fn from(view: TensorView<'a>) -> Self {
        Self(SourceKind::View(view))
    }
}

impl<'a> From<&'a mut Tensor> for Target<'a> {
    fn from(tensor: &'a mut Tensor) -> Self {
        let layout = tensor.layout().clone();
        Self(TargetKind::Owner(tensor, layout))
    }
}

impl<'a> From<TensorViewMut<'a>> for Target<'a> {
    fn from(view: TensorViewMut<'a>) -> Self {
        Self(TargetKind::View(view))
    }
}

impl<'a> TryFrom<&'a mut SharedTensor> for Target<'a> {
    type Error = TensorError;

    /// Fails with [`TensorError::Shared`] where there are other holders, and with [`TensorError::Validation`] where the
    /// layout reaches an element twice.
    fn try_from(tensor: &'a mut SharedTensor) -> Result<Self> {
        let (owner, layout) = tensor.owner_mut(OP)?;
        Ok(Self(TargetKind::Owner(owner, layout)))
    }
}

impl Source<'_> {
    fn dtype(&self) -> DType {
        match &self.0 {
            SourceKind::View(view) => view.dtype(),
            SourceKind::Owner(tensor, _) => tensor.dtype(),
        }
    }

    fn shape(&self) -> &[usize] {
        match &self.0 {
            SourceKind::View(view) => view.shape(),
            SourceKind::Owner(_, layout) => layout.shape(),
        }
    }

    fn element_count(&self) -> usize {
        match &self.0 {
            SourceKind::View(view) => view.len(),
            SourceKind::Owner(_, layout) => layout.element_count(),
        }
    }

    #[cfg(feature = "tracing")]
    fn placement(&self) -> Placement {
        match &self.0 {
            SourceKind::View(_) => Placement::HOST,
            SourceKind::Owner(tensor, _) => tensor.placement(),
        }
    }
}

impl Target<'_> {
    fn dtype(&self) -> DType {
        match &self.0 {
            TargetKind::View(view) => view.dtype(),
            TargetKind::Owner(tensor, _) => tensor.dtype(),
        }
    }

    fn shape(&self) -> &[usize] {
        match &self.0 {
            TargetKind::View(view) => view.shape(),
            TargetKind::Owner(_, layout) => layout.shape(),
        }
    }

    #[cfg(feature = "tracing")]
    fn placement(&self) -> Placement {
        match &self.0 {
            TargetKind::View(_) => Placement::HOST,
            TargetKind::Owner(tensor, _) => tensor.placement(),
        }
    }
}

/// Copies the elements of `source` to `target`, which has the same dtype and shape, and waits until it is done.
///
/// Layouts may be any on either side. Nothing is written unless everything fits; if a device fails in the middle of
/// writing, the destination holds anything.
///
/// ```
/// use tensor::{SliceSpec, Tensor, device::copy};
/// let source = Tensor::from_vec_row_major([2, 2], vec![1, 2, 3, 4])?;
/// let mut target = Tensor::from_vec_col_major([2, 2], vec![0; 4])?;
/// copy(&source, &mut target)?;
/// assert_eq!(target.to_vec::<i32>()?, [1, 2, 3, 4]);
/// let other = Tensor::from_vec_row_major([2, 2], vec![1.0_f32; 4])?;
/// assert_eq!(
///     copy(&other, &mut target).unwrap_err().to_string(),
///     "copy: dtype mismatch: expected F32, actual I32"
/// );
/// # Ok::<(), tensor::TensorError>(())
/// ```
///
/// # Errors
/// [`TensorError::DTypeMismatch`] and [`TensorError::Validation`] if dtypes or shapes differ,
/// [`TensorError::UnsupportedDType`] for external scalars, [`TensorError::ReadOnly`] or [`TensorError::NotOnHost`] for a
/// destination that nobody here can write, [`TensorError::OutOfMemory`], or [`TensorError::Device`].
pub fn copy<'s, 't>(source: impl Into<Source<'s>>, target: impl Into<Target<'t>>) -> Result<()> {
    let (source, target) = (source.into(), target.into());
    let (expected, actual) = (source.dtype(), target.dtype());
    if expected != actual {
        return Err(TensorError::DTypeMismatch {
            op: OP,
            expected,
            actual,
        });
    }
    if source.shape() != target.shape() {
        let (lhs, rhs) = (source.shape().into(), target.shape().into());
        return Err(ValidationError::ShapeMismatch { op: OP, lhs, rhs }.into());
    }
    dispatch_dtype!(expected, T => copy_typed::<T>(source, target),
        _id => Err(TensorError::UnsupportedDType { op: OP, dtype: expected }))
}

/// A source whose element type and place are known.
enum Found<'a, T: TensorElement> {
    Host(TypedTensorView<'a, T>),
    Device(&'a DeviceBuffer<T>, &'a TensorLayout),
    /// Downloaded from a buffer that only its own backend knows.
    Copied(Vec<T>, &'a TensorLayout),
}

/// The device buffer below a tensor of type `T`, if it has one.
pub(super) fn device_buffer<T: TensorElement>(tensor: &Tensor) -> Option<&DeviceBuffer<T>> {
    let buffer: &dyn Any = tensor.as_typed::<T>()?.buffer()?.as_any();
    buffer.downcast_ref()
}

fn mismatch<T: TensorElement>(actual: DType) -> TensorError {
    TensorError::DTypeMismatch {
        op: OP,
        expected: T::dtype(),
        actual,
    }
}

fn find<T: TensorElement>(source: Source<'_>) -> Result<Found<'_, T>> {
    let wrong = mismatch::<T>(source.dtype());
    let (tensor, layout) = match source.0 {
        SourceKind::View(view) => return Ok(Found::Host(view.as_typed().ok_or(wrong)?.clone())),
        SourceKind::Owner(tensor, layout) => (tensor, layout),
    };
    if let Some(buffer) = device_buffer(tensor) {
        return Ok(Found::Device(buffer, layout));
    }
    let typed = tensor.as_typed::<T>().ok_or(wrong)?;
    match typed.buffer() {
        Some(buffer) if !typed.is_on_host() => Ok(Found::Copied(buffer.download()?, layout)),
        _ => TypedTensorView::from_layout(layout.clone(), typed.storage()?).map(Found::Host),
    }
}

fn copy_typed<T: TensorElement>(source: Source<'_>, target: Target<'_>) -> Result<()> {
    let wrong = mismatch::<T>(target.dtype());
    let bytes = source.element_count().saturating_mul(size_of::<T>());
    let _span = trace_span!(
        DEBUG,
        "copy",
        bytes,
        shape = ?source.shape(),
        dtype = %T::dtype(),
        from = %source.placement(),
        device = %target.placement(),
    );
    // The allocator of a block that the host writes in place; a driver's copies are counted where the driver is called.
    let mut counted = None;
    let mut view = match target.0 {
        TargetKind::View(view) => view,
        TargetKind::Owner(tensor, layout) => {
            if let Some(buffer) = device_buffer::<T>(tensor) {
                return write_from(find(source)?, buffer, &layout);
            }
            counted = tensor
                .as_typed::<T>()
                .and_then(TypedTensor::allocator)
                .cloned();
            tensor.view_mut()?.with_layout(layout)
        }
    };
    let view = view.as_typed_mut::<T>().ok_or(wrong)?;
    match find(source)? {
        Found::Host(source) => view.copy_from(&source),
        Found::Device(buffer, layout) => read_into(buffer, layout, view),
        Found::Copied(data, layout) => {
            view.copy_from(&TypedTensorView::from_layout(layout.clone(), &data)?)
        }
    }?;
    if let Some(allocator) = counted {
        allocator.counters().copied_in(bytes);
    }
    Ok(())
}

/// The first element and the number of elements from there to the last one; `None` without elements.
pub(super) fn span(layout: &TensorLayout) -> Option<(usize, usize)> {
    let (first, last) = layout.min_max_offset()?;
    Some((first, last - first + 1))
}

/// Whether one range of memory, copied as it is, takes the elements of `from` to those of `to`, which has the same shape
/// and names no element twice.
pub(super) fn is_one_range(from: &TensorLayout, to: &TensorLayout) -> bool {
    let axes = from
        .shape()
        .iter()
        .zip(from.strides().iter().zip(to.strides()));
    let same = axes
        .into_iter()
        .all(|(&extent, (from, to))| extent <= 1 || from == to);
    // Elements that are all different and as many as their range has leave no gap.
    same && span(to).is_some_and(|(_, len)| len == to.element_count())
}

/// The elements from the first to the last that `layout` names, and the layout that reads them from there.
fn fetch<T: TensorElement>(
    buffer: &DeviceBuffer<T>,
    layout: &TensorLayout,
) -> Result<(Vec<T>, TensorLayout)> {
    let (start, len) = span(layout).unwrap_or((0, 0));
    let moved = layout.rebased(start).unwrap_or_else(|| layout.clone());
    Ok((buffer.read(OP, start, len)?, moved))
}

fn read_into<T: TensorElement>(
    buffer: &DeviceBuffer<T>,
    layout: &TensorLayout,
    view: &mut TypedTensorViewMut<'_, T>,
) -> Result<()> {
    let (Some((from, len)), Some((to, _))) = (span(layout), span(view.layout())) else {
        return Ok(());
    };
    if is_one_range(layout, view.layout()) {
        let failed = TensorError::from_device(OP);
        if let Some(bytes) = bytes_of_mut(&mut view.storage_mut()[to..to + len]) {
            let range = buffer.range(from, len).map_err(&failed)?;
            return buffer.download_range(&range, bytes).map_err(failed);
        }
    }
    let (data, moved) = fetch(buffer, layout)?;
    view.copy_from(&TypedTensorView::from_layout(moved, &data)?)
}

fn write_from<T: TensorElement>(
    source: Found<'_, T>,
    buffer: &DeviceBuffer<T>,
    layout: &TensorLayout,
) -> Result<()> {
    match source {
        Found::Host(view) => write(&view, buffer, layout),
        Found::Copied(data, from) => write(
            &TypedTensorView::from_layout(from.clone(), &data)?,
            buffer,
            layout,
        ),
        Found::Device(other, from) => {
            let (Some((start, len)), Some((to, _))) = (span(from), span(layout)) else {
                return Ok(());
            };
            let one_driver = other.driver().device() == buffer.driver().device();
            if one_driver && is_one_range(from, layout) {
                let failed = TensorError::from_device(OP);
                let from = other.range(start, len).map_err(&failed)?;
                let to = buffer.range(to, len).map_err(&failed)?;
                return buffer.copy_range(other, &from, &to).map_err(failed);
            }
            let (data, moved) = fetch(other, from)?;
            write(&TypedTensorView::from_layout(moved, &data)?, buffer, layout)
        }
    }
}

/// Writes host elements to the elements of `buffer` that `layout` names.
fn write<T: TensorElement>(
    view: &TypedTensorView<'_, T>,
    buffer: &DeviceBuffer<T>,
    layout: &TensorLayout,
) -> Result<()> {
    let failed = TensorError::from_device(OP);
    let (Some((from, _)), Some((start, len))) = (span(view.layout()), span(layout)) else {
        return Ok(());
    };
    let range = buffer.range(start, len).map_err(&failed)?;
    if is_one_range(view.layout(), layout) {
        let bytes = bytes_of(&view.storage()[from..from + len]);
        return buffer.upload_range(bytes, &range).map_err(failed);
    }
    let mut staging = if len == layout.element_count() {
        let mut staging = try_vec(OP, len)?;
        staging.resize(len, T::default());
        staging
    } else {
        buffer.read(OP, start, len)?
    };
    let moved = layout.rebased(start).unwrap_or_else(|| layout.clone());
    TypedTensorViewMut::trusted(&mut staging, moved).copy_from(view)?;
    buffer
        .upload_range(bytes_of(&staging), &range)
        .map_err(failed)
}
