//! Products against f64 loops: shapes, strides, batches, packers, epilogues, on every level.

use super::*;
use crate::kernels::testing::{assert_close, on_every_level, values};

/// Strides and the elements that a `[batch, rows, cols]` operand takes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Rows,
    Cols,
    Padded,
    Reversed,
}

fn matrix(data: &[f32], order: Order, rows: usize, cols: usize) -> MatRef<'_> {
    let (rows_i, cols_i) = (rows as isize, cols as isize);
    match order {
        Order::Rows => MatRef::dense(data, rows, cols),
        Order::Cols => MatRef::strided(data, 0, 1, rows_i, Batch::Stride(rows * cols)),
        Order::Padded => MatRef::strided(
            data,
            3,
            2 * cols_i + 1,
            2,
            Batch::Stride(rows * (2 * cols + 1)),
        ),
        Order::Reversed => MatRef::strided(
            data,
            (rows * cols).saturating_sub(1),
            -cols_i,
            -1,
            Batch::Stride(rows * cols),
        ),
    }
}

fn len(batch: usize, rows: usize, cols: usize) -> usize {
    batch * rows * (2 * cols + 1) + 8
}

fn at(m: &MatRef<'_>, batch: usize, i: usize, j: usize) -> f64 {
    // SAFETY: callers stay inside the operand.
    f64::from(unsafe { *m.at(batch, i, j) })
}

fn reference(
    batch: usize,
    m: usize,
    n: usize,
    k: usize,
    a: &MatRef<'_>,
    b: &MatRef<'_>,
) -> Vec<f64> {
    let mut out = Vec::with_capacity(batch * m * n);
    for z in 0..batch {
        for i in 0..m {
            for j in 0..n {
                out.push((0..k).map(|p| at(a, z, i, p) * at(b, z, p, j)).sum());
            }
        }
    }
    out
}

/// Rounding of k products below 1, each off by at most 2^-24 of a running sum below k.
fn tolerance(k: usize) -> f64 {
    1e-6 + k as f64 * 2f64.powi(-24)
}

const SHAPES: [[usize; 4]; 24] = [
    [1, 1, 1, 1],
    [1, 2, 3, 5],
    [1, 0, 3, 5],
    [1, 3, 0, 5],
    [0, 3, 3, 5],
    [1, 3, 7, 0],
    [2, 1, 1, 40],
    [1, 1, 131, 257],
    [1, 4, 1030, 19],
    [1, 3, 67, 129],
    [1, 5, 31, 33],
    [3, 7, 17, 11],
    [1, 13, 47, 29],
    [1, 14, 32, 64],
    [1, 15, 33, 385],
    [1, 16, 64, 100],
    [1, 29, 30, 31],
    [2, 43, 101, 7],
    [1, 100, 16, 48],
    [1, 127, 129, 131],
    [1, 257, 31, 391],
    [1, 64, 700, 800],
    [1, 9, 1100, 33],
    [4, 33, 65, 97],
];

#[test]
fn strided_operands_on_every_level() {
    use Order::*;
    for [batch, m, n, k] in SHAPES {
        let (a, b) = (values(len(batch, m, k), 1), values(len(batch, k, n), 2));
        for (ao, bo) in [
            (Rows, Rows),
            (Rows, Cols),
            (Cols, Rows),
            (Padded, Padded),
            (Cols, Cols),
            (Reversed, Rows),
            (Rows, Reversed),
        ] {
            if (ao == Reversed || bo == Reversed) && batch != 1 {
                continue;
            }
            let (a, b) = (matrix(&a, ao, m, k), matrix(&b, bo, k, n));
            let want = reference(batch, m, n, k, &a, &b);
            on_every_level(
                |cpu| {
                    let mut c = vec![f32::NAN; batch * m * n];
                    let product = Gemm {
                        batch,
                        m,
                        n,
                        k,
                        a: Lhs::Strided(a),
                        b: Rhs::Strided(b),
                    };
                    gemm(cpu, &product, Output::dense(&mut c, m, n), &NoEpilogue);
                    let mut here = vec![f32::NAN; batch * m * n];
                    gemm_here(
                        cpu.isa,
                        &mut Scratch::new(),
                        &product,
                        Output::dense(&mut here, m, n),
                        &NoEpilogue,
                    );
                    assert_eq!(c, here);
                    c
                },
                |isa, got| {
                    assert_close(
                        &format!("{isa:?} [{batch}, {m}, {n}, {k}] {ao:?} {bo:?}"),
                        got,
                        &want,
                        tolerance(k),
                    )
                },
            );
        }
    }
}

/// `max(0, c + bias[i]) + j`
struct BiasRelu<'a>(&'a [f32]);

impl Epilogue for BiasRelu<'_> {
    fn apply(&self, strip: &mut Strip<'_>) {
        for i in 0..strip.rows {
            let (bias, col0) = (self.0[strip.row0 + i], strip.col0);
            for (j, x) in strip.row(i).iter_mut().enumerate() {
                *x = (*x + bias).max(0.0) + (col0 + j) as f32;
            }
        }
    }
}

