//! Along one axis, with memory or order: running sums and products, positions of extremes, the first of a sorted axis.

use super::rule::Inputs;
use super::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Dim, InferError, TensorType, ValueFacts};
use tensor_core::DType;

const EXACT: Numerics = Numerics {
    accumulator: "",
    nan: "counts as the largest number, or in argmin as the smallest",
    max_ulp: 0,
};

const RUNNING: Numerics = Numerics {
    accumulator: "f64, rounded for each element; wrapping for integers",
    nan: "propagates to all later elements",
    max_ulp: 4,
};

const fn def(
    name: &'static str,
    arity: (usize, usize),
    formula: &'static str,
    numerics: Numerics,
    source: &'static str,
) -> OpDef {
    OpDef {
        name,
        family: Family::Scan,
        arity,
        algebra: Algebra::NONE,
        formula,
        numerics,
        source,
    }
}

static ARGMAX: OpDef = def(
    "argmax",
    (1, 1),
    "the position of the largest element along `axis`",
    EXACT,
    "ONNX ArgMax",
);

static ARGMIN: OpDef = def(
    "argmin",
    (1, 1),
    "the position of the smallest element along `axis`",
    EXACT,
    "ONNX ArgMin",
);

static CUMSUM: OpDef = def(
    "cumsum",
    (1, 2),
    "y[i] = sum of x[..= i] along the axis; with `exclusive` of x[.. i]; with `reverse` from the end",
    RUNNING,
    "ONNX CumSum",
);

static CUMPROD: OpDef = def(
    "cumprod",
    (1, 2),
    "y[i] = product of x[..= i] along the axis; with `exclusive` of x[.. i]; with `reverse` from the end",
    RUNNING,
    "ONNX CumProd",
);

static TOP_K: OpDef = def(
    "top_k",
    (1, 2),
    "the k largest (or smallest) elements along `axis` in order, and their positions",
    EXACT,
    "ONNX TopK",
);

/// Which extreme is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Extreme {
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

/// The position of an extreme along one axis, as `i64`.
///
/// **Shapes**: as `x` without `axis`, or with extent 1 there if `keep`. **DTypes**: any number. **Numerics**: NaN is the extreme if
/// there is one. **Errors**: an axis of no elements has no extreme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgReduce {
    /// Which extreme.
    pub extreme: Extreme,
    /// The axis, negative counted from the end.
    pub axis: i64,
    /// Whether the axis stays with extent 1.
    pub keep: bool,
    /// Whether the last of equal elements is taken rather than the first.
    pub last: bool,
}

impl Entry for ArgReduce {
    fn defs() -> Vec<&'static OpDef> {
        vec![&ARGMAX, &ARGMIN]
    }

    fn from_text(name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(ArgReduce {
            extreme: if name == ARGMAX.name {
                Extreme::Max
            } else {
                Extreme::Min
            },
            axis: attrs.int("axis")?,
            keep: attrs.bool("keep")?,
            last: attrs.bool("last")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        match self.extreme {
            Extreme::Max => &ARGMAX,
            Extreme::Min => &ARGMIN,
        }
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let x = number(inputs)?;
        let axis = inputs.axis("axis", self.axis, x.rank())?;
        let mut shape = x.shape.clone();
        if shape[axis] == Dim::Known(0) {
            let reason = format!("axis {axis} has no elements, so no extreme");
            return Err(inputs.shape_error(0, reason));
        }
        if self.keep {
            shape[axis] = Dim::Known(1);
        } else {
            shape.remove(axis);
        }
        let ty = TensorType::new(DType::I64, shape);
        Ok(vec![ValueFacts::of_type(ty)])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with_int("axis", self.axis)
            .with_bool("keep", self.keep)
            .with_bool("last", self.last)
    }
}

/// What runs along the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CumulativeKind {
    /// Sums, from 0.
    Sum,
    /// Products, from 1.
    Prod,
}

/// Running sums or products along one axis, which the attribute says or, if that is absent, a second input of one `i32` or
/// `i64`; the run checks that input.
///
/// **Shapes**: as `x`. **DTypes**: any number. **Numerics**: see the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cumulative {
    /// What runs.
    pub kind: CumulativeKind,
    /// The axis, negative counted from the end.
    pub axis: Option<i64>,
    /// Whether an element's own value is left out.
    pub exclusive: bool,
    /// Whether it runs from the end.
    pub reverse: bool,
}

