//! Expressions over one tile, without a plan: for eager ops whose operands are small.

use graph::scalar::Program;
use plan::{Elementwise, Operand};
use tinyvec::ArrayVec;

use crate::kernels::isa::Isa;
use crate::kernels::scratch::ScratchPool;
use crate::kernels::tile::{TILE, TileInput, TileProgram};

/// Most operands of an elementwise op that is served here.
const MOST_OPERANDS: usize = 4;

/// An expression for one tile.
#[derive(Debug)]
pub(super) struct OneTile {
    program: TileProgram,
    isa: Isa,
    scratch: ScratchPool,
}

impl OneTile {
    /// The expression, if tiles serve its dtypes.
    pub(super) fn new(program: &Program, isa: Isa) -> Option<Self> {
        if program.inputs().len() > MOST_OPERANDS {
            return None;
        }
        Some(OneTile {
            program: TileProgram::compile(program).ok()?,
            isa,
            scratch: ScratchPool::default(),
        })
    }
}

/// The bits of one element, the first byte the lowest.
pub(super) fn bits(element: &[u8]) -> u64 {
    let bytes = element.iter().rev();
    bytes.fold(0, |bits, &byte| (bits << 8) | u64::from(byte))
}

impl Elementwise for OneTile {
    fn most(&self) -> usize {
        TILE
    }

    fn run(&self, operands: &[Operand<'_>], out: &mut [u8]) {
        let mut inputs: ArrayVec<[TileInput<'_>; MOST_OPERANDS]> = ArrayVec::new();
        for operand in operands {
            inputs.push(match *operand {
                Operand::Each(bytes) => TileInput::Slice(bytes),
                Operand::One(element) => TileInput::Splat(bits(element)),
            });
        }
        let slots = self.program.scratch_elems();
        if slots == 0 {
            return self.program.run(self.isa, &inputs, &mut [], out);
        }
        let mut scratch = self.scratch.take();
        self.program.run(self.isa, &inputs, scratch.get(slots), out);
    }
}
