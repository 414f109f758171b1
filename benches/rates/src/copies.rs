//! A view whose axes are permuted, copied to row-major order: ours, ndarray's, candle's, and `memcpy` of as many bytes.
//!
//! Each case comes twice: into memory that the copy asks for, as `to_contiguous` does, where the first touch of its pages
//! costs more than the copy; and into memory that exists and has been written before, which candle does not offer.

use std::fmt::Debug;

use candle_core::{Device, Tensor, WithDType};
use ndarray::{Array, ArrayView, Dim, Dimension, IntoDimension};
use tensor::core::IntoRankShape;
use tensor::{Rank, TypedTensor};

use crate::Failure;
use crate::measure::{Case, timed};

/// How large the tensors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// As they are measured.
    Full,
    /// As they are compared in tests, with rests on all axes.
    #[cfg(test)]
    Small,
}

impl Size {
    /// This size of an extent.
    fn of(self, full: usize) -> usize {
        match self {
            Self::Full => full,
            #[cfg(test)]
            Self::Small => full.div_ceil(50) + 2,
        }
    }
}

/// What is done with a case.
type Visit<'v> = dyn FnMut(Case<'_>) -> Result<(), Failure> + 'v;

/// Shows each wanted case to `visit`; `wanted` is asked with group and name.
pub(crate) fn each(
    size: Size,
    wanted: impl Fn(&str, &str) -> bool,
    visit: &mut Visit<'_>,
) -> Result<(), Failure> {
    all_of::<f32>(size, "f32", |at| at as f32, &wanted, visit)?;
    all_of::<u8>(size, "u8", |at| (at % 251) as u8, &wanted, visit)
}

fn all_of<T: Element>(
    size: Size,
    dtype: &str,
    make: fn(u32) -> T,
    wanted: &dyn Fn(&str, &str) -> bool,
    visit: &mut Visit<'_>,
) -> Result<(), Failure> {
    let matrix = [4096, 4096].map(|extent| size.of(extent));
    let images = [8, 64, 112, 112].map(|extent| size.of(extent));
    let heads = [8, 12, 512, 64].map(|extent| size.of(extent));
    let mut copy = Copy {
        dtype,
        make,
        wanted,
        visit,
    };
    copy.case("transpose", matrix, [1, 0])?;
    copy.case("NCHW to NHWC", images, [0, 2, 3, 1])?;
    copy.case("reverse axes", images, [3, 2, 1, 0])?;
    copy.case("swap middle axes", heads, [0, 2, 1, 3])
}

/// An element that all three libraries have.
trait Element: WithDType + Debug + Default + PartialEq {}

impl Element for f32 {}
impl Element for u8 {}

struct Copy<'c, 'v, T> {
    dtype: &'c str,
    make: fn(u32) -> T,
    wanted: &'c dyn Fn(&str, &str) -> bool,
    visit: &'c mut Visit<'v>,
}

impl<T: Element> Copy<'_, '_, T> {
    /// Both forms of the copy of a tensor of `shape` whose axes are permuted.
    fn case<const N: usize>(
        &mut self,
        what: &str,
        shape: [usize; N],
        axes: [usize; N],
    ) -> Result<(), Failure>
    where
        Dim<[usize; N]>: Dimension,
        [usize; N]: IntoDimension<Dim = Dim<[usize; N]>> + IntoRankShape<Rank<N>>,
    {
        let name = format!("{what} {shape:?} {}", self.dtype);
        let (fresh, existing) = ("copy to fresh memory", "copy to existing memory");
        let groups = [fresh, existing].map(|group| (self.wanted)(group, &name));
        if groups == [false; 2] {
            return Ok(());
        }
        let elements: Vec<T> = (0..).map(self.make).take(shape.iter().product()).collect();
        let bytes = size_of_val(elements.as_slice());
        let ours = TypedTensor::<T, Rank<N>>::from_vec_row_major(shape, elements.clone())?;
        let ours = ours.as_view()?.permute(&axes)?;
        let array = ArrayView::from_shape(shape, &elements)
            .map_err(|error| error.to_string())?
            .permuted_axes(axes);
        let candle = Tensor::from_slice(&elements, &shape[..], &Device::Cpu)?;
        let candle = candle.permute(&axes[..])?;

        let expect = ours.to_vec()?;
        same(
            &name,
            "ndarray",
            &expect,
            &standard(&array).into_raw_vec_and_offset().0,
        )?;
        same(
            &name,
            "candle",
            &expect,
            &candle.contiguous()?.flatten_all()?.to_vec1()?,
        )?;
        let mut out = [expect.clone(), expect.clone(), expect.clone()];
        let [to_ours, to_array, to_plain] = &mut out;
        if groups[0] {
            (self.visit)(Case {
                group: fresh,
                name: name.clone(),
                bytes,
                sides: vec![
                    ("tenfold", Box::new(|| timed(|| ours.to_contiguous()))),
                    ("ndarray", Box::new(|| timed(|| standard(&array)))),
                    ("candle", Box::new(|| timed(|| candle.contiguous()))),
                    ("memcpy", Box::new(|| timed(|| elements.clone()))),
                ],
            })?;
        }
        if groups[1] {
            let mut to_array = ndarray::ArrayViewMut::from_shape(array.raw_dim(), to_array)
                .map_err(|error| error.to_string())?;
            to_ours.fill(T::default());
            to_array.fill(T::default());
            (self.visit)(Case {
                group: existing,
                name: name.clone(),
                bytes,
                sides: vec![
                    ("tenfold", Box::new(|| timed(|| ours.copy_into(to_ours)))),
                    ("ndarray", Box::new(|| timed(|| to_array.assign(&array)))),
                    (
                        "memcpy",
                        Box::new(|| timed(|| to_plain.copy_from_slice(&elements))),
                    ),
                ],
            })?;
            let [to_ours, to_array, _] = &out;
            same(&name, "our copy_into", &expect, to_ours)?;
            same(&name, "ndarray's assign", &expect, to_array)?;
        }
        Ok(())
    }
}

/// The idiom of ndarray for a row-major copy.
fn standard<T: Clone, D: Dimension>(array: &ArrayView<'_, T, D>) -> Array<T, D> {
    array.as_standard_layout().into_owned()
}

fn same<T: PartialEq>(name: &str, side: &str, expect: &[T], found: &[T]) -> Result<(), Failure> {
    if expect == found {
        Ok(())
    } else {
        Err(format!("{name}: {side} gives other elements than our to_vec").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sides_agree() {
        let mut names = Vec::new();
        each(Size::Small, |_, _| true, &mut |mut case| {
            for (_, side) in &mut case.sides {
                side();
            }
            names.push((case.group, case.name));
            Ok(())
        })
        .unwrap();
        assert_eq!(names.len(), 2 * 2 * 4);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 2 * 2 * 4, "a name is given twice");
    }
}
