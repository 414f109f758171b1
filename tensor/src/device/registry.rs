//! Which allocator serves which kind of memory of which device.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::DeviceError;
use crate::alloc::{Allocator, SystemAllocator};
use crate::{Device, MemoryKind};

/// The allocators of a program, by device and kind of memory: a value that is passed on, not a global one.
///
/// A clone has the same allocators and can be changed on its own. The default one has host memory of the operating system.
///
/// ```
/// use std::sync::Arc;
/// use tensor::alloc::{Allocator, DebugAllocator, DebugOptions};
/// use tensor::device::AllocatorRegistry;
/// use tensor::{DType, Device, MemoryKind, Tensor};
/// let mut registry = AllocatorRegistry::default();
/// let system = Arc::clone(registry.get(Device::CPU, MemoryKind::UnpinnedHost)?);
/// let debug = Arc::new(DebugAllocator::new(system, DebugOptions::default()));
/// registry.register(debug.clone());
/// let host = registry.get(Device::CPU, MemoryKind::UnpinnedHost)?;
/// let t = Tensor::zeros_in(host, DType::F32, [3])?;
/// assert_eq!(debug.counters().read().live_bytes, 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AllocatorRegistry {
    allocators: BTreeMap<(Device, MemoryKind), Arc<dyn Allocator>>,
}

/// Ordinary host memory only.
impl Default for AllocatorRegistry {
    fn default() -> Self {
        let mut registry = Self::empty();
        registry.register(Arc::new(SystemAllocator::new()));
        registry
    }
}

impl AllocatorRegistry {
    /// A registry without any allocator.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            allocators: BTreeMap::new(),
        }
    }

    /// Puts `allocator` in the place that its own [`Allocator::placement`] names (host memory of no device is the
    /// processor's), and returns the one that was there. Memory of the old one stays valid.
    pub fn register(&mut self, allocator: Arc<dyn Allocator>) -> Option<Arc<dyn Allocator>> {
        let placement = allocator.placement();
        let device = placement.device.unwrap_or(Device::CPU);
        self.allocators
            .insert((device, placement.memory_kind), allocator)
    }

    /// The allocator for memory of the kind `kind` of `device`.
    ///
    /// # Errors
    /// [`DeviceError::NoAllocator`], which names those that are there.
    pub fn get(
        &self,
        device: Device,
        kind: MemoryKind,
    ) -> Result<&Arc<dyn Allocator>, DeviceError> {
        let found = self.allocators.get(&(device, kind));
        found.ok_or_else(|| DeviceError::NoAllocator {
            device,
            kind,
            known: self.allocators.keys().copied().collect(),
        })
    }

    /// All allocators, ordered by device and kind.
    pub fn iter(&self) -> impl Iterator<Item = (Device, MemoryKind, &Arc<dyn Allocator>)> {
        self.allocators
            .iter()
            .map(|(&(device, kind), allocator)| (device, kind, allocator))
    }
}
