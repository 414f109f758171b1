//! `--hist`: how the values of a tensor are spread, as bars.
//!
//! Floats are counted in 16 bins of the same width from the smallest to the largest finite value, as `numpy.histogram` does:
//! a bin holds its lower bound and not its upper, but the last holds both. Integers and bools are counted in at most 16 bins
//! of the same whole number of values, so that no bin has more values than another by rounding. NaN and infinities are
//! counted beside them.

use serde_json::{Value, json};
use tenfold::TensorView;

use crate::table::{Align, Table, grouped, number};
use crate::values::{Number, each};

const BINS: usize = 16;
/// Characters of the longest bar.
const WIDTH: usize = 40;

/// Bounds and count of one bin. The upper bound of integers is the last value that is counted.
#[derive(Clone, Debug, PartialEq)]
struct Bin {
    from: Number,
    to: Number,
    count: u64,
}

/// The spread of the values of a real tensor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Histogram {
    bins: Vec<Bin>,
    nan_count: u64,
    inf_count: u64,
}

impl Histogram {
    /// Counts the elements of `view`, which are no complex numbers.
    pub(crate) fn of(view: &TensorView<'_>) -> Self {
        let (mut nan_count, mut inf_count) = (0, 0);
        let mut floats: Option<(f64, f64)> = None;
        let mut ints: Option<(i128, i128)> = None;
        each(view, |value| match value {
            Number::Int(value) => {
                ints = Some(ints.map_or((value, value), |(low, high)| {
                    (low.min(value), high.max(value))
                }));
            }
            Number::Float(value) if value.is_finite() => {
                floats = Some(floats.map_or((value, value), |(low, high)| {
                    (low.min(value), high.max(value))
                }));
            }
            Number::Float(value) if value.is_infinite() => inf_count += 1,
            Number::Float(_) | Number::Complex(..) => nan_count += 1,
        });
        let bins = match (ints, floats) {
            (Some((low, high)), _) => of_ints(view, low, high),
            (None, Some((low, high))) => of_floats(view, low, high),
            (None, None) => Vec::new(),
        };
        Self {
            bins,
            nan_count,
            inf_count,
        }
    }

    /// The bins as a table with bars, and what is in none of them.
    pub(crate) fn render(&self) -> String {
        let mut table = Table::new([
            ("from", Align::Right),
            ("to", Align::Right),
            ("elements", Align::Right),
            ("", Align::Left),
        ]);
        let most = self.bins.iter().map(|bin| bin.count).max().unwrap_or(0);
        for bin in &self.bins {
            table.row([
                text(bin.from),
                text(bin.to),
                grouped(bin.count),
                bar(bin.count, most),
            ]);
        }
        let mut text = if self.bins.is_empty() {
            "no finite values\n".to_owned()
        } else {
            table.render(0)
        };
        if self.nan_count + self.inf_count > 0 {
            text += &format!(
                "left out: {} NaN, {} infinite\n",
                grouped(self.nan_count),
                grouped(self.inf_count)
            );
        }
        text
    }

    pub(crate) fn to_json(&self) -> Value {
        let bin =
            |bin: &Bin| json!({ "from": bound(bin.from), "to": bound(bin.to), "count": bin.count });
        json!({
            "bins": self.bins.iter().map(bin).collect::<Vec<_>>(),
            "nan_count": self.nan_count,
            "inf_count": self.inf_count,
        })
    }
}

fn text(bound: Number) -> String {
    match bound {
        Number::Int(value) => value.to_string(),
        Number::Float(value) | Number::Complex(value, _) => number(value),
    }
}

/// A bound of integers is between the smallest i64 and the largest u64, as elements are.
fn bound(bound: Number) -> Value {
    match bound {
        Number::Int(value) => u64::try_from(value)
            .map(Value::from)
            .or_else(|_| i64::try_from(value).map(Value::from))
            .unwrap_or_default(),
        Number::Float(value) | Number::Complex(value, _) => json!(value),
    }
}

/// Bins of the integers `low` to `high`, both counted.
fn of_ints(view: &TensorView<'_>, low: i128, high: i128) -> Vec<Bin> {
    let values = (high - low).unsigned_abs() + 1;
    let width = values.div_ceil(BINS as u128);
    let place = |value: i128| ((value - low).unsigned_abs() / width) as usize;
    let mut counts = vec![0; place(high) + 1];
    each(view, |value| {
        if let Number::Int(value) = value {
            counts[place(value)] += 1;
        }
    });
    // The width is at most 2^60 and there are 16 bins, so nothing overflows.
    let width = width as i128;
    let starts = (0_i128..).map(|at| low + at * width);
    starts
        .zip(counts)
        .map(|(start, count)| Bin {
            from: Number::Int(start),
            to: Number::Int((start + width - 1).min(high)),
            count,
        })
        .collect()
}

