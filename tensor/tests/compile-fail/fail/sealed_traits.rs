//! What the storage relies on can't be implemented outside: ranks, representations, preset elements.

use tensor::core::ValidationError;
use tensor::{
    DType, Representation, Scalar, ScalarDomain, TensorElement, TensorRank, TensorScalar,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Mine;

impl Representation for Mine {} //~ E0277: sealed::Storing` is not satisfied

impl TensorRank for Mine {
    //~^ E0277: sealed::Sealed` is not satisfied
    const RANK: Option<usize> = Some(1);
    type Shape = [usize; 1];
    type Strides = [isize; 1];
    fn shape_from_slice(_: &[usize]) -> Result<Self::Shape, ValidationError> {
        //~^ E0277: sealed::Sealed` is not satisfied
        Ok([1])
    }
    fn strides_from_slice(_: &[isize]) -> Result<Self::Strides, ValidationError> {
        //~^ E0277: sealed::Sealed` is not satisfied
        Ok([1])
    }
    fn zero_strides(_: &Self::Shape) -> Self::Strides {
        //~^ E0277: sealed::Sealed` is not satisfied
        [0]
    }
}

impl Scalar for Mine {
    const DOMAIN: ScalarDomain = ScalarDomain::Field;
}

impl TensorScalar for Mine {
    //~^ E0277: sealed::Sealed` is not satisfied
    type Real = f32;
    fn dtype() -> DType {
        DType::F32
    }
}

impl TensorElement for Mine {}
//~^ E0277: sealed::Hooks` is not satisfied
//~^^ E0277: scalar::sealed::Sealed` is not satisfied

fn main() {}
