//! What a call costs beside its arithmetic: operations so small that everything else is most of their time.
//!
//! A turn is a thousand calls, and its time is shown as it is: microseconds a thousand calls are nanoseconds a call. Here
//! what a call makes is dropped within the time, since that is part of what an expression costs.

use std::hint::black_box;
use std::time::{Duration, Instant};

use candle_core::{Device, Tensor as Candle};
use cpu_interp::kernels::Cpu;
use cpu_interp::kernels::gemm::{
    Batch, Epilogue, Gemm, Lhs, MatRef, Output, PackedB, Rhs, Strip, gemm,
};
use ndarray::{Array1, Array2};
use tenfold::prelude::*;

use crate::Failure;
use crate::measure::Case;

const CALLS: usize = 1000;
const FEATURES: usize = 64;

/// What is done with a case.
type Visit<'v> = dyn FnMut(Case<'_>) -> Result<(), Failure> + 'v;

fn one_thread() -> CompileOptions {
    CompileOptions {
        threads: Some(1),
        ..CompileOptions::default()
    }
}

/// A thousand calls.
fn thousand<A>(mut call: impl FnMut() -> A) -> Duration {
    let begin = Instant::now();
    for _ in 0..CALLS {
        black_box(call());
    }
    begin.elapsed()
}

/// Shows each wanted case to `visit`; `wanted` is asked with group and name.
pub(crate) fn each(
    wanted: impl Fn(&str, &str) -> bool,
    visit: &mut Visit<'_>,
) -> Result<(), Failure> {
    let group = "1000 calls";
    if wanted(group, "a + b, [16] f32") {
        add(group, visit)?;
    }
    if wanted(group, "two layers of 64 features") {
        layers(group, visit)?;
    }
    Ok(())
}

/// `a + b` of 16 elements, at once, by the operator that each library has.
fn add(group: &'static str, visit: &mut Visit<'_>) -> Result<(), Failure> {
    let elements = |from: f32| (0..16).map(|at| from + at as f32).collect::<Vec<f32>>();
    let (a, b) = (elements(0.5), elements(-3.0));
    let tf = Tf::new(&one_thread())?;
    let (x, y) = (tf.values([16], a.clone())?, tf.values([16], b.clone())?);
    let (ndx, ndy) = (Array1::from(a.clone()), Array1::from(b.clone()));
    let (dynx, dyny) = (ndx.clone().into_dyn(), ndy.clone().into_dyn());
    let (cx, cy) = (
        Candle::from_slice(&a, 16, &Device::Cpu)?,
        Candle::from_slice(&b, 16, &Device::Cpu)?,
    );
    let expect = (&ndx + &ndy).to_vec();
    same("candle", &(&cx + &cy)?.to_vec1::<f32>()?, &expect)?;
    same("tenfold", &(&x + &y)?.to_vec::<f32>()?, &expect)?;
    visit(Case {
        group,
        name: "a + b, [16] f32".into(),
        bytes: CALLS * 16 * 4,
        sides: vec![
            ("tenfold", Box::new(|| thousand(|| &x + &y))),
            ("ndarray", Box::new(|| thousand(|| &ndx + &ndy))),
            (
                "ndarray, dynamic rank",
                Box::new(|| thousand(|| &dynx + &dyny)),
            ),
            ("candle", Box::new(|| thousand(|| &cx + &cy))),
        ],
    })
}

fn same(side: &str, found: &[f32], expect: &[f32]) -> Result<(), Failure> {
    let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5 * b.abs().max(1.0);
    if found.len() == expect.len() && found.iter().zip(expect).all(near) {
        return Ok(());
    }
    Err(format!("{side} gives {found:?}, not {expect:?}").into())
}

