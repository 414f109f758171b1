//! What tensors cost beside their elements: heap allocations and bytes.
//!
//! `cargo run -p tensor --example allocations` prints what `allocations.txt` beside this file holds; a test compares the
//! two. The example counts with an allocator of its own, on its own thread. Sizes are those of 64-bit machines.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::error::Error;
use std::io::{self, Write};

use tensor::{
    AllocationGroup, ColMajorView, DType, Device, DynRank, Gpu, Host, Placement, Rank,
    ReinterpretError, SharedTensor, SliceSpec, Tensor, TensorLayout, TensorView, TensorViewMut,
    TypedTensor, TypedTensorView, TypedTensorViewMut,
};

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

/// Passes every call on to the system, and counts.
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

/// What `make` makes, and how often that allocates.
fn counted<T>(make: impl FnOnce() -> T) -> (T, usize) {
    let before = COUNT.get();
    let made = make();
    (made, COUNT.get() - before)
}

/// Writes the whole example.
///
/// # Errors
/// What `out` reports.
pub fn run(out: &mut impl Write) -> io::Result<()> {
    let example = |out: &mut _| {
        by_rank(out)?;
        by_conversion(out)?;
        sizes(out)
    };
    example(out).map_err(io::Error::other)
}

fn by_rank(out: &mut impl Write) -> Outcome {
    writeln!(out, "== Heap allocations by rank, the elements left out ==")?;
    // Shape and strides of up to eight axes lie inside the tensor; beyond, each is one allocation.
    let names = [
        "typed", "dynamic", "view", "permute", "slice", "reshape", "insert",
    ];
    let titles = names.map(|name| format!(" {name:>7}")).concat();
    writeln!(out, "rank{titles}")?;
    for rank in 0..=10 {
        let shape = vec![2; rank];
        let elements = vec![0.0_f32; 1 << rank];
        let order: Vec<usize> = (0..rank).rev().collect();
        let reverse = vec![SliceSpec::reverse(); rank];

        let (typed, construction) =
            counted(|| TypedTensor::<f32>::from_vec_row_major(&shape, elements));
        let elements = typed?.into_vec()?;
        let (tensor, erased) = counted(|| Tensor::from_vec_row_major(&shape, elements));
        let tensor = tensor?;
        let (view, viewed) = counted(|| tensor.view());
        let view = view?;
        let (permuted, permuting) = counted(|| view.permute(&order));
        let (sliced, slicing) = counted(|| view.slice(&reverse));
        let (flat, reshaping) = counted(|| view.reshape([1 << rank]));
        let (larger, inserting) = counted(|| view.insert_axis(0));
        drop((permuted?, sliced?, flat?, larger?));

        let counts = [
            construction,
            erased,
            viewed,
            permuting,
            slicing,
            reshaping,
            inserting,
        ];
        let columns = counts.map(|count| format!(" {count:>7}")).concat();
        writeln!(out, "{rank:4}{columns}")?;
    }
    writeln!(out)?;
    Ok(())
}