#[test]
fn packed_filled_and_epilogue() {
    for [batch, m, n, k] in SHAPES {
        let (a, b, bias) = (
            values(batch * m * k, 3),
            values(batch * k * n, 4),
            values(m, 5),
        );
        let (ma, mb) = (MatRef::dense(&a, m, k), MatRef::dense(&b, k, n));
        let mut want = reference(batch, m, n, k, &ma, &mb);
        for (index, x) in want.iter_mut().enumerate() {
            *x = (*x + f64::from(bias[index / n % m])).max(0.0) + (index % n) as f64;
        }
        let fill_a = RowsOfA(|z: usize, i: usize, p: usize, dst: &mut [f32]| {
            dst.copy_from_slice(&a[(z * m + i) * k + p..][..dst.len()]);
        });
        let fill_b = RowsOfB(|z: usize, p: usize, j: usize, dst: &mut [f32]| {
            dst.copy_from_slice(&b[(z * k + p) * n + j..][..dst.len()]);
        });
        for case in 0..5 {
            on_every_level(
                |cpu| {
                    let packed_a = PackedA::new(cpu.isa, batch, m, k, &ma);
                    let packed_b = PackedB::new(cpu.isa, batch, k, n, &mb);
                    let (a, b) = match case {
                        0 => (Lhs::Packed(&packed_a), Rhs::Packed(&packed_b)),
                        1 => (Lhs::Packed(&packed_a), Rhs::Strided(mb)),
                        2 => (Lhs::Strided(ma), Rhs::Packed(&packed_b)),
                        3 => (Lhs::Fill(&fill_a), Rhs::Fill(&fill_b)),
                        _ => (Lhs::Fill(&fill_a), Rhs::Strided(mb)),
                    };
                    let mut c = vec![f32::NAN; batch * m * n];
                    let product = Gemm {
                        batch,
                        m,
                        n,
                        k,
                        a,
                        b,
                    };
                    gemm(cpu, &product, Output::dense(&mut c, m, n), &BiasRelu(&bias));
                    c
                },
                |isa, got| {
                    assert_close(
                        &format!("{isa:?} [{batch}, {m}, {n}, {k}] case {case}"),
                        got,
                        &want,
                        tolerance(k),
                    )
                },
            );
        }
    }
}

#[test]
fn broadcast_batches_and_heads_side_by_side() {
    let (batch, m, n, k) = (3, 17, 40, 23);
    let (a, b) = (values(batch * m * k, 6), values(k * n, 7));
    let starts: Vec<usize> = (0..batch).rev().map(|z| z * m * k).collect();
    let ma = MatRef::strided(&a, 0, k as isize, 1, Batch::Table(&starts));
    let mb = MatRef::strided(&b, 0, n as isize, 1, Batch::Stride(0));
    let want = reference(batch, m, n, k, &ma, &mb);
    on_every_level(
        |cpu| {
            let mut c = vec![7.0; m * batch * n];
            let product = Gemm {
                batch,
                m,
                n,
                k,
                a: Lhs::Strided(ma),
                b: Rhs::Strided(mb),
            };
            let out = Output {
                data: &mut c,
                ldc: batch * n,
                batch_stride: n,
            };
            gemm(cpu, &product, out, &NoEpilogue);
            c
        },
        |_, got| {
            let mut by_batch = Vec::new();
            for z in 0..batch {
                for i in 0..m {
                    by_batch.extend_from_slice(&got[(i * batch + z) * n..][..n]);
                }
            }
            assert_close("side by side", &by_batch, &want, tolerance(k));
        },
    );
}

#[test]
#[should_panic(expected = "leave its slice")]
fn operands_outside_their_slice_are_refused() {
    let a = [0.0; 11];
    let mut c = [0.0; 16];
    let m = MatRef::dense(&a, 4, 3);
    let product = Gemm {
        batch: 1,
        m: 4,
        n: 4,
        k: 3,
        a: Lhs::Strided(m),
        b: Rhs::Strided(m),
    };
    gemm(
        &Cpu::new(1),
        &product,
        Output::dense(&mut c, 4, 4),
        &NoEpilogue,
    );
}

#[test]
#[should_panic(expected = "products of C overlap")]
fn overlapping_products_are_refused() {
    let a = [0.0; 64];
    let mut c = [0.0; 64];
    let m = MatRef::dense(&a, 4, 4);
    let product = Gemm {
        batch: 2,
        m: 4,
        n: 4,
        k: 4,
        a: Lhs::Strided(m),
        b: Rhs::Strided(m),
    };
    let out = Output {
        data: &mut c,
        ldc: 4,
        batch_stride: 15,
    };
    gemm(&Cpu::new(1), &product, out, &NoEpilogue);
}
