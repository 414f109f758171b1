//! Elementwise ops over a few elements, computed where they are called.
//!
//! **How it works.** To find the plan of an op and to lend it its buffers takes the better part of a microsecond; the arithmetic
//! of 16 elements takes a few nanoseconds. So an op of one row of the table, whose operands have one dtype and lie in
//! row-major order without gaps, all of one shape or of rank 0, goes to the device's [`Elementwise`] of its expression, which is
//! kept by row and dtype. Everything else, and every error, is left to the plan.
//!
//! **Invariant.** The results are those of the plan to the last bit: both evaluate one expression on the same tiles.

use std::sync::OnceLock;

use bytemuck::{NoUninit, cast_slice, cast_slice_mut};
use graph::op::{MapOp, Op, map};
use graph::{TensorType, ValueFacts};
use plan::{Backend, Elementwise, Operand};
use tensor::{DType, SharedTensor, TensorElement};
use tinyvec::ArrayVec;

/// Most operands of an op that is served.
const MOST_OPERANDS: usize = 2;

/// Runs `$body` with `$T` as the element type of a dtype that expressions are evaluated in, or `None`.
macro_rules! with_number {
    ($dtype:expr, $T:ident => $body:expr, bool => $on_bool:expr) => {
        with_number!(@ $dtype, $T => $body, bool => $on_bool,
            F32 f32, F64 f64, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64)
    };
    (@ $dtype:expr, $T:ident => $body:expr, bool => $on_bool:expr, $($D:ident $Type:ty),+) => {
        match $dtype {
            $(DType::$D => {
                type $T = $Type;
                $body
            })+
            DType::Bool => $on_bool,
            DType::C32 | DType::C64 | DType::F16 | DType::BF16 | DType::External(_) => None,
        }
    };
}

/// An expression of a row for one dtype.
struct Kernel {
    operands: usize,
    result: DType,
    elementwise: Box<dyn Elementwise>,
}

/// The kernels of one row by dtype, in the order of [`DType::TAGS`]; `None` where there can be none.
type ByDType = Vec<OnceLock<Option<Kernel>>>;

/// The expressions of a context, made when they are first asked for.
pub(crate) struct Small {
    rows: Vec<OnceLock<ByDType>>,
}

impl Small {
    pub(crate) fn new() -> Self {
        Small {
            rows: map::rows().map(|_| OnceLock::new()).collect(),
        }
    }

    fn kernel(
        &self,
        backend: &dyn Backend,
        op: &MapOp,
        dtype: DType,
        operands: usize,
    ) -> Option<&Kernel> {
        let row = &self.rows[op.plain()?];
        let row = row.get_or_init(|| DType::TAGS.iter().map(|_| OnceLock::new()).collect());
        let at = DType::TAGS.iter().position(|&tag| tag == dtype)?;
        let kernel = row[at].get_or_init(|| Kernel::new(backend, op, dtype, operands));
        kernel.as_ref().filter(|kernel| kernel.operands == operands)
    }

    /// The result of an elementwise op, if it is one for here.
    pub(crate) fn run(
        &self,
        backend: &dyn Backend,
        op: &Op,
        operands: &[&SharedTensor],
    ) -> Option<SharedTensor> {
        let Op::Map(op) = op else { return None };
        let dtype = operands.first()?.dtype();
        let kernel = self.kernel(backend, op, dtype, operands.len())?;
        with_number!(dtype, T => kernel.run::<T>(operands), bool => kernel.run::<bool>(operands))
    }
}

impl Kernel {
    /// The kernel of an op for operands of one dtype, if the op takes them and the device has one.
    fn new(backend: &dyn Backend, op: &MapOp, dtype: DType, operands: usize) -> Option<Kernel> {
        let facts = ValueFacts::of_type(TensorType::fixed(dtype, &[]));
        let inputs = vec![Some(&facts); operands];
        let inferred = Op::Map(op.clone()).infer(&inputs, "output").ok()?;
        let program = op.program(&vec![Some(dtype); operands]);
        Some(Kernel {
            operands,
            result: inferred.first()?.ty.dtype,
            elementwise: backend.elementwise(&program)?,
        })
    }
}

impl Kernel {
    /// The result for operands with elements of type `T`, if they suit.
    fn run<T: TensorElement + NoUninit>(&self, operands: &[&SharedTensor]) -> Option<SharedTensor> {
        let [first, rest @ ..] = operands else {
            return None;
        };
        // Of two shapes the one of more axes is the result's, or both are.
        let whole = rest.iter().fold(first, |most, operand| {
            if operand.rank() > most.rank() {
                operand
            } else {
                most
            }
        });
        let count = whole.len();
        if count == 0 || count > self.elementwise.most() {
            return None;
        }
        let mut bytes: ArrayVec<[Operand<'_>; MOST_OPERANDS]> = ArrayVec::new();
        for &operand in operands {
            let elements = cast_slice::<T, u8>(operand.as_slice().ok()?);
            bytes.push(
                if std::ptr::eq(operand, *whole) || operand.shape().iter().eq(whole.shape()) {
                    Operand::Each(elements)
                } else if operand.rank() == 0 {
                    Operand::One(elements)
                } else {
                    return None;
                },
            );
        }
        self.filled(whole, count, &bytes)
    }

    /// A tensor of the shape of `whole`.
    fn filled(
        &self,
        whole: &SharedTensor,
        count: usize,
        operands: &[Operand<'_>],
    ) -> Option<SharedTensor> {
        with_number!(self.result, T => {
            let mut out = vec![T::default(); count];
            self.elementwise.run(operands, cast_slice_mut(&mut out));
            whole.row_major_like(out).ok()
        }, bool => {
            let mut out = vec![0_u8; count];
            self.elementwise.run(operands, &mut out);
            let out: Vec<bool> = out.into_iter().map(|byte| byte != 0).collect();
            whole.row_major_like(out).ok()
        })
    }
}
