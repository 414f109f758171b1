//! Elementwise ops: one row each, a scalar expression and its facts.
//!
//! Inputs broadcast by numpy's rule. A new op is one row in a file of `op/map` and its
//! cases in the conformance table; executors need no change.

mod activation;
mod arithmetic;
mod rows;

use tensor_core::DType;

use super::rule::{Inputs, broadcast};
use super::{Attr, Attrs, Entry, OpDef};
use crate::scalar::{Program, Reg};
use crate::{Dim, DimOp, InferError, TensorType, ValueFacts};

/// Every elementwise op.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    [rows::ROWS, arithmetic::ROWS, activation::ROWS]
        .into_iter()
        .flatten()
}

/// Which dtypes an elementwise op takes, and what it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Types {
    /// All inputs the same float; gives it.
    Float,
    /// All inputs the same number (float or integer); gives it.
    Number,
    /// All inputs the same integer; gives it.
    Integer,
    /// Any one dtype; gives it.
    Any,
    /// All inputs the same dtype; gives bool.
    Equality,
    /// All inputs the same float; gives bool.
    FloatTest,
    /// All inputs the same number; gives bool.
    Order,
    /// All inputs bool; gives bool.
    Bool,
    /// A bool and two of one dtype; gives that dtype.
    Choice,
    /// Any dtype; gives the attribute `to`.
    Cast,
}

/// The operands of an elementwise op while its expression is built.
#[derive(Debug)]
pub struct Operands<'a> {
    /// Registers of the inputs; `None` for one that is left out.
    pub regs: &'a [Option<Reg>],
    /// The number attributes, in the order of the row's `attrs`.
    pub numbers: &'a [f32],
    /// dtype of the result.
    pub dtype: DType,
}

impl Operands<'_> {
    fn reg(&self, index: usize) -> Reg {
        self.regs[index].expect("inference refuses a missing required input")
    }
}

/// One elementwise op.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The entry.
    pub def: OpDef,
    /// dtype rule.
    pub types: Types,
    /// Number attributes with their defaults (ONNX's where it has one).
    pub attrs: &'static [(&'static str, f32)],
    /// How the op acts on the extents of a shape tensor, if it does; with one operand, on 0 and it.
    pub dim: Option<DimRule>,
    /// Appends the expression; gives the register of the result.
    pub build: fn(&mut Program, &Operands<'_>) -> Reg,
}

/// How an elementwise op acts on extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DimRule {
    /// As an operator of extents.
    Op(DimOp),
    /// `a - floor(a / b) * b`
    Mod,
}

impl DimRule {
    /// The result where it is the op's for every binding of symbols.
    fn apply(self, a: Dim, b: Dim) -> Option<Dim> {
        match self {
            // `DimOp` rounds down where `div` rounds toward zero: the same for what is never negative.
            DimRule::Op(DimOp::FloorDiv) if !(a.is_never_negative() && b.is_never_negative()) => {
                None
            }
            DimRule::Op(op) => Some(Dim::apply(op, a, b)),
            DimRule::Mod => {
                b.as_known().filter(|&n| n != 0)?;
                let whole = Dim::apply(DimOp::FloorDiv, a.clone(), b.clone());
                Some(Dim::apply(DimOp::Sub, a, Dim::apply(DimOp::Mul, whole, b)))
            }
        }
    }
}

/// An elementwise op with its attributes.
#[derive(Clone, Debug)]
pub struct MapOp {
    row: &'static Row,
    /// The row's place in [`rows`].
    at: usize,
    numbers: Vec<f32>,
    to: Option<DType>,
}

impl PartialEq for MapOp {
    fn eq(&self, other: &Self) -> bool {
        let bits = |m: &'_ MapOp, at: usize| m.numbers.get(at).map(|n| n.to_bits());
        let most = self.numbers.len().max(other.numbers.len());
        self.at == other.at
            && (0..most).all(|at| bits(self, at) == bits(other, at))
            && self.to == other.to
    }
}

impl MapOp {
    /// The op of this name with its default attributes, if there is a row.
    pub fn named(name: &str) -> Option<MapOp> {
        let (at, row) = rows().enumerate().find(|(_, row)| row.def.name == name)?;
        let numbers = row.attrs.iter().map(|(_, default)| *default).collect();
        let to = (row.types == Types::Cast).then_some(DType::F32);
        Some(MapOp {
            row,
            at,
            numbers,
            to,
        })
    }

    /// A conversion.
    ///
    /// # Panics
    /// Never: the table has a row `cast`.
    pub fn cast(to: DType) -> MapOp {
        MapOp {
            to: Some(to),
            ..MapOp::named("cast").expect("the table has a row cast")
        }
    }

    /// The op with number attribute `name` set; unchanged if the row has no such attribute.
    #[must_use]
    pub fn with(mut self, name: &str, value: f32) -> MapOp {
        if let Some(at) = self.row.attrs.iter().position(|(n, _)| *n == name) {
            self.numbers[at] = value;
        }
        self
    }

