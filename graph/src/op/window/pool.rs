//! Pooling.

use super::{Inputs, Window};
use crate::op::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Dim, InferError, TensorType, ValueFacts};

const fn def(
    name: &'static str,
    formula: &'static str,
    numerics: Numerics,
    source: &'static str,
) -> OpDef {
    OpDef {
        name,
        family: Family::Window,
        arity: (1, 1),
        algebra: Algebra::NONE,
        formula,
        numerics,
        source,
    }
}

pub(in crate::op) static MAX_POOL: OpDef = def(
    "max_pool",
    "y[n, c, o..] = max over k.. of x[n, c, o * stride + k * dilation - pad]; padding is left out",
    Numerics {
        accumulator: "",
        nan: "propagates",
        max_ulp: 0,
    },
    "ONNX MaxPool",
);

pub(in crate::op) static AVERAGE_POOL: OpDef = def(
    "average_pool",
    "y[n, c, o..] = sum over k.. of x[n, c, o * stride + k * dilation - pad] / number of terms, padding counted only with `count_pad`",
    Numerics {
        accumulator: "f32 for f32, f64 for f64",
        nan: "propagates",
        max_ulp: 4,
    },
    "ONNX AveragePool",
);

/// What a window gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PoolKind {
    /// The largest element; NaN if any is NaN.
    Max,
    /// The mean.
    Average,
}

impl PoolKind {
    pub(in crate::op) fn from_name(name: &str) -> Option<PoolKind> {
        [PoolKind::Max, PoolKind::Average]
            .into_iter()
            .find(|kind| kind.def().name == name)
    }

    fn def(self) -> &'static OpDef {
        match self {
            PoolKind::Max => &MAX_POOL,
            PoolKind::Average => &AVERAGE_POOL,
        }
    }
}

/// Pooling over `[batch, channels, spatial..]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// What a window gives.
    pub kind: PoolKind,
    /// Extents of the window.
    pub kernel: Vec<usize>,
    /// Strides, dilations, padding.
    pub window: Window,
    /// Whether a rest at the end gets a window of its own.
    pub ceil: bool,
    /// Whether padding counts as zeros in a mean.
    pub count_pad: bool,
}

impl Entry for Pool {
    fn defs() -> Vec<&'static OpDef> {
        vec![&MAX_POOL, &AVERAGE_POOL]
    }

    fn from_text(name: &str, attrs: &Attrs) -> Result<Self, String> {
        let kind = PoolKind::from_name(name).expect("the name is one of an entry");
        Ok(Pool {
            kind,
            kernel: attrs.usizes("kernel")?,
            window: Window::from_attrs(attrs)?,
            ceil: attrs.bool("ceil")?,
            count_pad: attrs.bool("count_pad")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        self.kind.def()
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let shape = pooled_shape(inputs, &self.window, &self.kernel, self.ceil)?;
        let ty = TensorType::new(inputs.ty(0)?.dtype, shape);
        Ok(vec![ValueFacts::of_type(ty)])
    }

    fn attrs(&self) -> Attrs {
        window_attrs(&self.window, &self.kernel, self.ceil).with_bool("count_pad", self.count_pad)
    }
}

/// The shape of a pooled `[batch, channels, spatial..]`.
pub(super) fn pooled_shape(
    inputs: &Inputs<'_>,
    window: &Window,
    kernel: &[usize],
    ceil: bool,
) -> Result<Vec<Dim>, InferError> {
    let x = inputs.ty(0)?;
    inputs.float(0)?;
    if x.rank() < 3 {
        return Err(inputs.shape_error(0, "needs [batch, channels, spatial..]"));
    }
    let dims: Vec<Dim> = kernel.iter().map(|&k| Dim::from(k)).collect();
    window.check(inputs, &dims, x.rank() - 2)?;
    let spatial = window.output(&x.shape[2..], &dims, ceil);
    if spatial.iter().any(|d| d.as_known().is_some_and(|n| n < 0)) {
        let reason = format!("the window {kernel:?} is larger than the padded input");
        return Err(inputs.shape_error(0, reason));
    }
    Ok(x.shape[..2].iter().cloned().chain(spatial).collect())
}

/// The attributes that every pool has.
pub(super) fn window_attrs(window: &Window, kernel: &[usize], ceil: bool) -> Attrs {
    let mut attrs = Attrs::new().with_usizes("kernel", kernel);
    for (name, attr) in window.attrs().iter() {
        attrs.push(name, attr.clone());
    }
    attrs.with_bool("ceil", ceil)
}
