//! What tensors cost: allocations of constructors and views, and sizes of the types.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use tensor::core::ShapeVec;
use tensor::{
    AllocationGroup, ColMajorView, Complex64, DType, DynRank, Gpu, Host, Placement, Rank,
    RowMajorView, RowMajorViewMut, SharedTensor, SliceSpec, Tensor, TensorLayout, TensorView,
    TypedTensor, TypedTensorView, TypedTensorViewMut,
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

/// Asserts that each of the named operations allocated nothing.
fn nothing(rank: usize, checks: &[(&str, usize)]) {
    for (name, count) in checks {
        assert_eq!(*count, 0, "{name} at rank {rank}");
    }
}

#[test]
fn typed_views_and_their_parts_allocate_nothing_up_to_rank_eight() {
    for rank in 1..=8 {
        let shape = vec![2; rank];
        let index = vec![1; rank];
        let t = TypedTensor::<f64>::zeros(&shape).unwrap();
        let view = t.as_view().unwrap();
        let turned = view.transpose();
        let one = view.slice(&vec![SliceSpec::range(0, 1); rank]).unwrap();
        nothing(
            rank,
            &[
                ("as_view", allocations(|| t.as_view().unwrap())),
                (
                    "reshape",
                    allocations(|| view.reshape([1 << rank]).unwrap()),
                ),
                (
                    "reshape to rank",
                    allocations(|| one.reshape([1; 8]).unwrap()),
                ),
                (
                    "broadcast_to",
                    allocations(|| one.broadcast_to(&shape).unwrap()),
                ),
                (
                    "slice_axis",
                    allocations(|| view.slice_axis(rank - 1, SliceSpec::reverse()).unwrap()),
                ),
                (
                    "remove_axis",
                    allocations(|| one.remove_axis(rank - 1).unwrap()),
                ),
                (
                    "split_at",
                    allocations(|| turned.split_at(rank - 1, 1).unwrap()),
                ),
                (
                    "lanes",
                    allocations(|| {
                        turned
                            .lanes(0)
                            .unwrap()
                            .map(|lane| lane.iter().sum::<f64>())
                            .sum::<f64>()
                    }),
                ),
                (
                    "axis_iter",
                    allocations(|| {
                        turned
                            .axis_iter(0)
                            .unwrap()
                            .map(|part| part.len())
                            .sum::<usize>()
                    }),
                ),
                (
                    "into_iter",
                    allocations(|| (&turned).into_iter().sum::<f64>()),
                ),
                ("as_bytes", allocations(|| view.as_bytes().unwrap())),
                (
                    "as_complex_view",
                    allocations(|| view.as_complex_view().unwrap()),
                ),
                ("get", allocations(|| *turned.get(&index).unwrap())),
            ],
        );
    }
}

#[test]
fn a_new_last_axis_allocates_nothing_up_to_rank_eight() {
    for rank in 1..=8 {
        let inner = vec![2; rank - 1];
        let complex = TypedTensor::<Complex64>::zeros(&inner).unwrap();
        let complex = complex.as_view().unwrap();
        nothing(
            rank,
            &[
                (
                    "as_real_view",
                    allocations(|| complex.as_real_view().unwrap()),
                ),
                (
                    "insert_axis",
                    allocations(|| complex.insert_axis(0).unwrap()),
                ),
            ],
        );
    }
}

#[test]
fn mutable_views_and_their_parts_allocate_nothing_up_to_rank_eight() {
    for rank in 1..=8 {
        let mut t = TypedTensor::<f64>::zeros(vec![2; rank]).unwrap();
        let order: Vec<usize> = (0..rank).rev().collect();
        let (low, high) = ([SliceSpec::range(0, 1)], [SliceSpec::range(1, 2)]);
        let source = TypedTensor::<f64>::zeros(vec![2; rank]).unwrap();
        let source = source.as_view().unwrap();
        let mut view = t.as_view_mut().unwrap();
        nothing(
            rank,
            &[
                (
                    "permute",
                    allocations(|| drop(view.permute(&order).unwrap())),
                ),
                ("slice", allocations(|| drop(view.slice(&low).unwrap()))),
                (
                    "reshape",
                    allocations(|| drop(view.reshape([1 << rank]).unwrap())),
                ),
                (
                    "index_axis",
                    allocations(|| drop(view.index_axis(0, 1).unwrap())),
                ),
                (
                    "split_at",
                    allocations(|| drop(view.split_at(0, 1).unwrap())),
                ),
                (
                    "multi_slice_mut",
                    allocations(|| drop(view.multi_slice_mut(&low, &high).unwrap())),
                ),
                ("strided_mut", allocations(|| drop(view.strided_mut()))),
                ("fill", allocations(|| view.transpose().fill(1.0))),
                (
                    "copy_from",
                    allocations(|| view.transpose().copy_from(&source).unwrap()),
                ),
                (
                    "iter_mut",
                    allocations(|| view.transpose().iter_mut().for_each(|value| *value += 1.0)),
                ),
                (
                    "lanes_mut",
                    allocations(|| {
                        view.lanes_mut(0)
                            .unwrap()
                            .for_each(|mut lane| lane.fill(1.0))
                    }),
                ),
                (
                    "axis_iter_mut",
                    allocations(|| {
                        view.axis_iter_mut(0)
                            .unwrap()
                            .for_each(|mut part| part.fill(1.0))
                    }),
                ),
                (
                    "as_complex_view_mut",
                    allocations(|| drop(view.as_complex_view_mut().unwrap())),
                ),
            ],
        );
    }
}

#[test]
fn static_ranks_and_dense_views_allocate_nothing() {
    let mut t = TypedTensor::<f64, Rank<4>>::zeros([2; 4]).unwrap();
    let view = t.as_view().unwrap();
    nothing(
        4,
        &[
            ("transpose", allocations(|| view.transpose())),
            (
                "permute",
                allocations(|| view.permute(&[1, 0, 3, 2]).unwrap()),
            ),
            (
                "slice",
                allocations(|| view.slice(&[SliceSpec::reverse(); 4]).unwrap()),
            ),
            (
                "to_rank",
                allocations(|| view.clone().into_dyn_rank().to_rank::<4>().unwrap()),
            ),
            ("index", allocations(|| view[[1, 0, 1, 0]])),
            (
                "row_major_view",
                allocations(|| view.row_major_view().unwrap().lanes().count()),
            ),
            (
                "col_major_view",
                allocations(|| view.transpose().col_major_view().unwrap()[[0, 1, 1, 0]]),
            ),
        ],
    );
    let count = allocations(|| {
        let mut dense = t.row_major_view_mut().unwrap();
        dense.lanes_mut().for_each(|lane| lane.fill(1.0));
        dense[[1, 1, 1, 1]] = 2.0;
    });
    assert_eq!(count, 0, "row_major_view_mut");
    let mut data = [0.0; 6];
    let count = allocations(|| {
        RowMajorViewMut::from_slice([2, 3], &mut data).unwrap()[[1, 2]] = 1.0;
        let dense = RowMajorView::from_slice([2, 3], &data).unwrap();
        let turned = ColMajorView::from_slice([3, 2], &data).unwrap();
        dense[[1, 2]] + turned[[2, 1]] + dense.to_typed_view()[[1, 2]]
    });
    assert_eq!(count, 0, "views of slices");
}

#[test]
fn complex_owners_change_type_without_a_copy() {
    let t = TypedTensor::<Complex64>::zeros([3, 2]).unwrap();
    let mut parts = None;
    assert_eq!(allocations(|| parts = Some(t.into_real().unwrap())), 0);
    assert_eq!(allocations(|| parts.unwrap().into_complex().unwrap()), 0);
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
        ("SharedTensor", size_of::<SharedTensor>(), 200),
        ("AllocationGroup", size_of::<AllocationGroup>(), 536),
        (
            "TypedTensorViewMut<f64>",
            size_of::<TypedTensorViewMut<'_, f64>>(),
            200,
        ),
        ("TensorView", size_of::<TensorView<'_>>(), 200),
        (
            "RowMajorView<f64, 2>",
            size_of::<RowMajorView<'_, f64, 2>>(),
            32,
        ),
    ];
    for (name, size, limit) in rows {
        assert!(size <= limit, "{name}: {size} > {limit}");
    }
    assert_eq!(size_of::<Option<Tensor>>(), size_of::<Tensor>());
    assert_eq!(align_of::<Tensor>(), 8);
}
