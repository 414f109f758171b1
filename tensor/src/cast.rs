//! Conversion of elements to another dtype, by the caller's wish and possibly with loss.
//!
//! Every element goes through its exact value ([`Number`](crate::element::Number)), so one rule per source and one per
//! target replace a rule per pair, and nothing is rounded twice.

use tensor_core::{DType, dispatch_dtype};

use crate::payload::{ViewPayload, each_preset};
use crate::storage::try_vec;
use crate::{
    Result, Tensor, TensorElement, TensorError, TensorView, TypedTensor, TypedTensorView,
    trace_span,
};

impl TensorView<'_> {
    /// The elements converted to `dtype`, as a row-major tensor.
    ///
    /// **Numerics.** To an integer: truncated toward zero, saturated, NaN to 0 (integers saturate too). To a float: rounded
    /// once, to nearest, ties to even. To bool: `!= 0`, so NaN is true. A real becomes a complex with imaginary part 0.
    ///
    /// # Errors
    /// [`TensorError::ComplexToReal`], [`TensorError::UnsupportedDType`] for an external scalar, or
    /// [`TensorError::OutOfMemory`].
    pub fn cast(&self, dtype: DType) -> Result<Tensor> {
        if self.dtype() == dtype {
            return self.to_contiguous();
        }
        if self.dtype().is_complex()
            && !dtype.is_complex()
            && !dtype.is_bool()
            && !dtype.is_external()
        {
            return Err(TensorError::ComplexToReal {
                from: self.dtype(),
                to: dtype,
            });
        }
        each_preset!(ViewPayload, self.payload(), view => dispatch_dtype!(dtype, T => convert::<_, T>(view),
            _id => Err(TensorError::UnsupportedDType { op: "cast", dtype })),
            _external => Err(TensorError::UnsupportedDType { op: "cast", dtype: self.dtype() }))
    }
}

fn convert<S: TensorElement, T: TensorElement>(view: &TypedTensorView<'_, S>) -> Result<Tensor> {
    let _span = trace_span!(
        DEBUG,
        "cast",
        bytes = view.len().saturating_mul(size_of::<T>()),
        shape = ?view.shape(),
        dtype = %T::dtype(),
        from = %S::dtype(),
    );
    let mut out = try_vec::<T>("cast", view.len())?;
    let one = |&element: &S| T::from_number(element.number());
    match view.dense() {
        // A slice of known length is converted by vector instructions where there are any.
        Some(elements) => out.extend(elements.iter().map(one)),
        None => view.iter().for_each(|element| out.push(one(element))),
    }
    Ok(TypedTensor::from_dense(view.layout().row_major_like(), out).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Complex64, bf16, f16};

    fn check<S: TensorElement, T: TensorElement>(from: &[S], expect: &[T]) {
        let t = Tensor::from_vec_row_major([from.len()], from.to_vec()).unwrap();
        let made = t.cast(T::dtype()).unwrap();
        assert_eq!(
            made.as_slice::<T>().unwrap(),
            expect,
            "{} to {}",
            S::dtype(),
            T::dtype()
        );
    }

    #[test]
    fn to_integers() {
        let floats = [1.9_f32, -1.9, f32::NAN, f32::INFINITY, -1e30, 300.0, -0.5];
        check(&floats, &[1_i8, -1, 0, 127, -128, 127, 0]);
        check(&floats, &[1_u8, 0, 0, 255, 0, 255, 0]);
        check(&floats, &[1_i64, -1, 0, i64::MAX, i64::MIN, 300, 0]);
        check(
            &[f16::from_f32(2.5), f16::NAN, f16::NEG_INFINITY],
            &[2_u16, 0, 0],
        );
        check(&[i64::MIN, -1, 200, i64::MAX], &[i8::MIN, -1, 127, 127]);
        check(&[i64::MIN, -1, 200, i64::MAX], &[0_u32, 0, 200, u32::MAX]);
        check(&[u64::MAX, 5], &[i64::MAX, 5]);
        check(&[true, false], &[1_i32, 0]);
        // Beyond 2^53 integers must not pass through a float.
        check(&[(1_i64 << 60) + 1], &[(1_u64 << 60) + 1]);
    }

    #[test]
    fn to_floats_with_one_rounding() {
        check(&[i64::MAX, -3], &[9.223_372e18_f32, -3.0]);
        check(&[(1_i64 << 53) + 1], &[9_007_199_254_740_992.0_f64]);
        check(&[1.0_f64 + f64::EPSILON, 1e300], &[1.0_f32, f32::INFINITY]);
        check(
            &[65504.0_f64, 65520.0, 6e-8],
            &[f16::MAX, f16::INFINITY, f16::from_bits(1)],
        );
        // Just above the tie of 2048 and 2050 (spacing 2): through f32 it would land on the tie and round to 2048.
        check(&[2049.0_f64 + 2.0_f64.powi(-40)], &[f16::from_f32(2050.0)]);
        // 2^62 + 2^54 is a tie of bf16; one more lies above it, which f64 alone can't see.
        let tie = (1_i64 << 62) + (1 << 54);
        check(
            &[tie, tie + 1, -tie - 1],
            &[0x5e80, 0x5e81, 0xde81].map(bf16::from_bits),
        );
        check(&[true, false], &[1.0_f32, 0.0]);
    }

    #[test]
    fn to_bool_is_not_equal_to_zero() {
        check(
            &[0.0_f32, -0.0, 0.5, f32::NAN, -1.0],
            &[false, false, true, true, true],
        );
        check(&[0_i64, 1, -7], &[false, true, true]);
        check(
            &[Complex64::new(0.0, 0.0), Complex64::new(0.0, 1.0)],
            &[false, true],
        );
    }

    #[test]
    fn complex_numbers() {
        check(
            &[2_i32, -3],
            &[Complex64::new(2.0, 0.0), Complex64::new(-3.0, 0.0)],
        );
        check(
            &[Complex64::new(1.5, -2.5)],
            &[crate::Complex32::new(1.5, -2.5)],
        );
        let t = Tensor::scalar(Complex64::new(1.0, 0.0));
        let error = t.cast(DType::F32).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cast: c64 to f32 would drop the imaginary part; take the real part by name instead"
        );
    }

    #[test]
    fn b15_every_pair_keeps_zero_and_one() {
        for &from in DType::TAGS {
            let t = Tensor::from_vec_row_major([2], vec![0_u8, 1])
                .unwrap()
                .cast(from)
                .unwrap();
            for &to in DType::TAGS {
                let made = t.cast(to);
                if from.is_complex() && !to.is_complex() && !to.is_bool() {
                    assert!(matches!(made, Err(TensorError::ComplexToReal { .. })));
                } else {
                    let complex = made.unwrap().cast(DType::C64).unwrap();
                    assert_eq!(
                        complex.to_vec::<Complex64>().unwrap(),
                        [0.0, 1.0].map(Complex64::from),
                        "{from} {to}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_order_of_elements_is_logical() {
        let t = Tensor::from_vec_col_major([2, 2], vec![1.0_f32, 3.0, 2.0, 4.0]).unwrap();
        assert_eq!(
            t.cast(DType::I32).unwrap().as_slice::<i32>().unwrap(),
            [1, 2, 3, 4]
        );
    }
}
