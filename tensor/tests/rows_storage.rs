//! What the owners of the data model promise, one test per promise: representations, conversions, sharing, groups.
//!
//! The device is a mock whose memory the host can't read; it counts its downloads, so that a hidden transfer would show.

use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};

use tensor::{
    AllocationGroup, Buffer, DType, Device, DeviceKind, DynRank, Dynamic, Gpu, HostBufferRecycler,
    MemoryKind, Placement, Rank, ReinterpretError, Representation, Result, SliceSpec, Tensor,
    TensorError, TensorView, TypedTensor, TypedTensorView,
};

/// Memory of a device that the host can't read.
struct Mock {
    elements: Vec<f64>,
    downloads: Arc<AtomicUsize>,
}

const DEVICE: Device = Device::new(DeviceKind::Custom(9), 2);

impl Buffer<f64> for Mock {
    fn len(&self) -> usize {
        self.elements.len()
    }
    fn placement(&self) -> Placement {
        Placement::on_device(DEVICE)
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
        self.downloads.fetch_add(1, Ordering::Relaxed);
        Ok(self.elements.clone())
    }
}

/// Memory that the host reads in place but may not write, as a file mapped read-only.
struct Mapped(Vec<f32>);

impl Buffer<f32> for Mapped {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn placement(&self) -> Placement {
        Placement {
            memory_kind: MemoryKind::Other,
            ..Placement::default()
        }
    }
    fn host(&self) -> Option<&[f32]> {
        Some(&self.0)
    }
    fn host_mut(&mut self) -> Option<&mut [f32]> {
        None
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn download(&self) -> Result<Vec<f32>> {
        Ok(self.0.clone())
    }
}

fn on_device() -> (TypedTensor<f64>, Arc<AtomicUsize>) {
    let downloads = Arc::new(AtomicUsize::new(0));
    let buffer = Mock {
        elements: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        downloads: Arc::clone(&downloads),
    };
    let tensor = TypedTensor::<f64, DynRank, Gpu>::from_buffer_row_major([2, 3], Box::new(buffer));
    (
        tensor.expect("six elements fill it").into_dynamic(),
        downloads,
    )
}

fn two_by_three() -> TypedTensor<f64> {
    TypedTensor::from_vec_row_major([2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
        .expect("six elements fill it")
}

#[test]
fn a04_the_default_rank_and_representation_are_dynamic() {
    fn same<T>(_: &T, _: &T) {}
    let short: TypedTensor<f64> = two_by_three();
    let long: TypedTensor<f64, DynRank, Dynamic> = two_by_three();
    same(&short, &long);
}

/// Neither `Copy`, `Clone` nor `Send`; counts its drops.
struct Counted(Rc<Cell<usize>>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[test]
fn a05_any_element_type_is_stored_viewed_and_dropped_once() {
    let drops = Rc::new(Cell::new(0));
    let elements = (0..6).map(|_| Counted(Rc::clone(&drops))).collect();
    let tensor = TypedTensor::<Counted, Rank<2>>::from_vec_col_major([2, 3], elements).unwrap();
    let view = tensor.as_view().unwrap();
    assert_eq!(view.transpose().iter().count(), 6);
    assert_eq!(tensor.storage().unwrap().len(), 6);
    let host = tensor.into_dyn_rank().into_host().unwrap();
    assert_eq!(drops.get(), 0);
    drop(host);
    assert_eq!(drops.get(), 6);
}

#[test]
fn a06_constructors_adopt_the_vector() {
    for column_major in [false, true] {
        let data = vec![1.0, 2.0, 3.0, 4.0];
        let pointer = data.as_ptr();
        let tensor: TypedTensor<f64> = if column_major {
            TypedTensor::from_vec_col_major(vec![2, 2], data).unwrap()
        } else {
            TypedTensor::from_vec_row_major(vec![2, 2], data).unwrap()
        };
        assert_eq!(tensor.storage().unwrap().as_ptr(), pointer);
        assert!(tensor.buffer().is_none());
        assert_eq!(tensor.into_host().unwrap().into_parts().0.as_ptr(), pointer);
    }
}

#[test]
fn a11_a12_rank_and_count_are_checked_when_running() {
    let error = TypedTensor::<f32, Rank<2>>::from_vec_col_major(vec![1, 2, 3], vec![0.0; 6]);
    assert_eq!(
        error.unwrap_err().to_string(),
        "from_vec_col_major: rank mismatch: expected 2, actual 3"
    );
    let error = TypedTensor::<f32>::from_vec_col_major([2, 3], vec![0.0; 5]);
    assert_eq!(
        error.unwrap_err().to_string(),
        "from_vec_col_major: shape product 6 does not match data length 5"
    );
}

#[test]
fn a13_try_into_rank_keeps_the_buffer_also_after_a_failure() {
    let tensor = two_by_three();
    let pointer = tensor.storage().unwrap().as_ptr();
    let error = tensor.try_into_rank::<3>().unwrap_err();
    let text = error.to_string();
    assert_eq!(
        text,
        "tensor reinterpretation failed: TypedTensor::try_into_rank: rank mismatch: expected 3, actual 2"
    );
    let ranked = error.into_owner().try_into_rank::<2>().unwrap();
    assert_eq!(ranked.storage().unwrap().as_ptr(), pointer);
}

#[test]
fn a14_arrays_index_static_ranks() {
    let mut ranked = two_by_three().try_into_rank::<2>().unwrap();
    assert_eq!(ranked[[1, 2]], 6.0);
    assert_eq!(ranked.as_view().unwrap()[[0, 2]], 3.0);
    ranked[[0, 0]] = 9.0;
    assert_eq!(ranked.get(&[0, 0]), Ok(&9.0));
    assert!(ranked.get(&[2, 0]).is_err());
}

#[test]
#[should_panic(expected = "use get() where the index may be wrong")]
fn a14_an_index_outside_panics() {
    let ranked = two_by_three().try_into_rank::<2>().unwrap();
    let _ = ranked[[0, 3]];
}

#[test]
#[should_panic(expected = "device memory of custom9:2")]
fn a14_an_index_of_a_tensor_on_a_device_panics() {
    let ranked = on_device().0.try_into_rank::<2>().unwrap();
    let _ = ranked[[0, 0]];
}

#[test]
fn a15_slices_index_host_tensors() {
    let mut host = two_by_three().into_host().unwrap();
    assert_eq!(host[&[1, 0][..]], 4.0);
    host[&[1, 0][..]] = 8.0;
    assert_eq!(host.as_slice().unwrap(), [1.0, 2.0, 3.0, 8.0, 5.0, 6.0]);
}

#[test]
fn a16_code_can_be_generic_over_the_representation() {
    fn elements<D: Representation>(tensor: &TypedTensor<f64, DynRank, D>) -> usize {
        tensor.shape().iter().product()
    }
    let host = two_by_three().into_host().unwrap();
    assert_eq!(elements(&host), 6);
    assert_eq!(elements(&host.promote()), 6);
    assert_eq!(elements(&two_by_three()), 6);
}

#[test]
fn a17_gpu_says_who_owns_the_memory_and_not_where_it_is() {
    let host = two_by_three().into_host().unwrap();
    let pointer = host.storage().unwrap().as_ptr();
    let promoted = host.promote();
    assert!(promoted.is_on_host() && promoted.buffer().is_some());
    assert_eq!(promoted.placement(), Placement::default());
    assert_eq!(promoted.storage().unwrap().as_ptr(), pointer);
    assert_eq!(
        promoted.into_dynamic().to_vec().unwrap(),
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    );
    assert!(!on_device().0.is_on_host());
}

#[test]
fn a18_conversions_of_representation_move_nothing_and_lose_nothing() {
    let host = two_by_three().into_host().unwrap();
    let pointer = host.storage().unwrap().as_ptr();
    let dynamic = host.into_dynamic();
    assert_eq!(dynamic.storage().unwrap().as_ptr(), pointer);

    let (dynamic, error) = dynamic.into_gpu().unwrap_err().into_parts();
    assert!(
        error
            .to_string()
            .contains("the tensor is plain host storage rather than buffer-backed")
    );
    let promoted = dynamic.into_host().unwrap().promote().into_dynamic();
    assert_eq!(promoted.storage().unwrap().as_ptr(), pointer);

    let refused: ReinterpretError<_> = promoted.into_host().unwrap_err();
    let text = refused.to_string();
    assert!(text.starts_with("tensor reinterpretation failed: TypedTensor::into_host: "));
    assert!(
        text.contains("the tensor is buffer-backed rather than plain host storage"),
        "{text}"
    );
    let promoted = refused.into_owner();
    let promoted = promoted.into_vec().unwrap_err().into_owner();
    let promoted = promoted.into_vec_col_major().unwrap_err().into_owner();
    let promoted = promoted.try_into_parts().unwrap_err().into_owner();
    assert_eq!(promoted.storage().unwrap().as_ptr(), pointer);
    assert_eq!(promoted.shape(), [2, 3]);
    assert_eq!(
        promoted.into_gpu().unwrap().storage().unwrap().as_ptr(),
        pointer
    );
}

#[test]
fn a20_a21_copies_are_deep_and_have_names() {
    let host = two_by_three().into_host().unwrap();
    let copy = host.clone();
    assert_ne!(
        copy.storage().unwrap().as_ptr(),
        host.storage().unwrap().as_ptr()
    );
    assert_eq!(copy.as_slice().unwrap(), host.as_slice().unwrap());
    let dynamic = host.into_dynamic();
    let second = dynamic.duplicate().unwrap();
    assert_ne!(
        second.storage().unwrap().as_ptr(),
        dynamic.storage().unwrap().as_ptr()
    );
    assert_eq!(second.to_vec().unwrap(), dynamic.to_vec().unwrap());
}

#[test]
fn a22_every_preset_has_its_dtype_in_a_dynamic_tensor() {
    for &dtype in DType::TAGS {
        let tensor = Tensor::zeros(dtype, [2]).unwrap();
        assert_eq!(
            (tensor.dtype(), tensor.size_bytes()),
            (dtype, 2 * dtype.size_bytes())
        );
    }
}

#[test]
fn a23_a24_downcasts_move_fields_only_and_return_the_owner() {
    let typed = two_by_three();
    let pointer = typed.storage().unwrap().as_ptr();
    let tensor = Tensor::from_typed(typed);
    assert!(tensor.as_typed::<f32>().is_none());
    assert_eq!(
        tensor
            .as_typed::<f64>()
            .unwrap()
            .storage()
            .unwrap()
            .as_ptr(),
        pointer
    );
    let (tensor, error) = tensor.into_typed::<f32>().unwrap_err().into_parts();
    assert_eq!(
        error.to_string(),
        "Tensor::into_typed: dtype mismatch: expected F32, actual F64"
    );
    let typed = tensor.into_typed::<f64>().unwrap();
    assert_eq!(typed.storage().unwrap().as_ptr(), pointer);
}

#[test]
fn a27_shapes_are_values_also_where_the_rank_is_a_type() {
    let mut tensor = TypedTensor::<f32, Rank<2>>::zeros([2, 3]).unwrap();
    assert_eq!(tensor.shape(), [2, 3]);
    tensor = TypedTensor::zeros([3, 2]).unwrap();
    assert_eq!(tensor.shape(), [3, 2]);
}

#[test]
fn a32_a33_groups_hold_dynamic_tensors_and_only_when_asked() {
    let tensor = Tensor::from_typed(two_by_three());
    assert!(tensor.as_typed::<f64>().unwrap().buffer().is_none());
    let (mut group, slots) = AllocationGroup::from_tensors(vec![tensor, Tensor::scalar(1_i64)]);
    assert_eq!(group.dtype(slots[1]), Ok(DType::I64));
    let out = group.take_tensor(slots[0]).unwrap();
    // What was plain host memory is plain host memory again.
    assert!(out.into_typed::<f64>().unwrap().into_host().is_ok());
}

/// Collects the vectors that come back.
#[derive(Default)]
struct Pool(Mutex<Vec<Vec<f64>>>);

impl HostBufferRecycler<f64> for Pool {
    fn recycle(&self, data: Vec<f64>) {
        self.0
            .lock()
            .expect("no test panics while it holds the lock")
            .push(data);
    }
}

fn pooled(pool: &Arc<Pool>) -> TypedTensor<f64> {
    let weak: Weak<Pool> = Arc::downgrade(pool);
    TypedTensor::from_vec_row_major_with_recycler([2], vec![1.0, 2.0], weak)
        .expect("two elements fill it")
}

#[test]
fn a34_a_recycler_gets_the_vector_once_if_it_still_lives() {
    let pool = Arc::new(Pool::default());
    let returned = || pool.0.lock().unwrap().len();
    let tensor = pooled(&pool);
    let pointer = tensor.storage().unwrap().as_ptr();
    drop(tensor);
    assert_eq!(returned(), 1);
    assert_eq!(pool.0.lock().unwrap()[0].as_ptr(), pointer);

    // Conversions and promotion keep it; taking the vector out ends it; a copy never had it.
    let promoted = pooled(&pool)
        .try_into_rank::<1>()
        .unwrap()
        .into_host()
        .unwrap()
        .promote();
    drop(promoted.into_dynamic().into_dyn_rank());
    assert_eq!(returned(), 2);
    assert_eq!(pooled(&pool).into_vec().unwrap(), [1.0, 2.0]);
    assert_eq!(returned(), 2);
    let tensor = pooled(&pool);
    drop(tensor.duplicate().unwrap());
    assert_eq!(returned(), 2);
    drop(Tensor::from(tensor).into_shared());
    assert_eq!(returned(), 3);

    let late = pooled(&pool);
    drop(pool);
    drop(late);
}

#[test]
fn a34_a_refused_conversion_does_not_recycle() {
    let pool = Arc::new(Pool::default());
    let owner = pooled(&pool).try_into_rank::<2>().unwrap_err().into_owner();
    assert!(pool.0.lock().unwrap().is_empty());
    drop(owner);
    assert_eq!(pool.0.lock().unwrap().len(), 1);
}

#[test]
fn c10_c11_c12_shared_owners_have_views_of_their_own() {
    let all = Tensor::from_typed(two_by_three()).into_shared();
    let part = all
        .slice(&[SliceSpec::all(), SliceSpec::range(1, 3)])
        .unwrap();
    let flat = all.reshape([6]).unwrap();
    assert_eq!(
        (part.shape(), flat.shape(), all.shape()),
        (&[2, 2][..], &[6][..], &[2, 3][..])
    );
    assert!(flat.to_contiguous().unwrap().shares_storage_with(&all));
    let copied = part.to_contiguous().unwrap();
    assert!(!copied.shares_storage_with(&all));
    drop((all, flat));
    assert_eq!(part.holders(), 1);
    assert_eq!(
        part.view().unwrap().to_vec::<f64>().unwrap(),
        [2.0, 3.0, 5.0, 6.0]
    );
}

#[test]
fn e11_nothing_downloads_unasked() {
    let (typed, downloads) = on_device();
    let placement = Placement::on_device(DEVICE);
    assert_eq!(typed.placement(), placement);
    let not_on_host = |op| TensorError::NotOnHost { op, placement };
    assert_eq!(typed.as_view().map(|_| ()), Err(not_on_host("as_view")));
    assert_eq!(typed.get(&[0, 0]), Err(not_on_host("get")));
    assert_eq!(typed.duplicate().map(|_| ()), Err(not_on_host("duplicate")));
    assert_eq!(typed.to_vec(), Err(not_on_host("as_view")));
    let mock = typed.buffer().unwrap().as_any().downcast_ref::<Mock>();
    assert_eq!(mock.unwrap().elements.len(), 6);

    let place = "device memory of custom9:2";
    let text = format!("f64[2, 3] in {place}; to_host() copies its values to the host");
    assert_eq!(typed.to_string(), text);
    let mut tensor = Tensor::from(typed);
    assert!(tensor.view().is_err() && tensor.view_mut().is_err() && tensor.summary().is_err());
    assert!(TensorView::try_from(&tensor).is_err());
    assert!(tensor.cast(DType::F32).is_err() && tensor.to_le_bytes().is_err());
    assert_eq!(tensor.to_string(), text);
    assert!(format!("{tensor:?}").contains(place));
    let shared = tensor.into_shared();
    let turned = shared.transpose();
    assert!(turned.view().is_err());
    assert_eq!(turned.shape(), [3, 2]);
    drop((shared, format!("{turned}")));
    assert_eq!(downloads.load(Ordering::Relaxed), 0);

    let straight = turned.transpose();
    drop(turned);
    let tensor = straight.try_into_tensor().unwrap();
    let host = tensor.to_host().unwrap();
    assert_eq!(downloads.load(Ordering::Relaxed), 1);
    assert_eq!(
        host.to_vec::<f64>().unwrap(),
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    );
    assert!(host.into_typed::<f64>().unwrap().into_host().is_ok());
}

#[test]
fn buffers_that_can_only_be_read_say_so() {
    let buffer = Box::new(Mapped(vec![1.0, 2.0, 3.0, 4.0]));
    let mut tensor =
        TypedTensor::<f32, Rank<2>, Gpu>::from_buffer_col_major([2, 2], buffer).unwrap();
    assert_eq!(tensor[[0, 1]], 3.0);
    let error = tensor.get_mut(&[0, 0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "get_mut: the elements are in other memory, which is read-only; to_host() makes a copy that can be written"
    );
    let mut copy = tensor.to_host().unwrap();
    copy[[0, 0]] = 5.0;
    assert_eq!(copy.to_vec().unwrap(), [5.0, 3.0, 2.0, 4.0]);
}

/// A buffer that promises more than it hands out.
struct Liar;

impl Buffer<u8> for Liar {
    fn len(&self) -> usize {
        4
    }
    fn placement(&self) -> Placement {
        Placement::default()
    }
    fn host(&self) -> Option<&[u8]> {
        Some(&[1, 2])
    }
    fn host_mut(&mut self) -> Option<&mut [u8]> {
        None
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn download(&self) -> Result<Vec<u8>> {
        Ok(vec![1, 2, 3])
    }
}

#[test]
fn a_buffer_of_another_length_than_it_says_is_an_error() {
    let tensor = TypedTensor::<u8, DynRank, Gpu>::from_buffer_row_major([5], Box::new(Liar));
    assert!(tensor.is_err());
    let tensor =
        TypedTensor::<u8, DynRank, Gpu>::from_buffer_row_major([4], Box::new(Liar)).unwrap();
    let error = tensor.as_view().unwrap_err();
    assert_eq!(
        error.to_string(),
        "as_view: shape product 4 does not match data length 2"
    );
    assert!(tensor.to_host().is_err());
}

#[test]
fn placements_of_host_tensors_are_labels() {
    let placement = Placement {
        memory_kind: MemoryKind::PinnedHost,
        device: Some(DEVICE),
        cpu_domain: None,
    };
    let host = two_by_three()
        .into_host()
        .unwrap()
        .with_placement(placement);
    let dynamic = host.into_dynamic();
    assert_eq!(dynamic.placement(), placement);
    assert_eq!(
        dynamic.duplicate().unwrap().placement(),
        Placement::default()
    );
    assert_eq!(
        Tensor::from(dynamic).placement().to_string(),
        "pinned host memory of custom9:2"
    );
}

#[test]
fn h11_an_owner_is_sent_and_shared_as_its_elements_do() {
    fn sendable<T: Send + Sync>() {}
    sendable::<TypedTensor<f64>>();
    sendable::<TypedTensor<f64, Rank<2>, Gpu>>();
    sendable::<Tensor>();
    sendable::<tensor::SharedTensor>();
    sendable::<AllocationGroup>();
    sendable::<TypedTensorView<'_, f64>>();
}
