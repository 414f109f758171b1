//! What tensors cost: allocations of constructors and views, and sizes of the types.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use tensor::core::ShapeVec;
use tensor::{
    AllocationGroup, DType, DynRank, Gpu, Host, Placement, Rank, SharedTensor, SliceSpec, Tensor,
    TensorLayout, TensorView, TypedTensor, TypedTensorView,
};

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system allocator unchanged; counting touches a thread-local `Cell` without a
// destructor, which allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise about `block` and `layout` is passed on.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The allocations that `make` does, its result's drop left out.
fn allocations<T>(make: impl FnOnce() -> T) -> usize {
    let before = COUNT.get();
    let made = make();
    let after = COUNT.get();
    drop(made);
    after - before
}

#[test]
fn a09_constructors_allocate_nothing_up_to_rank_eight() {
    for rank in 0..=10 {
        let limit = if rank <= 8 { 0 } else { 2 };
        let (shape, data) = (vec![1; rank], vec![1.0_f32]);
        let count = allocations(|| TypedTensor::<f32>::from_vec_col_major(shape, data).unwrap());
        assert!(count <= limit, "col_major rank {rank}: {count}");
        let (shape, data) = (vec![1; rank], vec![1.0_f32]);
        let count = allocations(|| Tensor::from_vec_row_major(shape, data).unwrap());
        assert!(count <= limit, "erased row_major rank {rank}: {count}");
    }
}

#[test]
fn views_allocate_nothing_up_to_rank_eight() {
    for rank in 1..=8 {
        let shape = vec![2; rank];
        let order: Vec<usize> = (0..rank).rev().collect();
        let t = Tensor::zeros(DType::F32, &shape).unwrap();
        let view = t.view().unwrap();
        let checks: [(&str, usize); 9] = [
            ("view", allocations(|| t.view().unwrap())),
            ("transpose", allocations(|| view.transpose())),
            ("permute", allocations(|| view.permute(&order).unwrap())),
            (
                "slice",
                allocations(|| view.slice(&[SliceSpec::reverse()]).unwrap()),
            ),
            (
                "reshape",
                allocations(|| view.reshape([1 << rank]).unwrap()),
            ),
            (
                "broadcast_to",
                allocations(|| view.broadcast_to(&shape).unwrap()),
            ),
            ("index_axis", allocations(|| view.index_axis(0, 1).unwrap())),
            ("clone", allocations(|| view.clone())),
            (
                "iter",
                allocations(|| {
                    view.transpose()
                        .as_typed::<f32>()
                        .unwrap()
                        .iter()
                        .map(|v| *v as f64)
                        .sum::<f64>()
                }),
            ),
        ];
        for (name, count) in checks {
            assert_eq!(count, 0, "{name} at rank {rank}");
        }
    }
}

#[test]
fn conversions_allocate_nothing_and_copies_once() {
    let t = TypedTensor::<f64>::zeros([2, 2]).unwrap();
    let mut ranked = None;
    assert_eq!(
        allocations(|| ranked = Some(t.try_into_rank::<2>().unwrap())),
        0
    );
    let ranked = ranked.unwrap();
    let host = ranked.into_host().unwrap();
    assert_eq!(allocations(|| host.clone()), 1);
    // A transposed copy takes the way over tiles, which must not allocate beside the elements.
    let view = host.as_view().unwrap();
    assert_eq!(allocations(|| view.transpose().to_contiguous().unwrap()), 1);
    let mut dynamic = None;
    assert_eq!(allocations(|| dynamic = Some(host.into_dynamic())), 0);
    let erased = Tensor::from(dynamic.unwrap().into_dyn_rank());
    assert_eq!(allocations(|| erased.into_typed::<f64>().unwrap()), 0);
}

#[test]
fn a28_a29_sizes_stay_within_their_bounds() {
    let rows = [
        ("DType", size_of::<DType>(), 8),
        ("Placement", size_of::<Placement>(), 8),
        ("ShapeVec", size_of::<ShapeVec>(), 80),
        ("TensorLayout", size_of::<TensorLayout>(), 168),
        (
            "TensorLayout<Rank<2>>",
            size_of::<TensorLayout<Rank<2>>>(),
            40,
        ),
        ("TypedTensor<f64>", size_of::<TypedTensor<f64>>(), 216),
        (
            "TypedTensor<f64, DynRank, Host>",
            size_of::<TypedTensor<f64, DynRank, Host>>(),
            216,
        ),
        (
            "TypedTensor<f64, DynRank, Gpu>",
            size_of::<TypedTensor<f64, DynRank, Gpu>>(),
            248,
        ),
        (
            "TypedTensor<f64, Rank<2>>",
            size_of::<TypedTensor<f64, Rank<2>>>(),
            128,
        ),
        (
            "TypedTensor<f64, Rank<2>, Host>",
            size_of::<TypedTensor<f64, Rank<2>, Host>>(),
            128,
        ),
        ("Tensor", size_of::<Tensor>(), 312),
        (
            "TypedTensorView<f64>",
            size_of::<TypedTensorView<'_, f64>>(),
            200,
        ),
        (
            "TypedTensorView<f64, Rank<2>>",
            size_of::<TypedTensorView<'_, f64, Rank<2>>>(),
            200,
        ),
        ("TensorView", size_of::<TensorView<'_>>(), 200),
        ("SharedTensor", size_of::<SharedTensor>(), 200),
        ("AllocationGroup", size_of::<AllocationGroup>(), 536),
    ];
    for (name, size, limit) in rows {
        assert!(size <= limit, "{name}: {size} > {limit}");
    }
    assert_eq!(size_of::<Option<Tensor>>(), size_of::<Tensor>());
    assert_eq!(align_of::<Tensor>(), 8);
}
