//! Linear attention, one head and one step at a time.

use graph::op::LinearAttention;
use tensor::Tensor;

use super::super::normalise::{floats, rounded};
use super::super::{Call, Result};
use super::Number;

/// What all heads read; `[batch, time, heads * width]` each.
struct Packed {
    elements: Vec<f64>,
    last: usize,
}

impl Packed {
    /// The elements of one head at one time.
    fn head(&self, row: usize, head: usize, width: usize) -> &[f64] {
        &self.elements[row * self.last + head * width..][..width]
    }
}

/// `y = scale * S^T q` after each step, and the last `S`.
pub(in crate::reference) fn linear_attention(
    op: LinearAttention,
    call: &Call<'_>,
    shape: &[usize],
) -> Result<Vec<Tensor>> {
    let packed = |index: usize| -> Result<Packed> {
        let view = call.input(index);
        Ok(Packed {
            elements: floats(call, view)?,
            last: view.shape()[2],
        })
    };
    let optional = |index: usize| call.optional(index).map(|_| packed(index)).transpose();
    let (q, keys, values) = (packed(0)?, packed(1)?, packed(2)?);
    let (decay, beta) = (optional(4)?, optional(5)?);
    let (batch, time) = (shape[0], shape[1]);
    let (k, v) = (q.last / op.q_heads, values.last / op.kv_heads);
    let count = batch * op.kv_heads * k * v;
    let mut states = match call.optional(3) {
        Some(view) => floats(call, view)?,
        None => {
            let mut zeros = call.buffer(count)?;
            zeros.resize(count, 0.0);
            zeros
        }
    };
    let scale = op.scale.map_or_else(|| 1.0 / (k as f64).sqrt(), f64::from);
    let group = op.q_heads / op.kv_heads;
    let mut y = call.buffer::<f64>(shape.iter().product())?;
    for row in 0..batch * time {
        for head in 0..op.kv_heads {
            let at = (row / time) * op.kv_heads + head;
            let state = &mut states[at * k * v..][..k * v];
            let key = keys.head(row, head, k);
            if let Some(decay) = &decay {
                let shared = decay.last == op.kv_heads;
                let logs = decay.head(row, head, if shared { 1 } else { k });
                for (i, element) in state.iter_mut().enumerate() {
                    *element *= logs[if shared { 0 } else { i / v }].exp();
                }
            }
            let mut added = values.head(row, head, v).to_vec();
            if let Some(beta) = &beta {
                let rate = beta.head(row, if beta.last == 1 { 0 } else { head }, 1)[0];
                for (added, known) in added.iter_mut().zip(read(state, key, v)) {
                    *added = rate * (*added - known);
                }
            }
            for (i, element) in state.iter_mut().enumerate() {
                *element += key[i / v] * added[i % v];
            }
            for query in head * group..(head + 1) * group {
                let made = read(state, q.head(row, query, k), v);
                y.extend(made.into_iter().map(|sum| scale * sum));
            }
        }
    }
    let state = [batch, op.kv_heads, k, v];
    let query_dtype = call.input(0).dtype();
    let state_dtype = call.optional(3).map_or(query_dtype, |view| view.dtype());
    Ok(vec![
        rounded(call, query_dtype, shape, &y)?,
        rounded(call, state_dtype, &state, &states)?,
    ])
}

/// `S^T q` for `S` of rows of `v` elements.
fn read(state: &[f64], q: &[f64], v: usize) -> Vec<f64> {
    let column = |j: usize| state.iter().skip(j).step_by(v.max(1));
    let sum = |j| f64::sum(column(j).zip(q).map(|(s, q)| s * q));
    (0..v).map(sum).collect()
}
