//! The everyday rows, and what all rows are made with. Each states its formula, exactness and source; the expression is the
//! last field.

use super::{DimRule, Operands, Row, Types};
use crate::DimOp;
use crate::op::{Algebra, Family, Numerics, OpDef};
use crate::scalar::{Prim, Program, Reg};

/// Exact results, NaN in gives NaN out.
pub(super) const EXACT: Numerics = within(0);

/// Results at most this far from the rounded ones.
pub(super) const fn within(max_ulp: u32) -> Numerics {
    Numerics {
        accumulator: "",
        nan: "propagates",
        max_ulp,
    }
}

/// A row without attributes and further facts.
pub(super) const fn row(
    name: &'static str,
    arity: (usize, usize),
    types: Types,
    formula: &'static str,
    numerics: Numerics,
    source: &'static str,
    build: fn(&mut Program, &Operands<'_>) -> Reg,
) -> Row {
    let algebra = Algebra::NONE;
    let def = OpDef {
        name,
        family: Family::Map,
        arity,
        algebra,
        formula,
        numerics,
        source,
    };
    Row {
        def,
        types,
        attrs: &[],
        dim: None,
        build,
    }
}

impl Row {
    pub(super) const fn algebra(mut self, algebra: Algebra) -> Row {
        self.def.algebra = algebra;
        self
    }

    pub(super) const fn attrs(mut self, attrs: &'static [(&'static str, f32)]) -> Row {
        self.attrs = attrs;
        self
    }

    const fn dim(self, op: DimOp) -> Row {
        self.rule(DimRule::Op(op))
    }

    pub(super) const fn rule(mut self, rule: DimRule) -> Row {
        self.dim = Some(rule);
        self
    }
}

/// An op that is one primitive of one operand.
macro_rules! unary {
    ($name:literal, $prim:ident, $types:ident, $formula:literal, $numerics:expr, $source:literal) => {
        $crate::op::map::rows::row(
            $name,
            (1, 1),
            Types::$types,
            $formula,
            $numerics,
            $source,
            |p, o| p.prim(Prim::$prim, &[o.reg(0)]),
        )
    };
}

/// An op that is one primitive of two operands.
macro_rules! binary {
    ($name:literal, $prim:ident, $types:ident, $formula:literal, $numerics:expr, $source:literal) => {
        $crate::op::map::rows::row(
            $name,
            (2, 2),
            Types::$types,
            $formula,
            $numerics,
            $source,
            |p, o| p.prim(Prim::$prim, &[o.reg(0), o.reg(1)]),
        )
    };
}

pub(super) use {binary, unary};

