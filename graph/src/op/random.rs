//! Random numbers that follow from a key: counter-based, so every element is a function of the key and its position.
//!
//! The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011). The
//! input is `[seed, first block]`; block `b` of four 32-bit numbers is `philox(seed, first + b)`. Elements take numbers in
//! row-major order, so the same key gives the same bits on every device, however the work is divided, and a caller that adds
//! [`Random::blocks`] to the second number goes on where the last call ended.

use tensor_core::DType;

use super::rule::Inputs;
use super::{Algebra, Attr, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Bindings, Dim, InferError, TensorType, ValueFacts};

const fn def(name: &'static str, formula: &'static str, source: &'static str) -> OpDef {
    OpDef {
        name,
        family: Family::Random,
        arity: (1, 1),
        algebra: Algebra::NONE,
        formula,
        numerics: Numerics {
            accumulator: "",
            nan: "never occurs",
            max_ulp: 0,
        },
        source,
    }
}

static UNIFORM: OpDef = def(
    "random_uniform",
    "the top bits of a random number (24 for f32, 53 of two for f64, 11 for f16, 8 for bf16) as a fraction of [0, 1)",
    "Philox4x32-10, Salmon et al. 2011",
);

static NORMAL: OpDef = def(
    "random_normal",
    "sqrt(-2 ln u) cos(2 pi v), then sin, with u of (0, 1] and v of [0, 1), computed in f64 and rounded once",
    "Philox4x32-10, Salmon et al. 2011; Box and Muller 1958",
);

/// A distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RandomKind {
    /// All numbers of `[0, 1)`, equally likely.
    Uniform,
    /// Mean 0, variance 1.
    Normal,
}

impl RandomKind {
    fn def(self) -> &'static OpDef {
        match self {
            RandomKind::Uniform => &UNIFORM,
            RandomKind::Normal => &NORMAL,
        }
    }

    /// Name of the op.
    pub fn name(self) -> &'static str {
        self.def().name
    }
}

/// A tensor of random numbers. Its input is the key, `u64[2]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Random {
    /// The distribution.
    pub kind: RandomKind,
    /// A float dtype.
    pub dtype: DType,
    /// Extents of the result.
    pub shape: Vec<Dim>,
}

impl Random {
    /// Random numbers of this kind, dtype and shape.
    pub fn new(kind: RandomKind, dtype: DType, shape: impl IntoIterator<Item = usize>) -> Random {
        Random {
            kind,
            dtype,
            shape: shape.into_iter().map(Dim::from).collect(),
        }
    }

    /// How many elements one block of four 32-bit numbers gives.
    pub fn elements_per_block(&self) -> usize {
        if self.dtype == DType::F64 { 2 } else { 4 }
    }

    /// How many blocks `elements` elements take.
    pub fn blocks(&self, elements: u64) -> u64 {
        elements.div_ceil(self.elements_per_block() as u64)
    }
}

impl Entry for Random {
    fn defs() -> Vec<&'static OpDef> {
        vec![&UNIFORM, &NORMAL]
    }

    fn from_text(name: &str, attrs: &Attrs) -> Result<Self, String> {
        let kind = if name == UNIFORM.name {
            RandomKind::Uniform
        } else {
            RandomKind::Normal
        };
        Ok(Random {
            kind,
            dtype: attrs.dtype("dtype")?,
            shape: attrs.dims("shape")?,
        })
    }

    fn substitute(self, bindings: &Bindings) -> Self {
        let shape = self.shape.iter().map(|dim| dim.substitute(bindings));
        Random {
            shape: shape.collect(),
            ..self
        }
    }

    fn def(&self) -> &'static OpDef {
        self.kind.def()
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let key = inputs.ty(0)?;
        if key.dtype != DType::U64 {
            return Err(inputs.dtype_error(0, "u64: a seed and the number of the first block"));
        }
        if key.shape != [Dim::Known(2)] {
            return Err(inputs.shape_error(0, "must be a seed and the number of the first block"));
        }
        if !self.dtype.is_float() {
            let reason = "random numbers have a float dtype";
            return Err(inputs.attribute_error("dtype", self.dtype, reason));
        }
        let ty = TensorType::new(self.dtype, self.shape.iter().cloned());
        Ok(vec![ValueFacts::of_type(ty)])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("dtype", Attr::Word(self.dtype.name().into()))
            .with_dims("shape", self.shape.iter().cloned())
    }
}

/// Philox4x32-10: four random 32-bit numbers for a key and a counter.
pub fn philox(seed: u64, block: u64) -> [u32; 4] {
    let halves = |n: u64| [n as u32, (n >> 32) as u32];
    let ([k0, k1], [c0, c1]) = (halves(seed), halves(block));
    philox_rounds([c0, c1, 0, 0], [k0, k1])
}

fn philox_rounds(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    const MULTIPLIERS: [u64; 2] = [0xD251_1F53, 0xCD9E_8D57];
    const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
    for round in 0..10 {
        if round > 0 {
            key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        }
        let [c0, c1, c2, c3] = counter;
        let (p, q) = (
            MULTIPLIERS[0] * u64::from(c0),
            MULTIPLIERS[1] * u64::from(c2),
        );
        counter = [
            (q >> 32) as u32 ^ c1 ^ key[0],
            q as u32,
            (p >> 32) as u32 ^ c3 ^ key[1],
            p as u32,
        ];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn philox_gives_the_known_answers() {
        // `kat_vectors` of Random123 1.14.0, lines `philox4x32 10`.
        let cases = [
            (
                [0; 4],
                [0; 2],
                [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8],
            ),
            (
                [u32::MAX; 4],
                [u32::MAX; 2],
                [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd],
            ),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (counter, key, want) in cases {
            assert_eq!(philox_rounds(counter, key), want, "{counter:x?} {key:x?}");
        }
        assert_eq!(philox(0, 0), cases[0].2);
    }
}
