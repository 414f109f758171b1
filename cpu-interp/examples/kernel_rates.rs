//! Prints how fast the kernels run here, beside what the processor can do.
//!
//! `cargo run --release -p cpu-interp --example kernel_rates [word]`: rows whose name contains the word.
//! The limits (multiply-adds, copying) are measured in the same process. Times are the quiet decile of many runs.
#![expect(
    clippy::print_stdout,
    reason = "a table on standard output is its purpose"
)]
#![expect(clippy::too_many_lines, reason = "lists of cases")]

use cpu_interp::kernels::Cpu;
use cpu_interp::kernels::conv::{Conv, ConvShape};
use cpu_interp::kernels::gemm::{
    Gemm, Lhs, MatRef, NoEpilogue, Output, PackedA, PackedB, Rhs, gemm,
};
use cpu_interp::kernels::isa::Isa;
use cpu_interp::kernels::norm::{Affine, layer_norm, rms_norm};
use cpu_interp::kernels::pool2d::{PoolKind, PoolShape, pool2d};
use cpu_interp::kernels::reduce::{Reduce, reduce};
use cpu_interp::kernels::softmax::softmax;
use cpu_interp::kernels::transpose::copy_strided;
use cpu_interp::kernels::vecmath;
use std::hint::black_box;
use std::time::Instant;

/// What a row's rate is compared with.
#[derive(Clone, Copy)]
enum Unit {
    /// Floating-point operations.
    Flops(f64),
    /// Bytes read and written.
    Bytes(f64),
}

struct Table {
    filter: String,
    cpus: [Cpu; 2],
    peak_flops: f64,
    copy_bytes: f64,
}

