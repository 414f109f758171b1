//! The operands of an expression, and the expression built over them.

use graph::op::Op;
use graph::scalar::{Program, Reg, ScalarValue};
use graph::{Graph, NodeId, ValueId};
use plan::{Load, Source};
use tensor_core::DType;

/// What an expression reads: literals, and sources whose loads are shared.
#[derive(Default)]
pub(super) struct Operands {
    loads: Vec<Load>,
    dtypes: Vec<DType>,
    entries: Vec<(ValueId, Operand)>,
}

enum Operand {
    Literal(ScalarValue),
    /// A program over these loads.
    Expression(Program, Vec<usize>),
}

/// The element of a constant of one element, if scalar expressions hold its dtype.
pub(super) fn literal(graph: &Graph, id: ValueId) -> Option<ScalarValue> {
    let tensor = graph.value(id).constant()?;
    let dtype = tensor.dtype();
    let real = dtype.is_float() || dtype.is_integer() || dtype == DType::Bool;
    if !real || tensor.len() != 1 {
        return None;
    }
    let bytes = tensor.to_le_bytes().ok()?;
    let bits = bytes
        .iter()
        .rev()
        .fold(0_u64, |acc, &b| (acc << 8) | u64::from(b));
    Some(ScalarValue::from_bits(dtype, bits))
}

impl Operands {
    pub(super) fn contains(&self, value: ValueId) -> bool {
        self.entries.iter().any(|(v, _)| *v == value)
    }

    /// Number of loads so far.
    pub(super) fn loads(&self) -> usize {
        self.loads.len()
    }

    pub(super) fn add_literal(&mut self, value: ValueId, literal: ScalarValue) {
        self.entries.push((value, Operand::Literal(literal)));
    }

    /// Adds a source; `dtypes` are those of its loads' buffers.
    pub(super) fn add_source(&mut self, value: ValueId, source: Source, dtypes: &[DType]) {
        let inputs = source
            .loads
            .into_iter()
            .zip(dtypes)
            .map(|(load, dtype)| self.add_load(load, *dtype));
        let inputs = inputs.collect();
        self.entries
            .push((value, Operand::Expression(source.program, inputs)));
    }

    fn add_load(&mut self, load: Load, dtype: DType) -> usize {
        if let Some(at) = self.loads.iter().position(|l| *l == load) {
            return at;
        }
        self.loads.push(load);
        self.dtypes.push(dtype);
        self.loads.len() - 1
    }

    /// The loads, and the program that computes `exit` from the elementwise nodes `members`. With an
    /// `anchor`, operand 0 of the program is that value's result, and `prepare` may act on it first.
    pub(super) fn build(
        self,
        graph: &Graph,
        members: &[NodeId],
        anchor: Option<Anchor<'_>>,
        exit: ValueId,
    ) -> (Vec<Load>, Program) {
        let accumulator = anchor.as_ref().map(|a| a.dtype);
        let first_load = usize::from(accumulator.is_some());
        let mut program = Program::new(accumulator.into_iter().chain(self.dtypes));
        let mut regs: Vec<(ValueId, Reg)> = Vec::new();
        for (value, operand) in self.entries {
            let reg = match operand {
                Operand::Literal(literal) => program.constant(literal),
                Operand::Expression(inner, inputs) => {
                    let inputs: Vec<Reg> =
                        inputs.iter().map(|&i| (first_load + i) as Reg).collect();
                    program.inline(&inner, &inputs)
                }
            };
            regs.push((value, reg));
        }
        if let Some(anchor) = anchor {
            let operands: Vec<Reg> = anchor.operands.iter().map(|v| find(&regs, *v)).collect();
            let reg = (anchor.prepare)(&mut program, &operands);
            regs.push((anchor.value, reg));
        }
        for &member in members {
            let node = graph.node(member);
            let Op::Map(map) = &node.op else { continue };
            let inputs: Vec<Option<Reg>> = node
                .inputs
                .iter()
                .map(|i| i.map(|i| find(&regs, i)))
                .collect();
            let dtypes: Vec<Option<DType>> = inputs
                .iter()
                .map(|r| r.map(|r| program.dtype_of(r)))
                .collect();
            let present: Vec<Reg> = inputs.iter().copied().flatten().collect();
            let reg = program.inline(&map.program(&dtypes), &present);
            regs.push((node.outputs[0], reg));
        }
        program.set_result(find(&regs, exit));
        (self.loads, program)
    }
}

/// The step that an epilogue belongs to.
pub(super) struct Anchor<'a> {
    /// The value that the step's family computes.
    pub(super) value: ValueId,
    /// dtype of its results.
    pub(super) dtype: DType,
    /// Values that `prepare` reads (a bias, a scale), as keys of the operands.
    pub(super) operands: Vec<ValueId>,
    /// Turns the result (operand 0) into the value.
    pub(super) prepare: &'a dyn Fn(&mut Program, &[Reg]) -> Reg,
}

fn find(regs: &[(ValueId, Reg)], value: ValueId) -> Reg {
    let found = regs.iter().rev().find(|(v, _)| *v == value);
    found
        .map(|(_, reg)| *reg)
        .expect("operands are collected before an expression is built")
}
