//! A set of element types in which [`MaxPlus`] stands apart.

use crate::MaxPlus;

tensor::define_scalar_set! {
    /// The element types of a path program. `MaxPlus` is of kind `External`: its sums are not the sums of `f64`, so it
    /// promotes with itself only, and mixing it with numbers is an error.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum PathTag {
        /// Plain numbers.
        F64("f64") => f64 : Float 1 64,
        /// Whether there is an arc.
        Bool("bool") => bool : Boolean 0 0,
        /// Lengths of paths.
        MaxPlus("max_plus") => MaxPlus : External 0 64,
    }
    /// An owned tensor of any of the [`PathTag`]s.
    pub enum PathTensor;
}
