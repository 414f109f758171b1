//! Elements added around a tensor: per axis a list of what is read where.

use graph::op::{PadMode, PadOp};
use tensor::{Tensor, TensorView};
use tensor_core::dispatch_dtype;

use super::index::{flatten, unflatten};
use super::{Call, ReferenceError, Result};

/// `y[i..] = x[i.. - begin..]` inside `x`; outside as the mode says.
pub(super) fn pad(op: PadOp, call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let input = call.input(0);
    let around = PadOp::around(call.facts)?;
    let mut maps = Vec::with_capacity(shape.len());
    for (axis, &(begin, end)) in around.iter().enumerate() {
        let repeated = Repeated {
            mode: op.mode,
            begin,
            end,
            extent: i64::try_from(input.shape()[axis]).unwrap_or(i64::MAX),
        };
        let nothing = ReferenceError::NothingToRepeat { op: call.op, axis };
        maps.push(repeated.sources(shape[axis]).ok_or(nothing)?);
    }
    let zero = Tensor::zeros(input.dtype(), [])?;
    let zero = zero.view()?;
    picked(call, &maps, call.optional(2).unwrap_or(&zero))
}

/// One axis and what is around it.
struct Repeated {
    mode: PadMode,
    begin: i64,
    end: i64,
    extent: i64,
}

impl Repeated {
    /// By index of the result: the index that is read, or `None` for the constant. No list if there is nothing to repeat.
    fn sources(&self, count: usize) -> Option<Vec<Option<usize>>> {
        // What is taken away goes first, so it is never repeated.
        let first = self.begin.min(0).saturating_neg();
        let len = self.extent + self.end.min(0) - first;
        let source = |at: usize| {
            let index = i64::try_from(at).ok()? - self.begin;
            let read = match self.mode {
                PadMode::Constant => {
                    return Some(usize::try_from(index).ok().filter(|_| index < self.extent));
                }
                _ if len <= 0 => return None,
                PadMode::Edge => (index - first).clamp(0, len - 1),
                PadMode::Wrap => (index - first).rem_euclid(len),
                PadMode::Reflect => {
                    let period = (2 * (len - 1)).max(1);
                    let at = (index - first).rem_euclid(period);
                    at.min(period - at)
                }
            };
            Some(usize::try_from(first + read).ok())
        };
        (0..count).map(source).collect()
    }
}

/// The elements of input 0 at the indices that `maps` has for each axis, `fill` where it has none.
pub(super) fn picked(
    call: &Call<'_>,
    maps: &[Vec<Option<usize>>],
    fill: &TensorView<'_>,
) -> Result<Tensor> {
    let input = call.input(0);
    let shape: Vec<usize> = maps.iter().map(Vec::len).collect();
    dispatch_dtype!(input.dtype(), T => {
        let (x, fill) = (input.to_vec::<T>()?, fill.to_vec::<T>()?);
        let count = shape.iter().product();
        let mut out = call.buffer::<T>(count)?;
        for at in 0..count {
            let axes = unflatten(at, &shape).into_iter().zip(maps);
            let read: Option<Vec<usize>> = axes.map(|(at, map)| map[at]).collect();
            out.push(match read {
                Some(index) => x[flatten(&index, input.shape())],
                None => fill[0],
            });
        }
        Ok(Tensor::from_vec_row_major(&shape[..], out)?)
    }, _id => Err(call.unsupported(input.dtype())))
}
