//! [`AllocationGroup`]: owned allocations and descriptors that look at them, several at one allocation if wanted.
//!
//! A model's weights, say, are one group: each tensor is an allocation, tied weights are two descriptors of one. The group
//! owns everything, so its views borrow it. A tensor leaves the group whole and unchanged, as long as nobody else looks at
//! its allocation; [`AllocationGroup::into_shared`] dissolves the group into counted owners instead.
//!
//! Slots are never reused: a slot names one descriptor for the life of the group.

use std::fmt;
use std::sync::Arc;

use tensor_core::{DType, TensorLayout};

use crate::{
    ReinterpretError, Result, SharedTensor, Tensor, TensorError, TensorView, TensorViewMut,
};

/// Names a descriptor of the group that gave it out; it carries no authority of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DescriptorSlot(usize);

impl DescriptorSlot {
    /// The position of the slot in its group.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

/// What an allocation group can refuse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    /// A slot that the group never gave out.
    #[error(
        "{op}: slot {slot} does not exist, the group has {slots}; use a slot that this group gave out"
    )]
    SlotOutOfBounds {
        /// The operation.
        op: &'static str,
        /// The slot.
        slot: usize,
        /// How many slots the group has.
        slots: usize,
    },
    /// A slot whose descriptor has left.
    #[error("{op}: the descriptor of slot {slot} has left the group")]
    SlotVacant {
        /// The operation.
        op: &'static str,
        /// The slot.
        slot: usize,
    },
    /// Others look at the allocation too.
    #[error(
        "{op}: {descriptors} descriptors look at the allocation of slot {slot}; release the others first"
    )]
    AliasedAllocation {
        /// The operation.
        op: &'static str,
        /// The slot.
        slot: usize,
        /// How many descriptors look at the allocation.
        descriptors: usize,
    },
    /// The descriptor is not the whole allocation in its own order.
    #[error(
        "{op}: slot {slot} with shape {shape:?} and strides {strides:?} is not its whole allocation; read_view() and to_contiguous() copy it"
    )]
    NotWholeAllocation {
        /// The operation.
        op: &'static str,
        /// The slot.
        slot: usize,
        /// The shape of the descriptor.
        shape: Box<[usize]>,
        /// The strides of the descriptor.
        strides: Box<[isize]>,
    },
    /// A group that is not exactly one tensor.
    #[error("{op}: the group has {descriptors} descriptors, not one; take_tensor() takes one out")]
    NotSingle {
        /// The operation.
        op: &'static str,
        /// How many descriptors the group has.
        descriptors: usize,
    },
}

struct Allocation {
    tensor: Tensor,
    /// How many descriptors look at it; never 0.
    descriptors: usize,
}

struct Descriptor {
    allocation: usize,
    layout: TensorLayout,
}

/// Owned allocations and the descriptors that look at them. Move-only.
///
/// ```
/// use tensor::{AllocationGroup, Tensor};
/// let weights = Tensor::from_vec_row_major([2, 2], vec![1.0_f32, 2.0, 3.0, 4.0])?;
/// let (mut group, slots) = AllocationGroup::from_tensors(vec![weights]);
/// let tied = group.append_view(slots[0], group.layout(slots[0])?.transpose())?;
/// assert_eq!(group.read_view(tied)?.to_vec::<f32>()?, [1.0, 3.0, 2.0, 4.0]);
/// group.release(tied)?;
/// let weights = group.take_tensor(slots[0])?;
/// assert_eq!(weights.shape(), [2, 2]);
/// # Ok::<(), tensor::TensorError>(())
/// ```
#[derive(Default)]
pub struct AllocationGroup {
    allocations: Vec<Option<Allocation>>,
    descriptors: Vec<Option<Descriptor>>,
}

impl AllocationGroup {
    /// A group of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A group of tensors, and the slot of each.
    #[must_use]
    pub fn from_tensors(tensors: Vec<Tensor>) -> (Self, Box<[DescriptorSlot]>) {
        let mut group = Self::new();
        let slots = tensors
            .into_iter()
            .map(|tensor| group.append_tensor(tensor))
            .collect();
        (group, slots)
    }

    /// Takes a tensor in. No element moves.
    pub fn append_tensor(&mut self, tensor: Tensor) -> DescriptorSlot {
        let layout = tensor.layout().clone();
        self.allocations.push(Some(Allocation {
            tensor,
            descriptors: 1,
        }));
        self.push(Descriptor {
            allocation: self.allocations.len() - 1,
            layout,
        })
    }

