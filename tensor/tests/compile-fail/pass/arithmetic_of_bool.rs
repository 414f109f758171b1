//! Generic code asks for the arithmetic that it needs; truth values are filled by value.

use tensor::{Result, ScalarArithmetic, TypedTensor, f16};

fn sum<T: ScalarArithmetic>(elements: &[T]) -> T {
    let sum = elements
        .iter()
        .fold(T::empty_sum(), |sum, &term| T::add_term(sum, term));
    T::finish_sum(sum)
}

fn main() -> Result<()> {
    assert_eq!(sum(TypedTensor::<i32>::ones([2, 3])?.as_slice()?), 6);
    assert_eq!(
        sum(TypedTensor::<f16>::ones([2])?.as_slice()?),
        f16::from_f32(2.0)
    );
    assert_eq!(TypedTensor::<bool>::full([2], true)?.as_slice()?, [true; 2]);
    assert_eq!(TypedTensor::<bool>::zeros([1])?.as_slice()?, [false]);
    assert_eq!(TypedTensor::<String>::zeros([1])?.as_slice()?, [""]);
    Ok(())
}
