//! `Display`: values in nested brackets, as numpy prints them.
//!
//! Columns are aligned over the whole tensor; floats share their number of decimals (at most eight), or all have an
//! exponent where magnitudes differ too much. Above [`ELLIPSIS_ABOVE`] elements each axis shows its first and last three
//! indices, and a line of statistics follows.

use std::fmt::{self, Write as _};

use crate::element::{Encode, Number};
use crate::payload::{ViewPayload, each_preset};
use crate::{DType, Tensor, TensorView, TypedTensorView};

/// Tensors with more elements are abbreviated.
const ELLIPSIS_ABOVE: usize = 1000;
/// Indices shown at each end of an abbreviated axis.
const EDGE: usize = 3;
/// The most decimals of a float.
const DECIMALS: usize = 8;

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

impl fmt::Display for TensorView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = self.len() > ELLIPSIS_ABOVE;
        let picked = picked_axes(self.shape(), short);
        let cells = each_preset!(ViewPayload, self.payload(), view => cells(view, &picked));
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

/// The shown elements, in row-major order.
fn cells<T: Encode>(view: &TypedTensorView<'_, T>, picked: &[Picked]) -> Vec<Cell> {
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
        let Ok(&element) = view.get(&index) else {
            continue;
        };
        let value = match element.number() {
            Number::Float(value) => value,
            Number::Int(_) | Number::Complex(..) => f64::NAN,
        };
        out.push(Cell {
            decimal: element.decimal(),
            scientific: element.scientific(),
            value,
        });
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
    let mut texts: Vec<String> = if exponent {
        cells.into_iter().map(|cell| cell.scientific).collect()
    } else if dtype.is_float() {
        let decimals = |cell: &Cell| {
            cell.decimal
                .split_once('.')
                .map_or(0, |(_, digits)| digits.len())
        };
        let most = cells
            .iter()
            .map(decimals)
            .max()
            .unwrap_or(0)
            .clamp(1, DECIMALS);
        cells.into_iter().map(|cell| fixed(&cell, most)).collect()
    } else {
        cells.into_iter().map(|cell| cell.decimal).collect()
    };
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

fn fixed(cell: &Cell, decimals: usize) -> String {
    if cell.value.is_finite() {
        format!("{:.decimals$}", cell.value)
    } else {
        cell.decimal.clone()
    }
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
