//! Random chains of view operations, compared with a model that copies.
//!
//! The model knows nothing of strides: it is a shape and the list of elements in logical order, and every operation lists
//! the elements anew, index by index. Elements are their own names (their place in the first list), so equal lists mean
//! that the view reaches the same elements, and a write through a view must change exactly the named ones.

#![expect(
    clippy::unwrap_used,
    reason = "what fails in a helper fails the test that called it"
)]

use proptest::prelude::*;
use tensor::core::DynRank;
use tensor::{SliceSpec, TensorView, TypedTensor, TypedTensorView, TypedTensorViewMut};

const MAX_RANK: usize = 6;
const MAX_ELEMENTS: usize = 600;

#[derive(Clone, Debug)]
struct Model {
    shape: Vec<usize>,
    names: Vec<usize>,
}

/// Every index of a shape, last axis fastest.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |list, &extent| {
        list.iter()
            .flat_map(|head| (0..extent).map(move |last| [head.as_slice(), &[last]].concat()))
            .collect()
    })
}

/// The positions that Python's `range(extent)[start:end:step]` has.
fn python_slice(extent: usize, spec: SliceSpec) -> Vec<usize> {
    let len = extent as isize;
    let wrap = |bound: isize| if bound < 0 { bound + len } else { bound };
    let inside = |at: isize| match (spec.start.map(wrap), spec.end.map(wrap)) {
        (start, end) if spec.step > 0 => at >= start.unwrap_or(0).max(0) && at < end.unwrap_or(len),
        (start, end) => at <= start.unwrap_or(len) && at > end.unwrap_or(-1),
    };
    let mut taken: Vec<isize> = (0..len).filter(|&at| inside(at)).collect();
    if spec.step < 0 {
        taken.reverse();
    }
    let every = spec.step.unsigned_abs();
    taken.iter().step_by(every).map(|&at| at as usize).collect()
}

impl Model {
    fn new(shape: &[usize]) -> Self {
        let count = shape.iter().product();
        Self {
            shape: shape.to_vec(),
            names: (0..count).collect(),
        }
    }

    fn at(&self, index: &[usize]) -> usize {
        let place = indices(&self.shape).iter().position(|other| other == index);
        self.names[place.expect("an index of the shape")]
    }

    /// A model of `shape` whose element at `index` is this model's at `from(index)`.
    fn listed(&self, shape: Vec<usize>, from: impl Fn(&[usize]) -> Vec<usize>) -> Self {
        let places = indices(&self.shape);
        let by_index: std::collections::BTreeMap<_, _> = places.iter().zip(&self.names).collect();
        let names = indices(&shape)
            .iter()
            .map(|index| *by_index[&from(index)])
            .collect();
        Self { shape, names }
    }

    fn permute(&self, axes: &[usize]) -> Self {
        let shape = axes.iter().map(|&axis| self.shape[axis]).collect();
        self.listed(shape, |index| {
            let mut old = vec![0; index.len()];
            for (&axis, &at) in axes.iter().zip(index) {
                old[axis] = at;
            }
            old
        })
    }

    fn slice(&self, specs: &[SliceSpec]) -> Self {
        let taken: Vec<Vec<usize>> = (self.shape.iter().enumerate())
            .map(|(axis, &extent)| match specs.get(axis) {
                Some(&spec) => python_slice(extent, spec),
                None => (0..extent).collect(),
            })
            .collect();
        self.listed(taken.iter().map(Vec::len).collect(), |index| {
            index
                .iter()
                .zip(&taken)
                .map(|(&at, taken)| taken[at])
                .collect()
        })
    }

    fn reshape(&self, shape: &[usize]) -> Self {
        Self {
            shape: shape.to_vec(),
            names: self.names.clone(),
        }
    }

    fn broadcast_to(&self, shape: &[usize]) -> Self {
        let skip = shape.len() - self.shape.len();
        self.listed(shape.to_vec(), |index| {
            (self.shape.iter().zip(&index[skip..]))
                .map(|(&extent, &at)| if extent == 1 { 0 } else { at })
                .collect()
        })
    }

