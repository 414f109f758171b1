//! What both sides of a case must agree on: shape and elements, in row-major logical order.

use ndarray::{ArrayBase, Data, Dimension};
use tensor::{Host, TensorRank, TypedTensor, TypedTensorView};

/// A result in a form that can be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The extents; none for a number.
    pub shape: Vec<usize>,
    /// The elements, in row-major logical order.
    pub elements: Vec<f64>,
}

/// What the operation of a case can give.
pub trait Answer {
    /// The comparable form.
    fn answered(&self) -> Answered;
}

fn number(value: f64) -> Answered {
    Answered {
        shape: Vec::new(),
        elements: vec![value],
    }
}

impl Answer for f32 {
    fn answered(&self) -> Answered {
        number(f64::from(*self))
    }
}

impl Answer for u32 {
    fn answered(&self) -> Answered {
        number(f64::from(*self))
    }
}

impl<R: TensorRank> Answer for TypedTensorView<'_, f32, R> {
    fn answered(&self) -> Answered {
        Answered {
            shape: self.shape().to_vec(),
            elements: self.iter().copied().map(f64::from).collect(),
        }
    }
}

impl<R: TensorRank> Answer for TypedTensor<f32, R> {
    fn answered(&self) -> Answered {
        self.as_view()
            .expect("dynamic storage is host memory")
            .answered()
    }
}

impl<R: TensorRank> Answer for TypedTensor<f32, R, Host> {
    fn answered(&self) -> Answered {
        self.as_view()
            .expect("host storage is host memory")
            .answered()
    }
}

impl<S: Data<Elem = f32>, D: Dimension> Answer for ArrayBase<S, D> {
    fn answered(&self) -> Answered {
        Answered {
            shape: self.shape().to_vec(),
            elements: self.iter().copied().map(f64::from).collect(),
        }
    }
}
