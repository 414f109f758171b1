//! Deformable convolution.

use super::{Conv, Inputs, Window};
use crate::op::rule::shapes_may_equal;
use crate::op::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Dim, DimOp, InferError, TensorType, ValueFacts};

pub(in crate::op) static DEFORM_CONV: OpDef = OpDef {
    name: "deform_conv",
    family: Family::Window,
    arity: (3, 5),
    algebra: Algebra::NONE,
    formula: "y[n, m, o..] = bias[m] + sum over c, k.. of w[m, c, k..] * mask[n, h, k.., o..] * x[n, g * C/groups + c, o * stride + k * dilation - pad + offset[n, h, k.., :, o..]], g the group of m and h the offset group of the channel, x read linearly between its elements and 0 outside",
    numerics: Numerics {
        accumulator: "f32 for f32, f64 for f64",
        nan: "propagates",
        max_ulp: 32,
    },
    source: "ONNX DeformConv; Zhu, Hu, Lin, Dai 2018",
};

/// A convolution whose taps move: inputs x `[batch, channels, spatial..]`, w `[out channels, channels / groups, kernel..]`,
/// offset `[batch, offset groups * taps * spatial axes, out spatial..]`, bias `[out channels]` or left out, and mask `[batch,
/// offset groups * taps, out spatial..]` or left out (1).
#[derive(Clone, Debug, PartialEq)]
pub struct DeformConv {
    /// Strides, dilations, padding.
    pub window: Window,
    /// Number of groups that the channels are split into.
    pub groups: usize,
    /// Number of groups of channels that share offsets and mask.
    pub offset_groups: usize,
}

impl DeformConv {
    fn check_offsets(&self, inputs: &Inputs<'_>, spatial: &[Dim]) -> Result<(), InferError> {
        let (x, w) = (inputs.ty(0)?, inputs.ty(1)?);
        let groups = i64::try_from(self.offset_groups).unwrap_or(i64::MAX);
        if groups == 0 || x.shape[1].as_known().is_some_and(|c| c % groups != 0) {
            let reason = format!("the channels of {x} are not divisible by it");
            return Err(inputs.attribute_error("offset_groups", groups, reason));
        }
        let taps = Dim::apply(DimOp::Mul, Dim::product(&w.shape[2..]), Dim::Known(groups));
        let numbers = Dim::apply(DimOp::Mul, taps.clone(), Dim::from(spatial.len()));
        for (index, channels) in [(2, numbers), (4, taps)] {
            let wanted = [&[x.shape[0].clone(), channels], spatial].concat();
            if index == 4 && inputs.optional(4).is_none() {
                continue;
            }
            let ty = inputs.ty(index)?;
            if !shapes_may_equal(&wanted, &ty.shape) {
                let wanted = TensorType::new(ty.dtype, wanted);
                return Err(inputs.shape_error(index, format!("{wanted} is needed")));
            }
        }
        Ok(())
    }
}

impl Entry for DeformConv {
    fn defs() -> Vec<&'static OpDef> {
        vec![&DEFORM_CONV]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(DeformConv {
            window: Window::from_attrs(attrs)?,
            groups: attrs.usize("groups")?,
            offset_groups: attrs.usize("offset_groups")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &DEFORM_CONV
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        inputs.float(0)?;
        let plain = Conv {
            window: self.window.clone(),
            groups: self.groups,
        };
        let ty = plain.output_type(inputs, 3)?;
        self.check_offsets(inputs, &ty.shape[2..])?;
        Ok(vec![ValueFacts::of_type(ty)])
    }

    fn attrs(&self) -> Attrs {
        self.window
            .attrs()
            .with_usize("groups", self.groups)
            .with_usize("offset_groups", self.offset_groups)
    }
}
