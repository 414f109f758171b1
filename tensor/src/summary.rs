//! Statistics of a tensor in one pass, for people who look for NaN.

use std::fmt;

use crate::element::{Encode, Number};
use crate::payload::{ViewPayload, each_preset};
use crate::{Result, Tensor, TensorView};

/// What [`TensorView::summary`] counts. Values are `f64`; 64-bit integers may round.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Summary {
    /// The number of elements.
    pub count: usize,
    /// The smallest value that is not NaN; `None` without one, and for complex numbers.
    pub min: Option<f64>,
    /// The largest value that is not NaN; `None` without one, and for complex numbers.
    pub max: Option<f64>,
    /// The mean of the values that are not NaN; `None` without one, and for complex numbers.
    pub mean: Option<f64>,
    /// How many elements are NaN (for a complex number: in either part).
    pub nan_count: usize,
    /// How many elements are infinite (for a complex number: in either part, without NaN).
    pub inf_count: usize,
}

impl TensorView<'_> {
    /// Minimum, maximum, mean and the counts of NaN and infinities; of external scalars only the count.
    #[must_use]
    pub fn summary(&self) -> Summary {
        each_preset!(ViewPayload, self.payload(), view => summarize(view.iter().map(|element| element.number())),
            _external => Summary { count: self.len(), ..Summary::NONE })
    }
}

impl Tensor {
    /// Minimum, maximum, mean and the counts of NaN and infinities; of external scalars only the count.
    ///
    /// # Errors
    /// [`TensorError::NotOnHost`](crate::TensorError::NotOnHost).
    pub fn summary(&self) -> Result<Summary> {
        Ok(self.view()?.summary())
    }
}

impl Summary {
    /// Of no element.
    const NONE: Self = Self {
        count: 0,
        min: None,
        max: None,
        mean: None,
        nan_count: 0,
        inf_count: 0,
    };
}

fn summarize(numbers: impl Iterator<Item = Number>) -> Summary {
    let mut out = Summary::NONE;
    let (mut sum, mut summed) = (0.0_f64, 0_usize);
    numbers.for_each(|number| {
        out.count += 1;
        let real = match number {
            Number::Int(value) => Some(value as f64),
            Number::Float(value) => Some(value),
            Number::Complex(..) => None,
        };
        let (nan, infinite) = match number {
            Number::Int(_) => (false, false),
            Number::Float(value) => (value.is_nan(), value.is_infinite()),
            Number::Complex(re, im) => (
                re.is_nan() || im.is_nan(),
                re.is_infinite() || im.is_infinite(),
            ),
        };
        out.nan_count += usize::from(nan);
        out.inf_count += usize::from(infinite && !nan);
        if let Some(value) = real.filter(|_| !nan) {
            out.min = Some(out.min.map_or(value, |min| min.min(value)));
            out.max = Some(out.max.map_or(value, |max| max.max(value)));
            sum += value;
            summed += 1;
        }
    });
    out.mean = (summed > 0).then(|| sum / summed as f64);
    out
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(min), Some(max), Some(mean)) = (self.min, self.max, self.mean) {
            write!(f, "min={min} max={max} mean={mean} ")?;
        }
        write!(
            f,
            "count={} nan={} inf={}",
            self.count, self.nan_count, self.inf_count
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Complex32;

    #[test]
    fn h02_nan_stays_out_of_min_max_and_mean() {
        let t = Tensor::from_vec_row_major([5], vec![f32::NAN, 2.0, -1.0, f32::NAN, 5.0]).unwrap();
        let s = t.summary().unwrap();
        assert_eq!(
            (s.count, s.min, s.max, s.mean),
            (5, Some(-1.0), Some(5.0), Some(2.0))
        );
        assert_eq!((s.nan_count, s.inf_count), (2, 0));
        assert_eq!(s.to_string(), "min=-1 max=5 mean=2 count=5 nan=2 inf=0");
    }

    #[test]
    fn edges() {
        let empty = Tensor::from_vec_row_major([0], Vec::<i32>::new())
            .unwrap()
            .summary()
            .unwrap();
        assert_eq!((empty.count, empty.min, empty.mean), (0, None, None));
        let inf = Tensor::from_vec_row_major([2], vec![f64::INFINITY, 1.0])
            .unwrap()
            .summary()
            .unwrap();
        assert_eq!(
            (inf.min, inf.max, inf.inf_count),
            (Some(1.0), Some(f64::INFINITY), 1)
        );
        let complex = vec![
            Complex32::new(f32::NAN, f32::INFINITY),
            Complex32::new(1.0, f32::INFINITY),
        ];
        let complex = Tensor::from_vec_row_major([2], complex)
            .unwrap()
            .summary()
            .unwrap();
        assert_eq!(
            (complex.min, complex.nan_count, complex.inf_count),
            (None, 1, 1)
        );
        let flags = Tensor::from_vec_row_major([4], vec![true, false, true, true])
            .unwrap()
            .summary()
            .unwrap();
        assert_eq!(
            (flags.min, flags.max, flags.mean),
            (Some(0.0), Some(1.0), Some(0.75))
        );
    }
}
