//! The same tensor in different memory.

use std::fmt;

use tensor::{DType, SliceSpec, Tensor, TensorView, dispatch_dtype};

/// How the inputs of a case lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Dense, last axis fastest.
    RowMajor,
    /// Dense, first axis fastest.
    ColumnMajor,
    /// Dense with the axes in a third order.
    Transposed,
    /// A box inside a larger tensor.
    Sliced,
    /// Every second element of every axis of a larger tensor.
    Stepped,
    /// Every axis backwards.
    Reversed,
    /// Stride 0 along one axis: the first element of that axis, repeated. The values are others than in the other layouts.
    Broadcast,
}

/// All layouts.
pub const LAYOUTS: &[Layout] = &[
    Layout::RowMajor,
    Layout::ColumnMajor,
    Layout::Transposed,
    Layout::Sliced,
    Layout::Stepped,
    Layout::Reversed,
    Layout::Broadcast,
];

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Layout::RowMajor => "row-major",
            Layout::ColumnMajor => "column-major",
            Layout::Transposed => "transposed",
            Layout::Sliced => "sliced",
            Layout::Stepped => "stepped",
            Layout::Reversed => "reversed",
            Layout::Broadcast => "broadcast",
        })
    }
}

/// A buffer and how to read a tensor from it.
#[derive(Debug)]
pub(super) struct Placed {
    buffer: Tensor,
    read: Read,
}

#[derive(Debug)]
enum Read {
    Permuted(Vec<usize>),
    Sliced(Vec<SliceSpec>),
    Broadcast(Vec<usize>),
}

impl Placed {
    pub(super) fn view(&self) -> TensorView<'_> {
        let view = self.buffer.view().expect("made on the host");
        match &self.read {
            Read::Permuted(order) => view.permute(order),
            Read::Sliced(specs) => view.slice(specs),
            Read::Broadcast(shape) => view.broadcast_to(shape),
        }
        .expect("the buffer was made for this view")
    }
}

impl Layout {
    /// A copy of `tensor` that lies so; `None` if it has too few axes or elements to differ from other layouts.
    pub(super) fn place(self, tensor: &Tensor) -> Option<Placed> {
        let rank = tensor.rank();
        let axes = || 0..rank;
        let specs = |spec: SliceSpec| vec![spec; rank];
        match self {
            Layout::RowMajor => permuted(tensor, axes().collect()),
            Layout::ColumnMajor if rank >= 2 => permuted(tensor, axes().rev().collect()),
            Layout::Transposed if rank >= 3 => {
                permuted(tensor, axes().map(|axis| (axis + 1) % rank).collect())
            }
            Layout::Sliced if rank >= 1 => {
                embedded(tensor, |n| n + 3, &specs(SliceSpec::range(1, -2)))
            }
            Layout::Stepped if rank >= 1 => embedded(
                tensor,
                |n| 2 * n + 1,
                &specs(SliceSpec::new(Some(1), None, 2)),
            ),
            Layout::Reversed if rank >= 1 => embedded(tensor, |n| n, &specs(SliceSpec::reverse())),
            Layout::Broadcast => {
                let axis = tensor.shape().iter().position(|&extent| extent > 1)?;
                let first = tensor
                    .view()
                    .ok()?
                    .slice_axis(axis, SliceSpec::range(0, 1))
                    .ok()?;
                Some(Placed {
                    buffer: first.to_contiguous().ok()?,
                    read: Read::Broadcast(tensor.shape().to_vec()),
                })
            }
            Layout::ColumnMajor
            | Layout::Transposed
            | Layout::Sliced
            | Layout::Stepped
            | Layout::Reversed => None,
        }
    }
}

/// A dense copy whose axes are stored in another order and read back by `order`.
fn permuted(tensor: &Tensor, order: Vec<usize>) -> Option<Placed> {
    let mut inverse = vec![0; order.len()];
    for (axis, &from) in order.iter().enumerate() {
        inverse[from] = axis;
    }
    let buffer = tensor
        .view()
        .ok()?
        .permute(&inverse)
        .ok()?
        .to_contiguous()
        .ok()?;
    Some(Placed {
        buffer,
        read: Read::Permuted(order),
    })
}

/// A copy inside a larger buffer of other values, where `specs` find it.
fn embedded(tensor: &Tensor, extent: fn(usize) -> usize, specs: &[SliceSpec]) -> Option<Placed> {
    let shape: Vec<usize> = tensor.shape().iter().map(|&n| extent(n)).collect();
    let mut buffer = filled(tensor.dtype(), &shape)?;
    dispatch_dtype!(tensor.dtype(), T => {
        let source = tensor.view().ok()?;
        let mut whole = buffer.as_typed_mut::<T>()?.as_view_mut().ok()?;
        whole.slice(specs).ok()?.copy_from(source.as_typed::<T>()?).ok()?;
    }, _id => return None);
    Some(Placed {
        buffer,
        read: Read::Sliced(specs.to_vec()),
    })
}

/// A tensor of elements that no test expects to see.
fn filled(dtype: DType, shape: &[usize]) -> Option<Tensor> {
    let bytes = vec![0x41; shape.iter().product::<usize>() * dtype.size_bytes()];
    Tensor::from_le_bytes(dtype, shape, &bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_reads_the_same_elements_from_other_memory() {
        let shape = [2, 3, 4];
        let values: Vec<i32> = (0..24).collect();
        let tensor = Tensor::from_vec_row_major(shape, values.clone()).expect("24 elements");
        let mut seen = Vec::new();
        for &layout in LAYOUTS {
            let placed = layout.place(&tensor).expect("three axes are enough");
            let view = placed.view();
            let made = view.to_vec::<i32>().expect("memory for 24 elements");
            if layout == Layout::Broadcast {
                assert_eq!(view.strides(), [0, 4, 1]);
                assert_eq!(made, [&values[..12], &values[..12]].concat());
            } else {
                assert_eq!(made, values, "{layout}");
            }
            assert!(!seen.contains(view.layout()), "{layout} looks like another");
            seen.push(view.layout().clone());
        }
        let scalar = Tensor::scalar(1_i32);
        assert_eq!(
            LAYOUTS
                .iter()
                .filter(|layout| layout.place(&scalar).is_some())
                .count(),
            1
        );
    }
}
