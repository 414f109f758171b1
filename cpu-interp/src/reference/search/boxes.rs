//! Boxes that are left after suppression.

use graph::op::NonMaxSuppression;
use tensor::Tensor;

use crate::reference::index::signed;
use crate::reference::normalise::floats;
use crate::reference::{Call, Result};

/// Two opposite corners, the lower one first.
struct Corners {
    low: [f64; 2],
    high: [f64; 2],
}

impl Corners {
    fn of(numbers: &[f64], center_point_box: bool) -> Corners {
        let [a, b, c, d] = [numbers[0], numbers[1], numbers[2], numbers[3]];
        let ends = if center_point_box {
            [[a - c / 2.0, b - d / 2.0], [a + c / 2.0, b + d / 2.0]]
        } else {
            [[a, b], [c, d]]
        };
        let both = |pick: fn(f64, f64) -> f64| [0, 1].map(|i| pick(ends[0][i], ends[1][i]));
        Corners {
            low: both(f64::min),
            high: both(f64::max),
        }
    }

    fn area(&self) -> f64 {
        (self.high[0] - self.low[0]) * (self.high[1] - self.low[1])
    }

    /// Intersection over union; 0 if they do not meet.
    fn overlap(&self, other: &Corners) -> f64 {
        let side = |i: usize| self.high[i].min(other.high[i]) - self.low[i].max(other.low[i]);
        let (height, width) = (side(0), side(1));
        if height <= 0.0 || width <= 0.0 {
            return 0.0;
        }
        let shared = height * width;
        shared / (self.area() + other.area() - shared)
    }
}

/// Per batch and class, by falling score: what is not suppressed by a box taken before.
pub(in crate::reference) fn non_max_suppression(
    op: NonMaxSuppression,
    call: &Call<'_>,
) -> Result<Tensor> {
    let (boxes, scores) = (call.input(0), call.input(1));
    let (classes, count) = (scores.shape()[1], scores.shape()[2]);
    let most = match call.optional(2) {
        Some(most) => usize::try_from(signed(most)?[0]).unwrap_or(0),
        None => 0,
    };
    let number = |index: usize| match call.optional(index) {
        Some(view) => floats(call, view).map(|list| Some(list[0])),
        None => Ok(None),
    };
    let iou = number(3)?.unwrap_or(0.0);
    let least = number(4)?;
    let (corners, scores) = (floats(call, boxes)?, floats(call, scores)?);
    let corners: Vec<Corners> = corners
        .chunks_exact(4)
        .map(|numbers| Corners::of(numbers, op.center_point_box))
        .collect();
    let mut out = Vec::new();
    for (row, scores) in scores.chunks_exact(count.max(1)).enumerate() {
        let batch = row / classes;
        let corners = &corners[batch * count..][..count];
        let mut order: Vec<usize> = (0..count)
            .filter(|&at| least.is_none_or(|least| scores[at] > least))
            .collect();
        let key = |at: usize| {
            if scores[at].is_nan() {
                f64::NEG_INFINITY
            } else {
                scores[at]
            }
        };
        order.sort_by(|&a, &b| key(b).total_cmp(&key(a)));
        let mut taken: Vec<usize> = Vec::new();
        for at in order {
            if taken.len() == most {
                break;
            }
            if taken
                .iter()
                .all(|&other| corners[other].overlap(&corners[at]) <= iou)
            {
                taken.push(at);
            }
        }
        let triples = taken.into_iter().flat_map(|at| [batch, row % classes, at]);
        out.extend(triples.map(|n| i64::try_from(n).unwrap_or(i64::MAX)));
    }
    Ok(Tensor::from_vec_row_major([out.len() / 3, 3], out)?)
}
