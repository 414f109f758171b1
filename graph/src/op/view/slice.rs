//! Slices with a step.

use tensor_core::SliceSpec;

use super::{Inputs, SLICE};
use crate::op::{Attrs, Entry, OpDef};
use crate::{Dim, DimOp, InferError, TensorType, ValueFacts};

/// The slice of one axis, with numpy's meaning of the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceAxis {
    /// The axis, negative counted from the end.
    pub axis: i64,
    /// First index; negative counted from the end; clamped.
    pub start: i64,
    /// One past the last index; negative counted from the end; clamped.
    pub end: i64,
    /// Step, not 0; negative walks backwards.
    pub step: i64,
}

/// A slice. `axes: None`: the inputs after the first hold starts, ends, axes and steps; axes that
/// are left out are 0, 1, ..., steps that are left out are 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// The sliced axes.
    pub axes: Option<Vec<SliceAxis>>,
}

impl Slice {
    fn resolve(&self, inputs: &Inputs<'_>) -> Result<Vec<SliceAxis>, InferError> {
        if let Some(axes) = &self.axes {
            return Ok(axes.clone());
        }
        let (starts, ends) = (inputs.known_ints(1)?, inputs.known_ints(2)?);
        let count = starts.len();
        let axes = match inputs.optional(3) {
            Some(_) => inputs.known_ints(3)?,
            None => (0..).take(count).collect(),
        };
        let steps = match inputs.optional(4) {
            Some(_) => inputs.known_ints(4)?,
            None => vec![1; count],
        };
        if [ends.len(), axes.len(), steps.len()] != [count; 3] {
            let lengths = format!("{count}, {}, {}, {}", ends.len(), axes.len(), steps.len());
            return Err(inputs.attribute_error(
                "starts, ends, axes, steps",
                lengths,
                "must have the same length",
            ));
        }
        let at = |i: usize| SliceAxis {
            axis: axes[i],
            start: starts[i],
            end: ends[i],
            step: steps[i],
        };
        Ok((0..count).map(at).collect())
    }

    /// The op with its slices as an attribute.
    ///
    /// # Errors
    /// As inference: bounds that are unknown, lists of different lengths.
    pub fn with_axes_of(&self, inputs: &[Option<&ValueFacts>]) -> Result<Slice, InferError> {
        Ok(Slice {
            axes: Some(self.resolve(&Inputs::new(&SLICE, inputs, "")?)?),
        })
    }
}

/// Exporters write bounds from here on (`i32::MAX`, `i64::MAX`, a billion) for "to the end". Where the extent is a symbol
/// they are taken as that; a number is compared exactly, also when a symbol is bound later.
const WHOLE: i64 = 1_000_000_000;

/// The extent of `dim` sliced; bounds beyond [`WHOLE`] excepted, it is exact for every number that a
/// symbol may be bound to.
fn sliced_extent(dim: &Dim, slice: SliceAxis) -> Dim {
    let SliceAxis {
        start, end, step, ..
    } = slice;
    if let Some(len) = dim.as_extent() {
        return Dim::from(resolved(len, start, end, step).1);
    }
    // Bounds are clamped to 0..=len going forward, to -1..=len - 1 going backward.
    let low = if step > 0 { 0 } else { -1 };
    let high = Dim::apply(DimOp::Add, dim.clone(), Dim::Known(low));
    let bound = |at: i64| -> Dim {
        if at <= -WHOLE {
            Dim::Known(low)
        } else if at < 0 {
            let from_end = Dim::apply(DimOp::Add, dim.clone(), Dim::Known(at));
            Dim::apply(DimOp::Max, from_end, Dim::Known(low))
        } else if at >= WHOLE {
            high.clone()
        } else if at == low {
            Dim::Known(low)
        } else {
            // min(at, high) = at + high - max(at, high)
            let sum = Dim::apply(DimOp::Add, high.clone(), Dim::Known(at));
            let max = Dim::apply(DimOp::Max, high.clone(), Dim::Known(at));
            Dim::apply(DimOp::Sub, sum, max)
        }
    };
    let span = if step > 0 {
        Dim::apply(DimOp::Sub, bound(end), bound(start))
    } else {
        Dim::apply(DimOp::Sub, bound(start), bound(end))
    };
    let stride = i64::try_from(step.unsigned_abs()).unwrap_or(i64::MAX);
    let rounded = Dim::apply(DimOp::Add, span, Dim::Known(stride - 1));
    let count = Dim::apply(DimOp::FloorDiv, rounded, Dim::Known(stride));
    Dim::apply(DimOp::Max, count, Dim::Known(0))
}

/// First index and number of elements that `start..end` with `step` takes from `len`.
fn resolved(len: usize, start: i64, end: i64, step: i64) -> (usize, usize) {
    let bound =
        |at: i64| isize::try_from(at).unwrap_or(if at < 0 { isize::MIN } else { isize::MAX });
    SliceSpec::new(Some(bound(start)), Some(bound(end)), bound(step))
        .resolve(len)
        .unwrap_or((0, 0))
}

