//! A scalar from outside is stored, added up, erased and found again.

use std::fmt;

use tensor::{
    DType, ExternalScalar, Host, Result, Scalar, ScalarArithmetic, ScalarDomain, Tensor,
    TypedTensor,
};

/// Numbers with max for a sum and + for a product.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MaxPlus(f64);

impl Scalar for MaxPlus {
    const DOMAIN: ScalarDomain = ScalarDomain::NonField;
}

impl fmt::Display for MaxPlus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl ExternalScalar for MaxPlus {
    const NAME: &'static str = "example.max_plus";
}

impl ScalarArithmetic for MaxPlus {
    type Accumulator = Self;
    const ZERO: Self = Self(f64::NEG_INFINITY);
    const ONE: Self = Self(0.0);
    fn scalar_add(self, rhs: Self) -> Self {
        Self(self.0.max(rhs.0))
    }
    fn scalar_mul(self, rhs: Self) -> Self {
        Self(self.0 + rhs.0)
    }
    fn empty_sum() -> Self {
        Self::ZERO
    }
    fn add_term(sum: Self, term: Self) -> Self {
        sum.scalar_add(term)
    }
    fn add_product(sum: Self, lhs: Self, rhs: Self) -> Self {
        sum.scalar_add(lhs.scalar_mul(rhs))
    }
    fn finish_sum(sum: Self) -> Self {
        sum
    }
}

fn main() -> Result<()> {
    assert_eq!(
        TypedTensor::<MaxPlus>::ones([2])?.as_slice()?,
        [MaxPlus(0.0); 2]
    );
    let typed = TypedTensor::from_host_vec_row_major([2], vec![MaxPlus(1.0), MaxPlus(2.0)])?;
    let mut erased = Tensor::external(typed);
    assert_eq!(erased.dtype(), MaxPlus::DTYPE);
    assert!(matches!(erased.dtype(), DType::External(_)));
    if let Some(typed) = erased.as_external_mut::<MaxPlus>() {
        typed[&[0][..]] = MaxPlus(3.0);
    }
    let turned = erased.view()?.transpose();
    assert_eq!(
        turned.as_external::<MaxPlus>().unwrap().get(&[0])?,
        &MaxPlus(3.0)
    );
    let typed: TypedTensor<MaxPlus, tensor::DynRank, Host> = erased.into_external()?;
    assert_eq!(typed.len(), 2);
    Ok(())
}