/// The time of a call in seconds: of many runs the tenth part from below, because other work disturbs a shared machine.
fn quiet(mut call: impl FnMut()) -> f64 {
    call();
    let start = Instant::now();
    call();
    let once = start.elapsed().as_secs_f64().max(1e-9);
    let inner = (2e-4 / once).ceil().clamp(1.0, 10_000.0) as usize;
    let outer = (0.4 / (once * inner as f64)).clamp(5.0, 301.0) as usize;
    let mut times: Vec<f64> = (0..outer)
        .map(|_| {
            let start = Instant::now();
            (0..inner).for_each(|_| call());
            start.elapsed().as_secs_f64() / inner as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 10]
}

impl Table {
    fn row(&self, name: &str, unit: Unit, mut call: impl FnMut(&Cpu)) {
        if !name.contains(&self.filter) {
            return;
        }
        let mut line = format!("{name:<44}");
        for (index, cpu) in self.cpus.iter().enumerate() {
            let time = quiet(|| call(cpu));
            let threads = (index + 1) as f64;
            let (rate, limit, name) = match unit {
                Unit::Flops(n) => (n / time, self.peak_flops * threads, "GFLOP/s"),
                Unit::Bytes(n) => (n / time, self.copy_bytes, "GB/s"),
            };
            line += &format!(
                " | {:>9.4} ms {:>7.1} {name:<7} {:>4.0} %",
                time * 1e3,
                rate / 1e9,
                100.0 * rate / limit
            );
        }
        println!("{line}");
    }
}

fn values(len: usize) -> Vec<f32> {
    (0..len)
        .map(|i| ((i * 7919) % 2003) as f32 / 1001.5 - 1.0)
        .collect()
}

fn products(t: &Table) {
    for n in [64, 256, 512, 1024, 2048] {
        let (a, b, mut c) = (values(n * n), values(n * n), vec![0.0; n * n]);
        let (a, b) = (MatRef::dense(&a, n, n), MatRef::dense(&b, n, n));
        let flops = Unit::Flops(2.0 * (n * n * n) as f64);
        t.row(&format!("gemm {n}"), flops, |cpu| {
            let product = Gemm {
                batch: 1,
                m: n,
                n,
                k: n,
                a: Lhs::Strided(a),
                b: Rhs::Strided(b),
            };
            gemm(cpu, &product, Output::dense(&mut c, n, n), &NoEpilogue);
        });
        let packed = PackedB::new(t.cpus[0].isa, 1, n, n, &b);
        t.row(&format!("gemm {n}, B packed once"), flops, |cpu| {
            let product = Gemm {
                batch: 1,
                m: n,
                n,
                k: n,
                a: Lhs::Strided(a),
                b: Rhs::Packed(&packed),
            };
            gemm(cpu, &product, Output::dense(&mut c, n, n), &NoEpilogue);
        });
        let packed = PackedA::new(t.cpus[0].isa, 1, n, n, &a);
        t.row(&format!("gemm {n}, A packed once"), flops, |cpu| {
            let product = Gemm {
                batch: 1,
                m: n,
                n,
                k: n,
                a: Lhs::Packed(&packed),
                b: Rhs::Strided(b),
            };
            gemm(cpu, &product, Output::dense(&mut c, n, n), &NoEpilogue);
        });
    }
    for (name, [batch, m, n, k]) in [
        ("gemm 16 x [128,64]x[64,128]", [16, 128, 128, 64]),
        ("gemm [16,64]x[64,50257]", [1, 16, 50257, 64]),
        ("gemm 12 x [512,512]x[512,64]", [12, 512, 64, 512]),
        ("gemm [128,384]x[384,1536]", [1, 128, 1536, 384]),
    ] {
        let (a, b, mut c) = (
            values(batch * m * k),
            values(batch * n * k),
            vec![0.0; batch * m * n],
        );
        let (a, b) = (MatRef::dense(&a, m, k), MatRef::dense(&b, k, n));
        let flops = Unit::Flops(2.0 * (batch * m * n * k) as f64);
        t.row(name, flops, |cpu| {
            let product = Gemm {
                batch,
                m,
                n,
                k,
                a: Lhs::Strided(a),
                b: Rhs::Strided(b),
            };
            gemm(cpu, &product, Output::dense(&mut c, m, n), &NoEpilogue);
        });
        let packed = PackedB::new(t.cpus[0].isa, batch, k, n, &b);
        t.row(&format!("{name}, B packed once"), flops, |cpu| {
            let product = Gemm {
                batch,
                m,
                n,
                k,
                a: Lhs::Strided(a),
                b: Rhs::Packed(&packed),
            };
            gemm(cpu, &product, Output::dense(&mut c, m, n), &NoEpilogue);
        });
    }
    let (m, n, k) = (512, 512, 64);
    let (q, key, mut c) = (
        values(12 * m * k),
        values(12 * n * k),
        vec![0.0; 12 * m * n],
    );
    t.row(
        "gemm 12 x [512,64]x[512,64]T",
        Unit::Flops(2.0 * (12 * m * n * k) as f64),
        |cpu| {
            let b = MatRef::strided(
                &key,
                0,
                1,
                k as isize,
                cpu_interp::kernels::gemm::Batch::Stride(n * k),
            );
            let product = Gemm {
                batch: 12,
                m,
                n,
                k,
                a: Lhs::Strided(MatRef::dense(&q, m, k)),
                b: Rhs::Strided(b),
            };
            gemm(cpu, &product, Output::dense(&mut c, m, n), &NoEpilogue);
        },
    );
    for (k, n) in [(768, 3072), (4096, 4096)] {
        let (a, b, mut c) = (values(k), values(n * k), vec![0.0; n]);
        let a = MatRef::dense(&a, 1, k);
        let bytes = Unit::Bytes(4.0 * (n * k) as f64);
        let mut one = |t: &Table, name: &str, b: Rhs<'_>| {
            t.row(name, bytes, |cpu| {
                let product = Gemm {
                    batch: 1,
                    m: 1,
                    n,
                    k,
                    a: Lhs::Strided(a),
                    b,
                };
                gemm(cpu, &product, Output::dense(&mut c, 1, n), &NoEpilogue);
            });
        };
        let rows = MatRef::dense(&b, k, n);
        one(t, &format!("gemm [1,{k}]x[{k},{n}]"), Rhs::Strided(rows));
        let cols = MatRef::strided(
            &b,
            0,
            1,
            k as isize,
            cpu_interp::kernels::gemm::Batch::Stride(0),
        );
        one(t, &format!("gemm [1,{k}]x[{n},{k}]T"), Rhs::Strided(cols));
        let packed = PackedB::new(t.cpus[0].isa, 1, k, n, &rows);
        one(
            t,
            &format!("gemm [1,{k}]x[{k},{n}], B packed once"),
            Rhs::Packed(&packed),
        );
    }
}

