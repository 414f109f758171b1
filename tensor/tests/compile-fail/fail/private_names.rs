//! The insides have no name outside: payload enums, storage types, the hooks of sealed traits, the counter of a slot.

use tensor::core::{Tensor, TypedTensor}; //~ E0432: no `Tensor` in the root
use tensor::Payload; //~ E0432: no `Payload` in the root
use tensor::external::ErasedTensor; //~ E0603: module `external` is private
use tensor::payload::ViewPayload; //~ E0603: module `payload` is private
use tensor::storage::DynamicStorage; //~ E0603: module `storage` is private
use tensor::storage::sealed::Storing; //~ E0603: module `storage` is private

fn forged() -> tensor::DescriptorSlot {
    tensor::DescriptorSlot(0) //~ E0423: cannot initialize a tuple struct which contains private fields
}

fn hooked<T: tensor::element::sealed::Hooks>(_: T) {} //~ E0603: module `element` is private

fn numbered(_: tensor::Number) {} //~ E0425: cannot find type `Number`

fn main() {}
