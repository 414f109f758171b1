//! The elements of a tensor one by one: as numbers, for statistics, and as JSON.

use serde_json::{Value, json};
use tenfold::TensorView;
use tenfold::tensor::{Complex32, Complex64, Summary, TensorElement, bf16, dispatch_dtype, f16};

/// An element of any dtype; a bool is 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i128),
    Float(f64),
    Complex(f64, f64),
}

/// An element that can be shown.
trait Shown: TensorElement {
    fn number(self) -> Number;
    /// NaN and infinities, which JSON lacks, are null; a complex number is an array of its two parts.
    fn json(self) -> Value;
}

macro_rules! shown {
    ($($T:ty: $value:ident => $number:expr, $json:expr;)+) => {
        $(impl Shown for $T {
            fn number(self) -> Number {
                let $value = self;
                $number
            }
            fn json(self) -> Value {
                let $value = self;
                $json
            }
        })+
    };
}

shown! {
    f64: x => Number::Float(x), json!(x);
    f32: x => Number::Float(x.into()), json!(shortest(x));
    f16: x => Number::Float(x.to_f64()), json!(shortest(x.to_f32()));
    bf16: x => Number::Float(x.to_f64()), json!(shortest(x.to_f32()));
    Complex32: x => Number::Complex(x.re.into(), x.im.into()), json!([shortest(x.re), shortest(x.im)]);
    Complex64: x => Number::Complex(x.re, x.im), json!([x.re, x.im]);
    bool: x => Number::Int(x.into()), json!(x);
    i8: x => Number::Int(x.into()), json!(x);
    i16: x => Number::Int(x.into()), json!(x);
    i32: x => Number::Int(x.into()), json!(x);
    i64: x => Number::Int(x.into()), json!(x);
    u8: x => Number::Int(x.into()), json!(x);
    u16: x => Number::Int(x.into()), json!(x);
    u32: x => Number::Int(x.into()), json!(x);
    u64: x => Number::Int(x.into()), json!(x);
}

/// The f64 whose text is the shortest that reads back as `value`: 0.1, not 0.10000000149011612.
pub(crate) fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| value.into())
}

/// Shows `see` every element in row-major order.
pub(crate) fn each(view: &TensorView<'_>, mut see: impl FnMut(Number)) {
    dispatch_dtype!(view.dtype(), T => {
        if let Some(typed) = view.as_typed::<T>() {
            typed.iter().for_each(|&element| see(element.number()));
        }
    }, _external => ());
}

/// The elements as arrays in arrays, one level for each axis.
pub(crate) fn nested(view: &TensorView<'_>) -> Value {
    let flat: Vec<Value> = dispatch_dtype!(view.dtype(), T => {
        let typed = view.as_typed::<T>();
        typed.map_or_else(Vec::new, |typed| typed.iter().map(|&element| element.json()).collect())
    }, _external => Vec::new());
    nest(view.shape(), &mut flat.into_iter())
}

fn nest(shape: &[usize], flat: &mut impl Iterator<Item = Value>) -> Value {
    match shape.split_first() {
        None => flat.next().unwrap_or_default(),
        Some((&extent, inner)) => (0..extent).map(|_| nest(inner, flat)).collect(),
    }
}

/// What `--stats` says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statistics {
    pub(crate) summary: Summary,
    /// The standard deviation of the values that are not NaN, of which there are as many as are divided by; `None`
    /// without one, and for complex numbers.
    pub(crate) std: Option<f64>,
    /// How many elements are 0, of either sign.
    pub(crate) zero_count: usize,
}

impl Statistics {
    pub(crate) fn of(view: &TensorView<'_>) -> Self {
        let summary = view.summary();
        let (mut squares, mut zero_count) = (0.0_f64, 0_usize);
        let mean = summary.mean.unwrap_or_default();
        each(view, |number| {
            let (value, zero) = match number {
                Number::Int(value) => (value as f64, value == 0),
                Number::Float(value) => (value, value == 0.0),
                Number::Complex(re, im) => (f64::NAN, re == 0.0 && im == 0.0),
            };
            zero_count += usize::from(zero);
            if !value.is_nan() {
                squares += (value - mean) * (value - mean);
            }
        });
        let counted = summary.count - summary.nan_count;
        Self {
            std: summary.mean.map(|_| (squares / counted as f64).sqrt()),
            summary,
            zero_count,
        }
    }

    pub(crate) fn to_json(self) -> Value {
        json!({
            "count": self.summary.count,
            "min": self.summary.min,
            "max": self.summary.max,
            "mean": self.summary.mean,
            "std": self.std,
            "nan_count": self.summary.nan_count,
            "inf_count": self.summary.inf_count,
            "zero_count": self.zero_count,
        })
    }
}

#[cfg(test)]
mod tests {
    use tenfold::Tensor;

    use super::*;

    /// The example of the textbook: the mean is 5, the deviation 2.
    #[test]
    fn statistics_leave_nan_out() {
        let values = vec![2.0_f32, 4.0, f32::NAN, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        let tensor = Tensor::from_vec_row_major([9], values).unwrap();
        let statistics = Statistics::of(&tensor.view().unwrap());
        assert_eq!(
            (statistics.summary.mean, statistics.std),
            (Some(5.0), Some(2.0))
        );
        assert_eq!(
            (statistics.summary.nan_count, statistics.zero_count),
            (1, 0)
        );
    }

    #[test]
    fn edges() {
        let of = |tensor: Tensor| Statistics::of(&tensor.view().unwrap());
        let empty = of(Tensor::from_vec_row_major([0], Vec::<u8>::new()).unwrap());
        assert_eq!((empty.std, empty.zero_count), (None, 0));
        let nan = of(Tensor::from_vec_row_major([1], vec![f64::NAN]).unwrap());
        assert_eq!(nan.std, None);
        let zeros = of(Tensor::from_vec_row_major([3], vec![0.0, -0.0, f64::INFINITY]).unwrap());
        assert_eq!((zeros.zero_count, zeros.summary.inf_count), (2, 1));
        let complex = of(Tensor::scalar(Complex32::new(0.0, 0.0)));
        assert_eq!((complex.std, complex.zero_count), (None, 1));
        let bools = of(Tensor::from_vec_row_major([2], vec![false, true]).unwrap());
        assert_eq!((bools.std, bools.zero_count), (Some(0.5), 1));
    }

    #[test]
    fn values_become_arrays_in_arrays() {
        let json = |tensor: Tensor| nested(&tensor.view().unwrap()).to_string();
        let floats = vec![0.1_f32, f32::NAN, -2.0, 1e30];
        let floats = Tensor::from_vec_row_major([2, 2], floats).unwrap();
        assert_eq!(json(floats), "[[0.1,null],[-2.0,1e+30]]");
        assert_eq!(json(Tensor::scalar(u64::MAX)), u64::MAX.to_string());
        assert_eq!(
            json(Tensor::scalar(Complex64::new(1.5, -1.0))),
            "[1.5,-1.0]"
        );
        let empty = Tensor::from_vec_row_major([2, 0], Vec::<bool>::new()).unwrap();
        assert_eq!(json(empty), "[[],[]]");
    }
}
