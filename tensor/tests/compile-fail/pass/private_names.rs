//! What a user names is at the root of the crate.

use tensor::{
    AllocationGroup, AxisIter, AxisIterMut, Buffer, ColMajorView, ColMajorViewMut, CpuDomain,
    DType, DenseLanes, DenseLanesMut, DescriptorSlot, Device, DeviceKind, DynRank, Dynamic,
    ExternalScalar, Gpu, GroupError, Host, HostBufferRecycler, Iter, IterMut, Lanes, LanesMut,
    MemoryKind, ParseDeviceError, Placement, Rank, ReinterpretError, Representation, Result,
    RowMajorView, RowMajorViewMut, Scalar, ScalarArithmetic, ScalarDomain, SharedTensor, SliceSpec,
    StridedMut, Summary, Tensor, TensorElement, TensorError, TensorLayout, TensorRank,
    TensorScalar, TensorView, TensorViewMut, TypedTensor, TypedTensorView, TypedTensorViewMut,
    ValidationError, ViewError,
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
