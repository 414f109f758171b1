//! Matrix products.

use graph::op::{Det, MatMul, Op};

use super::elementwise::promoted;
use super::{Value, apply};
use crate::Error;

impl Value {
    /// `y[.., i, j] = sum over k of a[.., i, k] * b[.., k, j]`; leading axes broadcast, an operand of rank 1 is a row on the
    /// left and a column on the right. Accumulates in f32 (f64 for f64; integers wrap).
    ///
    /// # Errors
    /// Extents that do not fit, rank 0, or dtypes that differ in a function.
    pub fn matmul(&self, other: &Value) -> Result<Value, Error> {
        let [a, b] = promoted(self, other)?;
        apply(Op::MatMul(MatMul), &[&a, &b])
    }

    /// The determinants of square matrices `[.., n, n]`, computed in f64.
    ///
    /// # Errors
    /// Matrices that are not square, or elements that are no floats.
    pub fn det(&self) -> Result<Value, Error> {
        self.map(Op::Det(Det))
    }

    /// The sum of the products of two vectors of one length, of rank 0.
    ///
    /// # Errors
    /// If either is no vector, or as [`Value::matmul`].
    pub fn dot(&self, other: &Value) -> Result<Value, Error> {
        match self.rank().max(other.rank()) {
            1 if self.rank() == other.rank() => self.matmul(other),
            _ => Err(Error::Argument {
                op: "dot",
                argument: "other",
                value: other.ty().to_string(),
                reason: format!(
                    "the product of {} and this is none of two vectors",
                    self.ty()
                ),
            }),
        }
    }
}