fn convolutions(t: &Table) {
    // Name, [c_in, c_out, groups], input, kernel, stride, pad.
    type Row = (
        &'static str,
        [usize; 3],
        [usize; 2],
        [usize; 2],
        [usize; 2],
        [usize; 2],
    );
    let rows: [Row; 16] = [
        (
            "conv 64x112x112 -> 64, 3x3",
            [64, 64, 1],
            [112, 112],
            [3, 3],
            [1, 1],
            [1, 1],
        ),
        (
            "conv 64x56x56 -> 64, 3x3",
            [64, 64, 1],
            [56, 56],
            [3, 3],
            [1, 1],
            [1, 1],
        ),
        (
            "conv 256x14x14 -> 256, 3x3",
            [256, 256, 1],
            [14, 14],
            [3, 3],
            [1, 1],
            [1, 1],
        ),
        (
            "conv 512x7x7 -> 512, 3x3",
            [512, 512, 1],
            [7, 7],
            [3, 3],
            [1, 1],
            [1, 1],
        ),
        (
            "conv 3x224x224 -> 64, 7x7 s2",
            [3, 64, 1],
            [224, 224],
            [7, 7],
            [2, 2],
            [3, 3],
        ),
        (
            "conv 3x48x320 -> 16, 3x3 s2",
            [3, 16, 1],
            [48, 320],
            [3, 3],
            [2, 2],
            [1, 1],
        ),
        (
            "conv 96x160x160 -> 24, 3x3",
            [96, 24, 1],
            [160, 160],
            [3, 3],
            [1, 1],
            [1, 1],
        ),
        (
            "conv 16x24x160 -> 32, 1x1",
            [16, 32, 1],
            [24, 160],
            [1, 1],
            [1, 1],
            [0, 0],
        ),
        (
            "conv 240x3x80 -> 240, 1x1",
            [240, 240, 1],
            [3, 80],
            [1, 1],
            [1, 1],
            [0, 0],
        ),
        (
            "conv 480x1x40 -> 480, 1x1",
            [480, 480, 1],
            [1, 40],
            [1, 1],
            [1, 1],
            [0, 0],
        ),
        (
            "conv 8x24x96 -> 24, 1x1",
            [8, 24, 1],
            [24, 96],
            [1, 1],
            [1, 1],
            [0, 0],
        ),
        (
            "depthwise 64x112x112, 3x3",
            [64, 64, 64],
            [112, 112],
            [3, 3],
            [1, 1],
            [1, 1],
        ),
        (
            "depthwise 64x112x112, 3x3 s2",
            [64, 64, 64],
            [112, 112],
            [3, 3],
            [2, 2],
            [1, 1],
        ),
        (
            "depthwise 240x6x80, 5x5",
            [240, 240, 240],
            [6, 80],
            [5, 5],
            [1, 1],
            [2, 2],
        ),
        (
            "depthwise 480x3x80, 5x5 s2 1",
            [480, 480, 480],
            [3, 80],
            [5, 5],
            [2, 1],
            [2, 2],
        ),
        (
            "depthwise 24x12x96, 3x3 s2 1",
            [24, 24, 24],
            [24, 96],
            [3, 3],
            [2, 1],
            [1, 1],
        ),
    ];
    for (name, [c_in, c_out, groups], input, kernel, stride, pad) in rows {
        let shape = ConvShape {
            batch: 1,
            c_in,
            c_out,
            groups,
            input,
            kernel,
            stride,
            dilation: [1, 1],
            pad_begin: pad,
            pad_end: pad,
        };
        let [h, w] = shape.output();
        let taps = c_in / groups * kernel[0] * kernel[1];
        let x = values(c_in * input[0] * input[1]);
        let mut y = vec![0.0; c_out * h * w];
        let unit = if groups == 1 {
            Unit::Flops((2 * c_out * taps * h * w) as f64)
        } else {
            Unit::Bytes(4.0 * (x.len() + y.len()) as f64)
        };
        let conv = Conv::new(t.cpus[0].isa, shape, &values(c_out * taps));
        t.row(name, unit, |cpu| conv.run(cpu, &x, &mut y, &NoEpilogue));
    }
}

