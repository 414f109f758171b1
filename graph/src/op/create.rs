//! Values made from numbers.

use super::rule::Inputs;
use super::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Dim, DimOp, InferError, TensorType, ValueFacts};
use tensor_core::DType;

static RANGE: OpDef = OpDef {
    name: "range",
    family: Family::Create,
    arity: (3, 3),
    algebra: Algebra::NONE,
    formula: "y[i] = start + i * delta for i < ceil((limit - start) / delta)",
    numerics: Numerics {
        accumulator: "f64; wrapping for integers",
        nan: "is an error",
        max_ulp: 1,
    },
    source: "ONNX Range",
};

/// Numbers at equal distances: `start`, `start + delta`, .. before `limit`.
///
/// **Shapes**: three inputs of one element, the result has one axis. **DTypes**: any number, the same for all.
/// **Errors**: a `delta` of 0, NaN, or more elements than can be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range;

impl Range {
    fn types(inputs: &Inputs<'_>) -> Result<DType, InferError> {
        let dtype = inputs.same_dtype(0)?;
        if !(dtype.is_float() || dtype.is_integer()) {
            return Err(inputs.dtype_error(0, "a number"));
        }
        for at in 0..3 {
            let shape = &inputs.ty(at)?.shape;
            if shape.iter().any(|d| d.as_known().is_some_and(|n| n != 1)) {
                return Err(inputs.shape_error(at, "must hold one number"));
            }
        }
        Ok(dtype)
    }

    /// Number of elements from floats.
    fn float_count(inputs: &Inputs<'_>) -> Result<Dim, InferError> {
        let mut values = [0.0; 3];
        for (at, value) in values.iter_mut().enumerate() {
            *value = inputs.known_float(at)?;
        }
        let [start, limit, delta] = values;
        let count = ((limit - start) / delta).ceil().max(0.0);
        if delta == 0.0 || values.iter().any(|v| v.is_nan()) || !count.is_finite() {
            let reason = format!("from {start} to {limit} there is no number of steps");
            return Err(inputs.attribute_error("delta", delta, reason));
        }
        Ok(Dim::Known(count as i64))
    }

    /// Number of elements, and the first elements and the distance.
    fn integer_count(inputs: &Inputs<'_>) -> Result<(Dim, Dim, i64), InferError> {
        let one = |at| match inputs.known(at)? {
            [value] => Ok(value.clone()),
            _ => Err(inputs.shape_error(at, "must hold one number")),
        };
        let (start, limit) = (one(0)?, one(1)?);
        let delta = match inputs.known_ints(2)?[..] {
            [0] => return Err(inputs.attribute_error("delta", 0, "must not be 0")),
            [delta] => delta,
            _ => return Err(inputs.shape_error(2, "must hold one number")),
        };
        if let (Some(start_at), Some(limit_at)) = (start.as_known(), limit.as_known()) {
            let (span, step) = (
                i128::from(limit_at) - i128::from(start_at),
                i128::from(delta),
            );
            // Rounded away from zero where both have one sign; else there are no elements.
            let count = (span + step - step.signum()) / step;
            let count = if (span > 0) == (step > 0) { count } else { 0 };
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            return Ok((Dim::Known(count), start, delta));
        }
        let (low, high) = if delta > 0 {
            (start.clone(), limit)
        } else {
            (limit, start.clone())
        };
        let step = Dim::Known(delta.saturating_abs());
        let span = Dim::apply(DimOp::Sub, high, low);
        let up = Dim::apply(DimOp::Sub, step.clone(), Dim::Known(1));
        let count = Dim::apply(DimOp::FloorDiv, Dim::apply(DimOp::Add, span, up), step);
        let count = if count.is_never_negative() {
            count
        } else {
            Dim::apply(DimOp::Max, Dim::Known(0), count)
        };
        Ok((count, start, delta))
    }
}

