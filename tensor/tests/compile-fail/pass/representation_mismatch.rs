//! Representations convert by name: what is known is forgotten at no cost, what is unknown is tried.

use std::any::Any;

use tensor::{
    Buffer, Device, DeviceKind, DynRank, Gpu, Host, Placement, Representation, Result, TypedTensor,
};

/// A buffer of one's own: memory of a device that the host can't read.
struct Remote(Vec<f64>);

impl Buffer<f64> for Remote {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn placement(&self) -> Placement {
        Placement::on_device(Device::new(DeviceKind::Custom(1), 0))
    }
    fn host(&self) -> Option<&[f64]> {
        None
    }
    fn host_mut(&mut self) -> Option<&mut [f64]> {
        None
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn download(&self) -> Result<Vec<f64>> {
        Ok(self.0.clone())
    }
}

fn anywhere<D: Representation>(tensor: &TypedTensor<f64, DynRank, D>) -> usize {
    tensor.len()
}

fn main() -> Result<()> {
    let gpu = TypedTensor::<f64, DynRank, Gpu>::from_buffer_row_major(
        [2],
        Box::new(Remote(vec![1.0, 2.0])),
    )?;
    assert_eq!(anywhere(&gpu), 2);
    assert!(gpu.as_view().is_err());
    let unknown: TypedTensor<f64> = gpu.into_dynamic();
    let unknown = unknown.into_host().unwrap_err().into_owner();
    let gpu: TypedTensor<f64, DynRank, Gpu> = unknown.into_gpu()?;
    assert!(gpu.buffer().unwrap().as_any().is::<Remote>());
    let host: TypedTensor<f64, DynRank, Host> = gpu.to_host()?;
    let host = host.with_placement(Placement::default());
    let gpu: TypedTensor<f64, DynRank, Gpu> = host.promote();
    assert!(gpu.is_on_host() && gpu.into_dynamic().into_gpu().is_ok());
    Ok(())
}
