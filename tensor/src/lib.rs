//! Tensors and their memory: typed and dynamic owners, borrowed views, allocators, copies between devices, printing.
//!
//! **What it owns.** [`TypedTensor`] (element type, rank and representation are type parameters), [`Tensor`] (element type
//! known when running), the borrowed views [`TypedTensorView`], [`TypedTensorViewMut`], [`TensorView`], [`TensorViewMut`],
//! [`Tensor::cast`], conversion from and to little-endian bytes, printing and [`Summary`]; allocators ([`alloc`]), and devices
//! with their copies and streams ([`device`]). **What it does not own:** arithmetic beyond fill, cast and copy; files; graphs.
//!
//! Beside them stand [`RowMajorView`] and [`ColMajorView`] (dense, of static rank, for inner loops), [`StridedMut`] (mutable
//! parts that may interleave in memory), complex numbers as pairs of reals, and bytes as views. The feature `ndarray` adds
//! exchange with the arrays of that crate, without copies; the feature `serde` reads and writes what describes tensors (dtypes,
//! layouts, slices, devices, placements; summaries are written only), never elements. The feature `tracing` opens a span, for
//! whoever listens with the crate of that name, around allocations, copies of elements and moves between devices.
//!
//! **Ownership.** Owners are move-only and lend views; only `TypedTensor<_, _, Host>` is `Clone`, since a clone must never
//! move data between memories unseen. The copying verbs are `duplicate` (same memory order), `to_contiguous` (row-major)
//! and `to_vec`. A consuming conversion that fails returns the owner in a [`ReinterpretError`].
//!
//! **Order.** Lists of elements are in row-major logical order (last axis fastest), whatever the memory order is;
//! `storage()` is the exception and says so.
//!
//! **Invariant.** Every layout has been checked against the buffer it is paired with, and mutable views address no element
//! twice.
#![deny(unsafe_code)]

mod cast;
mod convert;
pub mod device;
mod dynamic;
mod element;
mod error;
mod external;
mod group;
#[cfg(feature = "ndarray")]
mod ndarray;
mod payload;
mod placement;
mod print;
#[doc(hidden)]
pub mod scalar_set;
mod shared;
mod storage;
mod summary;
#[doc(hidden)]
pub mod trace;
mod typed;
mod view;

pub use bytemuck::{AnyBitPattern, NoUninit};
pub use dynamic::Tensor;
pub use element::TensorElement;
pub use error::{ReinterpretError, Result, TensorError};
pub use group::{AllocationGroup, DescriptorSlot, GroupError};
#[cfg(feature = "ndarray")]
pub use ndarray::ArrayRank;
pub use placement::{CpuDomain, Device, DeviceKind, MemoryKind, ParseDeviceError, Placement};
pub use shared::SharedTensor;
pub use storage::alloc;
pub use storage::{AllocBuffer, Deleter, OwnedBuffer, OwnedBufferMut, RawBuffer};
pub use storage::{AxisIterMut, IterMut, LanesMut, StridedMut};
pub use storage::{Buffer, Dynamic, Gpu, Host, HostBufferRecycler, Representation};
pub use summary::Summary;
pub use tensor_core as core;
pub use tensor_core::{
    Complex32, Complex64, DType, DynRank, ExternalScalar, Rank, Scalar, ScalarArithmetic,
    ScalarDomain, SliceSpec, TensorLayout, TensorRank, TensorScalar, ValidationError, bf16,
    dispatch_dtype, f16,
};
pub use tensor_core::{ExternalId, MemberKind, MemberSpec, define_scalar_tag, promote_in_set};
pub use typed::TypedTensor;
pub use view::{
    AxisIter, Iter, Lanes, RealPart, TensorView, TensorViewMut, TypedTensorView,
    TypedTensorViewMut, ViewError,
};
pub use view::{
    ColMajorView, ColMajorViewMut, DenseLanes, DenseLanesMut, RowMajorView, RowMajorViewMut,
};
