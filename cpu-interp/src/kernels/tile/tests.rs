//! The tile machine against plain arithmetic, at every level.

use graph::scalar::{Prim, Program};
use tensor_core::DType;

use super::*;

/// Runs a program over f32 operands on every level; checks that all levels agree and gives the result.
fn run_f32(program: &Program, inputs: &[TileInput<'_>], count: usize) -> Vec<f32> {
    let tile = TileProgram::compile(program).expect("f32 is served");
    let mut results = Isa::available().into_iter().map(|isa| {
        let mut scratch = vec![f32::NAN; tile.scratch_elems()];
        let mut out = vec![0.0_f32; count];
        tile.run(
            isa,
            inputs,
            &mut scratch,
            bytemuck::cast_slice_mut(&mut out),
        );
        out
    });
    let first = results.next().expect("the portable level is always there");
    for other in results {
        let bits = |v: &[f32]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&first), bits(&other), "{program}");
    }
    first
}

fn values(count: usize, scale: f32) -> Vec<f32> {
    (0..count)
        .map(|i| ((i * 37 % 101) as f32 - 50.0) * scale)
        .collect()
}

/// A function that a primitive is.
type Formula = fn(f64) -> f64;

#[test]
fn a_chain_with_literals_and_splats() {
    // hard_swish(x) * s + y, lengths that leave a rest at every level
    let mut p = Program::new([DType::F32; 3]);
    let (three, six, zero) = (
        p.literal(DType::F32, 3.0),
        p.literal(DType::F32, 6.0),
        p.literal(DType::F32, 0.0),
    );
    let shifted = p.prim(Prim::Add, &[0, three]);
    let low = p.prim(Prim::Max, &[shifted, zero]);
    let gate = p.prim(Prim::Min, &[low, six]);
    let product = p.prim(Prim::Mul, &[gate, 0]);
    let swish = p.prim(Prim::Div, &[product, six]);
    let scaled = p.prim(Prim::Mul, &[swish, 1]);
    let sum = p.prim(Prim::Add, &[scaled, 2]);
    p.set_result(sum);
    for count in [0, 1, 7, 16, 17, 100, TILE] {
        let (x, y) = (values(count, 0.21), values(count, -1.7));
        let inputs = [
            TileInput::Slice(bytemuck::cast_slice(&x)),
            TileInput::Splat(u64::from(0.75_f32.to_bits())),
            TileInput::Slice(bytemuck::cast_slice(&y)),
        ];
        let want: Vec<f32> = x
            .iter()
            .zip(&y)
            .map(|(x, y)| (x + 3.0).clamp(0.0, 6.0) * x / 6.0 * 0.75 + y)
            .collect();
        assert_eq!(run_f32(&p, &inputs, count), want, "{count}");
    }
}

#[test]
fn the_destination_can_be_an_operand() {
    let mut p = Program::new([DType::F32; 2]);
    let square = p.prim(Prim::Mul, &[0, 0]);
    let sum = p.prim(Prim::Add, &[square, 1]);
    let last = p.prim(Prim::Sub, &[sum, 0]);
    p.set_result(last);
    let tile = TileProgram::compile(&p).expect("f32 is served");
    let (x, y) = (values(77, 0.5), values(77, 3.0));
    let mut out = x.clone();
    let inputs = [
        TileInput::Destination,
        TileInput::Slice(bytemuck::cast_slice(&y)),
    ];
    let mut scratch = vec![0.0; tile.scratch_elems()];
    tile.run(
        Isa::detect(),
        &inputs,
        &mut scratch,
        bytemuck::cast_slice_mut(&mut out),
    );
    let want: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x * x + y - x).collect();
    assert_eq!(out, want);
}

#[test]
fn nan_goes_through_max_and_min() {
    for prim in [Prim::Max, Prim::Min] {
        let mut p = Program::new([DType::F32; 2]);
        let r = p.prim(prim, &[0, 1]);
        p.set_result(r);
        let a = [f32::NAN, 1.0, 2.0, f32::NAN];
        let b = [1.0, f32::NAN, 3.0, f32::NAN];
        let inputs = [&a, &b].map(|v| TileInput::Slice(bytemuck::cast_slice(v)));
        let got = run_f32(&p, &inputs, 4);
        let nan: Vec<bool> = got.iter().map(|x| x.is_nan()).collect();
        assert_eq!(nan, [true, true, false, true], "{prim:?}");
        assert_eq!(got[2], if prim == Prim::Max { 3.0 } else { 2.0 });
    }
}

