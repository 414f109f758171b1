//! The buffers of one run, and lending them to steps.
//!
//! A step gets the buffer it writes and everything else to read. The plan promises that no load of
//! a step shares bytes with the buffer it writes; the borrow checker holds it to that: the arena is
//! split around the written range, and a read that crossed it would panic.

use bytemuck::{cast_slice, cast_slice_mut};
use plan::{BackendError, BufferId, Feed, Place, Plan};
use tensor::{Tensor, TensorElement, TensorError, TensorView};
use tensor_core::{DType, TensorLayout};
use tinyvec::TinyVec;

use crate::kernels::scratch::{Scratch, ScratchGuard, ScratchPool};

/// All buffers of a run.
pub(super) struct Memory<'r> {
    plan: &'r Plan,
    feeds: TinyVec<[&'r [u8]; 8]>,
    outputs: TinyVec<[Written<'r>; 4]>,
    arena: &'r mut [u8],
}

/// An output while it is written.
enum Written<'r> {
    /// The tensor's own memory.
    Direct(&'r mut [u8]),
    /// Workspace for the bytes of bools, which become the tensor's elements at the end of the run.
    Bools(ScratchGuard<'r>, &'r mut [bool]),
}

impl Default for Written<'_> {
    fn default() -> Self {
        Written::Direct(&mut [])
    }
}

impl Written<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Written::Direct(bytes) => bytes,
            Written::Bools(bytes, bools) => {
                &cast_slice(bytes.filled(bools.len().div_ceil(4)))[..bools.len()]
            }
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Written::Direct(bytes) => bytes,
            Written::Bools(bytes, bools) => {
                &mut cast_slice_mut(bytes.get(bools.len().div_ceil(4)))[..bools.len()]
            }
        }
    }
}

/// What a step may read.
pub(super) struct Reads<'a> {
    plan: &'a Plan,
    feeds: &'a [&'a [u8]],
    outputs: &'a [Written<'a>],
    /// The arena below the written range, from `low.len()` on the written range, then `high`.
    low: &'a [u8],
    high: &'a [u8],
    high_start: usize,
}

impl<'a> Reads<'a> {
    /// The constants alone, before a run.
    pub(super) fn of_constants(plan: &'a Plan) -> Self {
        Reads {
            plan,
            feeds: &[],
            outputs: &[],
            low: &[],
            high: &[],
            high_start: 0,
        }
    }

    /// The bytes of a buffer, as long as its elements.
    ///
    /// # Panics
    /// If the buffer is the one being written: a plan that breaks its law.
    pub(super) fn bytes(&self, id: BufferId) -> &'a [u8] {
        let buffer = self.plan.buffer(id);
        let size = buffer.size_bytes();
        match buffer.place {
            Place::Input(n) => &self.feeds[n][..size],
            Place::Constant(n) => {
                let constant = constant_bytes(&self.plan.constants[n].tensor);
                &constant.expect("`prepare` refuses a constant without bytes")[..size]
            }
            Place::Output(n) => self.outputs[n].bytes(),
            Place::Arena { offset_bytes } if offset_bytes + size <= self.low.len() => {
                &self.low[offset_bytes..offset_bytes + size]
            }
            Place::Arena { offset_bytes } => {
                let at = offset_bytes - self.high_start;
                &self.high[at..at + size]
            }
            Place::Unplaced => unreachable!("a plan that runs has placed its buffers"),
        }
    }
}

