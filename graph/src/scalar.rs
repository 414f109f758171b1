//! Scalar expressions: the meaning of every elementwise op, and what fusion composes.
//!
//! A [`Program`] computes one element from one element of each operand. It is straight-line SSA
//! over about 45 primitives ([`Prim`]): registers `0..inputs` are the operands, every instruction
//! defines the next register, one register is the result. Executors implement primitives, not ops;
//! so the CPU, GLSL and WGSL forms of an op agree by construction.
//!
//! Invariants (checked by the constructors, which panic on a breach since only the op table and
//! passes build programs): operands precede their use; dtypes of the operands of a primitive agree
//! as [`Prim::result`] demands; identical instructions exist once.

mod print;
mod value;

use tensor_core::DType;

pub use value::ScalarValue;

/// A scalar primitive. Float semantics are IEEE 754; integers wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Prim {
    /// `-x`
    Neg,
    /// `|x|`
    Abs,
    /// -1, 0 or 1; NaN stays NaN.
    Sign,
    /// Square root, correctly rounded.
    Sqrt,
    /// `1 / x`, correctly rounded.
    Recip,
    /// `e^x`
    Exp,
    /// Natural logarithm.
    Log,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Tangent.
    Tan,
    /// Inverse sine, from -pi / 2 to pi / 2; NaN beyond -1..=1.
    Asin,
    /// Inverse cosine, from 0 to pi; NaN beyond -1..=1.
    Acos,
    /// Inverse tangent, from -pi / 2 to pi / 2.
    Atan,
    /// Hyperbolic sine.
    Sinh,
    /// Hyperbolic cosine.
    Cosh,
    /// Hyperbolic tangent.
    Tanh,
    /// Inverse hyperbolic sine.
    Asinh,
    /// Inverse hyperbolic cosine, at least 0; NaN below 1.
    Acosh,
    /// Inverse hyperbolic tangent; infinite at -1 and 1, NaN beyond.
    Atanh,
    /// Logistic function `1 / (1 + e^-x)`.
    Sigmoid,
    /// Error function.
    Erf,
    /// Toward negative infinity.
    Floor,
    /// Toward positive infinity.
    Ceil,
    /// To nearest, ties to even.
    Round,
    /// Logical not of a bool, every bit of an integer inverted.
    Not,
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`; integers truncate toward zero, `x / 0` is 0 and `MIN / -1` wraps to `MIN`.
    Div,
    /// The remainder of the division toward zero, with the sign of `a`, exact. Integers: `x rem 0` and `MIN rem -1` are 0.
    Rem,
    /// `a^b`; integer powers by repeated multiplication, negative integer exponents truncate.
    Pow,
    /// The larger; NaN if either is NaN.
    Max,
    /// The smaller; NaN if either is NaN.
    Min,
    /// `a == b`
    Eq,
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// And of bools, or of every bit of integers.
    And,
    /// Or of bools, or of every bit of integers.
    Or,
    /// Exclusive or of bools, or of every bit of integers.
    Xor,
    /// The bits of `a` moved up `b` places; 0 if `b` is negative or at least the number of bits.
    Shl,
    /// The bits of `a` moved down `b` places, copies of the sign moving in; only those are left if `b` is negative or at
    /// least the number of bits.
    Shr,
    /// `c ? a : b` with a bool `c`.
    Select,
}

/// All primitives, in the order of their declaration.
pub const PRIMS: &[Prim] = &[
    Prim::Neg,
    Prim::Abs,
    Prim::Sign,
    Prim::Sqrt,
    Prim::Recip,
    Prim::Exp,
    Prim::Log,
    Prim::Sin,
    Prim::Cos,
    Prim::Tan,
    Prim::Asin,
    Prim::Acos,
    Prim::Atan,
    Prim::Sinh,
    Prim::Cosh,
    Prim::Tanh,
    Prim::Asinh,
    Prim::Acosh,
    Prim::Atanh,
    Prim::Sigmoid,
    Prim::Erf,
    Prim::Floor,
    Prim::Ceil,
    Prim::Round,
    Prim::Not,
    Prim::Add,
    Prim::Sub,
    Prim::Mul,
    Prim::Div,
    Prim::Rem,
    Prim::Pow,
    Prim::Max,
    Prim::Min,
    Prim::Eq,
    Prim::Lt,
    Prim::Le,
    Prim::And,
    Prim::Or,
    Prim::Xor,
    Prim::Shl,
    Prim::Shr,
    Prim::Select,
];

impl Prim {
    /// Number of operands.
    pub fn arity(self) -> usize {
        use Prim::*;
        match self {
            Neg | Abs | Sign | Sqrt | Recip | Exp | Log | Sin | Cos | Tan | Asin | Acos | Atan
            | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Sigmoid | Erf | Floor | Ceil | Round
            | Not => 1,
            Add | Sub | Mul | Div | Rem | Pow | Max | Min | Eq | Lt | Le | And | Or | Xor | Shl
            | Shr => 2,
            Select => 3,
        }
    }

    /// The result's dtype, or `None` if the primitive does not take these dtypes.
    pub fn result(self, operands: &[DType]) -> Option<DType> {
        use Prim::*;
        let &first = operands.first()?;
        if operands.len() != self.arity() {
            return None;
        }
        let same = operands.iter().all(|&d| d == first);
        let number = first != DType::Bool;
        match self {
            Sqrt | Recip | Exp | Log | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh
            | Tanh | Asinh | Acosh | Atanh | Sigmoid | Erf | Floor | Ceil | Round => {
                first.is_float().then_some(first)
            }
            Neg | Abs | Sign => number.then_some(first),
            Add | Sub | Mul | Div | Rem | Pow | Max | Min => (same && number).then_some(first),
            Eq => same.then_some(DType::Bool),
            Lt | Le => (same && number).then_some(DType::Bool),
            Not | And | Or | Xor => (same && !first.is_float()).then_some(first),
            Shl | Shr => (same && first.is_integer()).then_some(first),
            Select => (first == DType::Bool && operands[1] == operands[2]).then_some(operands[1]),
        }
    }

    /// The name that texts use.
    pub fn name(self) -> &'static str {
        use Prim::*;
        match self {
            Neg => "neg",
            Abs => "abs",
            Sign => "sign",
            Sqrt => "sqrt",
            Recip => "recip",
            Exp => "exp",
            Log => "log",
            Sin => "sin",
            Cos => "cos",
            Tan => "tan",
            Asin => "asin",
            Acos => "acos",
            Atan => "atan",
            Sinh => "sinh",
            Cosh => "cosh",
            Tanh => "tanh",
            Asinh => "asinh",
            Acosh => "acosh",
            Atanh => "atanh",
            Sigmoid => "sigmoid",
            Erf => "erf",
            Floor => "floor",
            Ceil => "ceil",
            Round => "round",
            Not => "not",
            Add => "add",
            Sub => "sub",
            Mul => "mul",
            Div => "div",
            Rem => "rem",
            Pow => "pow",
            Max => "max",
            Min => "min",
            Eq => "eq",
            Lt => "lt",
            Le => "le",
            And => "and",
            Or => "or",
            Xor => "xor",
            Shl => "shl",
            Shr => "shr",
            Select => "select",
        }
    }
}

/// A register of a [`Program`].
pub type Reg = u16;

/// One instruction; it defines the register after its predecessor's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Inst {
    /// A literal.
    Const(ScalarValue),
    /// A primitive; operands beyond its arity are 0 and unused.
    Prim(Prim, [Reg; 3]),
    /// Conversion: float to integer truncates toward zero and saturates, NaN gives 0; to bool is
    /// `x != 0`; between integers saturates.
    Cast(DType, Reg),
}

/// A scalar expression over operands. See the module documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    inputs: Vec<DType>,
    insts: Vec<Inst>,
    dtypes: Vec<DType>,
    result: Reg,
}

impl Program {
    /// A program over operands of these dtypes that returns its first operand (until
    /// [`Program::set_result`]); with no operands the result is undefined until set.
    pub fn new(inputs: impl IntoIterator<Item = DType>) -> Self {
        let inputs: Vec<DType> = inputs.into_iter().collect();
        Program {
            dtypes: inputs.clone(),
            inputs,
            insts: Vec::new(),
            result: 0,
        }
    }

    /// The program of one operand that returns it.
    pub fn identity(dtype: DType) -> Self {
        Program::new([dtype])
    }

    /// Whether the program returns its only operand unchanged.
    pub fn is_identity(&self) -> bool {
        self.inputs.len() == 1 && self.insts.is_empty()
    }

    /// dtypes of the operands.
    pub fn inputs(&self) -> &[DType] {
        &self.inputs
    }

    /// The instructions in order.
    pub fn insts(&self) -> &[Inst] {
        &self.insts
    }

    /// The register that holds the result.
    pub fn result(&self) -> Reg {
        self.result
    }

    /// dtype of a register.
    pub fn dtype_of(&self, reg: Reg) -> DType {
        self.dtypes[usize::from(reg)]
    }

    /// dtype of the result.
    pub fn dtype(&self) -> DType {
        self.dtype_of(self.result)
    }

    /// Makes `reg` the result.
    ///
    /// # Panics
    /// If `reg` is not defined.
    pub fn set_result(&mut self, reg: Reg) {
        assert!(
            usize::from(reg) < self.dtypes.len(),
            "register {reg} is not defined"
        );
        self.result = reg;
    }

    /// Adds an operand. Only while there are no instructions, since operands come first.
    ///
    /// # Panics
    /// If there are instructions already.
    pub fn push_input(&mut self, dtype: DType) -> Reg {
        assert!(self.insts.is_empty(), "operands precede instructions");
        self.inputs.push(dtype);
        self.dtypes.push(dtype);
        to_reg(self.inputs.len() - 1)
    }

    /// Adds a literal.
    pub fn constant(&mut self, value: ScalarValue) -> Reg {
        self.push(Inst::Const(value), value.dtype())
    }

    /// Adds a literal of a dtype from an `f64`, rounded or truncated to the dtype.
    pub fn literal(&mut self, dtype: DType, value: f64) -> Reg {
        self.constant(ScalarValue::from_f64(dtype, value))
    }

    /// Adds a primitive.
    ///
    /// # Panics
    /// If the primitive does not take the operands' dtypes: a bug of the op table or of a pass.
    pub fn prim(&mut self, prim: Prim, operands: &[Reg]) -> Reg {
        let dtypes: Vec<DType> = operands.iter().map(|&r| self.dtype_of(r)).collect();
        let Some(result) = prim.result(&dtypes) else {
            panic!("primitive {} does not take {dtypes:?}", prim.name())
        };
        let mut regs = [0; 3];
        regs[..operands.len()].copy_from_slice(operands);
        self.push(Inst::Prim(prim, regs), result)
    }

    /// Adds a conversion, or nothing if the register already has the dtype.
    pub fn cast(&mut self, to: DType, reg: Reg) -> Reg {
        if self.dtype_of(reg) == to {
            reg
        } else {
            self.push(Inst::Cast(to, reg), to)
        }
    }

    fn push(&mut self, inst: Inst, dtype: DType) -> Reg {
        if let Some(at) = self.insts.iter().position(|i| *i == inst) {
            return to_reg(self.inputs.len() + at);
        }
        self.insts.push(inst);
        self.dtypes.push(dtype);
        to_reg(self.dtypes.len() - 1)
    }

    /// Appends `inner`'s instructions with its operands replaced by `operands`; gives the register
    /// of its result.
    ///
    /// # Panics
    /// If the operands' number or dtypes differ from `inner`'s: a bug of the caller.
    pub fn inline(&mut self, inner: &Program, operands: &[Reg]) -> Reg {
        assert_eq!(inner.inputs.len(), operands.len(), "operand count");
        let mut map: Vec<Reg> = operands.to_vec();
        for (reg, want) in operands.iter().zip(&inner.inputs) {
            assert_eq!(self.dtype_of(*reg), *want, "operand dtype");
        }
        for inst in &inner.insts {
            let reg = match *inst {
                Inst::Const(value) => self.constant(value),
                Inst::Cast(to, r) => self.cast(to, map[usize::from(r)]),
                Inst::Prim(prim, regs) => {
                    let regs = regs.map(|r| map[usize::from(r)]);
                    self.prim(prim, &regs[..prim.arity()])
                }
            };
            map.push(reg);
        }
        map[usize::from(inner.result)]
    }
}

fn to_reg(index: usize) -> Reg {
    Reg::try_from(index).expect("fusion keeps programs far below 65536 registers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inlining_composes_and_shares() {
        let mut relu = Program::identity(DType::F32);
        let zero = relu.literal(DType::F32, 0.0);
        let max = relu.prim(Prim::Max, &[0, zero]);
        relu.set_result(max);

        let mut sum = Program::new([DType::F32, DType::F32]);
        let a = sum.inline(&relu, &[0]);
        let b = sum.inline(&relu, &[1]);
        let again = sum.inline(&relu, &[0]);
        assert_eq!(a, again, "an identical instruction exists once");
        let add = sum.prim(Prim::Add, &[a, b]);
        sum.set_result(add);
        assert_eq!(sum.to_string(), "max(%0, 0) + max(%1, 0)");
        assert_eq!(sum.dtype(), DType::F32);
    }

    #[test]
    fn primitives_refuse_wrong_dtypes() {
        assert_eq!(Prim::Add.result(&[DType::F32, DType::I64]), None);
        assert_eq!(Prim::Exp.result(&[DType::I32]), None);
        assert_eq!(
            Prim::And.result(&[DType::Bool, DType::Bool]),
            Some(DType::Bool)
        );
        assert_eq!(Prim::And.result(&[DType::I8, DType::I8]), Some(DType::I8));
        assert_eq!(Prim::Xor.result(&[DType::F32, DType::F32]), None);
        assert_eq!(Prim::Shl.result(&[DType::Bool, DType::Bool]), None);
        assert_eq!(Prim::Lt.result(&[DType::U8, DType::U8]), Some(DType::Bool));
        assert_eq!(
            Prim::Select.result(&[DType::Bool, DType::I8, DType::I8]),
            Some(DType::I8)
        );
        assert_eq!(
            Prim::Select.result(&[DType::I8, DType::I8, DType::I8]),
            None
        );
    }
}