/// Elements of a known vector that the slice takes.
fn slice_known(known: &[Dim], slice: SliceAxis) -> Option<Vec<Dim>> {
    let (first, count) = resolved(known.len(), slice.start, slice.end, slice.step);
    let step = isize::try_from(slice.step).ok()?;
    (0..count)
        .map(|i| {
            known
                .get(first.checked_add_signed(step.checked_mul(i.try_into().ok()?)?)?)
                .cloned()
        })
        .collect()
}

impl Entry for Slice {
    fn defs() -> Vec<&'static OpDef> {
        vec![&SLICE]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        let Some(axes) = attrs.optional("axes", Attrs::ints)? else {
            return Ok(Slice { axes: None });
        };
        let (starts, ends, steps) = (
            attrs.ints("starts")?,
            attrs.ints("ends")?,
            attrs.ints("steps")?,
        );
        if [starts.len(), ends.len(), steps.len()] != [axes.len(); 3] {
            return Err("axes, starts, ends and steps must have the same length".into());
        }
        let all = axes.iter().zip(&starts).zip(&ends).zip(&steps);
        let slice = |(((&axis, &start), &end), &step)| SliceAxis {
            axis,
            start,
            end,
            step,
        };
        Ok(Slice {
            axes: Some(all.map(slice).collect()),
        })
    }

    fn def(&self) -> &'static OpDef {
        &SLICE
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let facts = inputs.get(0)?;
        let mut shape = facts.ty.shape.clone();
        let mut known = facts.known.clone().filter(|_| shape.len() == 1);
        let slices = self.resolve(inputs)?;
        let axes: Vec<i64> = slices.iter().map(|s| s.axis).collect();
        inputs.axes("axes", &axes, shape.len())?;
        for slice in slices {
            let axis = inputs.axis("axes", slice.axis, shape.len())?;
            if slice.step == 0 {
                return Err(inputs.attribute_error("steps", 0, "a step of 0 never ends"));
            }
            shape[axis] = sliced_extent(&shape[axis], slice);
            known = known.and_then(|k| slice_known(&k, slice));
        }
        Ok(vec![ValueFacts::new(
            TensorType {
                dtype: facts.ty.dtype,
                shape,
            },
            known,
        )])
    }

    fn infer_unknown(&self, inputs: &Inputs<'_>) -> Result<Option<Vec<TensorType>>, InferError> {
        let x = inputs.ty(0)?;
        Ok(Some(vec![inputs.unknown_type(x.dtype, x.rank())]))
    }

    fn attrs(&self) -> Attrs {
        let Some(axes) = &self.axes else {
            return Attrs::new();
        };
        let list = |get: fn(&SliceAxis) -> i64| axes.iter().map(get).collect::<Vec<_>>();
        Attrs::new()
            .with_ints("axes", &list(|s| s.axis))
            .with_ints("starts", &list(|s| s.start))
            .with_ints("ends", &list(|s| s.end))
            .with_ints("steps", &list(|s| s.step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_follow_numpy() {
        // (len, start, end, step) -> len of numpy's range(len)[start:end:step]
        let cases = [
            ((10, 0, 10, 1), 10),
            ((10, 2, -1, 1), 7),
            ((10, -3, i64::MAX, 1), 3),
            ((10, 20, 30, 1), 0),
            ((10, 5, 2, 1), 0),
            ((10, 0, 10, 3), 4),
            ((10, -1, i64::MIN, -1), 10),
            ((10, 9, -1, -1), 0),
            ((10, 8, 2, -3), 2),
            ((0, 0, 10, 1), 0),
            ((0, -1, i64::MIN, -1), 0),
        ];
        for ((len, start, end, step), want) in cases {
            assert_eq!(
                resolved(len, start, end, step).1,
                want,
                "{len} {start} {end} {step}"
            );
        }
    }

    #[test]
    fn symbolic_extents_stay_expressions() {
        let w = Dim::from("W");
        let slice = |start, end, step| {
            sliced_extent(
                &w,
                SliceAxis {
                    axis: 0,
                    start,
                    end,
                    step,
                },
            )
        };
        assert_eq!(slice(0, i64::MAX, 1).to_string(), "W");
        assert_eq!(slice(0, 1_000_000_000, 1).to_string(), "W");
        assert_eq!(slice(0, -1, 1).to_string(), "max((W + -1), 0)");
        assert_eq!(slice(-1, i64::MIN, -1).to_string(), "W");
        assert_eq!(slice(0, i64::MAX, 2).to_string(), "((W + 1) / 2)");
    }

    #[test]
    fn symbolic_extents_are_right_whatever_is_bound() {
        let bounds = [-1_000_000_000, -7, -3, -1, 0, 1, 2, 5, i64::MAX];
        for start in bounds {
            for end in bounds {
                for step in [1, 2, 3, -1, -2, -5] {
                    let slice = SliceAxis {
                        axis: 0,
                        start,
                        end,
                        step,
                    };
                    let symbolic = sliced_extent(&Dim::from("W"), slice);
                    for len in 0..10 {
                        let bindings = crate::Bindings::from([(crate::Symbol::new("W"), len)]);
                        assert_eq!(
                            symbolic.substitute(&bindings),
                            Dim::from(resolved(len, start, end, step).1),
                            "range({len})[{start}:{end}:{step}] as {symbolic}"
                        );
                    }
                }
            }
        }
    }
}