    fn without(&self, axis: usize, at: usize) -> Self {
        let mut shape = self.shape.clone();
        shape.remove(axis);
        self.listed(shape, |index| {
            [&index[..axis], &[at], &index[axis..]].concat()
        })
    }
}

/// One operation with all its arguments, chosen for the shape it is applied to.
#[derive(Clone, Debug)]
enum Op {
    Permute(Vec<usize>),
    Transpose,
    Slice(Vec<SliceSpec>),
    SliceAxis(usize, SliceSpec),
    Reshape(Vec<usize>),
    Broadcast(Vec<usize>),
    Insert(usize),
    Remove(usize),
    Index(usize, usize),
    /// The first or the second half.
    Split(usize, usize, bool),
}

/// Takes numbers from a list of random ones.
struct Dice<'a>(std::slice::Iter<'a, u16>);

impl Dice<'_> {
    fn below(&mut self, end: usize) -> usize {
        usize::from(*self.0.next().unwrap_or(&0)) % end.max(1)
    }

    fn bound(&mut self, extent: usize) -> Option<isize> {
        let wide = 2 * extent + 4;
        let at = self.below(wide + 3);
        (at < wide).then(|| at as isize - extent as isize - 2)
    }

    fn spec(&mut self, extent: usize) -> SliceSpec {
        let step = [1, 1, 2, 3, -1, -1, -2, -3][self.below(8)];
        SliceSpec::new(self.bound(extent), self.bound(extent), step)
    }

    /// A shape of `count` elements: factors of the count, ones between them, and any order.
    fn shape_of(&mut self, mut count: usize) -> Vec<usize> {
        if count == 0 {
            let mut shape: Vec<usize> = (0..self.below(4)).map(|_| self.below(4)).collect();
            shape.insert(self.below(shape.len() + 1), 0);
            return shape;
        }
        let mut shape = Vec::new();
        while shape.len() < MAX_RANK - 1 && (count > 1 || self.below(3) == 0) {
            let divisors: Vec<usize> = (1..=count).filter(|d| count.is_multiple_of(*d)).collect();
            let divisor = divisors[self.below(divisors.len())];
            shape.push(divisor);
            count /= divisor;
        }
        if count > 1 {
            shape.push(count);
        }
        shape
    }

    fn op(&mut self, shape: &[usize]) -> Op {
        let rank = shape.len();
        let count: usize = shape.iter().product();
        let kind = self.below(10);
        match kind {
            0 => {
                let mut left: Vec<usize> = (0..rank).collect();
                let axes = (0..rank)
                    .map(|_| left.remove(self.below(left.len())))
                    .collect();
                Op::Permute(axes)
            }
            1 => Op::Transpose,
            2 => {
                let specs = self.below(rank + 1);
                Op::Slice(
                    shape[..specs]
                        .iter()
                        .map(|&extent| self.spec(extent))
                        .collect(),
                )
            }
            3 if rank > 0 => {
                let axis = self.below(rank);
                Op::SliceAxis(axis, self.spec(shape[axis]))
            }
            4 => Op::Reshape(self.shape_of(count)),
            5 => {
                let more = self.below(MAX_RANK + 1 - rank.min(MAX_RANK)).min(2);
                let mut target: Vec<usize> = (0..more).map(|_| self.below(4)).collect();
                target.extend(
                    shape
                        .iter()
                        .map(|&extent| if extent == 1 { self.below(4) } else { extent }),
                );
                Op::Broadcast(target)
            }
            6 if rank < MAX_RANK => Op::Insert(self.below(rank + 1)),
            7 if shape.contains(&1) => {
                let ones: Vec<usize> = (0..rank).filter(|&axis| shape[axis] == 1).collect();
                Op::Remove(ones[self.below(ones.len())])
            }
            8 if rank > 0 => {
                let axis = self.below(rank);
                if shape[axis] == 0 {
                    Op::Transpose
                } else {
                    Op::Index(axis, self.below(shape[axis]))
                }
            }
            9 if rank > 0 => {
                let axis = self.below(rank);
                Op::Split(axis, self.below(shape[axis] + 1), self.below(2) == 0)
            }
            _ => Op::Transpose,
        }
    }
}