/// Arithmetic, logic, comparisons, and the activations of every model.
pub(super) static ROWS: &[Row] = &[
    row(
        "identity",
        (1, 1),
        Types::Any,
        "x",
        EXACT,
        "ONNX Identity",
        |_, o| o.reg(0),
    )
    .algebra(Algebra::IDEMPOTENT),
    row(
        "cast",
        (1, 1),
        Types::Cast,
        "x as `to`; to integers: toward zero, saturating, NaN to 0",
        EXACT,
        "ONNX Cast",
        |p, o| p.cast(o.dtype, o.reg(0)),
    )
    .algebra(Algebra::IDEMPOTENT),
    unary!("neg", Neg, Number, "-x", EXACT, "ONNX Neg").dim(DimOp::Sub),
    unary!("abs", Abs, Number, "|x|", EXACT, "ONNX Abs").algebra(Algebra::IDEMPOTENT),
    unary!("sign", Sign, Number, "-1, 0 or 1", EXACT, "ONNX Sign").algebra(Algebra::IDEMPOTENT),
    unary!(
        "sqrt",
        Sqrt,
        Float,
        "sqrt(x); negative x gives NaN",
        EXACT,
        "ONNX Sqrt"
    ),
    unary!(
        "reciprocal",
        Recip,
        Float,
        "1 / x",
        EXACT,
        "ONNX Reciprocal"
    ),
    unary!("exp", Exp, Float, "e^x", within(2), "ONNX Exp"),
    unary!(
        "log",
        Log,
        Float,
        "ln(x); ln(0) = -inf, negative x gives NaN",
        within(2),
        "ONNX Log"
    ),
    unary!(
        "sin",
        Sin,
        Float,
        "sin(x), x in radians",
        within(4),
        "ONNX Sin"
    ),
    unary!(
        "cos",
        Cos,
        Float,
        "cos(x), x in radians",
        within(4),
        "ONNX Cos"
    ),
    unary!("tanh", Tanh, Float, "tanh(x)", within(4), "ONNX Tanh"),
    unary!(
        "sigmoid",
        Sigmoid,
        Float,
        "1 / (1 + e^-x)",
        within(4),
        "ONNX Sigmoid"
    ),
    unary!(
        "erf",
        Erf,
        Float,
        "2 / sqrt(pi) * integral from 0 to x of e^-t^2",
        within(4),
        "ONNX Erf"
    ),
    unary!(
        "floor",
        Floor,
        Float,
        "largest integer <= x",
        EXACT,
        "ONNX Floor"
    )
    .algebra(Algebra::IDEMPOTENT),
    unary!(
        "ceil",
        Ceil,
        Float,
        "smallest integer >= x",
        EXACT,
        "ONNX Ceil"
    )
    .algebra(Algebra::IDEMPOTENT),
    unary!(
        "round",
        Round,
        Float,
        "nearest integer, ties to even",
        EXACT,
        "ONNX Round"
    )
    .algebra(Algebra::IDEMPOTENT),
    unary!("not", Not, Bool, "!x", EXACT, "ONNX Not"),
    row(
        "relu",
        (1, 1),
        Types::Number,
        "max(x, 0)",
        EXACT,
        "ONNX Relu",
        relu,
    )
    .algebra(Algebra::IDEMPOTENT),
    row(
        "leaky_relu",
        (1, 1),
        Types::Float,
        "x < 0 ? alpha * x : x",
        within(1),
        "ONNX LeakyRelu",
        leaky_relu,
    )
    .attrs(&[("alpha", 0.01)]),
    row(
        "hard_sigmoid",
        (1, 1),
        Types::Float,
        "max(0, min(1, alpha * x + beta))",
        within(2),
        "ONNX HardSigmoid",
        hard_sigmoid,
    )
    .attrs(&[("alpha", 0.2), ("beta", 0.5)]),
    row(
        "hard_swish",
        (1, 1),
        Types::Float,
        "x * max(0, min(1, x / 6 + 0.5))",
        within(3),
        "ONNX HardSwish",
        hard_swish,
    ),
    row(
        "gelu",
        (1, 1),
        Types::Float,
        "0.5 * x * (1 + erf(x / sqrt(2)))",
        within(8),
        "ONNX Gelu, approximate = none",
        gelu,
    ),
    row(
        "gelu_tanh",
        (1, 1),
        Types::Float,
        "0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))",
        within(8),
        "ONNX Gelu, approximate = tanh",
        gelu_tanh,
    ),
    row(
        "silu",
        (1, 1),
        Types::Float,
        "x * sigmoid(x)",
        within(6),
        "ONNX Swish, alpha = 1",
        silu,
    ),
    row(
        "clip",
        (1, 3),
        Types::Number,
        "min(max(x, lo), hi); a bound may be left out",
        EXACT,
        "ONNX Clip",
        clip,
    )
    .algebra(Algebra::NONE),
    binary!("add", Add, Number, "a + b", EXACT, "ONNX Add")
        .algebra(Algebra::COMMUTATIVE)
        .dim(DimOp::Add),
    binary!("sub", Sub, Number, "a - b", EXACT, "ONNX Sub").dim(DimOp::Sub),
    binary!("mul", Mul, Number, "a * b", EXACT, "ONNX Mul")
        .algebra(Algebra::COMMUTATIVE)
        .dim(DimOp::Mul),
    binary!(
        "div",
        Div,
        Number,
        "a / b; integers toward zero and wrapping, x / 0 = 0",
        EXACT,
        "ONNX Div"
    )
    .dim(DimOp::FloorDiv),
    binary!("pow", Pow, Number, "a^b", within(4), "ONNX Pow"),
    binary!(
        "max",
        Max,
        Number,
        "the larger; NaN if either is",
        EXACT,
        "ONNX Max"
    )
    .algebra(Algebra::COMMUTATIVE),
    binary!(
        "min",
        Min,
        Number,
        "the smaller; NaN if either is",
        EXACT,
        "ONNX Min"
    )
    .algebra(Algebra::COMMUTATIVE),
    binary!("equal", Eq, Equality, "a == b", EXACT, "ONNX Equal"),
    binary!("less", Lt, Order, "a < b", EXACT, "ONNX Less"),
    binary!("less_equal", Le, Order, "a <= b", EXACT, "ONNX LessOrEqual"),
    row(
        "greater",
        (2, 2),
        Types::Order,
        "a > b",
        EXACT,
        "ONNX Greater",
        |p, o| p.prim(Prim::Lt, &[o.reg(1), o.reg(0)]),
    ),
    row(
        "greater_equal",
        (2, 2),
        Types::Order,
        "a >= b",
        EXACT,
        "ONNX GreaterOrEqual",
        |p, o| p.prim(Prim::Le, &[o.reg(1), o.reg(0)]),
    ),
    binary!("and", And, Bool, "a && b", EXACT, "ONNX And").algebra(Algebra::COMMUTATIVE),
    binary!("or", Or, Bool, "a || b", EXACT, "ONNX Or").algebra(Algebra::COMMUTATIVE),
    binary!("xor", Xor, Bool, "a != b", EXACT, "ONNX Xor").algebra(Algebra::COMMUTATIVE),
    row(
        "where",
        (3, 3),
        Types::Choice,
        "c ? a : b",
        EXACT,
        "ONNX Where",
        |p, o| p.prim(Prim::Select, &[o.reg(0), o.reg(1), o.reg(2)]),
    ),
];

