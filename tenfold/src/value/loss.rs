//! How far predictions are from what they should be, as one number.

use super::{Value, refused};
use crate::Error;

impl Value {
    /// The mean of `(x - target)^2`, of rank 0.
    ///
    /// # Errors
    /// As [`Value::sub`] and [`Value::mean`].
    pub fn mse_loss(&self, target: &Value) -> Result<Value, Error> {
        self.sub(target)?.square()?.mean()
    }

    /// The mean of `-log_softmax(x)[class]` over scores `[.., classes]` and one class per row, `i32` or `i64` of shape `[..]`;
    /// of rank 0.
    ///
    /// # Errors
    /// Classes of another shape or dtype, scores that are no floats; a class out of range, when it runs.
    pub fn cross_entropy(&self, classes: &Value) -> Result<Value, Error> {
        if classes.rank() + 1 != self.rank() {
            let reason = format!("needs one class for each row of {}", self.ty());
            return Err(refused("cross_entropy", "classes", classes.ty(), reason));
        }
        let logs = self.log_softmax(-1)?;
        logs.gather_elements(&classes.unsqueeze(-1)?, -1)?
            .mean()?
            .neg()
    }
}