fn apply_to_model(model: &Model, op: &Op) -> Model {
    let range = |start: usize, end: usize| SliceSpec::range(start as isize, end as isize);
    match op {
        Op::Permute(axes) => model.permute(axes),
        Op::Transpose => model.permute(&(0..model.shape.len()).rev().collect::<Vec<_>>()),
        Op::Slice(specs) => model.slice(specs),
        Op::SliceAxis(axis, spec) => {
            let mut specs = vec![SliceSpec::all(); *axis];
            specs.push(*spec);
            model.slice(&specs)
        }
        Op::Reshape(shape) => model.reshape(shape),
        Op::Broadcast(shape) => model.broadcast_to(shape),
        Op::Insert(axis) => {
            let mut shape = model.shape.clone();
            shape.insert(*axis, 1);
            model.reshape(&shape)
        }
        Op::Remove(axis) => model.without(*axis, 0),
        Op::Index(axis, at) => model.without(*axis, *at),
        Op::Split(axis, at, low) => {
            let mut specs = vec![SliceSpec::all(); *axis];
            specs.push(if *low {
                range(0, *at)
            } else {
                range(*at, model.shape[*axis])
            });
            model.slice(&specs)
        }
    }
}

fn apply<'a>(
    view: &TypedTensorView<'a, usize>,
    op: &Op,
) -> tensor::Result<TypedTensorView<'a, usize>> {
    match op {
        Op::Permute(axes) => view.permute(axes),
        Op::Transpose => Ok(view.transpose()),
        Op::Slice(specs) => view.slice(specs),
        Op::SliceAxis(axis, spec) => view.slice_axis(*axis, *spec),
        Op::Reshape(shape) => view.reshape(shape),
        Op::Broadcast(shape) => view.broadcast_to(shape),
        Op::Insert(axis) => view.insert_axis(*axis),
        Op::Remove(axis) => view.remove_axis(*axis),
        Op::Index(axis, at) => view.index_axis(*axis, *at),
        Op::Split(axis, at, low) => {
            let (a, b) = view.split_at(*axis, *at)?;
            Ok(if *low { a } else { b })
        }
    }
}

/// A tensor whose element at logical place `n` is `n`, in either memory order.
fn named(shape: &[usize], col_major: bool) -> TypedTensor<usize> {
    let model = Model::new(shape);
    if !col_major {
        return TypedTensor::from_vec_row_major(shape, model.names).unwrap();
    }
    // Listing the transposed model last axis fastest lists the model first axis fastest.
    let turned = apply_to_model(&model, &Op::Transpose);
    TypedTensor::from_vec_col_major(shape, turned.names).unwrap()
}

/// Reads a view in every way there is.
fn check_reads(view: &TypedTensorView<'_, usize>, model: &Model) {
    assert_eq!(view.shape(), model.shape);
    assert_eq!(
        (view.len(), view.rank()),
        (model.names.len(), model.shape.len())
    );
    assert_eq!(view.to_vec().unwrap(), model.names, "{view:?}");
    assert!(view.iter().eq(&model.names), "{view:?}");
    assert_eq!(view.iter().len(), model.names.len());
    let mut folded = Vec::new();
    view.iter().for_each(|name| folded.push(*name));
    assert_eq!(folded, model.names);
    let copy = view.to_contiguous().unwrap();
    assert_eq!(
        (copy.shape(), copy.as_slice().unwrap()),
        (&model.shape[..], &model.names[..])
    );
    for (index, name) in indices(&model.shape).iter().zip(&model.names) {
        assert_eq!(view.get(index).unwrap(), name, "{view:?} at {index:?}");
    }
    if let Ok(elements) = view.as_slice() {
        assert_eq!(elements, model.names);
    }
    for axis in 0..model.shape.len() {
        let parts: Vec<usize> = (0..model.shape[axis])
            .flat_map(|at| model.without(axis, at).names)
            .collect();
        let walked: Vec<usize> = view
            .axis_iter(axis)
            .unwrap()
            .flat_map(|part| part.to_vec().unwrap())
            .collect();
        assert_eq!(walked, parts);
        let mut order: Vec<usize> = (0..model.shape.len()).collect();
        order.remove(axis);
        order.push(axis);
        let lanes: Vec<usize> = view.lanes(axis).unwrap().flatten().copied().collect();
        assert_eq!(
            lanes,
            model.permute(&order).names,
            "lanes of {view:?} along {axis}"
        );
    }
}

