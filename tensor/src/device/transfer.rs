//! An asynchronous copy as a value that owns both of its sides.
//!
//! The bytes of the host are behind an `Arc` (to read) or moved in and handed back (to write), so they stay where they are
//! until the stream is done with them, whatever the caller drops. Sizes are compared when a [`Transfer`] is made, and only
//! a [`Transfer`] can be queued.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::{DeviceError, MemoryRange};
use crate::{AllocBuffer, Device};

/// Bytes of the host that stay as they are while somebody holds this.
pub type HostSource = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A copy to queue in a [`Stream`](super::Stream).
#[derive(Debug)]
pub struct Transfer {
    kind: TransferKind,
}

/// The three directions; both sides have the same size, which is not 0.
#[non_exhaustive]
pub enum TransferKind {
    /// Host to device.
    Upload {
        /// The bytes.
        from: HostSource,
        /// Where they go.
        to: MemoryRange,
    },
    /// Device to host.
    Download {
        /// Where the bytes are.
        from: MemoryRange,
        /// Where they go.
        to: HostTarget,
    },
    /// Between memory of one device.
    Within {
        /// Where the bytes are.
        from: MemoryRange,
        /// Where they go.
        to: MemoryRange,
    },
}

impl fmt::Debug for TransferKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Upload { to, .. } => f
                .debug_struct("Upload")
                .field("to", to)
                .finish_non_exhaustive(),
            Self::Download { from, to } => {
                let mut text = f.debug_struct("Download");
                text.field("from", from).field("to", to).finish()
            }
            Self::Within { from, to } => {
                let mut text = f.debug_struct("Within");
                text.field("from", from).field("to", to).finish()
            }
        }
    }
}

fn same_size(from_bytes: usize, to_bytes: usize) -> Result<(), DeviceError> {
    if from_bytes == to_bytes {
        Ok(())
    } else {
        Err(DeviceError::ByteCount {
            from_bytes,
            to_bytes,
        })
    }
}

impl Transfer {
    /// Host to device.
    ///
    /// # Errors
    /// [`DeviceError::ByteCount`].
    pub fn upload(from: HostSource, to: MemoryRange) -> Result<Self, DeviceError> {
        same_size((*from).as_ref().len(), to.len_bytes())?;
        Ok(Self {
            kind: TransferKind::Upload { from, to },
        })
    }

    /// Device to host; the bytes arrive in the [`Landing`].
    ///
    /// # Errors
    /// [`DeviceError::ByteCount`].
    pub fn download(
        from: MemoryRange,
        to: AllocBuffer<u8>,
    ) -> Result<(Self, Landing), DeviceError> {
        same_size(from.len_bytes(), to.as_slice().len())?;
        let landing = Landing::default();
        let to = HostTarget {
            block: Some(to),
            device: from.placement().resident_device(),
            landing: landing.clone(),
        };
        let kind = TransferKind::Download { from, to };
        Ok((Self { kind }, landing))
    }

    /// Between memory of one device.
    ///
    /// # Errors
    /// [`DeviceError::ByteCount`], or [`DeviceError::ForeignMemory`] if the devices differ.
    pub fn within(from: MemoryRange, to: MemoryRange) -> Result<Self, DeviceError> {
        same_size(from.len_bytes(), to.len_bytes())?;
        let device = from.placement().resident_device();
        let placement = to.placement();
        if placement.resident_device() != device {
            return Err(DeviceError::ForeignMemory { device, placement });
        }
        Ok(Self {
            kind: TransferKind::Within { from, to },
        })
    }

    /// Whether there is nothing to copy.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.kind {
            TransferKind::Upload { to, .. } | TransferKind::Within { to, .. } => {
                to.len_bytes() == 0
            }
            TransferKind::Download { from, .. } => from.len_bytes() == 0,
        }
    }

    /// The two sides, for the stream that does the copy.
    #[must_use]
    pub fn into_kind(self) -> TransferKind {
        self.kind
    }
}

/// What arrived, once: the bytes or an error.
type Arrived = Option<Result<AllocBuffer<u8>, DeviceError>>;

/// Where the bytes of a download arrive.
#[derive(Clone, Debug, Default)]
pub struct Landing {
    arrived: Arc<Mutex<Arrived>>,
}

impl Landing {
    /// What arrived, if the copy is over.
    #[must_use]
    pub fn take(&self) -> Option<Result<AllocBuffer<u8>, DeviceError>> {
        let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        arrived.take()
    }

    fn put(&self, result: Result<AllocBuffer<u8>, DeviceError>) {
        let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        *arrived = Some(result);
    }
}

/// Host memory that a download writes; the stream owns it alone until it hands it over.
///
/// Dropped without that, it reports [`DeviceError::GivenUp`], so nobody waits for it in vain.
#[derive(Debug)]
pub struct HostTarget {
    /// There until it is handed over.
    block: Option<AllocBuffer<u8>>,
    device: Device,
    landing: Landing,
}

impl HostTarget {
    /// The bytes to write.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.block
            .as_mut()
            .map_or(&mut [], AllocBuffer::as_mut_slice)
    }

    /// Hands the bytes over: all are written.
    pub fn finish(mut self) {
        if let Some(block) = self.block.take() {
            self.landing.put(Ok(block));
        }
    }

    /// Reports that the copy failed.
    pub fn fail(mut self, error: DeviceError) {
        self.block = None;
        self.landing.put(Err(error));
    }
}

impl Drop for HostTarget {
    fn drop(&mut self) {
        if self.block.is_some() {
            let device = self.device;
            self.landing.put(Err(DeviceError::GivenUp { device }));
        }
    }
}