#[test]
fn integers_wrap_and_division_never_traps() {
    let check = |prim, a: i32, b: i32, want: i32| {
        let mut p = Program::new([DType::I32; 2]);
        let r = p.prim(prim, &[0, 1]);
        p.set_result(r);
        let tile = TileProgram::compile(&p).expect("i32 is served");
        let inputs = [a, b].map(|v| TileInput::Splat(u64::from(v as u32)));
        let mut out = [0_i32; 3];
        tile.run(
            Isa::detect(),
            &inputs,
            &mut vec![0.0; tile.scratch_elems()],
            bytemuck::cast_slice_mut(&mut out),
        );
        assert_eq!(out, [want; 3], "{prim:?} {a} {b}");
    };
    check(Prim::Add, i32::MAX, 1, i32::MIN);
    check(Prim::Div, 7, -2, -3);
    check(Prim::Div, 7, 0, 0);
    check(Prim::Div, i32::MIN, -1, i32::MIN);
    check(Prim::Pow, 3, 4, 81);
    check(Prim::Pow, -1, -3, -1);
    check(Prim::Pow, 2, -1, 0);
    check(Prim::Pow, 2, 33, 0);
}

#[test]
fn casts_truncate_and_saturate() {
    let x = [f32::NAN, -1.9, 1.9, 3e9, -3e9, f32::INFINITY, -0.5];
    let mut p = Program::new([DType::F32]);
    let r = p.cast(DType::I32, 0);
    p.set_result(r);
    let tile = TileProgram::compile(&p).expect("both are served");
    let mut out = [7_i32; 7];
    let inputs = [TileInput::Slice(bytemuck::cast_slice(&x))];
    tile.run(
        Isa::detect(),
        &inputs,
        &mut [],
        bytemuck::cast_slice_mut(&mut out),
    );
    assert_eq!(out, [0, -1, 1, i32::MAX, i32::MIN, i32::MAX, 0]);

    let mut p = Program::new([DType::I64]);
    let r = p.cast(DType::U8, 0);
    p.set_result(r);
    let tile = TileProgram::compile(&p).expect("both are served");
    let mut out = [7_u8; 4];
    let x = [-5_i64, 300, 255, i64::MIN];
    tile.run(
        Isa::detect(),
        &[TileInput::Slice(bytemuck::cast_slice(&x))],
        &mut [],
        &mut out,
    );
    assert_eq!(out, [0, 255, 255, 0]);
}

#[test]
fn half_floats_are_refused_by_name() {
    let p = Program::identity(DType::F16);
    assert_eq!(TileProgram::compile(&p).err(), Some(DType::F16));
}

/// A program of one primitive of one dtype.
fn single(prim: Prim, dtype: DType) -> TileProgram {
    let mut p = Program::new(vec![dtype; prim.arity()]);
    let operands = [0, 1, 2];
    let r = p.prim(prim, &operands[..prim.arity()]);
    p.set_result(r);
    TileProgram::compile(&p).expect("the dtype is served")
}

#[test]
fn rare_functions_are_those_of_f64_rounded() {
    let x: Vec<f32> = values(200, 0.021)
        .into_iter()
        .chain([0.0, -0.0, 1.0])
        .collect();
    let functions: [(Prim, Formula); 9] = [
        (Prim::Tan, f64::tan),
        (Prim::Asin, f64::asin),
        (Prim::Acos, f64::acos),
        (Prim::Atan, f64::atan),
        (Prim::Sinh, f64::sinh),
        (Prim::Cosh, f64::cosh),
        (Prim::Asinh, f64::asinh),
        (Prim::Acosh, f64::acosh),
        (Prim::Atanh, f64::atanh),
    ];
    for (prim, function) in functions {
        let mut p = Program::identity(DType::F32);
        let r = p.prim(prim, &[0]);
        p.set_result(r);
        let got = run_f32(&p, &[TileInput::Slice(bytemuck::cast_slice(&x))], x.len());
        for (&x, got) in x.iter().zip(got) {
            let want = function(x.into()) as f32;
            let near = got == want || (got - want).abs() <= want.abs() * f32::EPSILON;
            assert!(
                near || got.is_nan() && want.is_nan(),
                "{prim:?}({x}) = {got}, not {want}"
            );
        }
    }
}

#[test]
fn bits_and_remainders_of_integers() {
    let check = |prim, a: i16, b: i16, want: i16| {
        let mut out = [0_i16; 3];
        let inputs = [a, b].map(|v| TileInput::Splat(u64::from(v as u16)));
        let tile = single(prim, DType::I16);
        let mut scratch = vec![0.0; tile.scratch_elems()];
        tile.run(
            Isa::detect(),
            &inputs,
            &mut scratch,
            bytemuck::cast_slice_mut(&mut out),
        );
        assert_eq!(out, [want; 3], "{prim:?} {a} {b}");
    };
    check(Prim::And, 0b1100, -6, 0b1000);
    check(Prim::Or, 0b1100, 0b0011, 0b1111);
    check(Prim::Xor, -1, 0b0101, -6);
    check(Prim::Not, 5, 0, -6);
    check(Prim::Shl, 3, 15, i16::MIN);
    check(Prim::Shl, 3, 16, 0);
    check(Prim::Shl, 3, -1, 0);
    check(Prim::Shr, -3, 1, -2);
    check(Prim::Shr, -3, 16, -1);
    check(Prim::Shr, 3, i16::MIN, 0);
    check(Prim::Rem, -7, 3, -1);
    check(Prim::Rem, 7, 0, 0);
    check(Prim::Rem, i16::MIN, -1, 0);
}
