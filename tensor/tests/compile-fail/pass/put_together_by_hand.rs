//! What has no invariant is put together freely: a placement is a label, a slice spec any three numbers.

use tensor::{
    Device, DeviceKind, DynRank, Host, MemoryKind, Placement, Result, SliceSpec, TypedTensor,
};

fn main() -> Result<()> {
    let pinned = Placement {
        memory_kind: MemoryKind::PinnedHost,
        device: Some(Device::new(DeviceKind::Vulkan, 0)),
        ..Placement::default()
    };
    let tensor = TypedTensor::<i32, DynRank, Host>::from_host_vec_row_major([3], vec![1, 2, 3])?
        .with_placement(pinned);
    assert_eq!(tensor.placement(), pinned);
    let backwards = SliceSpec {
        start: None,
        end: None,
        step: -1,
    };
    let turned = tensor.as_view()?.slice_axis(0, backwards)?;
    assert_eq!(turned.to_vec()?, [3, 2, 1]);
    Ok(())
}