    /// Another descriptor of the allocation that `slot` looks at. The layout addresses the allocation from its beginning.
    ///
    /// # Errors
    /// [`GroupError`] for a slot without a descriptor, or [`TensorError::Validation`] if the layout does not fit.
    pub fn append_view(
        &mut self,
        slot: DescriptorSlot,
        layout: TensorLayout,
    ) -> Result<DescriptorSlot> {
        const OP: &str = "append_view";
        let at = self.descriptor(OP, slot)?.allocation;
        let allocation = self.allocation_mut(at);
        layout
            .validate_in_bounds(allocation.tensor.len())
            .map_err(TensorError::from_validation(OP))?;
        allocation.descriptors += 1;
        Ok(self.push(Descriptor {
            allocation: at,
            layout,
        }))
    }

    /// Takes all of another group in. The slot of each of its descriptors, in their order; `None` for those that had left.
    pub fn append_group(&mut self, other: Self) -> Box<[Option<DescriptorSlot>]> {
        let shift = self.allocations.len();
        self.allocations.extend(other.allocations);
        other
            .descriptors
            .into_iter()
            .map(|descriptor| {
                descriptor.map(|descriptor| {
                    self.push(Descriptor {
                        allocation: descriptor.allocation + shift,
                        ..descriptor
                    })
                })
            })
            .collect()
    }

    /// The number of descriptors in the group.
    #[must_use]
    pub fn len(&self) -> usize {
        self.descriptors.iter().flatten().count()
    }

    /// Whether the group has no descriptor.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element type behind `slot`.
    ///
    /// # Errors
    /// [`GroupError`] for a slot without a descriptor.
    pub fn dtype(&self, slot: DescriptorSlot) -> Result<DType> {
        let descriptor = self.descriptor("dtype", slot)?;
        Ok(self.allocation(descriptor.allocation).tensor.dtype())
    }

    /// The layout of `slot`.
    ///
    /// # Errors
    /// [`GroupError`] for a slot without a descriptor.
    pub fn layout(&self, slot: DescriptorSlot) -> Result<&TensorLayout> {
        Ok(&self.descriptor("layout", slot)?.layout)
    }

