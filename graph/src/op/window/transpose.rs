//! Transposed convolution.

use super::{Inputs, Pad, Window};
use crate::op::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Dim, DimOp, InferError, TensorType, ValueFacts};

pub(in crate::op) static CONV_TRANSPOSE: OpDef = OpDef {
    name: "conv_transpose",
    family: Family::Window,
    arity: (2, 3),
    algebra: Algebra::NONE,
    formula: "y[n, m, o..] = bias[m] + sum over c, i.., k.. with i * stride + k * dilation - begin = o of x[n, c, i..] * w[c, m within the group of c, k..]",
    numerics: Numerics {
        accumulator: "f32 for f32, f64 for f64",
        nan: "propagates",
        max_ulp: 16,
    },
    source: "ONNX ConvTranspose",
};

/// The gradient of a convolution: x `[batch, channels, spatial..]`, w `[channels, out channels / groups, kernel..]`, bias `[out
/// channels]` or left out.
///
/// A spatial axis of extent `d` gives `s * (d - 1) + output_padding + l * (k - 1) + 1 - begin - end`. With `output`, or a padding
/// of the kind "same" (which wants `s * d`), the extent is given and the padding follows from it: what the result lacks to the
/// unpadded extent, at least 0, is split in two halves, an odd rest at the end for `SameUpper` and else at the begin.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvTranspose {
    /// Strides, dilations, padding (what is taken away from the result).
    pub window: Window,
    /// Elements added at the end of each spatial axis of the result.
    pub output_padding: Vec<usize>,
    /// Extents of the spatial axes of the result, if they are given.
    pub output: Option<Vec<usize>>,
    /// Number of groups that the channels are split into.
    pub groups: usize,
}

impl ConvTranspose {
    /// Extent of the result without padding, along one axis.
    fn full(&self, axis: usize, extent: &Dim, kernel: &Dim) -> Dim {
        let (add, mul) = (DimOp::Add, DimOp::Mul);
        let steps = Dim::apply(DimOp::Sub, extent.clone(), Dim::Known(1));
        let last = Dim::apply(mul, steps, Dim::from(self.window.strides[axis]));
        let taps = Dim::apply(DimOp::Sub, kernel.clone(), Dim::Known(1));
        let reach = Dim::apply(mul, taps, Dim::from(self.window.dilations[axis]));
        let more = Dim::from(self.output_padding[axis].saturating_add(1));
        Dim::apply(add, Dim::apply(add, last, reach), more)
    }

    /// Extent of the result along one axis.
    fn extent(&self, axis: usize, extent: &Dim, kernel: &Dim) -> Dim {
        match (&self.output, &self.window.pad) {
            (Some(output), _) => Dim::from(output[axis]),
            (None, Pad::Explicit { begin, end }) => {
                let taken = Dim::from(begin[axis].saturating_add(end[axis]));
                Dim::apply(DimOp::Sub, self.full(axis, extent, kernel), taken)
            }
            (None, Pad::SameUpper | Pad::SameLower) => Dim::apply(
                DimOp::Mul,
                extent.clone(),
                Dim::from(self.window.strides[axis]),
            ),
        }
    }

    /// What is taken away at the begin of one axis of this extent and kernel.
    pub fn begin(&self, axis: usize, extent: usize, kernel: usize) -> usize {
        if let (None, Pad::Explicit { begin, .. }) = (&self.output, &self.window.pad) {
            return begin[axis];
        }
        let (extent, kernel) = (Dim::from(extent), Dim::from(kernel));
        let full = self.full(axis, &extent, &kernel);
        let lacks = Dim::apply(DimOp::Sub, full, self.extent(axis, &extent, &kernel));
        let lacks = lacks.as_extent().unwrap_or(0);
        match self.window.pad {
            Pad::SameUpper => lacks / 2,
            Pad::SameLower | Pad::Explicit { .. } => lacks - lacks / 2,
        }
    }

    fn check(&self, inputs: &Inputs<'_>) -> Result<(), InferError> {
        let (x, w) = (inputs.ty(0)?, inputs.ty(1)?);
        let spatial = x.rank() - 2;
        self.window.check(inputs, &w.shape[2..], spatial)?;
        let lists = [
            ("output_padding", Some(&self.output_padding)),
            ("output", self.output.as_ref()),
        ];
        for (name, list) in lists {
            if let Some(list) = list.filter(|list| list.len() != spatial) {
                let reason = format!("needs {spatial} numbers, one per spatial axis");
                return Err(inputs.attribute_error(name, format!("{list:?}"), reason));
            }
        }
        let groups = i64::try_from(self.groups).unwrap_or(i64::MAX);
        if groups == 0 {
            return Err(inputs.attribute_error("groups", 0, "must be at least 1"));
        }
        let channels = x.shape[1].as_known().zip(w.shape[0].as_known());
        if channels.is_some_and(|(x, w)| x != w || x % groups != 0) {
            let reason =
                format!("axis 0 of the weights must be the channels, divisible by {groups} groups");
            return Err(inputs.shapes_error(0, 1, reason));
        }
        Ok(())
    }
}

impl Entry for ConvTranspose {
    fn defs() -> Vec<&'static OpDef> {
        vec![&CONV_TRANSPOSE]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(ConvTranspose {
            window: Window::from_attrs(attrs)?,
            output_padding: attrs.usizes("output_padding")?,
            output: attrs.optional("output", Attrs::usizes)?,
            groups: attrs.usize("groups")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &CONV_TRANSPOSE
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        inputs.float(0)?;
        let dtype = inputs.same_dtype(0)?;
        let (x, w) = (inputs.ty(0)?, inputs.ty(1)?);
        if x.rank() < 3 {
            return Err(inputs.shape_error(0, "needs [batch, channels, spatial..]"));
        }
        if w.rank() != x.rank() {
            return Err(inputs.shapes_error(0, 1, "input and weights must have the same rank"));
        }
        self.check(inputs)?;
        let filters = Dim::apply(DimOp::Mul, w.shape[1].clone(), Dim::from(self.groups));
        if let Some(bias) = inputs.optional(2)
            && bias.ty.shape != [filters.clone()]
        {
            return Err(inputs.shapes_error(1, 2, "the bias needs one element per output channel"));
        }
        let mut shape = vec![x.shape[0].clone(), filters];
        for (axis, (extent, kernel)) in x.shape[2..].iter().zip(&w.shape[2..]).enumerate() {
            shape.push(self.extent(axis, extent, kernel));
        }
        if shape[2..]
            .iter()
            .any(|d| d.as_known().is_some_and(|n| n < 0))
        {
            let reason = "the padding takes more away than the result has";
            return Err(inputs.shapes_error(0, 1, reason));
        }
        Ok(vec![ValueFacts::of_type(TensorType::new(dtype, shape))])
    }

    fn attrs(&self) -> Attrs {
        let attrs = self
            .window
            .attrs()
            .with_usizes("output_padding", &self.output_padding);
        let attrs = match &self.output {
            Some(output) => attrs.with_usizes("output", output),
            None => attrs,
        };
        attrs.with_usize("groups", self.groups)
    }
}