fn rows_and_copies(t: &Table) {
    let (rows, n) = (4096, 1024);
    let x = values(rows * n);
    let mut y = vec![0.0; rows * n];
    let both = Unit::Bytes(8.0 * (rows * n) as f64);
    t.row("softmax [4096,1024]", both, |cpu| {
        softmax(cpu, &x, &mut y, [rows, n, 1])
    });
    let (scale, shift) = (values(n), values(n));
    let affine = Affine {
        scale: Some(&scale),
        shift: Some(&shift),
    };
    t.row("layer norm [4096,1024]", both, |cpu| {
        layer_norm(cpu, &x, &mut y, n, affine, 1e-5)
    });
    t.row("rms norm [4096,1024]", both, |cpu| {
        rms_norm(cpu, &x, &mut y, n, affine, 1e-5)
    });

    let n = 4096;
    let x = values(n * n);
    let mut y = vec![0.0; n * n];
    let read = Unit::Bytes(4.0 * (n * n) as f64);
    t.row("sum [4096,4096] over axis 1", read, |cpu| {
        reduce(cpu, Reduce::Sum, &x, &mut y[..n], [n, n, 1])
    });
    t.row("sum [4096,4096] over axis 0", read, |cpu| {
        reduce(cpu, Reduce::Sum, &x, &mut y[..n], [1, n, n])
    });
    t.row("max [4096,4096] over axis 1", read, |cpu| {
        reduce(cpu, Reduce::Max, &x, &mut y[..n], [n, n, 1])
    });
    t.row("sum [4096,4096] over both", read, |cpu| {
        reduce(cpu, Reduce::Sum, &x, &mut y[..1], [1, n * n, 1])
    });
    let both = Unit::Bytes(8.0 * (n * n) as f64);
    t.row("transpose 4096x4096", both, |cpu| {
        copy_strided(cpu, &x, 0, &[n, n], &[1, n as isize], &mut y)
    });
    let (b, s, h, d) = (8, 512, 12, 64);
    let len = b * s * h * d;
    let strides = [(s * h * d) as isize, d as isize, (h * d) as isize, 1];
    t.row(
        "permute [8,512,12,64] 0213",
        Unit::Bytes(8.0 * len as f64),
        |cpu| {
            copy_strided(cpu, &x, 0, &[b, h, s, d], &strides, &mut y[..len]);
        },
    );
    let small = 1 << 16;
    let bytes = Unit::Bytes(8.0 * small as f64);
    for (name, f) in [
        ("exp", vecmath::exp as fn(Isa, &[f32], &mut [f32])),
        ("log", vecmath::log),
        ("tanh", vecmath::tanh),
        ("sigmoid", vecmath::sigmoid),
        ("erf", vecmath::erf),
        ("sin", vecmath::sin),
    ] {
        t.row(&format!("{name} of 65536 (1 thread)"), bytes, |cpu| {
            f(cpu.isa, &x[..small], &mut y[..small])
        });
    }
    t.row(
        "transpose 1024x1024 u16",
        Unit::Bytes(4.0 * (1 << 20) as f64),
        |cpu| {
            let (x, mut y) = ([0_u16; 1024], [0_u16; 1024]);
            for _ in 0..1024 {
                copy_strided(cpu, &x, 0, &[32, 32], &[1, 32], &mut y);
            }
            black_box(&mut y);
        },
    );
    let shape = PoolShape {
        planes: 64,
        input: [112, 112],
        kernel: [3, 3],
        stride: [2, 2],
        dilation: [1, 1],
        pad_begin: [1, 1],
        pad_end: [1, 1],
        ceil_mode: false,
        count_include_pad: false,
    };
    let len = 64 * 112 * 112;
    t.row(
        "max pool 64x112x112, 3x3 s2",
        Unit::Bytes(5.0 * len as f64),
        |cpu| {
            pool2d(cpu, PoolKind::Max, &shape, &x[..len], &mut y[..len / 4]);
        },
    );
}

fn main() {
    let isa = match std::env::var("LEVEL").as_deref() {
        Ok("scalar") => Isa::detect().masked(cpu_interp::kernels::isa::Level::Scalar),
        Ok("avx2") => Isa::detect().masked(cpu_interp::kernels::isa::Level::Avx2Fma),
        _ => Isa::detect(),
    };
    let (a, mut b) = (vec![1.0_f32; 16 << 20], vec![0.0_f32; 16 << 20]);
    let copy = quiet(|| b.copy_from_slice(black_box(&a)));
    drop((a, b));
    let table = Table {
        filter: std::env::args().nth(1).unwrap_or_default(),
        cpus: [Cpu::with_isa(isa, 1), Cpu::with_isa(isa, 2)],
        peak_flops: peak_flops(isa),
        copy_bytes: 2.0 * 4.0 * (16 << 20) as f64 / copy,
    };
    println!(
        "{isa:?}: multiply-adds {:.1} GFLOP/s a thread, copy of 64 MiB {:.1} GB/s (read and write counted)",
        table.peak_flops / 1e9,
        table.copy_bytes / 1e9
    );
    println!(
        "{:<44} | 1 thread                              | 2 threads",
        "kernel"
    );
    products(&table);
    convolutions(&table);
    rows_and_copies(&table);
}

/// Independent multiply-adds that never leave registers.
fn peak_flops(isa: Isa) -> f64 {
    let ops = 4e6;
    ops / quiet(|| {
        black_box(vecmath::multiply_adds(isa, black_box(0.5), ops as usize));
    })
}