/// Applies what is left of the chain to a mutable view, writes through the last one, and returns the model of what was
/// written.
fn write(
    mut view: TypedTensorViewMut<'_, usize>,
    dice: &mut Dice<'_>,
    left: usize,
    model: &Model,
) -> Model {
    assert_eq!(view.shape(), model.shape);
    if left == 0 {
        write_all(view, dice, model);
        return model.clone();
    }
    let op = dice.op(&model.shape);
    if matches!(op, Op::Broadcast(_)) {
        return write(view, dice, left - 1, model);
    }
    let next = apply_to_model(model, &op);
    let made = match &op {
        Op::Permute(axes) => view.permute(axes),
        Op::Transpose | Op::Broadcast(_) => Ok(view.transpose()),
        Op::Slice(specs) => view.slice(specs),
        Op::SliceAxis(axis, spec) => view.slice_axis(*axis, *spec),
        Op::Reshape(shape) => view.reshape(shape),
        Op::Insert(axis) => view.insert_axis(*axis),
        Op::Remove(axis) => view.remove_axis(*axis),
        Op::Index(axis, at) => view.index_axis(*axis, *at),
        Op::Split(axis, at, low) => view
            .split_at(*axis, *at)
            .map(|(a, b)| if *low { a } else { b }),
    };
    match made {
        Ok(made) => write(made, dice, left - 1, &next),
        // A reshape that needs a copy, or halves that interleave: the view stays as it is.
        Err(_) => {
            assert!(matches!(op, Op::Reshape(_) | Op::Split(..)), "{op:?}");
            write(view, dice, left - 1, model)
        }
    }
}

/// Adds 1000 to every element, in one of the ways to write.
fn write_all(mut view: TypedTensorViewMut<'_, usize>, dice: &mut Dice<'_>, model: &Model) {
    assert_eq!(view.as_view().to_vec().unwrap(), model.names);
    let rank = model.shape.len();
    match dice.below(6) {
        0 => view.for_each(|element| *element += 1000),
        1 => view.iter_mut().for_each(|element| *element += 1000),
        2 => {
            // `next` instead of `fold`, with all references alive at once.
            let all: Vec<&mut usize> = (&mut view).into_iter().collect();
            assert!(
                all.iter()
                    .map(|element| **element)
                    .eq(model.names.iter().copied())
            );
            all.into_iter().for_each(|element| *element += 1000);
        }
        3 if rank > 0 => {
            let axis = dice.below(rank);
            let lanes: Vec<_> = view.lanes_mut(axis).unwrap().collect();
            for lane in lanes {
                lane.into_iter().for_each(|element| *element += 1000);
            }
        }
        4 if rank > 0 => {
            let axis = dice.below(rank);
            let at = dice.below(model.shape[axis] + 1);
            let (low, high) = view.strided_mut().split_at(axis, at).unwrap();
            for part in [low, high]
                .into_iter()
                .flat_map(|half| half.axis_iter(axis).unwrap())
            {
                part.into_iter().for_each(|element| *element += 1000);
            }
        }
        _ => {
            let source: Vec<usize> = model.names.iter().map(|name| name + 1000).collect();
            let source = TypedTensorView::<usize>::from_slice(&model.shape, &source).unwrap();
            view.copy_from(&source).unwrap();
        }
    }
}

