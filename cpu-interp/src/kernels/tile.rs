//! Scalar expressions, tile by tile: the elementwise machine of the CPU.
//!
//! A [`TileProgram`] is a [`graph::scalar::Program`] with its registers assigned to slots of a tile's
//! length. Each instruction is one vectorised loop over a tile that stays in the nearest cache, so
//! a chain of any length costs one pass over memory. Literals and operands that do not change over
//! a tile are broadcast in registers. The last instruction writes the destination itself.
//!
//! dtypes: all presets but f16, bf16 and the complex ones; a bool is a byte of 0 or 1.
//! **Numerics**: as the primitives document; f32 arithmetic is exactly rounded (multiply and add are
//! never contracted), transcendental functions are those of [`super::vecmath`], the rare ones are computed one by one in f64.

mod cast;
mod float;
mod loops;

use graph::scalar::{Inst, Prim, Program};
use tensor_core::DType;

use super::isa::Isa;
use loops::Arg;

/// Elements of a tile: with a handful of live slots everything fits the nearest cache.
pub const TILE: usize = 512;

/// Distance between slots in bytes; not a multiple of 4096, so slots do not fall into the same cache sets.
const SLOT_BYTES: usize = TILE * 8 + 128;

/// What an operand is over one tile.
#[derive(Clone, Copy, Debug, Default)]
pub enum TileInput<'a> {
    /// One element after another.
    Slice(&'a [u8]),
    /// The same element throughout, as its bits.
    Splat(u64),
    /// What the destination holds before the program runs.
    #[default]
    Destination,
}

/// Where an instruction finds an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Src {
    Input(u16),
    Slot(u16),
    Const(u64),
}

#[derive(Clone, Copy, Debug)]
enum Code {
    Prim(Prim),
    Cast,
    /// The operand as it is.
    Copy,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    code: Code,
    /// dtype of the operands that are no conditions.
    from: DType,
    /// dtype of the result.
    to: DType,
    args: [Src; 3],
    /// The slot that is written; `None` is the destination.
    slot: Option<u16>,
}

/// A program ready to run on tiles.
#[derive(Clone, Debug)]
pub struct TileProgram {
    steps: Vec<Step>,
    slots: usize,
    inputs: usize,
    dtype: DType,
}

impl TileProgram {
    /// Assigns slots. The error is a dtype that the machine does not compute in.
    ///
    /// # Errors
    /// If a register has a dtype the machine does not serve.
    pub fn compile(program: &Program) -> Result<TileProgram, DType> {
        let inputs = program.inputs().len();
        let registers = inputs + program.insts().len();
        for reg in 0..registers {
            let dtype = program.dtype_of(reg as u16);
            if !serves(dtype) {
                return Err(dtype);
            }
        }
        let last_use = last_uses(program);
        let result = usize::from(program.result());
        let mut place: Vec<Src> = (0..inputs).map(|i| Src::Input(i as u16)).collect();
        let (mut steps, mut free, mut slots) = (Vec::new(), Vec::new(), 0_u16);
        for (at, inst) in program.insts().iter().enumerate() {
            let reg = inputs + at;
            let (code, regs) = match *inst {
                Inst::Const(value) => {
                    place.push(Src::Const(value.bits()));
                    continue;
                }
                Inst::Cast(_, r) => (Code::Cast, vec![r]),
                Inst::Prim(prim, regs) => (Code::Prim(prim), regs[..prim.arity()].to_vec()),
            };
            if last_use[reg].is_none() && reg != result {
                place.push(Src::Const(0));
                continue;
            }
            let mut args = [Src::Const(0); 3];
            for (arg, &r) in args.iter_mut().zip(&regs) {
                *arg = place[usize::from(r)];
            }
            let slot = (reg != result).then(|| {
                free.pop().unwrap_or_else(|| {
                    slots += 1;
                    slots - 1
                })
            });
            // An operand's slot is reused only after this instruction: loops never read what they wrote.
            for &r in &regs {
                let dies = last_use[usize::from(r)] == Some(at);
                if let (Src::Slot(s), true) = (place[usize::from(r)], dies)
                    && !free.contains(&s)
                {
                    free.push(s);
                }
            }
            let data = regs.last().copied().unwrap_or_default();
            let (from, to) = (program.dtype_of(data), program.dtype_of(reg as u16));
            steps.push(Step {
                code,
                from,
                to,
                args,
                slot,
            });
            place.push(slot.map_or(Src::Const(0), Src::Slot));
            if reg == result {
                break;
            }
        }
        if steps.last().is_none_or(|s| s.slot.is_some()) {
            let dtype = program.dtype();
            let args = [place[result], Src::Const(0), Src::Const(0)];
            steps.push(Step {
                code: Code::Copy,
                from: dtype,
                to: dtype,
                args,
                slot: None,
            });
        }
        Ok(TileProgram {
            steps,
            slots: usize::from(slots),
            inputs,
            dtype: program.dtype(),
        })
    }

