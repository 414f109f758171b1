//! Boxes that are left after suppression.

use tensor_core::DType;

use super::def;
use crate::op::rule::may_equal;
use crate::op::{Attrs, Entry, Inputs, OpDef};
use crate::{Dim, InferError, TensorType, ValueFacts};

pub(in crate::op) static NON_MAX_SUPPRESSION: OpDef = def(
    "non_max_suppression",
    (2, 5),
    "per batch and class, by falling score: the boxes above the score threshold whose intersection over union with every box taken before is not above the IoU threshold",
    "a score of NaN is not above a threshold; without one it comes last",
    "ONNX NonMaxSuppression",
);

/// Inputs: boxes `[batches, boxes, 4]`, scores `[batches, classes, boxes]`, and, each of one element, the most boxes per class
/// (`i64`; left out or not positive: none), the IoU threshold (left out: 0) and the score threshold (left out: every box).
///
/// The result is `i64[n, 3]`: batch, class and box. Boxes of equal score are taken in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonMaxSuppression {
    /// Whether a box is `[x centre, y centre, width, height]` rather than `[y1, x1, y2, x2]`, two opposite corners.
    pub center_point_box: bool,
}

impl Entry for NonMaxSuppression {
    fn defs() -> Vec<&'static OpDef> {
        vec![&NON_MAX_SUPPRESSION]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(NonMaxSuppression {
            center_point_box: attrs.bool("center_point_box")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &NON_MAX_SUPPRESSION
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let (boxes, scores) = (inputs.ty(0)?, inputs.ty(1)?);
        inputs.float(0)?;
        inputs.float(1)?;
        let [batches, count, four] = &boxes.shape[..] else {
            return Err(inputs.shape_error(0, "needs [batches, boxes, 4]"));
        };
        let [of, _, each] = &scores.shape[..] else {
            return Err(inputs.shape_error(1, "needs [batches, classes, boxes]"));
        };
        if !may_equal(four, &Dim::Known(4)) || !may_equal(batches, of) || !may_equal(count, each) {
            let reason = "boxes are [batches, boxes, 4], scores [batches, classes, boxes]";
            return Err(inputs.shapes_error(0, 1, reason));
        }
        if inputs.optional(2).is_some() {
            inputs.indices(2)?;
            inputs.one_element(2)?;
        }
        for index in 3..inputs.len() {
            if inputs.optional(index).is_some() {
                inputs.float(index)?;
                inputs.one_element(index)?;
            }
        }
        let ty = TensorType::new(DType::I64, [inputs.unknown(0), Dim::Known(3)]);
        Ok(vec![ValueFacts::of_type(ty)])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new().with_bool("center_point_box", self.center_point_box)
    }
}
