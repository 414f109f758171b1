//! Matching on errors and kinds, with a last arm for what is yet to come.

use tensor::{DType, DeviceKind, GroupError, MemoryKind, TensorError, ValidationError};

fn class(error: &TensorError) -> &'static str {
    match error {
        TensorError::Validation(ValidationError::RankMismatch { .. }) => "rank",
        TensorError::Validation(_) => "shape",
        TensorError::Group(GroupError::SlotVacant { .. }) => "slot",
        _ => "other",
    }
}

fn is_cpu(kind: DeviceKind) -> bool {
    matches!(kind, DeviceKind::Cpu)
}

fn is_host(kind: MemoryKind) -> bool {
    match kind {
        MemoryKind::UnpinnedHost | MemoryKind::PinnedHost => true,
        _ => false,
    }
}

/// The presets are all there are, so a match on them needs no last arm: a new one must be thought of everywhere.
fn is_exact(dtype: DType) -> bool {
    match dtype {
        DType::Bool | DType::I8 | DType::I16 | DType::I32 | DType::I64 => true,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => true,
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 | DType::C32 | DType::C64 => false,
        DType::External(_) => false,
    }
}

fn main() {
    let error = tensor::TypedTensor::<f64, tensor::Rank<1>>::zeros(vec![1, 1]).unwrap_err();
    assert_eq!(class(&error), "rank");
    assert!(is_cpu(DeviceKind::Cpu) && is_host(MemoryKind::PinnedHost) && is_exact(DType::U8));
}
