//! The metadata of tensors: dtype tags, scalar traits, promotion, rank, shape, strides and validated layouts.
//!
//! **What it owns.** [`DType`] and its table, the [`Scalar`] and [`TensorScalar`] traits, the [`promote()`] rules,
//! [`TensorRank`] with its two implementations, and [`TensorLayout`] with every operation that moves only metadata
//! (permute, slice, reshape, broadcast). **What it does not own:** element storage. Nothing here allocates for data.
//!
//! **Units and order.** Strides and offsets count elements; a name that means bytes ends in `_bytes`. Shapes are
//! logical. *Row-major* means that the last axis varies fastest, *column-major* that the first one does; both are
//! memory orders, and the logical order in which elements are listed is row-major for either.
//!
//! **Invariants.** A [`TensorLayout`] names at most `isize::MAX` elements; a shape with an extent of 0 never overflows,
//! whatever its other extents. Rank has no limit; up to [`INLINE_RANK`] axes nothing spills to the heap.
#![forbid(unsafe_code)]
#![deny(clippy::as_conversions)]

mod dispatch;
mod dtype;
mod error;
mod layout;
mod promote;
mod rank;
mod scalar;

pub use dtype::{DType, ExternalId, MemberKind, MemberSpec, ParseDTypeError};
pub use error::{ValidationError, ValidationKind};
pub use half::{bf16, f16};
pub use layout::{
    Block, Offsets, Run, Runs, SliceSpec, TensorLayout, broadcast_shapes, checked_element_count,
    stepped,
};
pub use num_complex::{Complex32, Complex64};
pub use promote::{PromotionError, can_convert, promote};
pub use rank::{DynRank, INLINE_RANK, IntoRankShape, Rank, ShapeVec, StrideVec, TensorRank};
pub use scalar::{ExternalScalar, Scalar, ScalarArithmetic, ScalarDomain, TensorScalar};
