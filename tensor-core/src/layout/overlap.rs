//! Whether a layout may be written: no element may be reachable by two indices.
//!
//! Sorted by |stride|, axes that each step past everything the smaller ones reach can't collide; that proof covers every
//! dense, sliced or permuted layout. Layouts it does not cover are counted out element by element while that is cheap, and
//! refused above.

use std::collections::BTreeSet;

use super::TensorLayout;
use crate::{ShapeVec, TensorRank, ValidationError};

/// Layouts of at most this many elements are enumerated exactly.
const ENUMERATION_LIMIT: usize = 4096;

impl<R: TensorRank> TensorLayout<R> {
    /// Checks that no two indices name the same element.
    ///
    /// # Errors
    /// [`ValidationError::OverlappingMutableLayout`], also for layouts above 4096 elements which interleave in a way that
    /// the stride test can't prove to be free of overlap.
    pub fn validate_mutable_no_overlap(&self) -> Result<(), ValidationError> {
        let refuse = || ValidationError::OverlappingMutableLayout {
            op: "validate_mutable_no_overlap",
            shape: self.shape().into(),
            strides: self.strides().into(),
        };
        if self.is_empty() || self.strides_are_nested() {
            return Ok(());
        }
        if self.element_count() > ENUMERATION_LIMIT {
            return Err(refuse());
        }
        let mut seen = BTreeSet::new();
        if self.offsets().all(|offset| seen.insert(offset)) {
            Ok(())
        } else {
            Err(refuse())
        }
    }

    fn strides_are_nested(&self) -> bool {
        let mut axes: ShapeVec = (0..self.rank()).collect();
        axes.sort_unstable_by_key(|axis| self.strides()[*axis].unsigned_abs());
        let mut reach = 0_usize;
        axes.iter()
            .copied()
            .filter(|&axis| self.shape()[axis] > 1)
            .all(|axis| {
                let step = self.strides()[axis].unsigned_abs();
                let nested = step > reach;
                reach = reach.saturating_add(step.saturating_mul(self.shape()[axis] - 1));
                nested
            })
    }
}
