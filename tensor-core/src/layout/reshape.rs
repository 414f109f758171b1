//! Reshape without a copy.
//!
//! Neighbouring axes that walk memory as one are joined into blocks; the wanted extents are then cut off the blocks from
//! the last axis on. An extent that would straddle two blocks has no stride, so that reshape needs a copy. This accepts
//! exactly what can be expressed by strides, for any source layout, with elements listed in row-major logical order.

use super::{MemoryOrder, TensorLayout, checked_element_count};
use crate::{DynRank, IntoRankShape, TensorRank, ValidationError};

impl<R: TensorRank> TensorLayout<R> {
    /// The layout that reads the same elements, in row-major logical order, with another shape.
    ///
    /// # Errors
    /// [`ValidationError::ReshapeElementCount`], [`ValidationError::IntegerOverflow`], or
    /// [`ValidationError::NonContiguous`] if only a copy could do it: call `to_contiguous()` on the tensor first.
    pub fn reshape(
        &self,
        shape: impl AsRef<[usize]>,
    ) -> Result<TensorLayout<DynRank>, ValidationError> {
        self.reshape_as(shape)
    }

    /// As [`TensorLayout::reshape`], with the rank of the result chosen by the caller.
    ///
    /// # Errors
    /// As [`TensorLayout::reshape`], and [`ValidationError::RankMismatch`].
    #[inline]
    pub fn reshape_as<R2: TensorRank>(
        &self,
        shape: impl IntoRankShape<R2>,
    ) -> Result<TensorLayout<R2>, ValidationError> {
        const OP: &str = "reshape";
        let shape = shape.into_rank_shape().map_err(|error| error.with_op(OP))?;
        let count = checked_element_count(OP, shape.as_ref())?;
        if count != self.element_count() {
            let (from, to) = (self.shape().into(), shape.as_ref().into());
            return Err(ValidationError::ReshapeElementCount { op: OP, from, to });
        }
        let mut out = TensorLayout::<R2>::unstrided(shape, self.offset);
        // Most are dense, and an empty one is: then every shape has strides, and there is no need to look for blocks.
        if self.is_row_major_contiguous() {
            out.fill_dense(MemoryOrder::RowMajor);
        } else if !self.cut_blocks(out.shape.as_ref(), out.strides.as_mut()) {
            return Err(self.non_contiguous(OP));
        }
        Ok(out)
    }

    /// Gives every extent of `shape` its stride; false if an extent straddles two blocks.
    fn cut_blocks(&self, shape: &[usize], strides: &mut [isize]) -> bool {
        let blocks = self.blocks();
        let mut inner_first = blocks.iter().rev();
        let (mut left, mut step) = (1_usize, 1_isize);
        for (&extent, stride) in shape.iter().zip(strides).rev() {
            if extent != 1 && left == 1 {
                // The element counts agree, so a block is left for every extent above 1.
                let Some(block) = inner_first.next() else {
                    return false;
                };
                (left, step) = (block.extent, block.stride);
            }
            if left % extent != 0 {
                return false;
            }
            *stride = step;
            left /= extent;
            // An axis is crossed inside a block, so the product is at most the block's reach.
            step = step.wrapping_mul(isize::try_from(extent).unwrap_or(isize::MAX));
        }
        true
    }
}
