//! What is known of a value before it exists: its type and, for small integer tensors, its elements.

use std::fmt;

use tensor_core::{DType, ShapeVec};

use crate::Dim;

/// dtype and shape of a value; the rank is always known, extents may be symbolic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorType {
    /// Element type.
    pub dtype: DType,
    /// Extents, outermost first.
    pub shape: Vec<Dim>,
}

impl TensorType {
    /// A type of these parts.
    pub fn new(dtype: DType, shape: impl IntoIterator<Item = Dim>) -> Self {
        TensorType {
            dtype,
            shape: shape.into_iter().collect(),
        }
    }

    /// A type with a concrete shape.
    pub fn fixed(dtype: DType, shape: &[usize]) -> Self {
        TensorType {
            dtype,
            shape: shape.iter().map(|&n| Dim::from(n)).collect(),
        }
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The concrete shape, if no extent is symbolic.
    pub fn static_shape(&self) -> Option<ShapeVec> {
        self.shape.iter().map(Dim::as_extent).collect()
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[", self.dtype)?;
        for (axis, dim) in self.shape.iter().enumerate() {
            let separator = if axis == 0 { "" } else { ", " };
            write!(f, "{separator}{dim}")?;
        }
        f.write_str("]")
    }
}

/// Everything inference knows of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueFacts {
    /// dtype and shape.
    pub ty: TensorType,
    /// Elements in row-major order, when they are integers (or bools) that follow from shapes and
    /// constants and there are at most [`ValueFacts::KNOWN_LIMIT`] of them. This is what lets
    /// `Shape -> Slice -> Concat -> Reshape` chains be understood with symbolic extents.
    pub known: Option<Vec<Dim>>,
    /// Elements of a float constant of at most [`ValueFacts::KNOWN_LIMIT`] elements: scales and
    /// limits that decide shapes.
    pub floats: Option<Vec<f64>>,
}

impl ValueFacts {
    /// Larger tensors are data, not shapes; their elements are not followed.
    pub const KNOWN_LIMIT: usize = 64;

    /// Facts of a value of this type with these known elements.
    pub fn new(ty: TensorType, known: Option<Vec<Dim>>) -> Self {
        ValueFacts {
            ty,
            known,
            floats: None,
        }
    }

    /// Facts of a value of which only the type is known.
    pub fn of_type(ty: TensorType) -> Self {
        ValueFacts::new(ty, None)
    }
}