/// `y = relu(x w1 + b1) w2 + b2` with 64 features and one row, into memory that exists.
fn layers(group: &'static str, visit: &mut Visit<'_>) -> Result<(), Failure> {
    let pseudo = |seed: u32, count: usize| -> Vec<f32> {
        let number = |at: u32| (at.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 16) as f32;
        (0..count as u32)
            .map(|at| number(at) / 65536.0 - 0.5)
            .collect()
    };
    let square = FEATURES * FEATURES;
    let (w1, w2, b1, b2) = (
        pseudo(1, square),
        pseudo(2, square),
        pseudo(3, FEATURES),
        pseudo(4, FEATURES),
    );
    let x = pseudo(5, FEATURES);

    let options = one_thread();
    let tf = Tf::new(&options)?;
    let func = Func::new("layers");
    let input = func.input("x", DType::F32, [1.into(), FEATURES.into()])?;
    let weights = |w: &Vec<f32>| tf.values([FEATURES, FEATURES], w.clone());
    let bias = |b: &Vec<f32>| tf.values([FEATURES], b.clone());
    let hidden = (&input.matmul(&weights(&w1)?)? + &bias(&b1)?)?.relu()?;
    func.output("y", &(&hidden.matmul(&weights(&w2)?)? + &bias(&b2)?)?)?;
    let function = func.compile(&options)?;
    let feed = Tensor::from_vec_row_major([1, FEATURES], x.clone())?;
    let mut results = vec![Tensor::zeros(DType::F32, [1, FEATURES])?];
    function.run_into(&[("x", &feed)], &mut results)?;

    let matrix = |w: &[f32]| {
        Array2::from_shape_fn((FEATURES, FEATURES), |(row, column)| {
            w[row * FEATURES + column]
        })
    };
    let (nw1, nw2) = (matrix(&w1), matrix(&w2));
    let (nb1, nb2) = (Array1::from(b1.clone()), Array1::from(b2.clone()));
    let nx = Array1::from(x.clone());
    let by_ndarray = || (nx.dot(&nw1) + &nb1).mapv(|v| v.max(0.0)).dot(&nw2) + &nb2;

    let cpu = Cpu::new(1);
    let kernels = Kernels::new(&cpu, [(&w1, &b1), (&w2, &b2)]);
    let mut out = vec![0.0; FEATURES];
    kernels.run(&cpu, &x, &mut out);

    let expect = by_ndarray().to_vec();
    same("tenfold", results[0].as_slice::<f32>()?, &expect)?;
    same("kernels", &out, &expect)?;
    visit(Case {
        group,
        name: "two layers of 64 features".into(),
        bytes: CALLS * 2 * square * 4,
        sides: vec![
            (
                "tenfold",
                Box::new(|| thousand(|| function.run_into(&[("x", &feed)], &mut results))),
            ),
            ("ndarray", Box::new(|| thousand(by_ndarray))),
            (
                "its kernels",
                Box::new(|| thousand(|| kernels.run(&cpu, &x, &mut out))),
            ),
        ],
    })
}

/// The arithmetic of the two layers, called without a function around it.
struct Kernels<'a>([(PackedB, &'a [f32]); 2]);

struct Layer<'a> {
    bias: &'a [f32],
    relu: bool,
}

impl Epilogue for Layer<'_> {
    fn apply(&self, strip: &mut Strip<'_>) {
        let columns = strip.col0..strip.col0 + strip.cols;
        for row in 0..strip.rows {
            for (value, bias) in strip.row(row).iter_mut().zip(&self.bias[columns.clone()]) {
                *value += bias;
                if self.relu {
                    *value = value.max(0.0);
                }
            }
        }
    }
}

impl<'a> Kernels<'a> {
    fn new(cpu: &Cpu, layers: [(&[f32], &'a [f32]); 2]) -> Self {
        Self(layers.map(|(weights, bias)| {
            let matrix = MatRef::strided(weights, 0, FEATURES as isize, 1, Batch::Table(&[0]));
            (PackedB::new(cpu.isa, 1, FEATURES, FEATURES, &matrix), bias)
        }))
    }

    fn run(&self, cpu: &Cpu, x: &[f32], out: &mut [f32]) {
        let mut hidden = [0.0; FEATURES];
        let [(w1, b1), (w2, b2)] = &self.0;
        layer(
            cpu,
            x,
            w1,
            &Layer {
                bias: b1,
                relu: true,
            },
            &mut hidden,
        );
        layer(
            cpu,
            &hidden,
            w2,
            &Layer {
                bias: b2,
                relu: false,
            },
            out,
        );
    }
}

fn layer(cpu: &Cpu, x: &[f32], weights: &PackedB, epilogue: &Layer<'_>, out: &mut [f32]) {
    let product = Gemm {
        batch: 1,
        m: 1,
        n: FEATURES,
        k: FEATURES,
        a: Lhs::Strided(MatRef::strided(
            x,
            0,
            FEATURES as isize,
            1,
            Batch::Table(&[0]),
        )),
        b: Rhs::Packed(weights),
    };
    gemm(cpu, &product, Output::dense(out, 1, FEATURES), epilogue);
}
