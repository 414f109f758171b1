//! `Display`: values in nested brackets, as numpy prints them.
//!
//! A tensor that is not on the host prints its metadata and says how to get its values: printing never moves data.
//! Columns are aligned over the whole tensor; floats share their number of decimals (at most eight), or all have an
//! exponent where magnitudes differ too much. Above [`ELLIPSIS_ABOVE`] elements each axis shows its first and last three
//! indices, and a line of statistics follows.

use std::fmt::{self, Write as _};

use crate::element::{Encode, Number};
use crate::payload::{ViewPayload, each_preset};
use crate::{
    DType, Placement, Representation, Tensor, TensorElement, TensorLayout, TensorRank, TensorView,
    TypedTensor, TypedTensorView,
};

/// Tensors with more elements are abbreviated.
const ELLIPSIS_ABOVE: usize = 1000;
/// Indices shown at each end of an abbreviated axis.
const EDGE: usize = 3;
/// The most decimals of a float.
const DECIMALS: usize = 8;

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.view() {
            Ok(view) => view.fmt(f),
            Err(_) => elsewhere(f, self.dtype(), self.shape(), self.placement()),
        }
    }
}

impl<T: TensorElement, R: TensorRank, D: Representation> fmt::Display for TypedTensor<T, R, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_view() {
            Ok(view) => view.fmt(f),
            Err(_) => elsewhere(f, T::dtype(), self.shape(), self.placement()),
        }
    }
}

impl<T: TensorElement, R: TensorRank> fmt::Display for TypedTensorView<'_, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        TensorView::from(self.clone().into_dyn_rank()).fmt(f)
    }
}

fn elsewhere(
    f: &mut fmt::Formatter<'_>,
    dtype: DType,
    shape: &[usize],
    placement: Placement,
) -> fmt::Result {
    write!(
        f,
        "{dtype}{shape:?} in {placement}; to_host() copies its values to the host"
    )
}

impl fmt::Display for TensorView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return write!(f, "[] {}{:?}", self.dtype(), self.shape());
        }
        let short = self.len() > ELLIPSIS_ABOVE;
        let picked = picked_axes(self.shape(), short);
        let cells = each_preset!(ViewPayload, self.payload(), view => cells(&picked, view.layout(), |at| cell(view.storage()[at])),
            external => cells(&picked, external.layout(), |at| Cell::text(external.tensor().text(at))));
        let cells = align(cells, self.dtype());
        let mut text = String::new();
        brackets(&mut text, &picked, &mut cells.into_iter(), 0)?;
        write!(f, "{text} {}{:?}", self.dtype(), self.shape())?;
        if short {
            write!(f, "\n{}", self.summary())?;
        }
        Ok(())
    }
}

/// The indices shown of one axis; `gap` says after how many of them an ellipsis stands.
struct Picked {
    indices: Vec<usize>,
    gap: Option<usize>,
}

fn picked_axes(shape: &[usize], short: bool) -> Vec<Picked> {
    shape
        .iter()
        .map(|&extent| {
            if short && extent > 2 * EDGE {
                Picked {
                    indices: (0..EDGE).chain(extent - EDGE..extent).collect(),
                    gap: Some(EDGE),
                }
            } else {
                Picked {
                    indices: (0..extent).collect(),
                    gap: None,
                }
            }
        })
        .collect()
}

/// One element as text, in both notations, with its magnitude.
struct Cell {
    decimal: String,
    scientific: String,
    value: f64,
}

impl Cell {
    /// A cell that is shown as it is.
    fn text(decimal: String) -> Self {
        Self {
            scientific: String::new(),
            decimal,
            value: f64::NAN,
        }
    }
}

fn cell<T: Encode>(element: T) -> Cell {
    let value = match element.number() {
        Number::Float(value) => value,
        Number::Int(_) | Number::Complex(..) => f64::NAN,
    };
    Cell {
        decimal: element.decimal(),
        scientific: element.scientific(),
        value,
    }
}

/// The shown elements, in row-major order; `cell` makes one from a position in the buffer.
fn cells(picked: &[Picked], layout: &TensorLayout, cell: impl Fn(usize) -> Cell) -> Vec<Cell> {
    let extents: Vec<usize> = picked.iter().map(|axis| axis.indices.len()).collect();
    let count = if extents.contains(&0) {
        0
    } else {
        extents.iter().product()
    };
    let mut index = vec![0; extents.len()];
    let mut out = Vec::with_capacity(count);
    for flat in 0..count {
        let mut rest = flat;
        for axis in (0..extents.len()).rev() {
            index[axis] = picked[axis].indices[rest % extents[axis]];
            rest /= extents[axis];
        }
        // The index is made of indices of the layout, so it has a position.
        out.extend(layout.offset_of(&index).map(&cell));
    }
    out
}

/// Numpy's rule for when fixed notation would be unreadable.
fn wants_exponent(cells: &[Cell]) -> bool {
    let magnitudes = cells
        .iter()
        .map(|cell| cell.value.abs())
        .filter(|value| value.is_finite() && *value != 0.0);
    let (min, max) = magnitudes.fold((f64::INFINITY, 0.0_f64), |(min, max), value| {
        (min.min(value), max.max(value))
    });
    max >= 1e8 || (max > 0.0 && (min < 1e-4 || max / min > 1000.0))
}