impl Entry for Cumulative {
    fn defs() -> Vec<&'static OpDef> {
        vec![&CUMSUM, &CUMPROD]
    }

    fn from_text(name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(Cumulative {
            kind: if name == CUMSUM.name {
                CumulativeKind::Sum
            } else {
                CumulativeKind::Prod
            },
            axis: attrs.optional("axis", Attrs::int)?,
            exclusive: attrs.bool("exclusive")?,
            reverse: attrs.bool("reverse")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        match self.kind {
            CumulativeKind::Sum => &CUMSUM,
            CumulativeKind::Prod => &CUMPROD,
        }
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let x = number(inputs)?;
        match self.axis {
            Some(axis) => {
                inputs.axis("axis", axis, x.rank())?;
            }
            None => {
                index(inputs, 1)?;
                // Unlike an extent, the axis need not be known; where it is, it is checked.
                if let Ok([axis]) = inputs.known_ints(1).as_deref() {
                    inputs.axis("axis", *axis, x.rank())?;
                }
            }
        }
        Ok(vec![ValueFacts::of_type(x.clone())])
    }

    fn attrs(&self) -> Attrs {
        let attrs = match self.axis {
            Some(axis) => Attrs::new().with_int("axis", axis),
            None => Attrs::new(),
        };
        attrs
            .with_bool("exclusive", self.exclusive)
            .with_bool("reverse", self.reverse)
    }
}

/// The first of an axis in order: values and positions (`i64`). Their number `k` is the attribute or, if that is absent, a second
/// input of one `i32` or `i64`.
///
/// **Shapes**: as `x` with extent `k` on `axis`, for both outputs. **DTypes**: any number. **Numerics**: of equal elements the
/// one of the lower position comes first; NaN counts as the largest number. **Errors**: `k` negative or above the extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopK {
    /// How many are taken.
    pub k: Option<i64>,
    /// The axis, negative counted from the end.
    pub axis: i64,
    /// Whether the largest elements are taken rather than the smallest.
    pub largest: bool,
}

impl Entry for TopK {
    fn defs() -> Vec<&'static OpDef> {
        vec![&TOP_K]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(TopK {
            k: attrs.optional("k", Attrs::int)?,
            axis: attrs.int("axis")?,
            largest: attrs.bool("largest")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &TOP_K
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let x = number(inputs)?;
        let axis = inputs.axis("axis", self.axis, x.rank())?;
        let k = match self.k {
            Some(k) => Dim::Known(k),
            None => {
                index(inputs, 1)?;
                let [k] = inputs.known(1)? else {
                    return Err(inputs.shape_error(1, "must hold one number"));
                };
                k.clone()
            }
        };
        let least = k.as_known().unwrap_or(0);
        let most = x.shape[axis].as_known().unwrap_or(i64::MAX);
        if least < 0 || least > most {
            let reason = format!(
                "must be from 0 to {}, the extent of axis {axis}",
                x.shape[axis]
            );
            return Err(inputs.attribute_error("k", k, reason));
        }
        Ok(TopK::outputs(x, axis, k).map(ValueFacts::of_type).to_vec())
    }

    fn infer_unknown(&self, inputs: &Inputs<'_>) -> Result<Option<Vec<TensorType>>, InferError> {
        let x = inputs.ty(0)?;
        let axis = inputs.axis("axis", self.axis, x.rank())?;
        Ok(Some(TopK::outputs(x, axis, inputs.unknown(axis)).to_vec()))
    }

    fn attrs(&self) -> Attrs {
        let attrs = match self.k {
            Some(k) => Attrs::new().with_int("k", k),
            None => Attrs::new(),
        };
        attrs
            .with_int("axis", self.axis)
            .with_bool("largest", self.largest)
    }
}

impl TopK {
    fn outputs(x: &TensorType, axis: usize, k: Dim) -> [TensorType; 2] {
        let mut shape = x.shape.clone();
        shape[axis] = k;
        [x.dtype, DType::I64].map(|dtype| TensorType::new(dtype, shape.clone()))
    }
}

/// The type of the first input, which must be of numbers.
fn number<'a>(inputs: &Inputs<'a>) -> Result<&'a TensorType, InferError> {
    let x = inputs.ty(0)?;
    if x.dtype.is_float() || x.dtype.is_integer() {
        Ok(x)
    } else {
        Err(inputs.dtype_error(0, "a number"))
    }
}

