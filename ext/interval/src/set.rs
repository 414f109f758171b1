//! A set of element types in which [`Interval`] encloses the others.

use crate::Interval;

tensor::define_scalar_set! {
    /// The element types of a program with guaranteed bounds. `Interval` ranks above `f64`: a number is the interval of
    /// itself, and nothing comes back from bounds to a number without being asked for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum BoundedTag {
        /// Signed integers.
        I32("i32") => i32 : Integer 0 32,
        /// Double precision.
        F64("f64") => f64 : Float 1 64,
        /// Two bounds.
        Interval("interval") => Interval : Float 2 128,
    }
    /// An owned tensor of any of the [`BoundedTag`]s.
    pub enum BoundedTensor;
}
