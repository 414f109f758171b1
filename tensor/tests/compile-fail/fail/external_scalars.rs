//! Presets and scalars from outside do not pass for each other.

use std::fmt;

use tensor::{DynRank, ExternalScalar, Host, Scalar, ScalarDomain, Tensor, TypedTensor};

#[derive(Clone, Copy, Debug, PartialEq)]
struct Percent(u8);

impl Scalar for Percent {
    const DOMAIN: ScalarDomain = ScalarDomain::NonField;
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.0)
    }
}

impl ExternalScalar for Percent {
    const NAME: &'static str = "example.percent";
}

struct Nameless;

impl Scalar for Nameless {
    //~^ E0277: `Nameless: Copy` is not satisfied
    const DOMAIN: ScalarDomain = ScalarDomain::Field;
}

fn as_preset(tensor: &Tensor) {
    let _ = tensor.as_slice::<Percent>(); //~ E0277: `Percent: TensorElement` is not satisfied
    let _ = Tensor::scalar(Percent(1)); //~ E0277: `Percent: TensorElement` is not satisfied
}

fn as_external(tensor: &Tensor, doubles: TypedTensor<f64, DynRank, Host>) {
    let _ = tensor.as_external::<f64>(); //~ E0277: `f64: ExternalScalar` is not satisfied
    let _ = Tensor::external(doubles); //~ E0277: `f64: ExternalScalar` is not satisfied
}

fn elsewhere(percents: TypedTensor<Percent>) {
    let _ = Tensor::external(percents); //~ E0308: mismatched types
}

fn main() {}
