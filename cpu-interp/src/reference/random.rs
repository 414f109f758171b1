//! Random numbers: one block of the generator after another.

use graph::op::{Random, RandomKind, philox};
use tensor::Tensor;

use super::element::{Real, each_float};
use super::{Call, Result};

/// Numbers in row-major order, from the key `[seed, first block]`.
pub(super) fn random(op: &Random, call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let key = call.input(0).to_vec::<u64>()?;
    let (seed, first) = (key[0], key[1]);
    let count: usize = shape.iter().product();
    let per_block = op.elements_per_block();
    let blocks =
        (0..count.div_ceil(per_block)).map(|at| philox(seed, first.wrapping_add(at as u64)));
    each_float!(op.dtype, T => {
        let mut out = call.buffer::<T>(count)?;
        let bits = significand_bits::<T>();
        let wide = blocks.flat_map(|block| match op.kind {
            RandomKind::Uniform => uniform(block, per_block, bits),
            RandomKind::Normal => normal(block, per_block),
        }.into_iter().take(per_block));
        out.extend(wide.take(count).map(T::narrow));
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, other => Err(call.unsupported(other)))
}

/// Bits of the significand, the hidden one included: as many make a fraction that is exact.
fn significand_bits<T: Real>() -> u32 {
    match T::dtype() {
        tensor::DType::F64 => 53,
        tensor::DType::F16 => 11,
        tensor::DType::BF16 => 8,
        _ => 24,
    }
}

/// The top `bits` bits of each number, or of each pair, as a fraction of 1.
fn uniform(block: [u32; 4], per_block: usize, bits: u32) -> [f64; 4] {
    let fraction =
        |number: u64, width: u32| (number >> (width - bits)) as f64 / 2.0_f64.powi(bits as i32);
    if per_block == 2 {
        let [a, b] = pairs(block);
        [fraction(a, 64), fraction(b, 64), 0.0, 0.0]
    } else {
        block.map(|number| fraction(number.into(), 32))
    }
}

/// Box and Muller's two normal numbers for each pair of uniform ones. The transcendental functions are those of `libm`,
/// which are the same on every platform.
fn normal(block: [u32; 4], per_block: usize) -> [f64; 4] {
    let polar = |u: f64, v: f64| {
        let (radius, angle) = ((-2.0 * libm::log(u)).sqrt(), std::f64::consts::TAU * v);
        [radius * libm::cos(angle), radius * libm::sin(angle)]
    };
    if per_block == 2 {
        let [a, b] = pairs(block).map(|number| number >> 11);
        let unit = 2.0_f64.powi(-53);
        let [cos, sin] = polar((a + 1) as f64 * unit, b as f64 * unit);
        [cos, sin, 0.0, 0.0]
    } else {
        let unit = 2.0_f64.powi(-32);
        let [a, b, c, d] = block.map(f64::from);
        let ([w, x], [y, z]) = (
            polar((a + 1.0) * unit, b * unit),
            polar((c + 1.0) * unit, d * unit),
        );
        [w, x, y, z]
    }
}

/// The numbers two by two, the first as the high half.
fn pairs([a, b, c, d]: [u32; 4]) -> [u64; 2] {
    let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    [pair(a, b), pair(c, d)]
}
