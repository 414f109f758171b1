//! Register tiles over rows of pixels: the right operand is read in place from a padded copy of a few image rows.
//!
//! A task takes some output rows of one (image, group), copies the image rows they need (row by row, all channels of a
//! row together, each laid out as [`Plane`] says), and runs the tiles of the matrix product with a table of offsets in place of packed columns. Compared with
//! packing columns this copies each pixel once instead of once a kernel element.

use super::plane::Plane;
use super::{ConvShape, Epilogue, PackedA, Strip, balanced_rows, micro};
use crate::kernels::Cpu;
use crate::kernels::gemm::micro::{RowsOfB, Tile, TileShape, kernel, tile_shape};
use crate::kernels::isa::{Isa, dispatch};
use crate::kernels::pool::SharedMut;
use crate::kernels::scratch::Scratch;
use std::ops::Range;

/// Copied elements of a task: half of a 1 MiB second-level cache.
const BLOCK: usize = 128 * 1024;
/// The longest pass over the taps, as in products.
const STEPS: usize = 384;
/// Multiply-adds a nanosecond, roughly.
const MACS_PER_NS: f64 = 50.0;

/// Weights and offsets of a direct convolution.
#[derive(Debug)]
pub(super) struct Direct {
    weights: PackedA,
    plane: Plane,
    /// For each tap: where its pixels start in the copy.
    offsets: Vec<usize>,
    mr: usize,
    kc: usize,
}

/// What a task needs besides the weights.
struct Task<'a> {
    isa: Isa,
    shape: &'a ConvShape,
    input: &'a [f32],
    output: SharedMut<f32>,
    epilogue: &'a dyn Epilogue,
}

impl Direct {
    /// Bytes of the packed weights.
    pub(super) fn size_bytes(&self) -> usize {
        self.weights.size_bytes()
    }

    /// Whether rows of pixels fill vectors well enough, and the copy of one output row's image rows fits.
    pub(super) fn suits(isa: Isa, shape: &ConvShape) -> bool {
        let lanes = tile_shape(isa).lanes;
        let [h, w] = shape.output();
        let padded = w.next_multiple_of(lanes);
        h > 0
            && shape.taps() > 0
            && 5 * w >= 4 * padded
            && shape.stride[1] <= 4
            && shape.group_in() * Plane::rows(shape, 1) * Plane::new(shape, lanes).row()
                <= 2 * BLOCK
    }

    pub(super) fn new(isa: Isa, shape: &ConvShape, weights: PackedA) -> Self {
        let plane = Plane::new(shape, tile_shape(isa).lanes);
        let [kh, kw] = shape.kernel;
        let taps = shape.taps();
        let step = shape.group_in() * plane.row();
        let offsets = (0..taps)
            .map(|p| {
                let (c, ky, kx) = (p / (kh * kw), p / kw % kh, p % kw);
                c * plane.row() + plane.offset(shape, step, ky, kx)
            })
            .collect();
        Self {
            weights,
            plane,
            offsets,
            mr: balanced_rows(isa, shape.group_out()),
            kc: taps.div_ceil(taps.div_ceil(STEPS)),
        }
    }

    pub(super) fn run(
        &self,
        cpu: &Cpu,
        shape: &ConvShape,
        input: &[f32],
        output: &mut [f32],
        epilogue: &dyn Epilogue,
    ) {
        let [height, width] = shape.output();
        let rows = self.rows_of_task(cpu, shape);
        let blocks = height.div_ceil(rows);
        let task = Task {
            isa: cpu.isa,
            shape,
            input,
            output: SharedMut::new(output),
            epilogue,
        };
        let tasks = shape.batch * shape.groups * blocks;
        let work = (shape.group_out() * shape.taps() * rows * width) as f64 / MACS_PER_NS;
        cpu.threads.for_each_with(tasks, work, |scratch, index| {
            let first = index % blocks * rows;
            self.block(
                &task,
                scratch,
                index / blocks,
                first..height.min(first + rows),
            );
        });
    }

