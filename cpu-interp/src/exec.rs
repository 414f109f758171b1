//! Plans on the CPU.
//!
//! [`CpuBackend::prepare`](plan::Backend::prepare) turns every step into a kernel with its expressions
//! compiled for tiles and its constants packed. A run lends each step the buffers it reads and the
//! one it writes; steps run in order, each on as many threads as its work is worth.
//!
//! f32 has the fast kernels. Contractions, windows and norms of other dtypes run on plain loops over
//! the same expressions (see `exec/generic.rs`).

mod contract;
mod convolve;
mod elementwise;
mod expression;
mod generic;
mod memory;
mod move_data;
mod pooling;
mod reduce;
mod rows;
mod step;
mod whole;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use graph::op::{Family, Op};
use graph::scalar::Program;
use plan::{Backend, BackendError, Elementwise, Feed, Plan, Port, Prepared, Report};
use tensor::trace::Listener;
use tensor::{Tensor, trace_span};
use tensor_core::DType;

use crate::kernels::Cpu;
use crate::kernels::scratch::Scratch;
use elementwise::OneTile;
use memory::Memory;
use step::Kernel;

/// The CPU as a device.
#[derive(Clone, Debug)]
pub struct CpuBackend {
    cpu: Arc<Cpu>,
}

impl CpuBackend {
    /// The CPU with this many threads; 0 counts as 1.
    pub fn new(threads: usize) -> Self {
        CpuBackend {
            cpu: Arc::new(Cpu::new(threads)),
        }
    }

    /// The CPU with an instruction set and threads of the caller's choice.
    pub fn with_cpu(cpu: Cpu) -> Self {
        CpuBackend { cpu: Arc::new(cpu) }
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.cpu.threads.count()
    }
}

impl Backend for CpuBackend {
    fn name(&self) -> &str {
        "cpu"
    }

    fn elementwise(&self, program: &Program) -> Option<Box<dyn Elementwise>> {
        Some(Box::new(OneTile::new(program, self.cpu.isa)?))
    }

    fn serves(&self, op: &Op, dtypes: &[DType]) -> bool {
        let all = |served: fn(DType) -> bool| dtypes.iter().all(|&dtype| served(dtype));
        match op.family() {
            Family::Gather | Family::Copy => all(|dtype| dtype != DType::C64),
            Family::Window => match op {
                Op::Pool(_) => all(|dtype| dtype == DType::F32),
                _ => all(|dtype| matches!(dtype, DType::F32 | DType::F64)),
            },
            _ => all(is_computed),
        }
    }

    fn prepare(&self, plan: Arc<Plan>) -> Result<Box<dyn Prepared>, BackendError> {
        let _span = trace_span!(
            DEBUG,
            "prepare",
            name = plan.name,
            steps = plan.steps.len(),
            device = "cpu"
        );
        for constant in &plan.constants {
            memory::constant_bytes(&constant.tensor)?;
        }
        let kernels: Result<Vec<Kernel>, BackendError> = plan
            .steps
            .iter()
            .map(|step| Kernel::new(&self.cpu, &plan, step))
            .collect();
        let kernels = kernels?;
        let packed: usize = kernels.iter().map(Kernel::packed_bytes).sum();
        let report = Report {
            device: "cpu".into(),
            threads: Some(self.threads()),
            kernels: format!("{:?}", self.cpu.isa.level()).to_lowercase(),
            arena_bytes: plan.arena_bytes,
            constant_bytes: plan.constant_bytes() + packed,
            fallbacks: Vec::new(),
        };
        Ok(Box::new(PreparedPlan {
            cpu: self.cpu.clone(),
            plan,
            kernels,
            report,
            arenas: Mutex::default(),
            forks: AtomicBool::new(false),
        }))
    }
}

/// The size of what a step writes.
#[cfg(feature = "tracing")]
fn bytes_written(plan: &Plan, step: &plan::Step) -> usize {
    let more = step.more.iter().map(|&(buffer, _)| buffer);
    let all = std::iter::once(step.out).chain(more);
    all.map(|buffer| plan.buffer(buffer).size_bytes()).sum()
}

/// Whether tiles compute with a dtype.
fn is_computed(dtype: DType) -> bool {
    match dtype {
        DType::F32 | DType::F64 | DType::Bool => true,
        other => other.is_integer(),
    }
}

