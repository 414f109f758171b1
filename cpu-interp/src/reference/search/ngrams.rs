//! How often n-grams of a pool occur.

use std::collections::HashMap;

use graph::op::NgramCounts;
use tensor::Tensor;

use crate::reference::index::signed;
use crate::reference::{Call, Result};

/// `y[.., columns[g]]` = how often the n-gram `g` occurs in the row.
pub(in crate::reference) fn ngram_counts(
    op: &NgramCounts,
    call: &Call<'_>,
    shape: &[usize],
) -> Result<Tensor> {
    let input = call.input(0);
    let columns: HashMap<&[i64], usize> = op
        .grams()
        .into_iter()
        .zip(op.columns.iter().copied())
        .collect();
    let (len, width) = (input.shape()[input.rank() - 1], op.width());
    let elements = signed(input)?;
    let count: usize = shape.iter().product();
    let mut out = call.buffer::<f32>(count)?;
    out.resize(count, 0.0);
    for row in 0..count / width.max(1) {
        let x = &elements[row * len..][..len];
        for distance in 1..=op.max_skip.saturating_add(1).min(len) {
            // The distance of its elements says nothing of a single one.
            let shortest = if distance == 1 {
                op.min_len
            } else {
                op.min_len.max(2)
            };
            for start in 0..len {
                for size in shortest..=op.max_len {
                    let gram: Vec<i64> = x[start..]
                        .iter()
                        .step_by(distance)
                        .take(size)
                        .copied()
                        .collect();
                    if gram.len() < size {
                        break;
                    }
                    if let Some(&column) = columns.get(&gram[..]) {
                        out[row * width + column] += 1.0;
                    }
                }
            }
        }
    }
    Ok(Tensor::from_vec_row_major(shape, out)?)
}