fn by_conversion(out: &mut impl Write) -> Outcome {
    writeln!(
        out,
        "== Heap allocations of conversions and copies, at rank 2 =="
    )?;
    let mut row = |count: usize, what: &str| writeln!(out, "{count} {what}");
    let typed = TypedTensor::<f64>::from_vec_row_major([2, 3], vec![0.0; 6])?;

    // What moves fields only.
    let (ranked, count) = counted(|| typed.try_into_rank::<2>());
    row(count, "try_into_rank: to a static rank")?;
    let (host, count) = counted(|| ranked.map(TypedTensor::into_host));
    row(count, "into_host: to plain host memory")?;
    let host = host??;
    let (view, count) = counted(|| host.as_view().and_then(|view| view.row_major_view()));
    row(count, "row_major_view: to a dense view")?;
    view?;

    // Copies allocate once, for the elements.
    let (copy, count) = counted(|| host.clone());
    row(count, "clone: a copy of the elements")?;
    let (turned, count) = counted(|| {
        host.as_view()
            .and_then(|view| view.transpose().to_contiguous())
    });
    row(count, "to_contiguous: a copy in another order")?;
    turned?;

    // A box for the buffer, a box for the owner that comes back, a counter for shared owners.
    let (gpu, count) = counted(|| copy.promote());
    row(count, "promote: host memory as a buffer")?;
    let (failed, count) = counted(|| gpu.into_dynamic().into_host());
    row(count, "into_host of a buffer: the owner comes back")?;
    drop(failed);

    let (erased, count) = counted(|| Tensor::from(host.into_dyn_rank().into_dynamic()));
    row(count, "Tensor::from: to a dynamic dtype")?;
    let (typed, count) = counted(|| erased.into_typed::<f64>());
    row(count, "into_typed: and back")?;
    let erased = Tensor::from(typed?);
    let (shared, count) = counted(|| erased.into_shared());
    row(count, "into_shared: to many owners")?;
    let (part, count) = counted(|| shared.clone().transpose());
    row(count, "clone and transpose of a shared tensor")?;
    drop(part);
    let tensor = shared.try_into_tensor()?;
    let (group, count) = counted(|| {
        let mut group = AllocationGroup::new();
        group.append_tensor(tensor);
        group
    });
    row(
        count,
        "a group of one: a list of allocations, a list of descriptors",
    )?;
    drop(group);
    writeln!(out)?;
    Ok(())
}

fn sizes(out: &mut impl Write) -> Outcome {
    writeln!(out, "== Bytes of the types themselves ==")?;
    // A layout is shape, strides and offset. An owner adds its storage (vector 24, recycler 16, placement 8, or a boxed
    // buffer 16), a view its slice 16, a dynamic dtype its tag 8. A shared
    // tensor is two counted pointers: to its owner, and to a layout of its own if it has one.
    type Matrix<D> = TypedTensor<f64, Rank<2>, D>;
    let rows = [
        ("DType", size_of::<DType>()),
        ("Device", size_of::<Device>()),
        ("Placement", size_of::<Placement>()),
        ("SliceSpec", size_of::<SliceSpec>()),
        ("TensorLayout<Rank<2>>", size_of::<TensorLayout<Rank<2>>>()),
        ("TensorLayout", size_of::<TensorLayout>()),
        ("TypedTensor<f64, Rank<2>, Host>", size_of::<Matrix<Host>>()),
        ("TypedTensor<f64, Rank<2>, Gpu>", size_of::<Matrix<Gpu>>()),
        (
            "TypedTensor<f64, Rank<2>>",
            size_of::<TypedTensor<f64, Rank<2>>>(),
        ),
        (
            "TypedTensor<f64, DynRank, Host>",
            size_of::<TypedTensor<f64, DynRank, Host>>(),
        ),
        ("TypedTensor<f64>", size_of::<TypedTensor<f64>>()),
        ("Tensor", size_of::<Tensor>()),
        ("Option<Tensor>", size_of::<Option<Tensor>>()),
        (
            "ColMajorView<f64, 2>",
            size_of::<ColMajorView<'_, f64, 2>>(),
        ),
        (
            "TypedTensorView<f64, Rank<2>>",
            size_of::<TypedTensorView<'_, f64, Rank<2>>>(),
        ),
        (
            "TypedTensorView<f64>",
            size_of::<TypedTensorView<'_, f64>>(),
        ),
        (
            "TypedTensorViewMut<f64>",
            size_of::<TypedTensorViewMut<'_, f64>>(),
        ),
        ("TensorView", size_of::<TensorView<'_>>()),
        ("TensorViewMut", size_of::<TensorViewMut<'_>>()),
        ("SharedTensor", size_of::<SharedTensor>()),
        ("AllocationGroup", size_of::<AllocationGroup>()),
        (
            "ReinterpretError<Tensor>",
            size_of::<ReinterpretError<Tensor>>(),
        ),
    ];
    for (name, bytes) in rows {
        writeln!(out, "{bytes:4} {name}")?;
    }
    Ok(())
}

fn main() -> io::Result<()> {
    run(&mut io::stdout().lock())
}
