//! New kinds of errors, devices and memories break no caller: a match on them has a last arm.

use tensor::{DeviceKind, GroupError, MemoryKind, TensorError, ValidationError, ViewError};

fn kinds(kind: DeviceKind) -> bool {
    match kind {
        //~^ E0004: `_` not covered
        DeviceKind::Cpu => true,
        DeviceKind::Vulkan | DeviceKind::WebGpu | DeviceKind::Custom(_) => false,
    }
}

fn memories(kind: MemoryKind) -> bool {
    match kind {
        //~^ E0004: `_` not covered
        MemoryKind::UnpinnedHost | MemoryKind::PinnedHost => true,
        MemoryKind::Managed | MemoryKind::Device | MemoryKind::Other => false,
    }
}

fn group(error: &GroupError) -> usize {
    match error {
        //~^ E0004: `&_` not covered
        GroupError::SlotOutOfBounds { slot, .. } | GroupError::SlotVacant { slot, .. } => *slot,
        GroupError::AliasedAllocation { slot, .. } => *slot,
        GroupError::NotWholeAllocation { slot, .. } => *slot,
        GroupError::NotSingle { .. } => 0,
    }
}

fn views(error: &ViewError) {
    match error {
        //~^ E0004: `&_` not covered
        ViewError::OverlappingSlices { .. } | ViewError::InterleavedParts { .. } => {}
    }
}

fn main() {}
