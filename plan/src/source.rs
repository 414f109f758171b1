//! What a step reads: strided loads and a scalar expression over them.

use graph::scalar::Program;
use tensor_core::{DType, ShapeVec, TensorLayout};

use crate::BufferId;

/// One strided read: the element at a logical index is the buffer's element at the layout's offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// The buffer.
    pub buffer: BufferId,
    /// Shape, strides and offset in elements of the buffer.
    pub layout: TensorLayout,
}

/// A tensor that is read but not stored: `value[i] = program(loads[0][i], loads[1][i], ...)`.
///
/// All loads have the source's shape (broadcasts are strides of 0). A program that is the identity
/// makes this a plain view.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Logical shape.
    pub shape: ShapeVec,
    /// What the program reads.
    pub loads: Vec<Load>,
    /// The scalar expression; one operand per load.
    pub program: Program,
}

impl Source {
    /// A view of one buffer.
    pub fn view(buffer: BufferId, dtype: DType, layout: TensorLayout) -> Source {
        let shape = layout.shape().iter().copied().collect();
        Source {
            shape,
            loads: vec![Load { buffer, layout }],
            program: Program::identity(dtype),
        }
    }

    /// dtype of the elements.
    pub fn dtype(&self) -> DType {
        self.program.dtype()
    }

    /// The load, if this is a plain view of one buffer.
    pub fn as_view(&self) -> Option<&Load> {
        if self.program.is_identity() {
            self.loads.first()
        } else {
            None
        }
    }

    /// Number of elements.
    pub fn element_count(&self) -> usize {
        self.shape.iter().product()
    }
}

/// What a step does to each result before storing: `program(result, loads[0][i], loads[1][i], ...)`.
///
/// The loads have the shape of the step's output; operand 0 of the program is the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Epilogue {
    /// Operands 1, 2, ... of the program.
    pub loads: Vec<Load>,
    /// The scalar expression.
    pub program: Program,
}

impl Epilogue {
    /// The epilogue that stores results of this dtype as they are.
    pub fn none(dtype: DType) -> Epilogue {
        Epilogue {
            loads: Vec::new(),
            program: Program::identity(dtype),
        }
    }

    /// Whether results are stored as they are.
    pub fn is_none(&self) -> bool {
        self.program.is_identity()
    }
}