impl Entry for Range {
    fn defs() -> Vec<&'static OpDef> {
        vec![&RANGE]
    }

    fn from_text(_name: &str, _attrs: &Attrs) -> Result<Self, String> {
        Ok(Range)
    }

    fn def(&self) -> &'static OpDef {
        &RANGE
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let dtype = Range::types(inputs)?;
        if dtype.is_float() {
            let ty = TensorType::new(dtype, [Range::float_count(inputs)?]);
            return Ok(vec![ValueFacts::of_type(ty)]);
        }
        let (count, start, delta) = Range::integer_count(inputs)?;
        let few = count.as_extent().filter(|&n| n <= ValueFacts::KNOWN_LIMIT);
        let element = |i: i64| {
            let step = Dim::Known(delta.saturating_mul(i));
            Dim::apply(DimOp::Add, start.clone(), step)
        };
        let known = few.map(|n| (0..).take(n).map(element).collect());
        let ty = TensorType::new(dtype, [count]);
        Ok(vec![ValueFacts::new(ty, known)])
    }

    fn infer_unknown(&self, inputs: &Inputs<'_>) -> Result<Option<Vec<TensorType>>, InferError> {
        let dtype = Range::types(inputs)?;
        Ok(Some(vec![inputs.unknown_type(dtype, 1)]))
    }

    fn attrs(&self) -> Attrs {
        Attrs::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::infer_all;
    use super::*;
    use crate::op::Op;

    #[test]
    fn the_number_of_elements_follows_from_integers() {
        let check = |start: i64, limit: i64, delta: i64, want: &str| {
            let scalar = |value| [value];
            let (start, limit, delta) = (scalar(start), scalar(limit), scalar(delta));
            let inputs = [&start, &limit, &delta].map(|v| ("i64[]", Some(&v[..])));
            let got = infer_all(&Op::Range(Range), &inputs);
            assert_eq!(
                got.unwrap_or_else(|e| e),
                want,
                "{start:?} {limit:?} {delta:?}"
            );
        };
        check(0, 5, 1, "i64[5]");
        check(3, 9, 3, "i64[2]");
        check(3, 10, 3, "i64[3]");
        check(10, 4, -2, "i64[3]");
        check(10, 5, -2, "i64[3]");
        check(4, 10, -2, "i64[0]");
        check(5, 5, 1, "i64[0]");
        check(7, 2, 3, "i64[0]");
        check(i64::MIN, i64::MAX, 1, &format!("i64[{}]", i64::MAX));
        check(0, 5, 0, "range: delta = 0: must not be 0");
    }

    #[test]
    fn extents_may_be_symbols() {
        let facts = |dim: Dim| ValueFacts::new(TensorType::new(DType::I64, []), Some(vec![dim]));
        let check = |start: Dim, limit: Dim, delta: i64, want: &str| {
            let (start, limit, delta) = (facts(start), facts(limit), facts(Dim::Known(delta)));
            let inputs = [Some(&start), Some(&limit), Some(&delta)];
            let got = Op::Range(Range).infer(&inputs, "y").expect("integers");
            assert_eq!(got[0].ty.to_string(), want);
        };
        check(Dim::Known(0), Dim::from("n"), 1, "i64[n]");
        check(Dim::Known(0), Dim::from("n"), 2, "i64[((n + 1) / 2)]");
        check(Dim::Known(2), Dim::from("n"), 1, "i64[max(0, (n + -2))]");
    }

    #[test]
    fn floats_that_are_not_known_give_an_extent_of_its_own() {
        let inputs = [("f32[]", None), ("f32[1]", None), ("f32[]", None)];
        assert_eq!(infer_all(&Op::Range(Range), &inputs), Ok("f32[y.0]".into()));
        let inputs = [("f32[]", None), ("f32[2]", None), ("f32[]", None)];
        assert_eq!(
            infer_all(&Op::Range(Range), &inputs),
            Err("range: input 1 has shape f32[2]: must hold one number".into())
        );
    }
}
