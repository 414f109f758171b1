//! A set of element types in which [`Q16`] ranks below `f64`.

use crate::Q16;

substrate::define_scalar_set! {
    /// The element types of a signal path. Every `Q16` is an `f64`, so `Q16` has the lower level; an integer with either
    /// gives the widest float of the set, `f64`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum SensorTag {
        /// Raw samples.
        I16("i16") => i16 : Integer -1 16,
        /// Fixed point.
        Q16("q16") => Q16 : Float -1 32,
        /// Double precision.
        F64("f64") => f64 : Float 1 64,
    }
    /// An owned tensor of any of the [`SensorTag`]s.
    pub enum SensorTensor;
}
