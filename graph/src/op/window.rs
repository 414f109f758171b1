//! Convolution and pooling over sliding windows.
//!
//! Inputs are `[batch, channels, spatial..]`. A window axis of extent `d` with kernel `k`, stride
//! `s`, dilation `l` and padding `p = begin + end` gives `(d + p - l * (k - 1) - 1) / s + 1`.

mod col2im;
mod deform;
mod more_pools;
mod pool;
mod transpose;

use super::rule::Inputs;
use super::{Algebra, Attr, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Dim, DimOp, InferError, TensorType, ValueFacts};

pub use col2im::Col2Im;
pub use deform::DeformConv;
pub use more_pools::{ArgMaxPool, LpPool};
pub use pool::{Pool, PoolKind};
pub use transpose::ConvTranspose;

/// How an input is padded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pad {
    /// Elements before and after each spatial axis.
    Explicit {
        /// Before.
        begin: Vec<usize>,
        /// After.
        end: Vec<usize>,
    },
    /// So that the result has `ceil(d / s)` elements; an odd rest goes after.
    SameUpper,
    /// So that the result has `ceil(d / s)` elements; an odd rest goes before.
    SameLower,
}

/// Strides, dilations and padding of the spatial axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Step between windows.
    pub strides: Vec<usize>,
    /// Step between the elements of a window.
    pub dilations: Vec<usize>,
    /// Padding.
    pub pad: Pad,
}

impl Window {
    fn from_attrs(attrs: &Attrs) -> Result<Window, String> {
        let (strides, dilations) = (attrs.usizes("strides")?, attrs.usizes("dilations")?);
        let pad = match attrs.optional("pads", Attrs::usizes)? {
            Some(pads) if pads.len() == 2 * strides.len() => {
                let (begin, end) = pads.split_at(strides.len());
                Pad::Explicit {
                    begin: begin.to_vec(),
                    end: end.to_vec(),
                }
            }
            Some(_) => return Err("pads needs a begin and an end per spatial axis".into()),
            None if attrs.bool("same_upper")? => Pad::SameUpper,
            None => Pad::SameLower,
        };
        Ok(Window {
            strides,
            dilations,
            pad,
        })
    }

    fn attrs(&self) -> Attrs {
        let attrs = Attrs::new()
            .with_usizes("strides", &self.strides)
            .with_usizes("dilations", &self.dilations);
        match &self.pad {
            Pad::Explicit { begin, end } => {
                attrs.with_usizes("pads", &[begin.as_slice(), end].concat())
            }
            Pad::SameUpper => attrs.with("same_upper", Attr::Word("true".into())),
            Pad::SameLower => attrs.with("same_upper", Attr::Word("false".into())),
        }
    }

    /// Padding before and after one axis of extent `extent`.
    pub fn padding(&self, axis: usize, extent: usize, kernel: usize) -> (usize, usize) {
        let same = || {
            let out = extent.div_ceil(self.strides[axis]);
            let span = self.dilations[axis] * (kernel - 1) + 1;
            ((out.saturating_sub(1)) * self.strides[axis] + span).saturating_sub(extent)
        };
        match &self.pad {
            Pad::Explicit { begin, end } => (begin[axis], end[axis]),
            Pad::SameUpper => (same() / 2, same() - same() / 2),
            Pad::SameLower => (same() - same() / 2, same() / 2),
        }
    }

    fn check(&self, inputs: &Inputs<'_>, kernel: &[Dim], spatial: usize) -> Result<(), InferError> {
        let lists = [("strides", &self.strides), ("dilations", &self.dilations)];
        for (name, list) in lists {
            if list.len() != spatial || list.contains(&0) {
                let reason = format!("needs {spatial} positive numbers, one per spatial axis");
                return Err(inputs.attribute_error(name, format!("{list:?}"), reason));
            }
        }
        if let Pad::Explicit { begin, end } = &self.pad
            && (begin.len() != spatial || end.len() != spatial)
        {
            let reason = format!("needs a begin and an end for {spatial} spatial axes");
            return Err(inputs.attribute_error("pads", format!("{begin:?}, {end:?}"), reason));
        }
        if kernel.len() != spatial || kernel.contains(&Dim::Known(0)) {
            let reason = format!("needs {spatial} positive extents");
            return Err(inputs.attribute_error("kernel", Attr::List(kernel.to_vec()), reason));
        }
        Ok(())
    }

