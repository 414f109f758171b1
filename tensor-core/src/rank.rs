//! Rank as a type: known when compiling, or when running.
//!
//! [`DynRank`] keeps shape and strides in small vectors that hold eight axes without the heap; [`Rank`] keeps them in
//! arrays. Both are behind the sealed [`TensorRank`], so layouts, tensors and views are written once for either.

use std::fmt::Debug;
use std::hash::Hash;

use tinyvec::TinyVec;

use crate::ValidationError;

/// Axes that shape and stride vectors hold without the heap.
pub const INLINE_RANK: usize = 8;
/// A shape of run-time rank.
pub type ShapeVec = TinyVec<[usize; INLINE_RANK]>;
/// Strides of run-time rank, in elements, signed.
pub type StrideVec = TinyVec<[isize; INLINE_RANK]>;

/// How a rank stores shapes and strides; sealed:
/// ```compile_fail,E0277
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
/// struct Mine;
/// impl tensor_core::TensorRank for Mine {
///     const RANK: Option<usize> = Some(1);
///     type Shape = [usize; 1];
///     type Strides = [isize; 1];
///     fn shape_from_slice(_: &[usize]) -> Result<[usize; 1], tensor_core::ValidationError> {
///         Ok([1])
///     }
///     fn strides_from_slice(_: &[isize]) -> Result<[isize; 1], tensor_core::ValidationError> {
///         Ok([1])
///     }
///     fn zero_strides(_: &[usize; 1]) -> [isize; 1] {
///         [0]
///     }
/// }
/// ```
pub trait TensorRank: sealed::Sealed + Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// The rank where it is known when compiling.
    const RANK: Option<usize>;
    /// A shape of this rank.
    type Shape: IntoRankShape<Self>
        + AsRef<[usize]>
        + AsMut<[usize]>
        + Clone
        + Eq
        + Hash
        + Debug
        + Send
        + Sync
        + 'static;
    /// Strides of this rank.
    type Strides: AsRef<[isize]>
        + AsMut<[isize]>
        + Clone
        + Eq
        + Hash
        + Debug
        + Send
        + Sync
        + 'static;

    /// The shape with these extents.
    ///
    /// # Errors
    /// [`ValidationError::RankMismatch`] if a static rank differs.
    fn shape_from_slice(shape: &[usize]) -> Result<Self::Shape, ValidationError>;

    /// The strides with these values.
    ///
    /// # Errors
    /// [`ValidationError::RankMismatch`] if a static rank differs.
    fn strides_from_slice(strides: &[isize]) -> Result<Self::Strides, ValidationError>;

    /// Strides of value 0, as many as `shape` has extents.
    fn zero_strides(shape: &Self::Shape) -> Self::Strides;
}

/// Rank known when running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DynRank;

/// Rank `N`, known when compiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rank<const N: usize>;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::DynRank {}
    impl<const N: usize> Sealed for super::Rank<N> {}
}

impl TensorRank for DynRank {
    const RANK: Option<usize> = None;
    type Shape = ShapeVec;
    type Strides = StrideVec;

    #[inline]
    fn shape_from_slice(shape: &[usize]) -> Result<ShapeVec, ValidationError> {
        Ok(ShapeVec::from(shape))
    }

    fn strides_from_slice(strides: &[isize]) -> Result<StrideVec, ValidationError> {
        Ok(StrideVec::from(strides))
    }

    #[inline]
    fn zero_strides(shape: &ShapeVec) -> StrideVec {
        StrideVec::with_initial_len(shape.len())
    }
}

impl<const N: usize> TensorRank for Rank<N> {
    const RANK: Option<usize> = Some(N);
    type Shape = [usize; N];
    type Strides = [isize; N];

    fn shape_from_slice(shape: &[usize]) -> Result<[usize; N], ValidationError> {
        array_from_slice(shape)
    }

    fn strides_from_slice(strides: &[isize]) -> Result<[isize; N], ValidationError> {
        array_from_slice(strides)
    }

    fn zero_strides(_shape: &[usize; N]) -> [isize; N] {
        [0; N]
    }
}

fn array_from_slice<T: Copy, const N: usize>(values: &[T]) -> Result<[T; N], ValidationError> {
    values
        .try_into()
        .map_err(|_| ValidationError::RankMismatch {
            op: "shape",
            expected: N,
            actual: values.len(),
        })
}

/// Values that can be the shape of a tensor of rank `R`.
///
/// For [`DynRank`] anything that reads as a slice of extents; for [`Rank<N>`] an array of exactly `N` extents (another
/// length does not compile) or a vector or slice, whose length is checked when running.
///
/// ```compile_fail,E0277
/// use tensor_core::{Rank, TensorLayout};
/// let layout = TensorLayout::<Rank<2>>::row_major([2, 3, 1]);
/// ```
pub trait IntoRankShape<R: TensorRank> {
    /// The shape.
    ///
    /// # Errors
    /// [`ValidationError::RankMismatch`] if a static rank differs from the number of extents.
    fn into_rank_shape(self) -> Result<R::Shape, ValidationError>;
}

impl<S: AsRef<[usize]>> IntoRankShape<DynRank> for S {
    fn into_rank_shape(self) -> Result<ShapeVec, ValidationError> {
        DynRank::shape_from_slice(self.as_ref())
    }
}

impl<const N: usize> IntoRankShape<Rank<N>> for [usize; N] {
    fn into_rank_shape(self) -> Result<[usize; N], ValidationError> {
        Ok(self)
    }
}

impl<const N: usize> IntoRankShape<Rank<N>> for &[usize; N] {
    fn into_rank_shape(self) -> Result<[usize; N], ValidationError> {
        Ok(*self)
    }
}

impl<const N: usize> IntoRankShape<Rank<N>> for &[usize] {
    fn into_rank_shape(self) -> Result<[usize; N], ValidationError> {
        array_from_slice(self)
    }
}

impl<const N: usize> IntoRankShape<Rank<N>> for Vec<usize> {
    fn into_rank_shape(self) -> Result<[usize; N], ValidationError> {
        array_from_slice(&self)
    }
}

impl<const N: usize> IntoRankShape<Rank<N>> for ShapeVec {
    fn into_rank_shape(self) -> Result<[usize; N], ValidationError> {
        array_from_slice(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_up_to_eight_axes() {
        for rank in 0..=10 {
            let shape = DynRank::shape_from_slice(&vec![1; rank]).unwrap();
            assert_eq!(shape.is_heap(), rank > INLINE_RANK, "rank {rank}");
        }
    }

    #[test]
    fn run_time_containers_are_checked_against_a_static_rank() {
        let expect = Err(ValidationError::RankMismatch {
            op: "shape",
            expected: 2,
            actual: 3,
        });
        assert_eq!(
            IntoRankShape::<Rank<2>>::into_rank_shape(vec![1, 2, 3]),
            expect
        );
        assert_eq!(
            IntoRankShape::<Rank<2>>::into_rank_shape(&[1, 2, 3][..]),
            expect
        );
        assert_eq!(
            IntoRankShape::<Rank<2>>::into_rank_shape([4, 5]),
            Ok([4, 5])
        );
        assert_eq!((DynRank::RANK, Rank::<3>::RANK), (None, Some(3)));
    }
}