    /// As many rows as fit the cache, but enough tasks for every thread.
    fn rows_of_task(&self, cpu: &Cpu, shape: &ConvShape) -> usize {
        let height = shape.output()[0];
        let fits =
            |rows: usize| shape.group_in() * Plane::rows(shape, rows) * self.plane.row() <= BLOCK;
        let mut rows = height;
        while rows > 1 && !fits(rows) {
            rows -= 1;
        }
        let images = shape.batch * shape.groups;
        let total =
            (images * shape.group_out() * shape.taps() * shape.pixels()) as f64 / MACS_PER_NS;
        let workers = cpu.threads.useful(usize::MAX, total / usize::MAX as f64);
        while workers > 1 && rows > 2 && images * height.div_ceil(rows) < 3 * workers {
            rows = rows.div_ceil(2);
        }
        // Tasks of equal size.
        height.div_ceil(height.div_ceil(rows))
    }

    fn block(
        &self,
        task: &Task<'_>,
        scratch: &mut Scratch,
        image_group: usize,
        rows: Range<usize>,
    ) {
        let s = task.shape;
        let (image, group) = (image_group / s.groups, image_group % s.groups);
        let step = s.group_in() * self.plane.row();
        let first = image_group * s.group_in();
        let planes = scratch.get(Plane::rows(s, rows.len()) * step);
        dispatch!(task.isa, |simd| {
            for c in 0..s.group_in() {
                let channel = &task.input[(first + c) * s.image()..][..s.image()];
                let dst = &mut planes[c * self.plane.row()..];
                self.plane
                    .fill::<_, true>(simd, s, channel, rows.start * s.stride[0], step, dst);
            }
        });
        let (pixels, width) = (s.pixels(), s.output()[1]);
        let panels = self.weights.panels(group);
        let taps = s.taps();
        for row in (0..s.group_out()).step_by(self.mr) {
            let channels = self.mr.min(s.group_out() - row);
            let out_channel = group * s.group_out() + row;
            let start = (image * s.c_out + out_channel) * pixels + rows.start * width;
            let panel = &panels[row * taps..];
            for k0 in (0..taps).step_by(self.kc) {
                let k = k0..taps.min(k0 + self.kc);
                self.strip(task, planes, panel, channels, k, rows.len(), start);
            }
            if !task.epilogue.is_none() {
                // SAFETY: these rows of pixels of these channels are this task's alone, and complete.
                let mut strip = unsafe {
                    let c = task.output.get().add(start);
                    let cols = (rows.start * width, rows.len() * width);
                    Strip::new(image, (out_channel, channels), cols, c, pixels)
                };
                task.epilogue.apply(&mut strip);
            }
        }
    }

    /// One panel of weights, the taps `k`, over every pixel of the task.
    #[expect(
        clippy::too_many_arguments,
        reason = "the loops of one task, split for their length"
    )]
    fn strip(
        &self,
        task: &Task<'_>,
        planes: &[f32],
        panel: &[f32],
        channels: usize,
        k: Range<usize>,
        rows: usize,
        start: usize,
    ) {
        let s = task.shape;
        let TileShape {
            cols: nr,
            lanes,
            vectors,
            ..
        } = tile_shape(task.isa);
        let (pixels, width) = (s.pixels(), s.output()[1]);
        let full: micro::Kernel = kernel(task.isa, channels, vectors, RowsOfB::Listed);
        for y in 0..rows {
            for x in (0..width).step_by(nr) {
                let used = nr.min(width - x).div_ceil(lanes);
                let run = if used == vectors {
                    full
                } else {
                    kernel(task.isa, channels, used, RowsOfB::Listed)
                };
                let b = y * s.stride[0] * s.group_in() * self.plane.row() + x;
                // SAFETY: the panel has `k.end` steps of `mr` rows. Planes are as wide as whole vectors from any
                // output column plus the kernel's reach, and as high as the task's rows need, so every offset plus `b`
                // plus the vectors is inside `planes`. The tile is in this task's rows of the output.
                unsafe {
                    run(&Tile {
                        k: k.len(),
                        a: panel[k.start * self.mr..].as_ptr(),
                        a_step: self.mr,
                        b: planes[b..].as_ptr(),
                        b_step: 0,
                        ahead: 0,
                        offsets: self.offsets[k.start..].as_ptr(),
                        c: task.output.get().add(start + y * width + x),
                        ldc: pixels,
                        last_lanes: nr.min(width - x) - (used - 1) * lanes,
                        accumulate: k.start > 0,
                    });
                }
            }
        }
    }
}