fn align(cells: Vec<Cell>, dtype: DType) -> Vec<String> {
    let exponent = dtype.is_float() && wants_exponent(&cells);
    let digits = |cell: &Cell| {
        let text = if exponent {
            &cell.scientific
        } else {
            &cell.decimal
        };
        let mantissa = text.split('e').next().unwrap_or(text);
        mantissa
            .split_once('.')
            .map_or(0, |(_, digits)| digits.len())
    };
    let most = cells
        .iter()
        .map(digits)
        .max()
        .unwrap_or(0)
        .clamp(1, DECIMALS);
    let text = |cell: Cell| match (dtype.is_float() && cell.value.is_finite(), exponent) {
        (true, true) => format!("{:.most$e}", cell.value),
        (true, false) => format!("{:.most$}", cell.value),
        (false, _) => cell.decimal,
    };
    let mut texts: Vec<String> = cells.into_iter().map(text).collect();
    let width = texts
        .iter()
        .map(|text| text.chars().count())
        .max()
        .unwrap_or(0);
    for text in &mut texts {
        let pad = width - text.chars().count();
        text.insert_str(0, &" ".repeat(pad));
    }
    texts
}

fn brackets(
    out: &mut String,
    axes: &[Picked],
    cells: &mut impl Iterator<Item = String>,
    depth: usize,
) -> fmt::Result {
    let Some((axis, inner)) = axes.split_first() else {
        return out.write_str(&cells.next().unwrap_or_default());
    };
    out.push('[');
    let row = inner.is_empty();
    let separator = |out: &mut String| {
        if row {
            out.push(' ');
        } else {
            out.push_str(&"\n".repeat(inner.len()));
            out.push_str(&" ".repeat(depth + 1));
        }
    };
    for position in 0..axis.indices.len() {
        if position > 0 {
            separator(out);
        }
        if axis.gap == Some(position) {
            out.push_str("...");
            separator(out);
        }
        brackets(out, inner, cells, depth + 1)?;
    }
    out.push(']');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tensor: &Tensor, expect: &str) {
        assert_eq!(tensor.to_string(), expect);
    }

    #[test]
    fn values_are_aligned_and_nested() {
        let ints = Tensor::from_vec_row_major([2, 2, 2], vec![1, -20, 300, 4, 5, 6, 7, 8]).unwrap();
        check(
            &ints,
            "[[[  1 -20]\n  [300   4]]\n\n [[  5   6]\n  [  7   8]]] i32[2, 2, 2]",
        );
        let floats =
            Tensor::from_vec_row_major([4], vec![1.0_f32, -2.5, f32::NAN, f32::NEG_INFINITY])
                .unwrap();
        check(&floats, "[ 1.0 -2.5  NaN -inf] f32[4]");
        let third = Tensor::from_vec_row_major([2], vec![1.0_f32 / 3.0, 1.0]).unwrap();
        check(&third, "[0.33333334 1.00000000] f32[2]");
        let flags = Tensor::from_vec_col_major([2, 1], vec![true, false]).unwrap();
        check(&flags, "[[ true]\n [false]] bool[2, 1]");
    }

    #[test]
    fn typed_owners_and_views_print_as_dynamic_ones() {
        let column =
            TypedTensor::<i32, crate::Rank<2>>::from_vec_col_major([2, 2], vec![1, 3, 2, 4]);
        let column = column.unwrap();
        assert_eq!(column.to_string(), "[[1 2]\n [3 4]] i32[2, 2]");
        let view = column.as_view().unwrap();
        assert_eq!(view.transpose().to_string(), "[[1 3]\n [2 4]] i32[2, 2]");
    }

    #[test]
    fn values_of_different_magnitude_get_an_exponent() {
        check(
            &Tensor::from_vec_row_major([3], vec![1.5e10_f64, 1.0, 0.5]).unwrap(),
            "[1.5e10  1.0e0 5.0e-1] f64[3]",
        );
        check(&Tensor::scalar(1e-9_f32), "1.0e-9 f32[]");
        check(&Tensor::scalar(1e20_f64), "1.0e20 f64[]");
        check(&Tensor::scalar(0.0_f64), "0.0 f64[]");
    }

    #[test]
    fn h01_empty_tensors_print_their_shape() {
        check(&Tensor::zeros(DType::F32, [0]).unwrap(), "[] f32[0]");
        check(&Tensor::zeros(DType::U8, [2, 0]).unwrap(), "[] u8[2, 0]");
        check(
            &Tensor::zeros(DType::U8, [0, usize::MAX]).unwrap(),
            "[] u8[0, 18446744073709551615]",
        );
        check(
            &Tensor::zeros(DType::U8, [usize::MAX, 0]).unwrap(),
            "[] u8[18446744073709551615, 0]",
        );
    }

    #[test]
    fn h01_h02_above_a_thousand_elements_there_is_an_ellipsis_and_a_summary() {
        let line = |count: i32| {
            Tensor::from_vec_row_major([count as usize], (0..count).collect::<Vec<_>>()).unwrap()
        };
        assert!(!line(1000).to_string().contains("..."));
        check(
            &line(1001),
            "[   0    1    2 ...  998  999 1000] i32[1001]\nmin=0 max=1000 mean=500 count=1001 nan=0 inf=0",
        );
        let table = Tensor::from_vec_row_major([7, 200], vec![1_u8; 1400]).unwrap();
        let row = "[1 1 1 ... 1 1 1]";
        let rows = format!("[{row}\n {row}\n {row}\n ...\n {row}\n {row}\n {row}] u8[7, 200]\n");
        check(
            &table,
            &format!("{rows}min=1 max=1 mean=1 count=1400 nan=0 inf=0"),
        );
    }
}
