//! The private enums behind erased tensors and views: one variant per preset dtype, and one for all external scalars.
//!
//! One list makes all three enums and the hooks of [`TensorElement`], so downcasts of presets are plain matches, without
//! `unsafe` or `Any`. [`each_preset!`](each_preset) runs one generic expression on whatever preset is present.

use tensor_core::{Complex32, Complex64, bf16, f16};

use crate::element::{TensorElement, sealed::Hooks};
use crate::external::{ErasedTensor, ExternalView};
use crate::{TypedTensor, TypedTensorView, TypedTensorViewMut};

macro_rules! define_payloads {
    ($($Variant:ident => $Type:ty,)+) => {
        /// An owned tensor of any dtype.
        #[derive(Debug)]
        pub enum Payload {
            $($Variant(TypedTensor<$Type>),)+
            External(Box<dyn ErasedTensor>),
        }

        /// A view of any dtype.
        #[derive(Clone, Debug)]
        pub enum ViewPayload<'a> {
            $($Variant(TypedTensorView<'a, $Type>),)+
            External(ExternalView<'a>),
        }

        /// A mutable view of any preset dtype; external tensors are written through their type.
        #[derive(Debug)]
        pub enum ViewMutPayload<'a> {
            $($Variant(TypedTensorViewMut<'a, $Type>),)+
        }

        $(
            impl TensorElement for $Type {}

            impl Hooks for $Type {
                #[inline]
                fn wrap(tensor: TypedTensor<Self>) -> Payload {
                    Payload::$Variant(tensor)
                }
                fn peek(payload: &Payload) -> Option<&TypedTensor<Self>> {
                    if let Payload::$Variant(tensor) = payload { Some(tensor) } else { None }
                }
                fn peek_mut(payload: &mut Payload) -> Option<&mut TypedTensor<Self>> {
                    if let Payload::$Variant(tensor) = payload { Some(tensor) } else { None }
                }
                fn unwrap(payload: Payload) -> Result<TypedTensor<Self>, Payload> {
                    if let Payload::$Variant(tensor) = payload { Ok(tensor) } else { Err(payload) }
                }
                fn wrap_view(view: TypedTensorView<'_, Self>) -> ViewPayload<'_> {
                    ViewPayload::$Variant(view)
                }
                fn peek_view<'s, 'a>(payload: &'s ViewPayload<'a>) -> Option<&'s TypedTensorView<'a, Self>> {
                    if let ViewPayload::$Variant(view) = payload { Some(view) } else { None }
                }
                fn wrap_view_mut(view: TypedTensorViewMut<'_, Self>) -> ViewMutPayload<'_> {
                    ViewMutPayload::$Variant(view)
                }
                fn peek_view_mut<'s, 'a>(
                    payload: &'s mut ViewMutPayload<'a>,
                ) -> Option<&'s mut TypedTensorViewMut<'a, Self>> {
                    if let ViewMutPayload::$Variant(view) = payload { Some(view) } else { None }
                }
            }
        )+
    };
}

define_payloads! {
    F32 => f32,
    F64 => f64,
    I32 => i32,
    I64 => i64,
    Bool => bool,
    C32 => Complex32,
    C64 => Complex64,
    F16 => f16,
    BF16 => bf16,
    I8 => i8,
    I16 => i16,
    U8 => u8,
    U16 => u16,
    U32 => u32,
    U64 => u64,
}

/// Runs `$body` with `$typed` bound to the typed value inside a payload, or `$other` with the external one.
macro_rules! each_preset {
    ($Enum:ident, $value:expr, $typed:ident => $body:expr $(, $external:ident => $other:expr)?) => {
        match $value {
            $Enum::F32($typed) => $body,
            $Enum::F64($typed) => $body,
            $Enum::I32($typed) => $body,
            $Enum::I64($typed) => $body,
            $Enum::Bool($typed) => $body,
            $Enum::C32($typed) => $body,
            $Enum::C64($typed) => $body,
            $Enum::F16($typed) => $body,
            $Enum::BF16($typed) => $body,
            $Enum::I8($typed) => $body,
            $Enum::I16($typed) => $body,
            $Enum::U8($typed) => $body,
            $Enum::U16($typed) => $body,
            $Enum::U32($typed) => $body,
            $Enum::U64($typed) => $body,
            $($Enum::External($external) => $other,)?
        }
    };
}

pub(crate) use each_preset;
