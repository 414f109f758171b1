//! Truth values have no arithmetic, and neither have elements that define none.

use tensor::{ScalarArithmetic, TypedTensor};

#[derive(Clone)]
struct Plain;

fn sum<T: ScalarArithmetic>(elements: &[T]) -> T {
    let sum = elements
        .iter()
        .fold(T::empty_sum(), |sum, &term| T::add_term(sum, term));
    T::finish_sum(sum)
}

fn main() {
    let _ = TypedTensor::<bool>::ones([2]); //~ E0277: `bool: ScalarArithmetic` is not satisfied
    let _ = sum(&[true, false]); //~ E0277: `bool: ScalarArithmetic` is not satisfied
    let _ = TypedTensor::<String>::ones([2]); //~ E0277: `String: ScalarArithmetic` is not satisfied
    let _ = TypedTensor::<Plain>::zeros([2]); //~ E0277: `Plain: Default` is not satisfied
}
