//! A walk through tensors: owners and what their types promise, views, conversions that never lose their input, memory of
//! devices, shared owners, groups.
//!
//! `cargo run -p tensor --example data_model` prints what `data_model.txt` beside this file holds; a test compares the two.

use std::any::Any;
use std::error::Error;
use std::io::{self, Write};

use tensor::{
    AllocationGroup, Buffer, DType, Device, DeviceKind, DynRank, Gpu, Host, Placement, Rank,
    Result, SliceSpec, Tensor, TypedTensor, TypedTensorView,
};

type Outcome = std::result::Result<(), Box<dyn Error + Send + Sync>>;

/// Writes the whole walk.
///
/// # Errors
/// What `out` reports.
pub fn run(out: &mut impl Write) -> io::Result<()> {
    let walk = |out: &mut _| {
        orders(out)?;
        ranks_and_representations(out)?;
        views(out)?;
        writing(out)?;
        dynamic(out)?;
        owners_come_back(out)?;
        devices(out)?;
        shared(out)?;
        groups(out)
    };
    walk(out).map_err(io::Error::other)
}

fn orders(out: &mut impl Write) -> Outcome {
    writeln!(out, "== One tensor, two memory orders ==")?;
    // A list of elements has no default order: the constructor names it. Both adopt the vector, neither copies.
    let row = TypedTensor::<f64>::from_vec_row_major([2, 3], vec![1., 2., 3., 4., 5., 6.])?;
    let col = TypedTensor::<f64>::from_vec_col_major([2, 3], vec![1., 4., 2., 5., 3., 6.])?;
    for (name, tensor) in [("row-major", &row), ("column-major", &col)] {
        let (strides, memory) = (tensor.strides(), tensor.storage()?);
        writeln!(out, "{name:12} strides {strides:?}, memory {memory:?}")?;
        // Logical order, element by index: what code sees does not depend on the order of memory.
        let (element, list) = (tensor.get(&[1, 0])?, tensor.to_vec()?);
        writeln!(out, "{:12} [1, 0] = {element}, elements {list:?}", "")?;
    }
    writeln!(out)?;
    Ok(())
}

fn ranks_and_representations(out: &mut impl Write) -> Outcome {
    writeln!(out, "== What a type can promise ==")?;
    // Rank 2, known when compiling: arrays index it, and a shape of another length does not compile.
    let mut matrix: TypedTensor<i32, Rank<2>> = TypedTensor::zeros([2, 2])?;
    matrix[[1, 0]] = 7;
    writeln!(out, "ranked: {} and {}", matrix[[1, 0]], matrix[[1, 1]])?;
    // A shape from elsewhere is checked when running.
    let failed = TypedTensor::<i32, Rank<2>>::from_vec_col_major(vec![2, 3, 1], vec![0; 6]);
    writeln!(out, "refused: {}", told(failed))?;
    let failed = TypedTensor::<i32>::from_vec_col_major([2, 3], vec![0; 5]);
    writeln!(out, "refused: {}", told(failed))?;

    // Plain host memory, known when compiling: the only owner that clones, and slices index it at any rank.
    let host: TypedTensor<i32, DynRank, Host> = matrix.into_dyn_rank().into_host()?;
    let copy = host.clone();
    let apart = copy.as_slice()?.as_ptr() != host.as_slice()?.as_ptr();
    writeln!(
        out,
        "cloned: {} in memory of its own: {apart}",
        copy[&[1, 0][..]]
    )?;

    // An element needs no dtype. Neither `Copy` nor `Default` is asked for until something needs it.
    let names = vec!["a".to_owned(), "b".to_owned(), "c".to_owned()];
    let names = TypedTensor::<String>::from_vec_row_major([3], names)?;
    let last = names.as_view()?.slice(&[SliceSpec::reverse()])?;
    writeln!(out, "any element: {:?}", last.to_vec()?)?;
    writeln!(out)?;
    Ok(())
}