/// An input that must be one integer.
fn index(inputs: &Inputs<'_>, at: usize) -> Result<(), InferError> {
    let ty = inputs.ty(at)?;
    if !matches!(ty.dtype, DType::I32 | DType::I64) {
        return Err(inputs.dtype_error(at, "i32 or i64"));
    }
    if ty
        .shape
        .iter()
        .any(|d| d.as_known().is_some_and(|n| n != 1))
    {
        return Err(inputs.shape_error(at, "must hold one number"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{infer, infer_all};
    use super::*;
    use crate::op::Op;

    #[test]
    fn positions_lose_the_axis_or_keep_it() {
        let arg = |axis, keep| {
            Op::ArgReduce(ArgReduce {
                extreme: Extreme::Max,
                axis,
                keep,
                last: false,
            })
        };
        let cases = [
            (arg(1, false), "f32[2, n, 4]", Ok("i64[2, 4]")),
            (arg(-1, true), "u8[2, n, 4]", Ok("i64[2, n, 1]")),
            (
                arg(3, true),
                "f32[2, 3]",
                Err("argmax: axis = 3: is no axis of a tensor of rank 2"),
            ),
            (
                arg(0, true),
                "f32[0, 3]",
                Err("argmax: input 0 has shape f32[0, 3]: axis 0 has no elements, so no extreme"),
            ),
            (
                arg(0, true),
                "bool[3]",
                Err("argmax: input 0 is bool, expected a number"),
            ),
        ];
        for (op, input, want) in cases {
            let got = infer(&op, &[input]);
            assert_eq!(got, want.map(str::to_owned).map_err(str::to_owned));
        }
    }

    #[test]
    fn the_axis_of_a_running_sum_may_be_known_only_at_the_run() {
        let sum = |axis| {
            Op::Cumulative(Cumulative {
                kind: CumulativeKind::Sum,
                axis,
                exclusive: false,
                reverse: false,
            })
        };
        assert_eq!(
            infer(&sum(None), &["f32[2, n]", "i32[]"]),
            Ok("f32[2, n]".into())
        );
        assert_eq!(
            infer(&sum(Some(-2)), &["i64[2, n]"]),
            Ok("i64[2, n]".into())
        );
        for (op, inputs, want) in [
            (
                sum(Some(2)),
                &["f32[2, 3]"][..],
                "cumsum: axis = 2: is no axis of a tensor of rank 2",
            ),
            (
                sum(None),
                &["f32[2]", "f32[]"],
                "cumsum: input 1 is f32, expected i32 or i64",
            ),
            (
                sum(None),
                &["f32[2]", "i64[2]"],
                "cumsum: input 1 has shape i64[2]: must hold one number",
            ),
            (
                sum(None),
                &["f32[2]"],
                "cumsum: input 1 is required but was left out",
            ),
        ] {
            assert_eq!(infer(&op, inputs), Err(want.into()));
        }
    }

    #[test]
    fn the_first_of_an_axis_need_their_number() {
        let top = Op::TopK(TopK {
            k: None,
            axis: 0,
            largest: true,
        });
        let got = infer_all(&top, &[("f32[n, 3]", None), ("i64[1]", None)]);
        assert_eq!(got, Ok("f32[y.0, 3], i64[y.0, 3]".into()));
        let got = infer_all(&top, &[("f32[n, 3]", None), ("i64[]", Some(&[2]))]);
        assert_eq!(got, Ok("f32[2, 3], i64[2, 3]".into()));
        for k in [-1, 4] {
            let got = infer_all(&top, &[("f32[3]", None), ("i64[]", Some(&[k]))]);
            let want = format!("top_k: k = {k}: must be from 0 to 3, the extent of axis 0");
            assert_eq!(got, Err(want));
        }
    }
}