fn relu(p: &mut Program, o: &Operands<'_>) -> Reg {
    let zero = p.literal(o.dtype, 0.0);
    p.prim(Prim::Max, &[o.reg(0), zero])
}

fn leaky_relu(p: &mut Program, o: &Operands<'_>) -> Reg {
    let x = o.reg(0);
    let zero = p.literal(o.dtype, 0.0);
    let alpha = p.literal(o.dtype, o.numbers[0].into());
    let negative = p.prim(Prim::Lt, &[x, zero]);
    let scaled = p.prim(Prim::Mul, &[x, alpha]);
    p.prim(Prim::Select, &[negative, scaled, x])
}

/// `max(0, min(1, alpha * x + beta))`
fn clamped_line(p: &mut Program, o: &Operands<'_>, alpha: f64, beta: f64) -> Reg {
    let alpha = p.literal(o.dtype, alpha);
    let beta = p.literal(o.dtype, beta);
    let (zero, one) = (p.literal(o.dtype, 0.0), p.literal(o.dtype, 1.0));
    let scaled = p.prim(Prim::Mul, &[o.reg(0), alpha]);
    let line = p.prim(Prim::Add, &[scaled, beta]);
    let below = p.prim(Prim::Min, &[line, one]);
    p.prim(Prim::Max, &[below, zero])
}

fn hard_sigmoid(p: &mut Program, o: &Operands<'_>) -> Reg {
    clamped_line(p, o, o.numbers[0].into(), o.numbers[1].into())
}

fn hard_swish(p: &mut Program, o: &Operands<'_>) -> Reg {
    let gate = clamped_line(p, o, 1.0 / 6.0, 0.5);
    p.prim(Prim::Mul, &[o.reg(0), gate])
}

/// `0.5 * x * (1 + y)`
fn half_x_times_one_plus(p: &mut Program, o: &Operands<'_>, y: Reg) -> Reg {
    let (half, one) = (p.literal(o.dtype, 0.5), p.literal(o.dtype, 1.0));
    let halved = p.prim(Prim::Mul, &[o.reg(0), half]);
    let sum = p.prim(Prim::Add, &[y, one]);
    p.prim(Prim::Mul, &[halved, sum])
}

fn gelu(p: &mut Program, o: &Operands<'_>) -> Reg {
    let scale = p.literal(o.dtype, std::f64::consts::FRAC_1_SQRT_2);
    let scaled = p.prim(Prim::Mul, &[o.reg(0), scale]);
    let erf = p.prim(Prim::Erf, &[scaled]);
    half_x_times_one_plus(p, o, erf)
}

fn gelu_tanh(p: &mut Program, o: &Operands<'_>) -> Reg {
    let x = o.reg(0);
    let cubic = p.literal(o.dtype, 0.044_715);
    let scale = p.literal(o.dtype, (2.0 / std::f64::consts::PI).sqrt());
    let square = p.prim(Prim::Mul, &[x, x]);
    let cube = p.prim(Prim::Mul, &[square, x]);
    let term = p.prim(Prim::Mul, &[cube, cubic]);
    let sum = p.prim(Prim::Add, &[x, term]);
    let inner = p.prim(Prim::Mul, &[sum, scale]);
    let tanh = p.prim(Prim::Tanh, &[inner]);
    half_x_times_one_plus(p, o, tanh)
}

fn silu(p: &mut Program, o: &Operands<'_>) -> Reg {
    let gate = p.prim(Prim::Sigmoid, &[o.reg(0)]);
    p.prim(Prim::Mul, &[o.reg(0), gate])
}

fn clip(p: &mut Program, o: &Operands<'_>) -> Reg {
    let bound = |index: usize| o.regs.get(index).copied().flatten();
    let mut x = o.reg(0);
    if let Some(lo) = bound(1) {
        x = p.prim(Prim::Max, &[x, lo]);
    }
    match bound(2) {
        Some(hi) => p.prim(Prim::Min, &[x, hi]),
        None => x,
    }
}
