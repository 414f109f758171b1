//! Conversion of elements to another dtype, checked: only along the promotion order.
//!
//! [`can_convert`] allows a dtype that promotion with the other gives back: `i32` to `f64`, never `f64` to `f32`. The
//! elements are then converted as [`TensorView::cast`] does it, so there is one rule for values.

use tensor_core::{DType, can_convert};

use crate::{Result, Tensor, TensorError, TensorView, ViewError};

impl TensorView<'_> {
    /// The elements converted to `dtype`, as a row-major tensor; refused unless `promote(self.dtype(), dtype)` is `dtype`.
    ///
    /// **Numerics.** As [`TensorView::cast`]. The order counts `i64` and `u64` as held by `f64` and `c64`, so integers beyond 2^53
    /// are rounded, once, to nearest, ties to even; all other conversions of real numbers are exact.
    ///
    /// # Errors
    /// [`ViewError::LossyConversion`], [`TensorError::UnsupportedDType`] for an external scalar, or
    /// [`TensorError::OutOfMemory`].
    ///
    /// ```
    /// use tensor::{DType, Tensor};
    /// let t = Tensor::from_vec_row_major([2], vec![1_i32, -2])?;
    /// assert_eq!(t.convert(DType::F64)?.to_vec::<f64>()?, [1.0, -2.0]);
    /// assert_eq!(
    ///     t.convert(DType::F32).unwrap_err().to_string(),
    ///     "convert: f32 does not hold the values of i32 by the promotion order; cast() is the form that may lose values"
    /// );
    /// # Ok::<(), tensor::TensorError>(())
    /// ```
    pub fn convert(&self, dtype: DType) -> Result<Tensor> {
        const OP: &str = "convert";
        if dtype.is_external() {
            return Err(TensorError::UnsupportedDType { op: OP, dtype });
        }
        let (from, to) = (self.dtype(), dtype);
        if !can_convert(from, to) {
            return Err(ViewError::LossyConversion { op: OP, from, to }.into());
        }
        self.cast(dtype)
    }
}

impl Tensor {
    /// The elements converted to `dtype`, row-major; see [`TensorView::convert`].
    ///
    /// # Errors
    /// As [`TensorView::convert`], or [`TensorError::NotOnHost`](crate::TensorError::NotOnHost).
    pub fn convert(&self, dtype: DType) -> Result<Self> {
        self.view()?.convert(dtype)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{ExternalId, promote};
    use crate::{Complex64, bf16};

    #[test]
    fn exactly_the_promotion_order_converts() {
        for &from in DType::TAGS {
            let t = Tensor::from_vec_row_major([2], vec![0_u8, 1]).unwrap();
            let t = t.cast(from).unwrap();
            for &to in DType::TAGS {
                match t.convert(to) {
                    Ok(made) => {
                        assert_eq!(promote(from, to), Ok(to));
                        assert_eq!(made.dtype(), to);
                        let values = made.cast(DType::C64).unwrap();
                        let expect = [0.0, 1.0].map(Complex64::from);
                        assert_eq!(values.to_vec::<Complex64>().unwrap(), expect);
                    }
                    Err(error) => {
                        assert_ne!(promote(from, to), Ok(to));
                        let op = "convert";
                        assert_eq!(error, ViewError::LossyConversion { op, from, to }.into());
                    }
                }
            }
        }
    }

    #[test]
    fn values_and_order() {
        let t = Tensor::from_vec_col_major([2, 2], vec![1_i16, 3, 2, i16::MIN]).unwrap();
        let wide = t.convert(DType::I64).unwrap();
        assert_eq!(wide.as_slice::<i64>().unwrap(), [1, 2, 3, -32768]);
        let t = Tensor::scalar((1_i64 << 53) + 1);
        assert_eq!(
            t.convert(DType::F64).unwrap().to_vec::<f64>().unwrap(),
            [9_007_199_254_740_992.0]
        );
        let t = Tensor::scalar(bf16::from_f32(1.5));
        assert_eq!(
            t.convert(DType::F32).unwrap().to_vec::<f32>().unwrap(),
            [1.5]
        );
        assert!(t.convert(DType::F16).is_err());
        let external = DType::External(ExternalId::from_name("x"));
        assert!(matches!(
            t.convert(external),
            Err(TensorError::UnsupportedDType { op: "convert", .. })
        ));
    }
}