    /// The row of the table.
    pub fn row(&self) -> &'static Row {
        self.row
    }

    /// The row's place in [`rows`], if the op is the row alone: without attributes.
    pub fn plain(&self) -> Option<usize> {
        (self.numbers.is_empty() && self.to.is_none()).then_some(self.at)
    }

    /// The op as a scalar expression over its present inputs, given their dtypes.
    ///
    /// # Panics
    /// If the dtypes are not ones that inference accepts.
    pub fn program(&self, inputs: &[Option<DType>]) -> Program {
        let mut program = Program::new(inputs.iter().copied().flatten());
        let mut next = 0..;
        let regs: Vec<Option<Reg>> = inputs.iter().map(|d| d.and_then(|_| next.next())).collect();
        let dtype = self.result_dtype(&|i| inputs.get(i).copied().flatten());
        let operands = Operands {
            regs: &regs,
            numbers: &self.numbers,
            dtype,
        };
        let result = (self.row.build)(&mut program, &operands);
        program.set_result(result);
        program
    }

    fn result_dtype(&self, input: &dyn Fn(usize) -> Option<DType>) -> DType {
        let first = || input(0).unwrap_or(DType::F32);
        match self.row.types {
            Types::Float | Types::Number | Types::Integer | Types::Any => first(),
            Types::Equality | Types::FloatTest | Types::Order | Types::Bool => DType::Bool,
            Types::Choice => input(1).unwrap_or_else(first),
            Types::Cast => self.to.unwrap_or_else(first),
        }
    }

    fn check_dtypes(&self, inputs: &Inputs<'_>) -> Result<(), InferError> {
        let number = |index: usize| match inputs.ty(index)?.dtype {
            DType::Bool => Err(inputs.dtype_error(index, "a number")),
            _ => Ok(()),
        };
        match self.row.types {
            Types::Float | Types::FloatTest => {
                inputs.float(0).and_then(|_| inputs.same_dtype(0)).map(drop)
            }
            Types::Integer if !inputs.ty(0)?.dtype.is_integer() => {
                Err(inputs.dtype_error(0, "an integer"))
            }
            Types::Integer => inputs.same_dtype(0).map(drop),
            Types::Number | Types::Order => {
                number(0)?;
                inputs.same_dtype(0).map(drop)
            }
            Types::Any | Types::Equality => inputs.same_dtype(0).map(drop),
            Types::Bool => match inputs.present().find(|(_, f)| f.ty.dtype != DType::Bool) {
                Some((index, _)) => Err(inputs.dtype_error(index, "bool")),
                None => Ok(()),
            },
            Types::Choice => match inputs.ty(0)?.dtype {
                DType::Bool => inputs.same_dtype(1).map(drop),
                _ => Err(inputs.dtype_error(0, "bool")),
            },
            Types::Cast => match inputs.ty(0)?.dtype {
                d if castable(d) && self.to.is_some_and(castable) => Ok(()),
                _ => Err(inputs.dtype_error(0, "a real number or bool, cast to another")),
            },
        }
    }

    /// Elements of the result where they follow from known elements of the inputs.
    fn known(&self, inputs: &Inputs<'_>, ty: &TensorType) -> Option<Vec<Dim>> {
        if !(ty.dtype.is_integer() || ty.dtype == DType::Bool) {
            return None;
        }
        let first = inputs.optional(0)?;
        if inputs.len() == 1 {
            let unchanged = matches!(self.row.types, Types::Any)
                || (self.row.types == Types::Cast && ty.dtype.size_bytes() >= 4);
            if unchanged {
                return first.known.clone();
            }
            // The one unary op with a rule is `neg`: 0 - x.
            let (rule, known) = (self.row.dim?, first.known.as_ref()?);
            let negated = known.iter().map(|x| rule.apply(Dim::Known(0), x.clone()));
            return negated.collect();
        }
        let rule = self.row.dim?;
        let (a, b) = (first.known.as_ref()?, inputs.optional(1)?.known.as_ref()?);
        let at = |list: &[Dim], i: usize| list[if list.len() == 1 { 0 } else { i }].clone();
        let len = a.len().max(b.len());
        let fits = |list: &[Dim]| list.len() == len || list.len() == 1;
        if ty.rank() > 1 || !fits(a) || !fits(b) {
            return None;
        }
        (0..len).map(|i| rule.apply(at(a, i), at(b, i))).collect()
    }
}

fn castable(dtype: DType) -> bool {
    dtype.is_float() || dtype.is_integer() || dtype == DType::Bool
}

impl Entry for MapOp {
    fn defs() -> Vec<&'static OpDef> {
        rows().map(|row| &row.def).collect()
    }

    fn from_text(name: &str, attrs: &Attrs) -> Result<Self, String> {
        let mut op = MapOp::named(name).expect("the name is one of a row");
        for (i, (name, _)) in op.row.attrs.iter().enumerate() {
            op.numbers[i] = attrs.f32(name)?;
        }
        if op.to.is_some() {
            op.to = Some(attrs.dtype("to")?);
        }
        Ok(op)
    }

    fn def(&self) -> &'static OpDef {
        &self.row.def
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        for index in 0..self.row.def.arity.0 {
            inputs.get(index)?;
        }
        self.check_dtypes(inputs)?;
        let mut shape = inputs.ty(0)?.shape.clone();
        for (index, facts) in inputs.present().skip(1) {
            shape = broadcast(&shape, &facts.ty.shape).ok_or_else(|| {
                inputs.shapes_error(
                    0,
                    index,
                    "extents must be equal or 1, aligned at the last axis",
                )
            })?;
        }
        let dtype = self.result_dtype(&|i| inputs.optional(i).map(|f| f.ty.dtype));
        let ty = TensorType { dtype, shape };
        let known = self.known(inputs, &ty);
        Ok(vec![ValueFacts::new(ty, known)])
    }

    fn attrs(&self) -> Attrs {
        let mut attrs = Attrs::new();
        for ((name, _), value) in self.row.attrs.iter().zip(&self.numbers) {
            attrs = attrs.with_f32(name, *value);
        }
        match self.to {
            Some(to) => attrs.with("to", Attr::Word(to.name().into())),
            None => attrs,
        }
    }
}
