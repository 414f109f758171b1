//! A set of element types in which [`DoubleDouble`] is the widest float.

use crate::DoubleDouble;

tensor::define_scalar_set! {
    /// The element types of an extended precision program. `DoubleDouble` ranks above `f64`, so it wins a promotion, and an
    /// integer with any float gives it too: unlike `f64` it holds every `i64`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ExtendedTag {
        /// Single precision.
        F32("f32") => f32 : Float 0 32,
        /// Double precision.
        F64("f64") => f64 : Float 1 64,
        /// About 106 bits.
        DoubleDouble("double_double") => DoubleDouble : Float 2 128,
        /// Signed integers.
        I64("i64") => i64 : Integer 1 64,
        /// Truth values.
        Bool("bool") => bool : Boolean 0 0,
    }
    /// An owned tensor of any of the [`ExtendedTag`]s.
    pub enum ExtendedTensor;
}
