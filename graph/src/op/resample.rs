//! Reads between the elements: resizing, sampling at points, aligned regions.

mod grid;
mod resize;
mod roi;

use super::attrs::words;
use super::rule::{Inputs, may_equal, shapes_may_equal};
use super::{Algebra, Attrs, Entry, Family, Numerics, OpDef};

pub use grid::{AffineGrid, GridMode, GridPadding, GridSample};
pub use resize::{AspectPolicy, Coordinates, NearestMode, Resize, ResizeMode, ResizedAxis};
pub use roi::{RoiAlign, RoiMode};

const fn def(
    name: &'static str,
    arity: (usize, usize),
    formula: &'static str,
    source: &'static str,
) -> OpDef {
    OpDef {
        name,
        family: Family::Resample,
        arity,
        algebra: Algebra::NONE,
        formula,
        numerics: Numerics {
            accumulator: "f32 for f32, f64 for f64; coordinates at least f32",
            nan: "propagates from the elements that are read",
            max_ulp: 64,
        },
        source,
    }
}
