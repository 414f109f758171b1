//! No constructor takes a list of elements without the name of their order, and no tensor is made of memory without values.

use tensor::{Tensor, TypedTensor};

fn main() {
    let _ = TypedTensor::<f64>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0]); //~ E0599: named `from_vec` found
    let _ = TypedTensor::<f64>::new([2, 2], vec![1.0, 2.0, 3.0, 4.0]); //~ E0599: named `new` found
    let _ = Tensor::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0]); //~ E0599: named `from_vec` found
    let _ = TypedTensor::<f64>::empty([2, 2]); //~ E0599: named `empty` found
    let _: TypedTensor<f64> = vec![1.0, 2.0].into(); //~ E0277: `TypedTensor<f64>: From<Vec<{float}>>` is not satisfied
}
