//! What a user names is at the root of the crate.

use tensor::{
    AllocationGroup, Buffer, CpuDomain, DType, DescriptorSlot, Device, DeviceKind, DynRank,
    Dynamic, ExternalScalar, Gpu, GroupError, Host, HostBufferRecycler, Iter, MemoryKind,
    Placement, Rank, ReinterpretError, Representation, Result, Scalar, ScalarArithmetic,
    ScalarDomain, SharedTensor, SliceSpec, Summary, Tensor, TensorElement, TensorError,
    TensorLayout, TensorRank, TensorScalar, TensorView, TensorViewMut, TypedTensor,
    TypedTensorView, TypedTensorViewMut, ValidationError,
};

fn slot(group: &mut AllocationGroup) -> DescriptorSlot {
    group.append_tensor(Tensor::scalar(1))
}

fn position(slot: DescriptorSlot) -> usize {
    slot.index()
}

fn main() {
    let mut group = AllocationGroup::new();
    assert_eq!(position(slot(&mut group)), 0);
}
