//! The metadata of tensors: dtype tags, scalar traits, promotion, rank, shape, strides and validated layouts.
//!
//! **What it owns.** [`DType`] and its table, the macro [`define_scalar_tag!`] that makes such tables for other crates too,
//! the [`Scalar`] and [`TensorScalar`] traits, promotion ([`promote()`], [`promote_in_set`]), [`TensorRank`] with its two
//! implementations, [`TensorLayout`] with every operation that moves only metadata (permute, slice, reshape, broadcast),
//! and [`FloatFormat`], the codes of floats too narrow to be dtypes. **What it does not own:** element storage. Nothing here allocates for data.
//!
//! **Units and order.** Strides and offsets count elements; a name that means bytes ends in `_bytes`. Shapes are
//! logical. *Row-major* means that the last axis varies fastest, *column-major* that the first one does; both are
//! memory orders, and the logical order in which elements are listed is row-major for either.
//!
//! **Invariants.** A [`TensorLayout`] names at most `isize::MAX` elements; a shape with an extent of 0 never overflows,
//! whatever its other extents. Rank has no limit; up to [`INLINE_RANK`] axes nothing spills to the heap.
//!
//! **Feature.** `serde` reads and writes [`DType`] and [`ExternalId`] as their names, and [`MemberSpec`], [`SliceSpec`] and
//! [`TensorLayout`] as their fields; a layout that is read is validated like one from [`TensorLayout::from_parts`].
#![forbid(unsafe_code)]
#![deny(clippy::as_conversions)]

mod dispatch;
mod dtype;
mod error;
mod float_format;
mod layout;
mod promote;
mod rank;
mod scalar;
mod scalar_tag;
#[cfg(feature = "serde")]
mod serialization;

pub use dtype::{DType, ExternalId, MemberKind, MemberSpec, ParseDTypeError, ParseExternalIdError};
pub use error::{ValidationError, ValidationKind};
pub use float_format::{FloatFormat, FloatRounding};
pub use half::{bf16, f16};
pub use layout::{
    Block, LaneLayouts, MemoryOrder, Offsets, Run, Runs, SliceSpec, TensorLayout, broadcast_shapes,
    checked_element_count, contiguous_strides, stepped,
};
pub use num_complex::{Complex32, Complex64};
pub use promote::{
    PromoteInSetError, PromoteSpecsError, PromotionError, can_convert, promote, promote_in_set,
    promote_specs,
};
pub use rank::{DynRank, INLINE_RANK, IntoRankShape, Rank, ShapeVec, StrideVec, TensorRank};
pub use scalar::{
    AdAdmissionError, ExternalScalar, Scalar, ScalarArithmetic, ScalarDomain, TensorScalar,
    ad_admission,
};
