//! Nothing with an invariant is put together from its parts, and no error is made up.

use tensor::{
    Device, DeviceKind, SharedTensor, Tensor, TensorLayout, TypedTensor, TypedTensorView,
};

fn view(elements: &[f64], other: TensorLayout) -> TypedTensorView<'_, f64> {
    TypedTensorView {
        data: elements, //~ E0451: of struct `TypedTensorView` are private
        layout: other,
    }
}

fn relabelled(device: Device) -> Device {
    Device {
        kind: DeviceKind::Cpu, //~ E0451: fields `kind` and `ordinal` of struct
        ..device
    }
}

fn taken_apart(holder: SharedTensor) {
    let SharedTensor { owner, .. } = holder; //~ E0451: of struct `SharedTensor` is private
}

fn main() {}