fn views(out: &mut impl Write) -> Outcome {
    writeln!(out, "== Views: other layouts of the same memory ==")?;
    let owner = TypedTensor::<i32>::from_vec_row_major([2, 3], vec![1, 2, 3, 4, 5, 6])?;
    let all = owner.as_view()?;
    let first_row = all.index_axis(0, 0)?;
    show(out, "all", &all)?;
    show(out, "transposed", &all.transpose())?;
    show(
        out,
        "reversed",
        &all.slice(&[SliceSpec::all(), SliceSpec::reverse()])?,
    )?;
    show(
        out,
        "last column",
        &all.slice_axis(1, SliceSpec::range(-1, 3))?,
    )?;
    show(out, "first row", &first_row)?;
    show(out, "repeated", &first_row.broadcast_to([2, 3])?)?;
    show(out, "reshaped", &all.reshape([3, 2])?)?;
    // What only a copy could do is refused, and the copy has a name.
    let failed = all.transpose().reshape([6]);
    writeln!(out, "refused: {}", told(failed))?;
    let copy = all.transpose().to_contiguous()?;
    show(out, "copied", &copy.as_view()?.reshape([6])?)?;
    // Dense views of static rank hold no strides: rows are plain slices, for loops that must be fast.
    let ranked = all.to_rank::<2>()?;
    let sums: Vec<i32> = ranked
        .row_major_view()?
        .lanes()
        .map(|row| row.iter().sum())
        .collect();
    writeln!(out, "sums of rows {sums:?}")?;
    writeln!(out)?;
    Ok(())
}

fn writing(out: &mut impl Write) -> Outcome {
    writeln!(out, "== Views that write ==")?;
    // One at a time: the compiler refuses a second one, and any reader beside it.
    let mut owner = TypedTensor::<i32>::from_vec_row_major([2, 3], vec![1, 2, 3, 4, 5, 6])?;
    let mut view = owner.as_view_mut()?;
    view.slice(&[SliceSpec::range(0, 1)])?.fill(0);
    // Rows lie apart, so there can be a view of each. Columns interleave.
    let (mut top, bottom) = view.split_at(0, 1)?;
    top.copy_from(&bottom.as_view())?;
    let failed = view.split_at(1, 1).map(drop);
    writeln!(out, "refused: {}", told(failed))?;
    let (mut left, mut right) = view.strided_mut().split_at(1, 1)?;
    left.fill(-1);
    right.fill(9);
    writeln!(out, "written: {:?}", owner.as_slice()?)?;
    writeln!(out)?;
    Ok(())
}

fn dynamic(out: &mut impl Write) -> Outcome {
    writeln!(out, "== Tensors of any dtype ==")?;
    let halves = TypedTensor::<f64>::from_vec_row_major([2, 2], vec![0.5, 1.0, 1.5, -2.0])?;
    let address = halves.as_slice()?.as_ptr();
    // Only the knowledge of the type moves; the elements stay where they are.
    let tensor = Tensor::from(halves);
    writeln!(out, "{tensor}")?;
    writeln!(out, "{tensor:?}")?;
    let (as_f64, as_f32) = (tensor.as_typed::<f64>(), tensor.as_typed::<f32>());
    writeln!(
        out,
        "as f64: {}, as f32: {}",
        as_f64.is_some(),
        as_f32.is_some()
    )?;
    writeln!(out, "cast: {}", tensor.cast(DType::I32)?)?;

    // The wrong type: the tensor comes back, and the right one can be tried.
    let failed = tensor
        .into_typed::<f32>()
        .expect_err("the elements are f64");
    writeln!(out, "refused: {failed}")?;
    let (tensor, _cause) = failed.into_parts();
    let typed = tensor.into_typed::<f64>()?;
    let stayed = typed.as_slice()?.as_ptr() == address;
    writeln!(out, "recovered: the elements have not moved: {stayed}")?;
    writeln!(out)?;
    Ok(())
}

fn owners_come_back(out: &mut impl Write) -> Outcome {
    writeln!(out, "== A failed conversion returns its owner ==")?;
    let owner = TypedTensor::<i32>::from_vec_col_major([2, 2], vec![1, 2, 3, 4])?;
    let failed = owner.try_into_rank::<3>().expect_err("the rank is 2");
    writeln!(out, "{failed}")?;
    let failed = failed
        .into_owner()
        .into_vec()
        .expect_err("the order is column-major");
    writeln!(out, "{failed}")?;
    let failed = failed
        .into_owner()
        .into_gpu()
        .expect_err("the memory is plain");
    writeln!(out, "{failed}")?;
    let matrix = failed.into_owner().try_into_rank::<2>()?;
    writeln!(out, "still whole: [1, 0] = {}", matrix[[1, 0]])?;
    writeln!(out)?;
    Ok(())
}

