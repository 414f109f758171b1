//! Inputs drawn from a seed.
//!
//! The generator is counter based: element `i` of the input `name` under `seed` comes from
//! `bits = mix(key + (i + 1) * GOLDEN)` with `key = mix(seed ^ fnv1a(name))`, in wrapping 64-bit arithmetic, where `mix` is
//! the finaliser of SplitMix64 and `fnv1a` the 64-bit FNV-1a hash of the name's UTF-8 bytes. So a value depends on seed,
//! name and index alone: not on the machine, on the shape, or on which other inputs are drawn.
//!
//! What becomes of the bits (the highest bits count): a float is `b / 2^d` with `d` the digits of its type (53, 24, 11 or 8),
//! so that it is exact and below 1; an integer is uniform in 0..=255, or in 0..=127 for i8; a bool is the highest bit; a
//! complex number takes its real part from the upper and its imaginary part from the lower 32 bits.

use tenfold::tensor::{Complex32, Complex64, DType, Tensor, TensorElement, TensorError, bf16, f16};

/// The odd number next to 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64: a bijection of 64-bit numbers in which every input bit reaches every output bit.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// 64-bit FNV-1a.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A value made of 64 random bits.
trait Draw: TensorElement {
    fn draw(bits: u64) -> Self;
}

/// The highest `digits` bits as a fraction of 1.
fn fraction(bits: u64, digits: u32) -> f64 {
    (bits >> (64 - digits)) as f64 / (1_u64 << digits) as f64
}

macro_rules! draw {
    ($($T:ty: $bits:ident => $value:expr;)+) => {
        $(impl Draw for $T {
            fn draw($bits: u64) -> Self {
                $value
            }
        })+
    };
}

draw! {
    f64: bits => fraction(bits, 53);
    f32: bits => fraction(bits, 24) as f32;
    f16: bits => f16::from_f64(fraction(bits, 11));
    bf16: bits => bf16::from_f64(fraction(bits, 8));
    Complex32: bits => Complex32::new(fraction(bits, 24) as f32, fraction(bits << 32, 24) as f32);
    Complex64: bits => Complex64::new(fraction(bits, 32), fraction(bits << 32, 32));
    bool: bits => bits >> 63 == 1;
    i8: bits => (bits >> 57) as i8;
    i16: bits => (bits >> 56) as i16;
    i32: bits => (bits >> 56) as i32;
    i64: bits => (bits >> 56) as i64;
    u8: bits => (bits >> 56) as u8;
    u16: bits => (bits >> 56) as u16;
    u32: bits => (bits >> 56) as u32;
    u64: bits => bits >> 56;
}

/// The input `name` of this dtype and shape, drawn from `seed`.
///
/// # Errors
/// If the shape is too large for memory, or the dtype is an external scalar.
pub(crate) fn draw(
    seed: u64,
    name: &str,
    dtype: DType,
    shape: &[usize],
) -> Result<Tensor, TensorError> {
    let mut tensor = Tensor::zeros(dtype, shape)?;
    let key = mix(seed ^ fnv1a(name));
    tenfold::tensor::dispatch_dtype!(dtype, T => fill::<T>(&mut tensor, key)?, _external => ());
    Ok(tensor)
}

fn fill<T: Draw>(tensor: &mut Tensor, key: u64) -> Result<(), TensorError> {
    let mut counter = key;
    for element in tensor.as_mut_slice::<T>()? {
        counter = counter.wrapping_add(GOLDEN);
        *element = T::draw(mix(counter));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SplitMix64 with seed 1234567 begins with these numbers (published with its reference implementation).
    #[test]
    fn the_stream_is_that_of_split_mix_64() {
        let mut state = 1_234_567_u64;
        let stream = std::iter::repeat_with(|| {
            state = state.wrapping_add(GOLDEN);
            mix(state)
        });
        let expect = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(stream.take(5).collect::<Vec<u64>>(), expect);
    }

    /// The hash's own published test vectors.
    #[test]
    fn names_are_hashed_with_fnv_1a() {
        assert_eq!(fnv1a(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn bits_become_values_of_each_type() {
        let (zero, ones, half) = (0, u64::MAX, 1 << 63);
        assert_eq!(
            (f32::draw(zero), f32::draw(half), f32::draw(ones)),
            (0.0, 0.5, 1.0 - f32::EPSILON / 2.0)
        );
        assert_eq!(
            (f64::draw(half), f64::draw(ones)),
            (0.5, 1.0 - f64::EPSILON / 2.0)
        );
        assert_eq!(f16::draw(ones).to_f64(), 1.0 - 2.0_f64.powi(-11));
        assert_eq!(bf16::draw(ones).to_f64(), 1.0 - 2.0_f64.powi(-8));
        assert_eq!(
            (u8::draw(ones), i8::draw(ones), i64::draw(ones)),
            (255, 127, 255)
        );
        assert_eq!((u64::draw(half), i8::draw(half)), (128, 64));
        assert_eq!((bool::draw(half), bool::draw(half - 1)), (true, false));
        assert_eq!(Complex32::draw(1 << 31), Complex32::new(0.0, 0.5));
        assert_eq!(Complex64::draw(half), Complex64::new(0.5, 0.0));
    }

    /// Made by hand from the description above, in another language.
    #[test]
    fn values_are_the_same_on_every_machine() {
        let floats = draw(7, "x", DType::F32, &[2, 2]).unwrap();
        assert_eq!(
            floats.to_vec::<f32>().unwrap(),
            EXPECT_X_7.map(|n| n as f32 / 16_777_216.0)
        );
        let bytes = draw(7, "x", DType::U8, &[3]).unwrap();
        assert_eq!(
            bytes.to_vec::<u8>().unwrap(),
            [EXPECT_X_7[0], EXPECT_X_7[1], EXPECT_X_7[2]].map(|n| (n >> 16) as u8)
        );
        let other = draw(7, "y", DType::F32, &[2, 2]).unwrap();
        assert_ne!(
            other.to_vec::<f32>().unwrap(),
            floats.to_vec::<f32>().unwrap()
        );
    }

    /// The upper 24 bits of the first four values of input `x` under seed 7.
    const EXPECT_X_7: [u32; 4] = [13_656_062, 5_703_811, 5_473_779, 16_167_382];

    #[test]
    fn edges() {
        assert!(
            draw(0, "x", DType::F32, &[0, 3])
                .unwrap()
                .to_vec::<f32>()
                .unwrap()
                .is_empty()
        );
        assert_eq!(draw(0, "x", DType::F32, &[]).unwrap().len(), 1);
        assert!(draw(0, "x", DType::F32, &[usize::MAX, 2]).is_err());
        assert!(draw(0, "x", DType::F32, &[1 << 60]).is_err());
    }
}