    /// dtype of the result.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Whether the program copies its only operand.
    pub fn is_copy(&self) -> bool {
        matches!(
            self.steps.as_slice(),
            [Step {
                code: Code::Copy,
                args: [Src::Input(0), ..],
                ..
            }]
        )
    }

    /// Workspace that [`TileProgram::run`] needs, in f32 elements.
    pub fn scratch_elems(&self) -> usize {
        self.slots * SLOT_BYTES / 4
    }

    /// Number of instructions: a measure of cost.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are no instructions; never true of a compiled program.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Computes one tile: `dst` holds at most [`TILE`] elements of the result's dtype.
    ///
    /// [`TileInput::Destination`] is allowed for operands as wide as the result.
    ///
    /// # Panics
    /// If there are too few inputs, an input is shorter than the tile, the tile is too long or the
    /// workspace too small: bugs of the caller.
    pub fn run(&self, isa: Isa, inputs: &[TileInput<'_>], scratch: &mut [f32], dst: &mut [u8]) {
        let count = dst.len() / self.dtype.size_bytes();
        assert!(count <= TILE, "a tile of {count} elements");
        assert!(
            inputs.len() >= self.inputs,
            "{} operands of {}",
            inputs.len(),
            self.inputs
        );
        assert!(
            scratch.len() >= self.scratch_elems(),
            "workspace of {}",
            scratch.len()
        );
        let base: *mut u8 = scratch.as_mut_ptr().cast();
        let out: *mut u8 = dst.as_mut_ptr();
        for step in &self.steps {
            let width = step.from.size_bytes();
            let resolve = |src: Src| match src {
                Src::Const(bits) => Arg::Splat(bits),
                // SAFETY: the assertion above leaves room for `slots` slots.
                Src::Slot(s) => Arg::Ptr(unsafe { base.add(usize::from(s) * SLOT_BYTES) }),
                Src::Input(i) => match inputs[usize::from(i)] {
                    TileInput::Splat(bits) => Arg::Splat(bits),
                    TileInput::Destination => Arg::Ptr(out),
                    TileInput::Slice(bytes) => {
                        let is_condition =
                            matches!(step.code, Code::Prim(Prim::Select)) && src == step.args[0];
                        let needed = count * if is_condition { 1 } else { width };
                        assert!(
                            bytes.len() >= needed,
                            "an operand of {} bytes, {needed} needed",
                            bytes.len()
                        );
                        Arg::Ptr(bytes.as_ptr())
                    }
                },
            };
            let args = step.args.map(resolve);
            let target = match step.slot {
                // SAFETY: as above.
                Some(s) => unsafe { base.add(usize::from(s) * SLOT_BYTES) },
                None => out,
            };
            // SAFETY: `target` has room for a tile of any dtype (a slot) or is `dst`; operands hold `count`
            // elements (checked above; slots were written by earlier steps). A loop reads element i of its
            // operands before it writes element i, and a slot is never its own operand, so `dst` may be an
            // operand of the same width.
            unsafe {
                match step.code {
                    Code::Prim(prim) if step.from == DType::F32 => {
                        float::run(isa, prim, target, args, count)
                    }
                    Code::Prim(prim) => loops::run(prim, step.from, target, args, count),
                    Code::Cast => cast::run(isa, step.from, step.to, target, args[0], count),
                    Code::Copy => loops::copy(width, target, args[0], count),
                }
            }
        }
    }
}

/// Whether the machine computes in a dtype.
pub fn serves(dtype: DType) -> bool {
    use DType::{Bool, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    matches!(
        dtype,
        F32 | F64 | I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64 | Bool
    )
}

/// The last instruction that reads each register.
fn last_uses(program: &Program) -> Vec<Option<usize>> {
    let mut last = vec![None; program.inputs().len() + program.insts().len()];
    for (at, inst) in program.insts().iter().enumerate() {
        match *inst {
            Inst::Const(_) => {}
            Inst::Cast(_, r) => last[usize::from(r)] = Some(at),
            Inst::Prim(prim, regs) => {
                regs[..prim.arity()]
                    .iter()
                    .for_each(|&r| last[usize::from(r)] = Some(at));
            }
        }
    }
    last
}

#[cfg(test)]
mod tests;