    /// The elements of `slot`, to be read.
    ///
    /// # Errors
    /// [`GroupError`] for a slot without a descriptor, or [`TensorError::NotOnHost`].
    pub fn read_view(&self, slot: DescriptorSlot) -> Result<TensorView<'_>> {
        let descriptor = self.descriptor("read_view", slot)?;
        let view = self.allocation(descriptor.allocation).tensor.view()?;
        Ok(view.with_layout(descriptor.layout.clone()))
    }

    /// The elements of several slots, to be read at the same time.
    ///
    /// # Errors
    /// As [`AllocationGroup::read_view`].
    pub fn read_views(&self, slots: &[DescriptorSlot]) -> Result<Vec<TensorView<'_>>> {
        slots.iter().map(|&slot| self.read_view(slot)).collect()
    }

    /// The elements of `slot`, to be written. Other descriptors of the same allocation see what is written.
    ///
    /// # Errors
    /// As [`AllocationGroup::read_view`]; [`TensorError::ReadOnly`]; or [`TensorError::Validation`] if the layout reaches
    /// an element twice.
    pub fn write_view(&mut self, slot: DescriptorSlot) -> Result<TensorViewMut<'_>> {
        const OP: &str = "write_view";
        let Descriptor { allocation, layout } = self.descriptor(OP, slot)?;
        layout
            .validate_mutable_no_overlap()
            .map_err(TensorError::from_validation(OP))?;
        let (at, layout) = (*allocation, layout.clone());
        Ok(self
            .allocation_mut(at)
            .tensor
            .view_mut()?
            .with_layout(layout))
    }

    /// Removes the descriptor of `slot`, and frees its allocation if no other looks at it.
    ///
    /// # Errors
    /// [`GroupError`] for a slot without a descriptor.
    pub fn release(&mut self, slot: DescriptorSlot) -> Result<()> {
        let at = self.descriptor("release", slot)?.allocation;
        self.descriptors[slot.0] = None;
        let allocation = self.allocation_mut(at);
        allocation.descriptors -= 1;
        if allocation.descriptors == 0 {
            self.allocations[at] = None;
        }
        Ok(())
    }

    /// Takes the tensor of `slot` out of the group. No element moves.
    ///
    /// # Errors
    /// [`GroupError::AliasedAllocation`], [`GroupError::NotWholeAllocation`], or for a slot without a descriptor; the group
    /// is unchanged then.
    pub fn take_tensor(&mut self, slot: DescriptorSlot) -> Result<Tensor> {
        self.take("take_tensor", slot)
    }

    fn take(&mut self, op: &'static str, slot: DescriptorSlot) -> Result<Tensor> {
        let Descriptor { allocation, layout } = self.descriptor(op, slot)?;
        let (at, found) = (*allocation, self.allocation(*allocation));
        if found.descriptors != 1 {
            let error = GroupError::AliasedAllocation {
                op,
                slot: slot.0,
                descriptors: found.descriptors,
            };
            return Err(error.into());
        }
        if layout != found.tensor.layout() {
            let error = GroupError::NotWholeAllocation {
                op,
                slot: slot.0,
                shape: layout.shape().into(),
                strides: layout.strides().into(),
            };
            return Err(error.into());
        }
        self.descriptors[slot.0] = None;
        let allocation = self.allocations[at].take();
        Ok(allocation
            .expect("a descriptor's allocation is there")
            .tensor)
    }

    /// The tensor of a group that is exactly one.
    ///
    /// # Errors
    /// The group itself, unchanged, with the reason.
    pub fn into_tensor(mut self) -> Result<Tensor, ReinterpretError<Self>> {
        const OP: &str = "AllocationGroup::into_tensor";
        let descriptors = self.len();
        let found = self.descriptors.iter().position(Option::is_some);
        match found {
            Some(slot) if descriptors == 1 => match self.take(OP, DescriptorSlot(slot)) {
                Ok(tensor) => Ok(tensor),
                Err(error) => Err(ReinterpretError::new(self, error)),
            },
            _ => Err(ReinterpretError::new(
                self,
                GroupError::NotSingle {
                    op: OP,
                    descriptors,
                },
            )),
        }
    }

    /// One counted owner per slot, in the order of the slots; `None` for those that have left. Descriptors of one allocation
    /// share it; an allocation is freed when its own holders are gone, whatever the others do.
    #[must_use]
    pub fn into_shared(self) -> Vec<Option<SharedTensor>> {
        let owners: Vec<Option<Arc<Tensor>>> = self
            .allocations
            .into_iter()
            .map(|allocation| allocation.map(|allocation| Arc::new(allocation.tensor)))
            .collect();
        let share = |descriptor: Descriptor| {
            let owner = owners[descriptor.allocation].clone()?;
            Some(SharedTensor::trusted(owner, descriptor.layout))
        };
        self.descriptors
            .into_iter()
            .map(|descriptor| descriptor.and_then(share))
            .collect()
    }

    fn push(&mut self, descriptor: Descriptor) -> DescriptorSlot {
        self.descriptors.push(Some(descriptor));
        DescriptorSlot(self.descriptors.len() - 1)
    }

    fn descriptor(
        &self,
        op: &'static str,
        slot: DescriptorSlot,
    ) -> Result<&Descriptor, GroupError> {
        let slots = self.descriptors.len();
        self.descriptors
            .get(slot.0)
            .ok_or(GroupError::SlotOutOfBounds {
                op,
                slot: slot.0,
                slots,
            })?
            .as_ref()
            .ok_or(GroupError::SlotVacant { op, slot: slot.0 })
    }

    fn allocation(&self, at: usize) -> &Allocation {
        self.allocations[at]
            .as_ref()
            .expect("a descriptor's allocation is there")
    }

    fn allocation_mut(&mut self, at: usize) -> &mut Allocation {
        self.allocations[at]
            .as_mut()
            .expect("a descriptor's allocation is there")
    }
}

