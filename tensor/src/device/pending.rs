//! Tensors on their way: copies that a stream does while the program goes on.

use std::fmt;
use std::sync::Arc;

use tensor_core::dispatch_dtype;

use super::copy::{device_buffer, is_one_range, span};
use super::{DeviceError, Devices, Event, Landing, MemoryRange, Stream, Transfer, TransferKind};
use crate::alloc::Allocator;
use crate::payload::{ViewPayload, each_preset};
use crate::storage::{AllocBuffer, bytes_of};
use crate::typed::dense_in_axis_order;
use crate::{
    DType, Device, DynRank, Gpu, Result, SharedTensor, Tensor, TensorElement, TensorError,
    TensorLayout, TypedTensor, TypedTensorView, trace_span,
};

/// A tensor whose elements a stream is still copying.
///
/// Dropping it cancels nothing: the stream owns what it works on.
#[derive(Debug)]
pub struct Pending {
    event: Arc<dyn Event>,
    device: Device,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// On the device.
    Uploading(Tensor),
    /// Elements of this dtype, which the layout reads.
    Downloading(Landing, DType, TensorLayout),
}

impl Pending {
    /// When the copy is done: another stream that needs the tensor waits for it.
    #[must_use]
    pub fn event(&self) -> &Arc<dyn Event> {
        &self.event
    }

    /// Whether the copy is done. Never waits.
    ///
    /// # Errors
    /// [`TensorError::Device`].
    pub fn is_ready(&self) -> Result<bool> {
        self.event
            .is_complete()
            .map_err(TensorError::from_device("is_ready"))
    }

    /// The tensor of an upload, for work that is queued behind [`Pending::event`]; before that its elements are anything.
    #[must_use]
    pub fn tensor(&self) -> Option<&Tensor> {
        match &self.content {
            Content::Uploading(tensor) => Some(tensor),
            Content::Downloading(..) => None,
        }
    }

    /// Waits until the copy is done.
    ///
    /// # Errors
    /// What the device reports, or [`TensorError::OutOfMemory`] if the elements still have to be put in order.
    pub fn wait(self) -> Result<Tensor> {
        const OP: &str = "wait";
        let _span = trace_span!(DEBUG, "wait", device = %self.device);
        self.event
            .synchronize()
            .map_err(TensorError::from_device(OP))?;
        match self.content {
            Content::Uploading(tensor) => Ok(tensor),
            Content::Downloading(landing, dtype, layout) => {
                let device = self.device;
                let arrived = landing
                    .take()
                    .unwrap_or(Err(DeviceError::GivenUp { device }));
                let bytes = arrived.map_err(TensorError::from_device(OP))?;
                dispatch_dtype!(dtype, T => arranged::<T>(bytes, layout),
                    _id => Err(TensorError::UnsupportedDType { op: OP, dtype }))
            }
        }
    }
}

/// The elements that arrived, as the tensor that `layout` reads from them.
fn arranged<T: TensorElement>(bytes: AllocBuffer<u8>, layout: TensorLayout) -> Result<Tensor> {
    let elements = bytes.into_elements::<T>();
    if layout == dense_in_axis_order(&layout)? {
        let tensor = TypedTensor::<T, DynRank, Gpu>::from_dense_buffer(layout, Box::new(elements));
        return Ok(tensor.into());
    }
    let allocator = Arc::clone(elements.allocation().allocator());
    let view = TypedTensorView::from_layout(layout, elements.as_slice())?;
    Ok(view.duplicate_in(&allocator)?.into())
}

/// Some bytes of a shared host tensor, which nobody can write while this holds it.
struct SharedBytes {
    tensor: SharedTensor,
    start: usize,
    len: usize,
}

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        let whole: &[u8] = match self.tensor.view() {
            Ok(view) => each_preset!(ViewPayload, view.payload(), view => bytes_of(view.storage()),
                _external => &[]),
            Err(_) => &[],
        };
        whole.get(self.start..self.start + self.len).unwrap_or(&[])
    }
}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedBytes")
            .field("tensor", &self.tensor)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

/// Queues `transfer`; with nothing to copy it is done at once.
fn enqueue(stream: &Arc<dyn Stream>, transfer: Transfer) -> Result<(), DeviceError> {
    if !transfer.is_empty() {
        return stream.enqueue(transfer);
    }
    if let TransferKind::Download { to, .. } = transfer.into_kind() {
        to.finish();
    }
    Ok(())
}

