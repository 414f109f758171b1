//! Scalar expressions, element by element.
//!
//! A register is the bit pattern of one element. Each instruction is computed by the rules of [`graph::scalar::Prim`] and
//! rounded to the dtype of its register: 32-bit floats in `f64` and rounded, 16-bit floats likewise, integers exactly.
//! So the value of a program does not depend on how its instructions are cut into ops, to the bit.

use graph::scalar::{Inst, Prim, Program, ScalarValue};
use tensor_core::DType;

use super::element::{Element, Real, each_element, each_real};
use super::number::Number;

/// The value of `program` for one element of each operand.
///
/// # Panics
/// If the operands' number or dtypes are not the program's: a bug of the caller.
pub fn eval(program: &Program, operands: &[ScalarValue]) -> ScalarValue {
    let dtypes = operands.iter().map(|operand| operand.dtype());
    assert!(
        dtypes.eq(program.inputs().iter().copied()),
        "the operands {operands:?} are not those of the program {program:?}"
    );
    let mut registers: Vec<u64> = operands.iter().map(|operand| operand.bits()).collect();
    ScalarValue::from_bits(program.dtype(), run(program, &mut registers))
}

/// The result's bits; `registers` holds the operands and is extended by every instruction.
pub(super) fn run(program: &Program, registers: &mut Vec<u64>) -> u64 {
    for inst in program.insts() {
        let value = match *inst {
            Inst::Const(value) => value.bits(),
            Inst::Cast(to, reg) => cast(program.dtype_of(reg), to, registers[usize::from(reg)]),
            Inst::Prim(prim, operands) => {
                let bits = operands.map(|reg| registers[usize::from(reg)]);
                primitive(prim, program.dtype_of(operands[0]), bits)
            }
        };
        registers.push(value);
    }
    registers[usize::from(program.result())]
}

/// The element `bits` of dtype `from` as one of dtype `to`.
pub(super) fn cast(from: DType, to: DType, bits: u64) -> u64 {
    let exact = each_element!(from, T => T::from_pattern(bits).exact(), other => no_scalar(other));
    each_element!(to, T => T::from_exact(exact).pattern(), other => no_scalar(other))
}

/// A primitive on operands of which the first has this dtype.
fn primitive(prim: Prim, dtype: DType, [a, b, c]: [u64; 3]) -> u64 {
    match prim {
        Prim::Select => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        Prim::Not if dtype == DType::Bool => u64::from(a == 0),
        Prim::Not => !a & (u64::MAX >> (64 - 8 * dtype.size_bytes())),
        Prim::And => a & b,
        Prim::Or => a | b,
        Prim::Xor => a ^ b,
        Prim::Eq if dtype == DType::Bool => u64::from(a == b),
        _ => each_real!(dtype, T => numeric::<T>(prim, a, b), other => no_scalar(other)),
    }
}

/// A primitive on numbers.
fn numeric<T: Real>(prim: Prim, a: u64, b: u64) -> u64 {
    let (x, y) = (T::from_pattern(a).widen(), T::from_pattern(b).widen());
    let wide = match prim {
        Prim::Eq => return u64::from(x == y),
        Prim::Lt => return u64::from(x < y),
        Prim::Le => return u64::from(x <= y),
        Prim::Neg => x.neg(),
        Prim::Abs => x.abs(),
        Prim::Sign => x.sign(),
        Prim::Add => x.add(y),
        Prim::Sub => x.sub(y),
        Prim::Mul => x.mul(y),
        Prim::Div => x.div(y),
        Prim::Rem => x.rem(y),
        Prim::Shl | Prim::Shr => x.shifted(prim, y),
        Prim::Pow => x.pow(y),
        Prim::Max => x.larger(y),
        Prim::Min => x.smaller(y),
        analytic => x.analytic(analytic),
    };
    T::narrow(wide).pattern()
}

/// Programs are built of the dtypes of scalar expressions alone.
fn no_scalar(dtype: DType) -> ! {
    panic!("{dtype} is no dtype of scalar expressions")
}
