//! Pools beside the largest element and the mean: where the largest is, and the norm.

use tensor_core::DType;

use super::pool::{pooled_shape, window_attrs};
use super::{Inputs, Window};
use crate::op::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{InferError, TensorType, ValueFacts};

pub(in crate::op) static ARG_MAX_POOL: OpDef = OpDef {
    name: "arg_max_pool",
    family: Family::Window,
    arity: (1, 1),
    algebra: Algebra::NONE,
    formula: "y[n, c, o..] = position in x of the first element of the window that is the largest",
    numerics: Numerics {
        accumulator: "",
        nan: "the first NaN is the largest",
        max_ulp: 0,
    },
    source: "ONNX MaxPool, output Indices",
};

pub(in crate::op) static LP_POOL: OpDef = OpDef {
    name: "lp_pool",
    family: Family::Window,
    arity: (1, 1),
    algebra: Algebra::NONE,
    formula: "y[n, c, o..] = (sum over k.. of |x[n, c, o * stride + k * dilation - pad]|^p)^(1/p)",
    numerics: Numerics {
        accumulator: "f32 for f32, f64 for f64",
        nan: "propagates",
        max_ulp: 8,
    },
    source: "ONNX LpPool",
};

/// Where the largest element of each window is: its position in the whole `[batch, channels, spatial..]`, as `i64`.
///
/// A window that holds only padding gives 0.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgMaxPool {
    /// Extents of the window.
    pub kernel: Vec<usize>,
    /// Strides, dilations, padding.
    pub window: Window,
    /// Whether a rest at the end gets a window of its own.
    pub ceil: bool,
    /// Whether positions count with the first spatial axis fastest rather than the last.
    pub column_major: bool,
}

impl Entry for ArgMaxPool {
    fn defs() -> Vec<&'static OpDef> {
        vec![&ARG_MAX_POOL]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(ArgMaxPool {
            kernel: attrs.usizes("kernel")?,
            window: Window::from_attrs(attrs)?,
            ceil: attrs.bool("ceil")?,
            column_major: attrs.bool("column_major")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &ARG_MAX_POOL
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let shape = pooled_shape(inputs, &self.window, &self.kernel, self.ceil)?;
        Ok(vec![ValueFacts::of_type(TensorType::new(
            DType::I64,
            shape,
        ))])
    }

    fn attrs(&self) -> Attrs {
        window_attrs(&self.window, &self.kernel, self.ceil)
            .with_bool("column_major", self.column_major)
    }
}

/// The p-norm of each window; padding counts as 0.
#[derive(Clone, Debug, PartialEq)]
pub struct LpPool {
    /// Extents of the window.
    pub kernel: Vec<usize>,
    /// Strides, dilations, padding.
    pub window: Window,
    /// Whether a rest at the end gets a window of its own.
    pub ceil: bool,
    /// The exponent, not 0.
    pub p: i64,
}

impl Entry for LpPool {
    fn defs() -> Vec<&'static OpDef> {
        vec![&LP_POOL]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(LpPool {
            kernel: attrs.usizes("kernel")?,
            window: Window::from_attrs(attrs)?,
            ceil: attrs.bool("ceil")?,
            p: attrs.int("p")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &LP_POOL
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        if self.p == 0 {
            return Err(inputs.attribute_error("p", 0, "there is no norm of this exponent"));
        }
        let shape = pooled_shape(inputs, &self.window, &self.kernel, self.ceil)?;
        let ty = TensorType::new(inputs.ty(0)?.dtype, shape);
        Ok(vec![ValueFacts::of_type(ty)])
    }

    fn attrs(&self) -> Attrs {
        window_attrs(&self.window, &self.kernel, self.ceil).with_int("p", self.p)
    }
}
