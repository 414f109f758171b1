//! The law of a plan, as the crate documentation states it.

use thiserror::Error;

use crate::{ARENA_ALIGNMENT_BYTES, BufferId, Place, Plan, Step};

/// A breach of the law: a bug of the optimizer.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("plan {plan:?}, {place}: {problem}")]
pub struct PlanError {
    /// Name of the plan.
    pub plan: String,
    /// The step or buffer.
    pub place: String,
    /// What is wrong.
    pub problem: String,
}

impl Plan {
    /// Checks every invariant.
    ///
    /// # Errors
    /// All breaches, if there are any.
    pub fn verify(&self) -> Result<(), Vec<PlanError>> {
        let mut found = Vec::new();
        let mut report = |place: String, problem: String| {
            found.push(PlanError {
                plan: self.name.clone(),
                place,
                problem,
            });
        };
        let mut written: Vec<bool> = self
            .buffers
            .iter()
            .map(|b| matches!(b.place, Place::Input(_) | Place::Constant(_)))
            .collect();
        for (at, step) in self.steps.iter().enumerate() {
            for problem in self.step_problems(step, &written) {
                report(format!("step {at} {:?}", step.name), problem);
            }
            for (out, _) in step.written() {
                if std::mem::replace(&mut written[out.index()], true) {
                    report(
                        format!("step {at} {:?}", step.name),
                        "writes a buffer that is already written".into(),
                    );
                }
            }
        }
        for port in &self.outputs {
            if !written[port.buffer.index()] {
                report(format!("output {:?}", port.name), "is never written".into());
            }
        }
        for (a, b) in self.overlaps() {
            let names = (&self.buffer(a).name, &self.buffer(b).name);
            report(
                format!("buffer {:?}", names.0),
                format!("overlaps {:?}, which is alive with it", names.1),
            );
        }
        if found.is_empty() { Ok(()) } else { Err(found) }
    }

    fn step_problems(&self, step: &Step, written: &[bool]) -> Vec<String> {
        let mut problems = Vec::new();
        for (out, shape) in step.written() {
            let elements: usize = shape.iter().product();
            if elements != self.buffer(out).elements {
                problems.push(format!("shape {shape:?} does not fill its buffer"));
            }
        }
        if step.epilogue.program.dtype() != self.buffer(step.out).dtype
            && !matches!(step.kind, crate::StepKind::Map { .. })
        {
            problems.push("the epilogue's dtype is not the buffer's".into());
        }
        for load in step.loads() {
            let buffer = self.buffer(load.buffer);
            if !written[load.buffer.index()] {
                problems.push(format!("reads {:?} before it is written", buffer.name));
            }
            if load.layout.validate_in_bounds(buffer.elements).is_err() {
                problems.push(format!("a load leaves {:?}", buffer.name));
            }
        }
        for source in step.kind.sources() {
            let dtypes: Vec<_> = source
                .loads
                .iter()
                .map(|l| self.buffer(l.buffer).dtype)
                .collect();
            if dtypes != source.program.inputs() {
                problems.push(format!(
                    "a program over {:?} reads {dtypes:?}",
                    source.program.inputs()
                ));
            }
            if source
                .loads
                .iter()
                .any(|l| l.layout.shape() != &source.shape[..])
            {
                problems.push("a load does not have its source's shape".into());
            }
        }
        if step
            .epilogue
            .loads
            .iter()
            .any(|l| l.layout.shape() != &step.shape[..])
        {
            problems.push("a load of the epilogue does not have the output's shape".into());
        }
        problems
    }

    /// Pairs of buffers that share bytes of the arena while both are alive.
    fn overlaps(&self) -> Vec<(BufferId, BufferId)> {
        let spans = self.lifetimes();
        let mut placed: Vec<(usize, usize, usize, usize, BufferId)> = Vec::new();
        for (i, buffer) in self.buffers.iter().enumerate() {
            if let (Place::Arena { offset_bytes }, Some((first, last))) = (buffer.place, spans[i])
                && buffer.elements > 0
            {
                debug_assert_eq!(
                    offset_bytes % ARENA_ALIGNMENT_BYTES,
                    0,
                    "offsets are aligned"
                );
                placed.push((
                    offset_bytes,
                    offset_bytes + buffer.size_bytes(),
                    first,
                    last,
                    BufferId(i as u32),
                ));
            }
        }
        placed.sort_unstable();
        let mut pairs = Vec::new();
        for (i, a) in placed.iter().enumerate() {
            for b in placed[i + 1..].iter().take_while(|b| b.0 < a.1) {
                if a.2 <= b.3 && b.2 <= a.3 {
                    pairs.push((a.4, b.4));
                }
            }
        }
        pairs
    }
}
