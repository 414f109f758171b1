//! [`Devices`]: the drivers and allocators of a program, and tensors moved between them.

use std::collections::BTreeMap;
use std::sync::Arc;

use tensor_core::{DType, DynRank, IntoRankShape, dispatch_dtype};

use super::{AllocatorRegistry, DeviceBuffer, DeviceError, Driver, copy};
use crate::alloc::{Allocation, Allocator};
use crate::storage::{AllocBuffer, Buffer, block_layout};
use crate::typed::dense_in_axis_order;
use crate::{
    Device, Gpu, MemoryKind, Placement, ReinterpretError, Result, SharedTensor, Tensor,
    TensorElement, TensorError, TensorLayout, TypedTensor, trace_span,
};

/// The devices of a program: their drivers, and the allocators of all kinds of memory. A value that is passed on; a clone
/// has the same devices and can be changed on its own.
///
/// The default one has only the processor, which needs no driver.
#[derive(Clone, Debug, Default)]
pub struct Devices {
    drivers: BTreeMap<Device, Arc<dyn Driver>>,
    allocators: AllocatorRegistry,
}

impl Devices {
    /// Adds a device: its driver, and an allocator for each kind of memory it has. Returns the driver that was there.
    ///
    /// # Errors
    /// [`DeviceError::ForeignMemory`] if one of the allocators is of another device; nothing is added then.
    pub fn register(
        &mut self,
        driver: Arc<dyn Driver>,
    ) -> Result<Option<Arc<dyn Driver>>, DeviceError> {
        let device = driver.device();
        let allocators = driver.allocators();
        for allocator in &allocators {
            let placement = allocator.placement();
            if placement.device != Some(device) {
                return Err(DeviceError::ForeignMemory { device, placement });
            }
        }
        for allocator in allocators {
            self.allocators.register(allocator);
        }
        Ok(self.drivers.insert(device, driver))
    }

    /// The driver of `device`.
    ///
    /// # Errors
    /// [`DeviceError::UnknownDevice`], which names those that have one.
    pub fn driver(&self, device: Device) -> Result<&Arc<dyn Driver>, DeviceError> {
        let found = self.drivers.get(&device);
        found.ok_or_else(|| DeviceError::UnknownDevice {
            device,
            known: self.drivers.keys().copied().collect(),
        })
    }

    /// The allocators.
    #[must_use]
    pub fn allocators(&self) -> &AllocatorRegistry {
        &self.allocators
    }

    /// The allocators, to put a pool, a limit or a debugging one in front of one of them.
    pub fn allocators_mut(&mut self) -> &mut AllocatorRegistry {
        &mut self.allocators
    }

    /// The allocator of the memory that tensors of `device` lie in: host memory for the processor; for others device
    /// memory, else managed memory, else any other that is theirs.
    ///
    /// # Errors
    /// [`DeviceError::UnknownDevice`] or [`DeviceError::NoAllocator`].
    pub fn home(&self, device: Device) -> Result<&Arc<dyn Allocator>, DeviceError> {
        if device == Device::CPU {
            return self.allocators.get(device, MemoryKind::UnpinnedHost);
        }
        self.driver(device)?;
        let others = [MemoryKind::Managed, MemoryKind::Other];
        let device_memory = self.allocators.get(device, MemoryKind::Device);
        others.into_iter().fold(device_memory, |found, kind| {
            found.or_else(|error| self.allocators.get(device, kind).map_err(|_| error))
        })
    }

    /// A new row-major tensor on `device`. Its elements are zeros where the host can address them, and anything on other
    /// devices: write it before you read it.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shape overflows, [`TensorError::UnsupportedDType`] for an external scalar,
    /// [`TensorError::Alloc`], or [`TensorError::Device`] if the device is not known.
    pub fn empty(
        &self,
        device: Device,
        dtype: DType,
        shape: impl IntoRankShape<DynRank>,
    ) -> Result<Tensor> {
        const OP: &str = "empty";
        let layout = TensorLayout::row_major(shape).map_err(TensorError::from_validation(OP))?;
        self.with_layout(OP, device, dtype, layout)
    }

    /// As [`Devices::empty`], with any dense layout.
    pub(super) fn with_layout(
        &self,
        op: &'static str,
        device: Device,
        dtype: DType,
        layout: TensorLayout,
    ) -> Result<Tensor> {
        dispatch_dtype!(dtype, T => self.typed_with_layout::<T>(op, device, layout),
            _id => Err(TensorError::UnsupportedDType { op, dtype }))
    }