/// Bins of the finite floats from `low` to `high`; one value gets bins around it, as numpy does.
fn of_floats(view: &TensorView<'_>, low: f64, high: f64) -> Vec<Bin> {
    // Near the largest floats a half is lost, and the value stands in the first bin of no width.
    let (low, high) = if low == high {
        (low - 0.5, high + 0.5)
    } else {
        (low, high)
    };
    // Halves: the distance of the two may be more than the largest float.
    let half = high / 2.0 - low / 2.0;
    let mut counts = [0; BINS];
    each(view, |value| {
        if let Number::Float(value) = value
            && value.is_finite()
        {
            // A NaN of 0 / 0 becomes 0.
            let place = (value / 2.0 - low / 2.0) / half * BINS as f64;
            counts[(place as usize).min(BINS - 1)] += 1;
        }
    });
    let edge = |at: usize| {
        let part = at as f64 / BINS as f64;
        low * (1.0 - part) + high * part
    };
    let bin = |(at, count)| Bin {
        from: Number::Float(edge(at)),
        to: Number::Float(edge(at + 1)),
        count,
    };
    counts.into_iter().enumerate().map(bin).collect()
}

/// A bar in eighths of a character. What is counted at all has one eighth at least.
fn bar(count: u64, most: u64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if count == 0 {
        return String::new();
    }
    let eighths = (count as f64 / most as f64 * (WIDTH * 8) as f64).round() as usize;
    let eighths = eighths.max(1);
    "█".repeat(eighths / 8) + PARTS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use tenfold::Tensor;
    use tenfold::tensor::TensorElement;

    use super::*;

    fn of<T: TensorElement>(values: &[T]) -> Histogram {
        let tensor = Tensor::from_vec_row_major([values.len()], values.to_vec()).unwrap();
        Histogram::of(&tensor.view().unwrap())
    }

    fn counts(histogram: &Histogram) -> Vec<u64> {
        histogram.bins.iter().map(|bin| bin.count).collect()
    }

    /// As `numpy.histogram([0, 1, 1.5, 15, 16, 16], 16)`.
    #[test]
    fn floats_are_counted_as_numpy_does() {
        let histogram = of(&[0.0, 1.0, 1.5, 15.0, f64::NAN, 16.0, f64::INFINITY, 16.0]);
        let expect = [1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3];
        assert_eq!(counts(&histogram), expect);
        assert_eq!((histogram.nan_count, histogram.inf_count), (1, 1));
        assert_eq!(
            (histogram.bins[1].from, histogram.bins[1].to),
            (Number::Float(1.0), Number::Float(2.0))
        );
    }

    #[test]
    fn integers_have_whole_bins() {
        let bools = of(&[true, false, true]);
        assert_eq!(counts(&bools), [1, 2]);
        // 0 to 32 are 33 values: 11 bins of 3.
        let ints = of(&[0_i32, 2, 3, 32]);
        assert_eq!(counts(&ints), [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(
            (ints.bins[10].from, ints.bins[10].to),
            (Number::Int(30), Number::Int(32))
        );
        let all = of(&[u64::MAX, 0]);
        assert_eq!((counts(&all)[0], counts(&all)[15]), (1, 1));
        assert_eq!(all.bins[15].to, Number::Int(u64::MAX.into()));
        let signed = of(&[i64::MIN, i64::MAX, -1]);
        assert_eq!((counts(&signed)[7], signed.bins.len()), (1, 16));
    }

    #[test]
    fn edges() {
        assert_eq!(of::<f32>(&[]).render(), "no finite values\n");
        assert_eq!(
            of(&[f32::NAN]).render(),
            "no finite values\nleft out: 1 NaN, 0 infinite\n"
        );
        assert_eq!(counts(&of(&[7_u8])), [1]);
        // One value v: numpy's bins are those of v - 0.5 to v + 0.5, and v is in the ninth.
        assert_eq!(counts(&of(&[3.0_f32; 4]))[8], 4);
        let far = of(&[f64::MIN, f64::MAX, 0.0]);
        assert_eq!(
            (counts(&far)[0], counts(&far)[8], counts(&far)[15]),
            (1, 1, 1)
        );
        assert_eq!(
            of(&[f64::MAX])
                .bins
                .iter()
                .map(|bin| bin.count)
                .sum::<u64>(),
            1
        );
    }

    #[test]
    fn bars_are_measured_in_eighths() {
        for (count, most, expect) in [(0, 8, ""), (1, 1_000_000, "▏"), (1, 40, "█"), (3, 80, "█▌")]
        {
            assert_eq!(bar(count, most), expect);
        }
        assert_eq!(bar(5, 5).chars().count(), WIDTH);
    }
}
