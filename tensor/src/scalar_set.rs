//! The macro that makes a dynamic tensor over a set of element types of the caller's choice.
//!
//! [`Tensor`](crate::Tensor) holds the presets. [`define_scalar_set!`](crate::define_scalar_set) makes the same for any
//! table of presets and external scalars: the tag enum with its tables, and an enum with one typed host tensor per tag.
//! It names everything through `$crate` or `::core`, so a crate can expand it that depends on this one only, under
//! whatever name.
//!
//! The other items are what expansions call; they are public for that reason alone.

use std::any::Any;
use std::marker::PhantomData;

use tensor_core::{DType, ExternalScalar, TensorScalar};

use crate::{DynRank, Host, TypedTensor};

/// Makes a tag enum and an owned tensor enum from rows `Variant("name") => Type : Kind level width`.
///
/// The rows are those of [`define_scalar_tag!`](crate::core::define_scalar_tag), which makes the tag enum; give that one
/// `#[derive(Clone, Copy, Debug, PartialEq)]` at least. Each type is a preset or an
/// [`ExternalScalar`](crate::core::ExternalScalar), and occurs in one row only.
///
/// The second enum has one variant per row that holds a `TypedTensor<Type, DynRank, Host>`, and
/// - `Clone`, and `Debug` of metadata only;
/// - `From<TypedTensor<Type, DynRank, Host>>` for each row;
/// - `tag()`, `shape()`, and `dtype()`: the preset's, or `External` of the scalar's id;
/// - `as_typed::<T>()` and `into_typed::<T>()`, which returns the tensor itself where its elements have another type;
/// - `promote(lhs, rhs)`, the member that holds the values of both, by [`promote_in_set`](crate::core::promote_in_set).
///
/// ```
/// tensor::define_scalar_set! {
///     /// Element types of an image pipeline.
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     pub enum PixelTag {
///         /// As stored.
///         Byte("byte") => u8 : UnsignedInteger 0 8,
///         /// As computed.
///         Linear("linear") => f32 : Float 0 32,
///     }
///     /// An image of either.
///     pub enum Image;
/// }
/// use tensor::{DType, TypedTensor};
///
/// let image = Image::from(TypedTensor::from_host_vec_row_major([1, 2], vec![7_u8, 9])?);
/// assert_eq!((image.tag(), image.dtype(), image.shape()), (PixelTag::Byte, DType::U8, &[1, 2][..]));
/// assert!(image.as_typed::<f32>().is_none());
/// assert_eq!(Image::promote(PixelTag::Byte, PixelTag::Linear), Ok(PixelTag::Linear));
/// # Ok::<(), tensor::TensorError>(())
/// ```
/// A type that is neither a preset nor an external scalar has no dtype:
/// ```compile_fail,E0599
/// tensor::define_scalar_set! {
///     /// Tags.
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     pub enum Tag {
///         /// No scalar.
///         Text("text") => char : External 0 32,
///     }
///     /// Tensors.
///     pub enum Texts;
/// }
/// ```
#[macro_export]
macro_rules! define_scalar_set {
    (
        $(#[$tag_meta:meta])*
        $tag_vis:vis enum $Tag:ident {
            $(
                $(#[$row_meta:meta])*
                $Variant:ident($name:literal) => $Type:ty : $Kind:ident $level:literal $width:literal
            ),+ $(,)?
        }
        $(#[$set_meta:meta])*
        $vis:vis enum $Set:ident;
    ) => {
        $crate::core::define_scalar_tag! {
            $(#[$tag_meta])*
            $tag_vis enum $Tag {
                $($(#[$row_meta])* $Variant($name) => $Type : $Kind $level $width),+
            }
        }

        $(#[$set_meta])*
        #[derive(Clone, Debug)]
        $vis enum $Set {
            $(
                $(#[$row_meta])*
                $Variant($crate::TypedTensor<$Type, $crate::DynRank, $crate::Host>),
            )+
        }

        $(
            impl ::core::convert::From<$crate::TypedTensor<$Type, $crate::DynRank, $crate::Host>> for $Set {
                fn from(tensor: $crate::TypedTensor<$Type, $crate::DynRank, $crate::Host>) -> Self {
                    Self::$Variant(tensor)
                }
            }
        )+

        #[allow(dead_code, reason = "a set for one crate need not use every method")]
        impl $Set {
            /// Which element type the set's table says this tensor has.
            #[must_use]
            $vis const fn tag(&self) -> $Tag {
                match self {
                    $(Self::$Variant(_) => $Tag::$Variant,)+
                }
            }

            /// The element type as every tensor tells it: a preset, or the id of an external scalar.
            #[must_use]
            $vis fn dtype(&self) -> $crate::DType {
                #[allow(unused_imports, reason = "a set may have presets only, or none")]
                use $crate::scalar_set::{OfExternal as _, OfPreset as _};
                match self {
                    $(Self::$Variant(_) => (&$crate::scalar_set::Probe::<$Type>::new()).dtype(),)+
                }
            }

            /// The extents.
            #[must_use]
            $vis fn shape(&self) -> &[usize] {
                match self {
                    $(Self::$Variant(tensor) => tensor.shape(),)+
                }
            }

            /// The typed tensor inside, if its elements are of type `T`.
            #[must_use]
            $vis fn as_typed<T: 'static>(
                &self,
            ) -> ::core::option::Option<&$crate::TypedTensor<T, $crate::DynRank, $crate::Host>> {
                match self {
                    $(Self::$Variant(tensor) => $crate::scalar_set::as_typed(tensor),)+
                }
            }

            /// The typed tensor inside; moves fields only.
            ///
            /// # Errors
            /// The tensor itself, if its elements are not of type `T`.
            $vis fn into_typed<T: 'static>(
                self,
            ) -> ::core::result::Result<
                $crate::TypedTensor<T, $crate::DynRank, $crate::Host>,
                $crate::scalar_set::Unchanged<Self>,
            > {
                match self {
                    $(Self::$Variant(tensor) => $crate::scalar_set::into_typed(tensor, Self::$Variant),)+
                }
            }

            /// The member of the set that holds the values of both.
            ///
            /// # Errors
            /// As `promote_in_set`: no rule pairs an external kind with another, or no member of the set would do.
            $vis fn promote(
                lhs: $Tag,
                rhs: $Tag,
            ) -> ::core::result::Result<$Tag, $crate::core::PromoteInSetError<$Tag>> {
                $crate::core::promote_in_set($Tag::TAGS, $Tag::SPECS, lhs, rhs)
            }
        }
    };
}

/// The owner that a failed narrowing returns; boxed, so that the other outcome stays small.
pub type Unchanged<Owner> = Box<Owner>;

/// Asks the element type `T` for its dtype, where `T` is a concrete type and the trait that knows depends on it.
///
/// `(&Probe::<T>::new()).dtype()` finds the method of [`OfPreset`] without another borrow, and that of [`OfExternal`],
/// which takes one more, where the first does not apply. No type has both.
#[derive(Debug)]
pub struct Probe<T>(PhantomData<T>);

impl<T> Probe<T> {
    /// The probe of `T`.
    #[must_use]
    #[expect(
        clippy::new_without_default,
        reason = "a probe is made and asked in one expression"
    )]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// The dtype of a preset.
pub trait OfPreset {
    /// The preset.
    fn dtype(&self) -> DType;
}

impl<T: TensorScalar> OfPreset for Probe<T> {
    fn dtype(&self) -> DType {
        T::dtype()
    }
}

/// The dtype of an external scalar.
pub trait OfExternal {
    /// `External` of the scalar's id.
    fn dtype(&self) -> DType;
}

impl<T: ExternalScalar> OfExternal for &Probe<T> {
    fn dtype(&self) -> DType {
        T::DTYPE
    }
}

/// `tensor` itself, if `S` is `T`.
#[must_use]
pub fn as_typed<S: 'static, T: 'static>(
    tensor: &TypedTensor<S, DynRank, Host>,
) -> Option<&TypedTensor<T, DynRank, Host>> {
    (tensor as &dyn Any).downcast_ref()
}

/// `tensor` itself, if `S` is `T`.
///
/// # Errors
/// What `wrap` makes of the unchanged tensor.
pub fn into_typed<S: 'static, T: 'static, Owner>(
    tensor: TypedTensor<S, DynRank, Host>,
    wrap: impl FnOnce(TypedTensor<S, DynRank, Host>) -> Owner,
) -> Result<TypedTensor<T, DynRank, Host>, Unchanged<Owner>> {
    // A value can be taken out of `Any` without a heap allocation only by leaving something in its place.
    let mut slot = Some(tensor);
    let taken = (&mut slot as &mut dyn Any)
        .downcast_mut::<Option<TypedTensor<T, DynRank, Host>>>()
        .and_then(Option::take);
    match (taken, slot) {
        (Some(typed), _) => Ok(typed),
        (None, Some(tensor)) => Err(Box::new(wrap(tensor))),
        (None, None) => unreachable!("the slot is emptied only into `taken`"),
    }
}