fn shapes() -> impl Strategy<Value = Vec<usize>> {
    // Mostly small extents, sometimes 0, up to rank 6.
    let extent = prop_oneof![1 => Just(0_usize), 2 => Just(1), 6 => 2_usize..5];
    prop::collection::vec(extent, 0..=MAX_RANK).prop_filter("few elements", |shape| {
        shape.iter().product::<usize>() <= MAX_ELEMENTS
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn views_equal_their_copied_twins(
        shape in shapes(),
        col_major: bool,
        steps in 1_usize..8,
        numbers in prop::collection::vec(any::<u16>(), 120),
    ) {
        let tensor = named(&shape, col_major);
        let mut view = tensor.as_view().unwrap();
        let mut model = Model::new(&shape);
        check_reads(&view, &model);
        let mut dice = Dice(numbers.iter());
        for _ in 0..steps {
            let op = dice.op(&model.shape);
            let next = apply_to_model(&model, &op);
            if next.names.len() > MAX_ELEMENTS {
                continue;
            }
            match apply(&view, &op) {
                Ok(made) => (view, model) = (made, next),
                // Only a reshape may need a copy, and never of elements that lie in order.
                Err(error) => {
                    prop_assert!(matches!(op, Op::Reshape(_)), "{:?}: {}", op, error);
                    prop_assert!(!view.layout().is_row_major_contiguous(), "{}", error);
                }
            }
            check_reads(&view, &model);
        }
        // The same elements, erased and with a static rank.
        let numbers: Vec<i64> = model.names.iter().map(|&name| name as i64).collect();
        let erased = TensorView::from_slice(&model.shape, &numbers).unwrap();
        prop_assert_eq!(erased.to_vec::<i64>().unwrap(), numbers.clone());
        if let Ok(matrix) = view.to_rank::<2>() {
            for index in indices(&model.shape) {
                prop_assert_eq!(matrix[[index[0], index[1]]], model.at(&index));
            }
            if let Ok(dense) = matrix.col_major_view() {
                prop_assert!(dense.to_typed_view().iter().eq(&model.names));
            }
            if let Ok(dense) = matrix.row_major_view() {
                prop_assert_eq!(dense.as_slice(), &model.names[..]);
            }
        }
    }

    #[test]
    fn writes_reach_exactly_the_elements_of_the_view(
        shape in shapes(),
        col_major: bool,
        steps in 0_usize..7,
        numbers in prop::collection::vec(any::<u16>(), 120),
    ) {
        let mut tensor = named(&shape, col_major);
        let whole = Model::new(&shape);
        let written = write(
            tensor.as_view_mut().unwrap(),
            &mut Dice(numbers.iter()),
            steps,
            &whole,
        );
        let expect: Vec<usize> = (whole.names.iter())
            .map(|name| name + if written.names.contains(name) { 1000 } else { 0 })
            .collect();
        prop_assert_eq!(tensor.to_vec().unwrap(), expect);
    }

    #[test]
    fn layouts_of_user_strides_are_read_as_they_say(
        axes in prop::collection::vec((0_usize..4, -7_isize..8), 0..=4),
        offset in 0_usize..90,
    ) {
        let data: Vec<usize> = (0..90).collect();
        let shape: Vec<usize> = axes.iter().map(|axis| axis.0).collect();
        let strides: Vec<isize> = axes.iter().map(|axis| axis.1).collect();
        let places: Vec<isize> = indices(&shape)
            .iter()
            .map(|index| {
                let steps = index.iter().zip(&strides).map(|(&at, &stride)| at as isize * stride);
                offset as isize + steps.sum::<isize>()
            })
            .collect();
        let fits = places.iter().all(|place| (0..90).contains(place));
        let made = TypedTensorView::<usize, DynRank>::from_slice_strided(&shape, &strides, offset, &data);
        prop_assert_eq!(made.is_ok(), fits);
        let Ok(view) = made else { return Ok(()) };
        let names: Vec<usize> = places.iter().map(|&place| place as usize).collect();
        check_reads(&view, &Model { shape: shape.clone(), names: names.clone() });
        // Small layouts are told exactly: writable if and only if no place occurs twice.
        let mut data = data.clone();
        let distinct: std::collections::BTreeSet<_> = names.iter().collect();
        let made = TypedTensorViewMut::<usize>::from_slice_strided(&shape, &strides, offset, &mut data);
        prop_assert_eq!(made.is_ok(), distinct.len() == names.len());
        let Ok(mut view) = made else { return Ok(()) };
        view.iter_mut().for_each(|element| *element += 1000);
        let expect: Vec<usize> = (0..90).map(|name| name + if distinct.contains(&name) { 1000 } else { 0 }).collect();
        prop_assert_eq!(data, expect);
    }
}