    fn typed_with_layout<T: TensorElement>(
        &self,
        op: &'static str,
        device: Device,
        layout: TensorLayout,
    ) -> Result<Tensor> {
        let failed = TensorError::from_device(op);
        let home = self.home(device).map_err(&failed)?;
        let len = layout.element_count();
        let buffer: Box<dyn Buffer<T>> = if home.placement().memory_kind.is_host_addressable() {
            let zeros = AllocBuffer::filled(home, len, T::default());
            Box::new(zeros.map_err(TensorError::from_alloc(op))?)
        } else {
            let memory = block_layout::<T>(len)
                .and_then(|block| Allocation::new(home, block))
                .map_err(TensorError::from_alloc(op))?;
            let driver = Arc::clone(self.driver(device).map_err(&failed)?);
            Box::new(DeviceBuffer::<T>::new(driver, Arc::new(memory), len).map_err(&failed)?)
        };
        Ok(TypedTensor::<T, DynRank, Gpu>::from_dense_buffer(layout, buffer).into())
    }
}

impl SharedTensor {
    /// The elements on `device`: the same storage if they are there already, else a dense copy whose axes lie in memory in
    /// the order of these.
    ///
    /// The memory is had first and then written, so whatever fails leaves nothing behind and this tensor as it is.
    ///
    /// # Errors
    /// As [`Devices::empty`] and [`copy()`].
    pub fn to(&self, devices: &Devices, device: Device) -> Result<Self> {
        let _span = trace_span!(
            DEBUG,
            "to",
            bytes = self.len().saturating_mul(self.dtype().size_bytes()),
            shape = ?self.shape(),
            dtype = %self.dtype(),
            from = %self.placement(),
            device = %device,
        );
        if self.placement().resident_device() == device {
            return Ok(self.clone());
        }
        let layout = dense_in_axis_order(self.layout())?;
        let mut made = devices.with_layout("to", device, self.dtype(), layout)?;
        copy(self, &mut made)?;
        Ok(made.into_shared())
    }
}

impl Tensor {
    /// The elements on `device`: this tensor if they are there already, else a copy in the same memory order; this one is
    /// dropped then.
    ///
    /// # Errors
    /// The tensor itself, unchanged, with the cause; as [`SharedTensor::to`].
    pub fn into_device(
        self,
        devices: &Devices,
        device: Device,
    ) -> Result<Self, ReinterpretError<Self>> {
        let _span = trace_span!(
            DEBUG,
            "into_device",
            bytes = self.size_bytes(),
            shape = ?self.shape(),
            dtype = %self.dtype(),
            from = %self.placement(),
            device = %device,
        );
        if self.placement().resident_device() == device {
            return Ok(self);
        }
        let layout = self.layout().clone();
        let made = devices
            .with_layout("into_device", device, self.dtype(), layout)
            .and_then(|mut made| copy(&self, &mut made).map(|()| made));
        made.map_err(|error| ReinterpretError::new(self, error))
    }
}

/// The one device that all operands are on, which an operation `op` then runs on.
///
/// # Errors
/// [`TensorError::DeviceMismatch`], which names both devices: an operation never moves its operands.
///
/// ```
/// use tensor::{Device, DeviceKind, Placement, device::same_device};
/// let gpu = Placement::on_device(Device::new(DeviceKind::Vulkan, 0));
/// let error = same_device("add", [Placement::HOST, gpu]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "add: one operand is on cpu:0 and another on vulkan:0; bring both to one device with to() first"
/// );
/// assert_eq!(same_device("add", [gpu, gpu]), Ok(Device::new(DeviceKind::Vulkan, 0)));
/// ```
pub fn same_device(
    op: &'static str,
    operands: impl IntoIterator<Item = Placement>,
) -> Result<Device> {
    let mut devices = operands
        .into_iter()
        .map(|placement| placement.resident_device());
    let lhs = devices.next().unwrap_or(Device::CPU);
    match devices.find(|&rhs| rhs != lhs) {
        None => Ok(lhs),
        Some(rhs) => Err(TensorError::DeviceMismatch { op, lhs, rhs }),
    }
}