/// Memory of a device that the host can't read. A backend writes such a type for its own memory.
struct Remote(Vec<f32>);

impl Buffer<f32> for Remote {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn placement(&self) -> Placement {
        Placement::on_device(Device::new(DeviceKind::Custom(7), 0))
    }
    fn host(&self) -> Option<&[f32]> {
        None
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

fn devices(out: &mut impl Write) -> Outcome {
    writeln!(out, "== Memory of a device: nothing moves unasked ==")?;
    let remote = Box::new(Remote(vec![1.0, 2.0]));
    let gpu = TypedTensor::<f32, DynRank, Gpu>::from_buffer_row_major([2], remote)?;
    let tensor = Tensor::from(gpu.into_dynamic());
    writeln!(out, "{tensor}")?;
    writeln!(out, "refused: {}", told(tensor.view()))?;
    writeln!(out, "copied: {}", tensor.to_host()?)?;
    let failed = tensor
        .into_typed::<f32>()?
        .into_host()
        .expect_err("a buffer owns it");
    writeln!(out, "{failed}")?;

    // Host memory behind a buffer is read in place, but a conversion still does not copy it out.
    let host = TypedTensor::<f32, DynRank, Host>::from_host_vec_row_major([2], vec![3.0, 4.0])?;
    let promoted = host.promote().into_dynamic();
    writeln!(
        out,
        "promoted: {:?} in {}",
        promoted.as_slice()?,
        promoted.placement()
    )?;
    let failed = promoted.into_host().expect_err("a buffer owns it");
    writeln!(out, "{failed}")?;
    writeln!(out)?;
    Ok(())
}

fn shared(out: &mut impl Write) -> Outcome {
    writeln!(out, "== Shared owners ==")?;
    let all = Tensor::from_vec_row_major([2, 3], vec![1, 2, 3, 4, 5, 6])?.into_shared();
    // A part owns the storage too, for as long as it likes; making one copies nothing.
    let mut row = all.index_axis(0, 1)?;
    writeln!(out, "{row} has {} holders", row.holders())?;
    writeln!(out, "refused: {}", told(row.view_mut()))?;
    drop(all);
    row.view_mut()?.as_mut_slice::<i32>()?[0] = 40;
    writeln!(out, "{row} has {} holder", row.holders())?;
    let failed = row.try_into_tensor().expect_err("a row is not the whole");
    writeln!(out, "{failed}")?;
    writeln!(out)?;
    Ok(())
}

fn groups(out: &mut impl Write) -> Outcome {
    writeln!(out, "== Groups: many allocations, several looks at one ==")?;
    let weights = Tensor::from_vec_row_major([2, 2], vec![1, 2, 3, 4])?;
    let (mut group, slots) = AllocationGroup::from_tensors(vec![weights, Tensor::scalar(0.5_f32)]);
    // Tied weights: a second look at the first allocation, transposed.
    let tied = group.append_view(slots[0], group.layout(slots[0])?.transpose())?;
    group.write_view(slots[0])?.as_mut_slice::<i32>()?[1] = 20;
    writeln!(out, "tied: {:?}", group.read_view(tied)?.to_vec::<i32>()?)?;
    writeln!(out, "refused: {}", told(group.take_tensor(slots[0])))?;
    group.release(tied)?;
    let weights = group.take_tensor(slots[0])?;
    writeln!(
        out,
        "taken: {:?}, left: {}",
        weights.to_vec::<i32>()?,
        group.len()
    )?;
    let scale = group.into_tensor()?;
    writeln!(out, "the last one: {scale}")?;
    Ok(())
}

fn show(out: &mut impl Write, name: &str, view: &TypedTensorView<'_, i32>) -> Outcome {
    let layout = view.layout();
    let (shape, strides, offset) = (layout.shape(), layout.strides(), layout.offset());
    let metadata = format!("{shape:?} strides {strides:?} offset {offset}");
    writeln!(out, "{name:11} {metadata:32} {:?}", view.to_vec()?)?;
    Ok(())
}

/// The text of an error that the walk provokes.
fn told<T>(failed: Result<T>) -> String {
    match failed {
        Ok(_) => "nothing".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn main() -> io::Result<()> {
    run(&mut io::stdout().lock())
}
