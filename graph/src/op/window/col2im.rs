//! Columns of windows put back together.

use super::{Inputs, Pad, Window};
use crate::op::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Dim, DimOp, InferError, TensorType, ValueFacts};

pub(in crate::op) static COL2IM: OpDef = OpDef {
    name: "col2im",
    family: Family::Window,
    arity: (3, 3),
    algebra: Algebra::NONE,
    formula: "y[n, c, i..] = sum over k.., o.. with o * stride + k * dilation - pad = i of x[n, (c, k..), (o..)]",
    numerics: Numerics {
        accumulator: "f32 for f32, f64 for f64",
        nan: "propagates",
        max_ulp: 4,
    },
    source: "ONNX Col2Im",
};

/// The sum of overlapping windows: x `[batch, channels * window elements, windows]`, the extents of the image and those of the
/// window, both as inputs. The padding is explicit.
#[derive(Clone, Debug, PartialEq)]
pub struct Col2Im {
    /// Strides, dilations, padding, as many as the image has axes.
    pub window: Window,
}

impl Entry for Col2Im {
    fn defs() -> Vec<&'static OpDef> {
        vec![&COL2IM]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(Col2Im {
            window: Window::from_attrs(attrs)?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &COL2IM
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let x = inputs.ty(0)?;
        inputs.float(0)?;
        inputs.indices(1)?;
        inputs.indices(2)?;
        let [batch, columns, count] = &x.shape[..] else {
            return Err(inputs.shape_error(0, "needs [batch, channels * window elements, windows]"));
        };
        let (image, kernel) = (inputs.known(1)?, inputs.known(2)?);
        if !matches!(self.window.pad, Pad::Explicit { .. }) {
            return Err(inputs.attribute_error(
                "same_upper",
                "true or false",
                "the padding must be explicit",
            ));
        }
        self.window.check(inputs, kernel, image.len())?;
        let negative = |dim: &Dim| dim.as_known().is_some_and(|n| n < 0);
        if image.iter().chain(kernel).any(negative) {
            return Err(inputs.shape_error(1, "extents of image and window can't be negative"));
        }
        let windows = self.window.output(image, kernel, false);
        let counted = Dim::product(&windows);
        if windows.iter().any(negative)
            || counted
                .as_known()
                .zip(count.as_known())
                .is_some_and(|(a, b)| a != b)
        {
            return Err(inputs.shape_error(0, format!("the image has {counted} windows")));
        }
        let elements = Dim::product(kernel);
        let rest = columns
            .as_known()
            .zip(elements.as_known())
            .is_some_and(|(c, k)| c % k != 0);
        if rest {
            let reason = format!("axis 1 is no multiple of the window's {elements} elements");
            return Err(inputs.shape_error(0, reason));
        }
        let channels = Dim::apply(DimOp::FloorDiv, columns.clone(), elements);
        let shape = [batch.clone(), channels]
            .into_iter()
            .chain(image.iter().cloned());
        Ok(vec![ValueFacts::of_type(TensorType::new(x.dtype, shape))])
    }

    fn infer_unknown(&self, inputs: &Inputs<'_>) -> Result<Option<Vec<TensorType>>, InferError> {
        let x = inputs.ty(0)?;
        let rank = inputs.list_len(1)?;
        Ok(rank.map(|rank| vec![inputs.unknown_type(x.dtype, rank + 2)]))
    }

    fn attrs(&self) -> Attrs {
        self.window.attrs()
    }
}