impl<'r> Memory<'r> {
    pub(super) fn new(
        plan: &'r Plan,
        feeds: &'r [Feed<'r>],
        outputs: &'r mut [Tensor],
        arena: &'r mut Scratch,
        workspace: &'r ScratchPool,
    ) -> Result<Self, BackendError> {
        let feeds = feeds.iter().map(feed_bytes).collect::<Result<_, _>>()?;
        let outputs = outputs
            .iter_mut()
            .map(|output| output_bytes(output, workspace));
        let outputs = outputs.collect::<Result<_, _>>()?;
        let arena = arena.try_get(plan.arena_bytes.div_ceil(4));
        let arena = cast_slice_mut(arena.ok_or(BackendError::OutOfMemory {
            what: "the intermediates",
            bytes: plan.arena_bytes,
        })?);
        Ok(Memory {
            plan,
            feeds,
            outputs,
            arena,
        })
    }

    /// Calls `step` with all buffers to read.
    pub(super) fn read<T>(&self, step: impl FnOnce(&Reads<'_>) -> T) -> T {
        step(&Reads {
            plan: self.plan,
            feeds: &self.feeds,
            outputs: &self.outputs,
            low: self.arena,
            high: &[],
            high_start: usize::MAX,
        })
    }

    /// Calls `step` with the buffer `out` to write and all others to read.
    pub(super) fn lend<T>(
        &mut self,
        out: BufferId,
        step: impl FnOnce(&mut [u8], &Reads<'_>) -> T,
    ) -> T {
        let buffer = self.plan.buffer(out);
        let size = buffer.size_bytes();
        let (plan, feeds) = (self.plan, &self.feeds[..]);
        match buffer.place {
            Place::Output(n) => {
                let mut taken = std::mem::take(&mut self.outputs[n]);
                let reads = Reads {
                    plan,
                    feeds,
                    outputs: &self.outputs,
                    low: self.arena,
                    high: &[],
                    high_start: usize::MAX,
                };
                let result = step(taken.bytes_mut(), &reads);
                self.outputs[n] = taken;
                result
            }
            Place::Arena { offset_bytes } => {
                let (low, rest) = self.arena.split_at_mut(offset_bytes);
                let (written, high) = rest.split_at_mut(size);
                let high_start = offset_bytes + size;
                let reads = Reads {
                    plan,
                    feeds,
                    outputs: &self.outputs,
                    low,
                    high,
                    high_start,
                };
                step(written, &reads)
            }
            Place::Input(_) | Place::Constant(_) | Place::Unplaced => {
                unreachable!("no step writes {:?}", buffer.place)
            }
        }
    }

    /// Completes the outputs.
    pub(super) fn finish(self) {
        for output in self.outputs {
            if let Written::Bools(bytes, bools) = output {
                let bytes: &[u8] = cast_slice(bytes.filled(bools.len().div_ceil(4)));
                for (to, from) in bools.iter_mut().zip(bytes) {
                    *to = *from != 0;
                }
            }
        }
    }
}

/// Runs `$body` with `$T` as the element type of a dtype whose elements are plain bytes; bool and all others have arms
/// of their own.
macro_rules! with_plain {
    ($dtype:expr, $T:ident => $body:expr, $bool:pat => $on_bool:expr, $other:ident => $refuse:expr) => {
        with_plain!(@ $dtype, $T => $body, $bool => $on_bool, $other => $refuse,
            F32 f32, F64 f64, F16 tensor_core::f16, BF16 tensor_core::bf16, I8 i8, I16 i16, I32 i32, I64 i64,
            U8 u8, U16 u16, U32 u32, U64 u64, C32 tensor_core::Complex32, C64 tensor_core::Complex64)
    };
    (@ $dtype:expr, $T:ident => $body:expr, $bool:pat => $on_bool:expr, $other:ident => $refuse:expr,
        $($D:ident $Type:ty),+) => {
        match $dtype {
            $(DType::$D => {
                type $T = $Type;
                $body
            })+
            $bool => $on_bool,
            $other => $refuse,
        }
    };
}

fn feed_bytes<'a>(feed: &'a Feed<'a>) -> Result<&'a [u8], BackendError> {
    with_plain!(
        feed.dtype(),
        T => Ok(cast_slice::<T, u8>(elements::<T>(feed)?)),
        DType::Bool => Ok(cast_slice::<bool, u8>(elements::<bool>(feed)?)),
        other => Err(refused(other))
    )
}

fn elements<'a, T: TensorElement>(feed: &'a Feed<'a>) -> Result<&'a [T], BackendError> {
    feed.as_typed::<T>()
        .map(|view| view.storage())
        .ok_or_else(|| refused(feed.dtype()))
}

/// The elements of a dense tensor.
pub(super) fn constant_bytes(tensor: &Tensor) -> Result<&[u8], BackendError> {
    fn storage<T: TensorElement>(tensor: &Tensor) -> Result<&[T], BackendError> {
        let typed = tensor
            .as_typed::<T>()
            .ok_or_else(|| refused(tensor.dtype()))?;
        typed.storage().map_err(|_| refused(tensor.dtype()))
    }
    with_plain!(
        tensor.dtype(),
        T => Ok(cast_slice::<T, u8>(storage::<T>(tensor)?)),
        DType::Bool => Ok(cast_slice::<bool, u8>(storage::<bool>(tensor)?)),
        other => Err(refused(other))
    )
}

/// The elements at `layout` of a buffer.
pub(super) fn view<'a>(
    dtype: DType,
    layout: &TensorLayout,
    bytes: &'a [u8],
) -> Result<TensorView<'a>, TensorError> {
    let (shape, strides, offset) = (layout.shape(), layout.strides(), layout.offset());
    with_plain!(
        dtype,
        T => TensorView::from_slice_strided(shape, strides, offset, cast_slice::<u8, T>(bytes)),
        DType::Bool => {
            let bools = bytemuck::checked::cast_slice::<u8, bool>(bytes);
            TensorView::from_slice_strided(shape, strides, offset, bools)
        },
        other => unreachable!("{other} has no buffers: `Memory::new` and `prepare` refuse it")
    )
}

fn output_bytes<'r>(
    tensor: &'r mut Tensor,
    workspace: &'r ScratchPool,
) -> Result<Written<'r>, BackendError> {
    let dtype = tensor.dtype();
    let fail = |_| refused(dtype);
    with_plain!(
        dtype,
        T => Ok(Written::Direct(cast_slice_mut::<T, u8>(tensor.as_mut_slice::<T>().map_err(fail)?))),
        DType::Bool => {
            let bools = tensor.as_mut_slice::<bool>().map_err(fail)?;
            let mut bytes = workspace.take();
            let had = bytes.try_get(bools.len().div_ceil(4)).is_some();
            if !had {
                return Err(BackendError::OutOfMemory { what: "an output", bytes: bools.len() });
            }
            Ok(Written::Bools(bytes, bools))
        },
        other => Err(refused(other))
    )
}

fn refused(dtype: DType) -> BackendError {
    BackendError::Unsupported {
        step: "inputs and outputs".into(),
        family: "copy",
        device: "cpu".into(),
        what: format!("dtype {dtype}"),
    }
}

/// The bytes of a constant of the plan, for packing before the first run.
pub(super) fn plan_constant(plan: &Plan, id: BufferId) -> Option<&[u8]> {
    match plan.buffer(id).place {
        Place::Constant(n) => constant_bytes(&plan.constants[n].tensor).ok(),
        Place::Input(_) | Place::Output(_) | Place::Arena { .. } | Place::Unplaced => None,
    }
}
