//! The same bits as another dtype.

use super::rule::Inputs;
use super::{Algebra, Attr, Attrs, Entry, Family, Numerics, OpDef};
use crate::{InferError, TensorType, ValueFacts};
use tensor_core::DType;

static BIT_CAST: OpDef = OpDef {
    name: "bit_cast",
    family: Family::Copy,
    arity: (1, 1),
    algebra: Algebra::NONE,
    formula: "the bits of x as an element of `to`",
    numerics: Numerics {
        accumulator: "",
        nan: "keeps its bits",
        max_ulp: 0,
    },
    source: "ONNX BitCast",
};

/// The bits of each element as one of another dtype of the same width.
///
/// **Shapes**: as `x`. **DTypes**: real ones and bool; bits that are neither 0 nor 1 are `true`. **Errors**: another width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitCast {
    /// dtype of the result.
    pub to: DType,
}

impl Entry for BitCast {
    fn defs() -> Vec<&'static OpDef> {
        vec![&BIT_CAST]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(BitCast {
            to: attrs.dtype("to")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &BIT_CAST
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let x = inputs.ty(0)?;
        let held = |dtype: DType| dtype.is_float() || dtype.is_integer() || dtype.is_bool();
        if !held(x.dtype) {
            return Err(inputs.dtype_error(0, "a real number or bool"));
        }
        if !held(self.to) || self.to.size_bytes() != x.dtype.size_bytes() {
            let reason = format!("is no dtype as wide as {}", x.dtype);
            return Err(inputs.attribute_error("to", self.to, reason));
        }
        let ty = TensorType::new(self.to, x.shape.iter().cloned());
        Ok(vec![ValueFacts::of_type(ty)])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new().with("to", Attr::Word(self.to.name().into()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::infer;
    use super::*;
    use crate::op::Op;

    #[test]
    fn the_width_stays() {
        let cast = |to| Op::BitCast(BitCast { to });
        assert_eq!(
            infer(&cast(DType::I32), &["f32[n, 2]"]),
            Ok("i32[n, 2]".into())
        );
        assert_eq!(infer(&cast(DType::U8), &["bool[]"]), Ok("u8[]".into()));
        assert_eq!(
            infer(&cast(DType::I64), &["f32[2]"]),
            Err("bit_cast: to = i64: is no dtype as wide as f32".into())
        );
        assert_eq!(
            infer(&cast(DType::C32), &["f64[2]"]),
            Err("bit_cast: to = c32: is no dtype as wide as f64".into())
        );
    }
}