/// Counts only.
impl fmt::Debug for AllocationGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AllocationGroup")
            .field("descriptors", &self.len())
            .field("allocations", &self.allocations.iter().flatten().count())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(start: i32) -> Tensor {
        Tensor::from_vec_row_major([2, 2], vec![start, start + 1, start + 2, start + 3]).unwrap()
    }

    fn group_error(error: TensorError) -> GroupError {
        match error {
            TensorError::Group(error) => error,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn tensors_go_in_and_come_out_as_they_are() {
        let (mut group, slots) = AllocationGroup::from_tensors(vec![tensor(0), tensor(10)]);
        let views = group.read_views(&slots).unwrap();
        assert_eq!(views[1].to_vec::<i32>().unwrap(), [10, 11, 12, 13]);
        let pointer = views[1].as_slice::<i32>().unwrap().as_ptr();
        let out = group.take_tensor(slots[1]).unwrap();
        assert_eq!(out.as_slice::<i32>().unwrap().as_ptr(), pointer);
        let error = group_error(group.take_tensor(slots[1]).unwrap_err());
        assert_eq!(
            error.to_string(),
            "take_tensor: the descriptor of slot 1 has left the group"
        );
        assert_eq!((group.len(), group.dtype(slots[0])), (1, Ok(DType::I32)));
    }

    #[test]
    fn an_allocation_with_two_descriptors_stays() {
        let (mut group, slots) = AllocationGroup::from_tensors(vec![tensor(0)]);
        let row = group.layout(slots[0]).unwrap().index_axis(0, 1).unwrap();
        let row = group.append_view(slots[0], row).unwrap();
        group
            .write_view(row)
            .unwrap()
            .as_mut_slice::<i32>()
            .unwrap()[0] = 7;
        assert_eq!(
            group.read_view(slots[0]).unwrap().to_vec::<i32>().unwrap(),
            [0, 1, 7, 3]
        );
        let error = group_error(group.take_tensor(slots[0]).unwrap_err());
        assert!(matches!(
            error,
            GroupError::AliasedAllocation { descriptors: 2, .. }
        ));
        group.release(slots[0]).unwrap();
        let error = group_error(group.take_tensor(row).unwrap_err());
        assert!(matches!(
            error,
            GroupError::NotWholeAllocation { slot: 1, .. }
        ));
        assert_eq!(
            group.read_view(row).unwrap().to_vec::<i32>().unwrap(),
            [7, 3]
        );
        group.release(row).unwrap();
        assert!(group.is_empty());
    }

    #[test]
    fn layouts_that_do_not_fit_and_strange_slots_are_refused() {
        let (mut group, slots) = AllocationGroup::from_tensors(vec![tensor(0)]);
        let five = TensorLayout::row_major([5]).unwrap();
        let error = group.append_view(slots[0], five).unwrap_err();
        assert!(matches!(error, TensorError::Validation(_)), "{error}");
        assert_eq!(group.len(), 1);
        let (_, others) = AllocationGroup::from_tensors(vec![tensor(0), tensor(1)]);
        let error = group_error(group.read_view(others[1]).unwrap_err());
        assert_eq!(
            error.to_string(),
            "read_view: slot 1 does not exist, the group has 1; use a slot that this group gave out"
        );
        let twice = group
            .layout(slots[0])
            .unwrap()
            .broadcast_to([2, 2, 2])
            .unwrap();
        let twice = group.append_view(slots[0], twice).unwrap();
        assert!(matches!(
            group.write_view(twice),
            Err(TensorError::Validation(_))
        ));
    }

    #[test]
    fn a_group_of_one_becomes_a_tensor_and_others_come_back() {
        let (group, _) = AllocationGroup::from_tensors(vec![tensor(3)]);
        assert_eq!(
            group.into_tensor().unwrap().to_vec::<i32>().unwrap(),
            [3, 4, 5, 6]
        );
        let (group, slots) = AllocationGroup::from_tensors(vec![tensor(0), tensor(1)]);
        let (group, error) = group.into_tensor().unwrap_err().into_parts();
        assert_eq!(
            group_error(error),
            GroupError::NotSingle {
                op: "AllocationGroup::into_tensor",
                descriptors: 2
            }
        );
        assert_eq!(
            group.read_view(slots[1]).unwrap().to_vec::<i32>().unwrap(),
            [1, 2, 3, 4]
        );
    }

    #[test]
    fn groups_merge_and_dissolve() {
        let (mut group, first) = AllocationGroup::from_tensors(vec![tensor(0)]);
        let (mut other, slots) = AllocationGroup::from_tensors(vec![tensor(10), tensor(20)]);
        let turned = other.layout(slots[1]).unwrap().transpose();
        other.append_view(slots[1], turned).unwrap();
        other.release(slots[0]).unwrap();
        let moved = group.append_group(other);
        assert_eq!(
            moved.iter().map(Option::is_some).collect::<Vec<_>>(),
            [false, true, true]
        );
        let turned = moved[2].unwrap();
        assert_eq!(
            group.read_view(turned).unwrap().to_vec::<i32>().unwrap(),
            [20, 22, 21, 23]
        );
        let shared = group.into_shared();
        assert_eq!(shared.len(), 3);
        let at = |slot: DescriptorSlot| shared[slot.index()].as_ref().unwrap();
        assert!(at(moved[1].unwrap()).shares_storage_with(at(turned)));
        assert!(!at(first[0]).shares_storage_with(at(turned)));
    }
}