/// The bytes of the elements from the first to the last that `layout` names, if `tensor` is in memory that only a driver
/// reaches.
fn device_range(
    tensor: &Tensor,
    layout: &TensorLayout,
) -> Option<Result<MemoryRange, DeviceError>> {
    let (start, len) = span(layout).unwrap_or((0, 0));
    dispatch_dtype!(tensor.dtype(), T => Some(device_buffer::<T>(tensor)?.range(start, len)), _id => None)
}

impl Devices {
    /// Queues a copy of a host tensor to the stream's device and returns at once. The stream holds the tensor until it is
    /// done; nobody can write it before that.
    ///
    /// A part with gaps is gathered in host memory first, which this call does itself; so it does the whole copy where the
    /// host addresses the device's memory.
    ///
    /// # Errors
    /// [`TensorError::NotOnHost`], or as [`Devices::empty`].
    pub fn upload(&self, tensor: &SharedTensor, stream: &Arc<dyn Stream>) -> Result<Pending> {
        const OP: &str = "upload";
        let failed = TensorError::from_device(OP);
        let device = stream.device();
        let _span = trace_span!(
            DEBUG,
            "upload",
            bytes = tensor.len().saturating_mul(tensor.dtype().size_bytes()),
            shape = ?tensor.shape(),
            dtype = %tensor.dtype(),
            device = %device,
        );
        let view = tensor.view()?;
        let layout = dense_in_axis_order(tensor.layout())?;
        let mut made = self.with_layout(OP, device, tensor.dtype(), layout.clone())?;
        match device_range(&made, &layout) {
            None => super::copy(tensor, &mut made)?,
            Some(range) => {
                let source = if is_one_range(tensor.layout(), &layout) {
                    tensor.clone()
                } else {
                    let host = self.home(Device::CPU).map_err(&failed)?;
                    view.duplicate_in(host)?.into_shared()
                };
                let (first, _) = span(source.layout()).unwrap_or((0, 0));
                let bytes = SharedBytes {
                    start: first * made.dtype().size_bytes(),
                    len: made.size_bytes(),
                    tensor: source,
                };
                let range = range.map_err(&failed)?;
                let (memory, len) = (Arc::clone(range.memory()), range.len_bytes());
                let transfer = Transfer::upload(Arc::new(bytes), range).map_err(&failed)?;
                enqueue(stream, transfer).map_err(&failed)?;
                memory.allocator().counters().copied_in(len);
            }
        }
        Ok(Pending {
            event: stream.record().map_err(failed)?,
            device,
            content: Content::Uploading(made),
        })
    }

    /// Queues a copy of a tensor of the stream's device to host memory of `allocator` and returns at once. The stream
    /// holds both until it is done.
    ///
    /// Of a part with gaps everything between its first and its last element is copied, and [`Pending::wait`] gathers.
    ///
    /// # Errors
    /// [`DeviceError::ForeignMemory`] if the tensor is elsewhere, or [`TensorError::Alloc`].
    pub fn download(
        &self,
        tensor: &SharedTensor,
        allocator: &Arc<dyn Allocator>,
        stream: &Arc<dyn Stream>,
    ) -> Result<Pending> {
        const OP: &str = "download";
        let failed = TensorError::from_device(OP);
        let device = stream.device();
        let placement = tensor.placement();
        let _span = trace_span!(
            DEBUG,
            "download",
            bytes = tensor.len().saturating_mul(tensor.dtype().size_bytes()),
            shape = ?tensor.shape(),
            dtype = %tensor.dtype(),
            from = %placement,
            device = %allocator.placement(),
        );
        let range = device_range(tensor.owner(), tensor.layout())
            .filter(|_| placement.resident_device() == device)
            .ok_or(DeviceError::ForeignMemory { device, placement })
            .flatten()
            .map_err(&failed)?;
        let (memory, len) = (Arc::clone(range.memory()), range.len_bytes());
        let block = AllocBuffer::filled(allocator, len, 0).map_err(TensorError::from_alloc(OP))?;
        let (transfer, landing) = Transfer::download(range, block).map_err(&failed)?;
        enqueue(stream, transfer).map_err(&failed)?;
        memory.allocator().counters().copied_out(len);
        allocator.counters().copied_in(len);
        let layout = tensor.layout();
        let (first, _) = span(layout).unwrap_or((0, 0));
        let moved = layout.rebased(first).unwrap_or_else(|| layout.clone());
        Ok(Pending {
            event: stream.record().map_err(failed)?,
            device,
            content: Content::Downloading(landing, tensor.dtype(), moved),
        })
    }
}
