//! The text of a plan: what `--emit fused` and `--emit planned` show.

use std::fmt::{self, Write as _};

use tensor_core::TensorLayout;

use crate::{BufferId, Epilogue, Load, Place, Plan, Source, Step, StepKind, Window2d};

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plan {}", self.name)?;
        for (i, (name, value)) in self.bindings.iter().enumerate() {
            write!(f, "{}{name} = {value}", if i == 0 { " { " } else { ", " })?;
        }
        f.write_str(if self.bindings.is_empty() { "" } else { " }" })?;
        let placed = self
            .buffers
            .iter()
            .any(|b| matches!(b.place, Place::Arena { .. }));
        if placed {
            write!(
                f,
                "  arena {} bytes ({} without reuse)",
                self.arena_bytes,
                self.unshared_bytes()
            )?;
        }
        writeln!(f, "  constants {} bytes", self.constant_bytes())?;
        for (port, kind) in self
            .inputs
            .iter()
            .map(|p| (p, "input"))
            .chain(self.outputs.iter().map(|p| (p, "output")))
        {
            writeln!(
                f,
                "  {kind} {}: {}{:?}",
                port.name,
                port.dtype,
                &port.shape[..]
            )?;
        }
        for (at, step) in self.steps.iter().enumerate() {
            self.write_step(f, at, step)?;
        }
        Ok(())
    }
}

impl Plan {
    fn write_step(&self, f: &mut fmt::Formatter<'_>, at: usize, step: &Step) -> fmt::Result {
        write!(f, "  {at:>3} {:<9} ", step.kind.family())?;
        for (nth, (out, shape)) in step.written().enumerate() {
            let out = self.buffer(out);
            let separator = if nth == 0 { "" } else { ", " };
            write!(f, "{separator}{}: {}{:?}", out.name, out.dtype, &shape[..])?;
            match out.place {
                Place::Arena { offset_bytes } => write!(f, " @{offset_bytes}")?,
                Place::Output(n) => write!(f, " output {n}")?,
                Place::Input(_) | Place::Constant(_) | Place::Unplaced => {}
            }
        }
        write!(f, " = {}", self.kind_text(&step.kind))?;
        if !step.epilogue.is_none() {
            write!(f, "  then {}", self.epilogue_text(&step.epilogue))?;
        }
        f.write_str("\n")
    }

    fn kind_text(&self, kind: &StepKind) -> String {
        match kind {
            StepKind::Map { value } => self.source_text(value),
            StepKind::Reduce { value, kind, axes } => {
                format!(
                    "{} over {axes:?} of {}",
                    kind.name(),
                    self.source_text(value)
                )
            }
            StepKind::Contract { lhs, rhs } => {
                format!(
                    "sum over k of ({})[.., i, k] * ({})[.., k, j]",
                    self.source_text(lhs),
                    self.source_text(rhs)
                )
            }
            StepKind::Conv(conv) => format!(
                "conv of ({}) with ({}) {} groups {}",
                self.source_text(&conv.input),
                self.source_text(&conv.weight),
                window_text(&conv.window),
                conv.groups
            ),
            StepKind::Pool(pool) => format!(
                "{:?} pool of ({}) {}{}",
                pool.kind,
                self.source_text(&pool.input),
                window_text(&pool.window),
                if pool.count_pad {
                    " padding counted"
                } else {
                    ""
                }
            )
            .to_lowercase(),
            StepKind::Softmax { value, log } => {
                format!(
                    "{} of {}",
                    if *log { "log_softmax" } else { "softmax" },
                    self.source_text(value)
                )
            }
            StepKind::LayerNorm { value, epsilon } => {
                format!(
                    "layer_norm(epsilon = {epsilon:?}) of {}",
                    self.source_text(value)
                )
            }
            StepKind::Concat { parts, axis } => {
                let parts: Vec<String> = parts.iter().map(|p| self.source_text(p)).collect();
                format!("concat along {axis} of {}", parts.join(" | "))
            }
            StepKind::Gather {
                data,
                indices,
                axis,
            } => {
                format!(
                    "{}[{}] along {axis}",
                    self.load_text(data),
                    self.source_text(indices)
                )
            }
            StepKind::Whole { op, inputs } => {
                let inputs = inputs.iter().map(|input| match input {
                    Some(load) => self.load_text(load),
                    None => "_".into(),
                });
                let attrs = op.attrs();
                let attrs = attrs.iter().map(|(name, attr)| format!("{name} = {attr}"));
                let arguments: Vec<String> = inputs.chain(attrs).collect();
                format!("{}({})", op.name(), arguments.join(", "))
            }
        }
    }

    fn source_text(&self, source: &Source) -> String {
        source
            .program
            .display_with(&|i| self.load_text(&source.loads[i]))
    }

    fn epilogue_text(&self, epilogue: &Epilogue) -> String {
        epilogue.program.display_with(&|i| match i.checked_sub(1) {
            None => "acc".into(),
            Some(i) => self.load_text(&epilogue.loads[i]),
        })
    }

    fn load_text(&self, load: &Load) -> String {
        let mut text = self.name_of(load.buffer);
        text.push_str(&layout_text(&load.layout));
        text
    }

    fn name_of(&self, id: BufferId) -> String {
        self.buffer(id).name.clone()
    }
}

/// Nothing for a dense row-major layout, else shape, strides and offset.
fn layout_text(layout: &TensorLayout) -> String {
    if layout.is_row_major_contiguous() && layout.offset() == 0 {
        return String::new();
    }
    let mut text = format!(
        "{{shape {:?} strides {:?}",
        layout.shape(),
        layout.strides()
    );
    if layout.offset() != 0 {
        // Writing to a string cannot fail.
        let _infallible = write!(text, " offset {}", layout.offset());
    }
    text.push('}');
    text
}

fn window_text(window: &Window2d) -> String {
    let Window2d {
        kernel,
        strides,
        dilations,
        pad_begin,
        pad_end,
    } = window;
    format!(
        "kernel {kernel:?} strides {strides:?} dilations {dilations:?} pads {pad_begin:?} {pad_end:?}"
    )
}