/// A plan with its kernels. Each run takes an arena that no other run uses.
#[derive(Debug)]
struct PreparedPlan {
    cpu: Arc<Cpu>,
    plan: Arc<Plan>,
    kernels: Vec<Kernel>,
    report: Report,
    arenas: Mutex<Vec<Scratch>>,
    /// Whether a step was worth several threads in an earlier run. Then runs begin on a thread of the pool, from where the
    /// others are cheap to call; else they stay on the caller's, which costs less than to hand over.
    forks: AtomicBool,
}

impl Prepared for PreparedPlan {
    fn report(&self) -> &Report {
        &self.report
    }

    fn run(&self, feeds: &[Feed<'_>], outputs: &mut [Tensor]) -> Result<(), BackendError> {
        self.check(feeds, outputs)?;
        let mut arena = self
            .arenas
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
            .unwrap_or_default();
        let _span = trace_span!(
            DEBUG,
            "run",
            name = self.plan.name,
            steps = self.plan.steps.len(),
            device = "cpu",
        );
        let threads = &self.cpu.threads;
        let result = if self.forks.load(Ordering::Relaxed) {
            // The steps run on a thread of the pool, where whoever listens here has to listen too.
            let listener = Listener::here();
            threads.install(|| listener.hears(|| self.steps(feeds, outputs, &mut arena)))
        } else {
            let (result, forked) = threads.watched(|| self.steps(feeds, outputs, &mut arena));
            self.forks.store(forked, Ordering::Relaxed);
            result
        };
        self.arenas
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(arena);
        result
    }
}

impl PreparedPlan {
    fn steps(
        &self,
        feeds: &[Feed<'_>],
        outputs: &mut [Tensor],
        arena: &mut Scratch,
    ) -> Result<(), BackendError> {
        let mut memory = Memory::new(
            &self.plan,
            feeds,
            outputs,
            arena,
            self.cpu.threads.scratch(),
        )?;
        for (step, kernel) in self.plan.steps.iter().zip(&self.kernels) {
            let _span = trace_span!(
                DEBUG,
                "step",
                name = step.name,
                family = step.kind.family(),
                bytes = bytes_written(&self.plan, step),
                shape = ?&step.shape[..],
                dtype = %self.plan.buffer(step.out).dtype,
                device = "cpu",
            );
            match kernel {
                Kernel::Whole(whole) => whole.run(step, &mut memory)?,
                kernel => memory.lend(step.out, |out, reads| {
                    kernel.run(&self.cpu, step, out, reads)
                })?,
            }
        }
        memory.finish();
        Ok(())
    }

    fn check(&self, feeds: &[Feed<'_>], outputs: &[Tensor]) -> Result<(), BackendError> {
        let fits = |port: &Port, dtype, layout: &tensor_core::TensorLayout| {
            port.dtype == dtype && port.layout == *layout
        };
        let feeds_fit = feeds.len() == self.plan.inputs.len()
            && self
                .plan
                .inputs
                .iter()
                .zip(feeds)
                .all(|(p, f)| fits(p, f.dtype(), f.layout()));
        if !feeds_fit {
            let got = feeds
                .iter()
                .map(|f| format!("{}{:?}", f.dtype(), f.shape()))
                .collect();
            return Err(mismatch("feeds", &self.plan.inputs, got));
        }
        let outputs_fit = outputs.len() == self.plan.outputs.len()
            && self
                .plan
                .outputs
                .iter()
                .zip(outputs)
                .all(|(p, o)| fits(p, o.dtype(), o.layout()));
        if !outputs_fit {
            let got = outputs
                .iter()
                .map(|o| format!("{}{:?}", o.dtype(), o.shape()))
                .collect();
            return Err(mismatch("outputs", &self.plan.outputs, got));
        }
        Ok(())
    }
}

fn mismatch(what: &'static str, ports: &[Port], got: Vec<String>) -> BackendError {
    let expected: Vec<String> = ports
        .iter()
        .map(|p| format!("{}: {}{:?}", p.name, p.dtype, &p.shape[..]))
        .collect();
    BackendError::Mismatch {
        what,
        expected: expected.join(", "),
        got: got.join(", "),
    }
}