    /// Extents of the result; `ceil` rounds a rest up to one more window, unless that window would
    /// start in the padding after the input.
    fn output(&self, spatial: &[Dim], kernel: &[Dim], ceil: bool) -> Vec<Dim> {
        let axis_extent = |axis: usize| {
            let stride = Dim::from(self.strides[axis]);
            let round_up = |d: Dim| Dim::apply(DimOp::Add, d, Dim::from(self.strides[axis] - 1));
            let Pad::Explicit { begin, end } = &self.pad else {
                return Dim::apply(DimOp::FloorDiv, round_up(spatial[axis].clone()), stride);
            };
            let padded = Dim::apply(
                DimOp::Add,
                spatial[axis].clone(),
                Dim::from(begin[axis].saturating_add(end[axis])),
            );
            let reach = Dim::apply(DimOp::Sub, kernel[axis].clone(), Dim::Known(1));
            let span = Dim::apply(DimOp::Mul, reach, Dim::from(self.dilations[axis]));
            let last = Dim::apply(
                DimOp::Sub,
                Dim::apply(DimOp::Sub, padded, span),
                Dim::Known(1),
            );
            let last = if ceil { round_up(last) } else { last };
            let windows = Dim::apply(
                DimOp::Add,
                Dim::apply(DimOp::FloorDiv, last, stride),
                Dim::Known(1),
            );
            let begin = i64::try_from(begin[axis]).unwrap_or(i64::MAX);
            match (windows.as_known(), spatial[axis].as_known()) {
                (Some(n), Some(d)) if ceil => {
                    let stride = i64::try_from(self.strides[axis]).unwrap_or(i64::MAX);
                    let starts_beyond = (n - 1).saturating_mul(stride) >= d.saturating_add(begin);
                    Dim::Known(if starts_beyond { n - 1 } else { n })
                }
                _ => windows,
            }
        };
        (0..spatial.len()).map(axis_extent).collect()
    }
}

pub(super) static CONV: OpDef = OpDef {
    name: "conv",
    family: Family::Window,
    arity: (2, 3),
    algebra: Algebra::NONE,
    formula: "y[n, m, o..] = bias[m] + sum over c, k.. of x[n, g * C/groups + c, o * stride + k * dilation - pad] * w[m, c, k..], g the group of m",
    numerics: Numerics {
        accumulator: "f32 for f32, f64 for f64, wrapping for integers",
        nan: "propagates",
        max_ulp: 16,
    },
    source: "ONNX Conv",
};

/// Cross-correlation: x `[batch, channels, spatial..]`, w `[out channels, channels / groups,
/// kernel..]`, bias `[out channels]` or left out.
///
/// **DTypes**: real numbers. Sums of integers are of their dtype and wrap: widen narrow ones first.
#[derive(Clone, Debug, PartialEq)]
pub struct Conv {
    /// Strides, dilations, padding.
    pub window: Window,
    /// Number of groups that the channels are split into.
    pub groups: usize,
}

impl Conv {
    fn check_channels(&self, inputs: &Inputs<'_>, bias: usize) -> Result<(), InferError> {
        let (x, w) = (inputs.ty(0)?, inputs.ty(1)?);
        let groups = i64::try_from(self.groups).unwrap_or(i64::MAX);
        if groups == 0 {
            return Err(inputs.attribute_error("groups", 0, "must be at least 1"));
        }
        if let (Some(c), Some(per_group)) = (x.shape[1].as_known(), w.shape[1].as_known())
            && per_group.checked_mul(groups) != Some(c)
        {
            let reason =
                format!("axis 1 of the weights must be the {c} channels / {groups} groups");
            return Err(inputs.shapes_error(0, 1, reason));
        }
        if w.shape[0].as_known().is_some_and(|m| m % groups != 0) {
            let reason = format!("the output channels are not divisible by {groups} groups");
            return Err(inputs.shape_error(1, reason));
        }
        match inputs.optional(bias) {
            Some(facts) if facts.ty.shape != w.shape[..1] => {
                Err(inputs.shapes_error(1, bias, "the bias needs one element per output channel"))
            }
            _ => Ok(()),
        }
    }

    /// The type of the result, for a bias at this position of the inputs.
    fn output_type(&self, inputs: &Inputs<'_>, bias: usize) -> Result<TensorType, InferError> {
        let dtype = inputs.same_dtype(0)?;
        let (x, w) = (inputs.ty(0)?, inputs.ty(1)?);
        if !(dtype.is_float() || dtype.is_integer()) {
            return Err(inputs.dtype_error(0, "a real number"));
        }
        if x.rank() < 3 {
            return Err(inputs.shape_error(0, "needs [batch, channels, spatial..]"));
        }
        if w.rank() != x.rank() {
            return Err(inputs.shapes_error(0, 1, "input and weights must have the same rank"));
        }
        self.check_channels(inputs, bias)?;
        self.window.check(inputs, &w.shape[2..], x.rank() - 2)?;
        let spatial = self.window.output(&x.shape[2..], &w.shape[2..], false);
        if spatial.iter().any(|d| d.as_known().is_some_and(|n| n < 0)) {
            return Err(inputs.shapes_error(0, 1, "the kernel is larger than the padded input"));
        }
        let channels = [x.shape[0].clone(), w.shape[0].clone()];
        Ok(TensorType::new(dtype, channels.into_iter().chain(spatial)))
    }
}

impl Entry for Conv {
    fn defs() -> Vec<&'static OpDef> {
        vec![&CONV]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(Conv {
            window: Window::from_attrs(attrs)?,
            groups: attrs.usize("groups")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &CONV
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        Ok(vec![ValueFacts::of_type(self.output_type(inputs, 2)?)])
    }

    fn attrs(&self) -> Attrs {
        let groups = i64::try_from(self.groups).unwrap_or(i64::MAX);
        self.window.attrs().with_int("groups", groups)
    }
}
