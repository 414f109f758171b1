//! Medians, spreads and how numbers are written.
//!
//! A percentile lies between two neighbours of the sorted values in proportion (the definition that numpy uses by
//! default), so it does not jump with the number of values.

/// What is told of many times of the same thing, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summary {
    pub(crate) median: f64,
    /// A tenth of the values are below.
    pub(crate) p10: f64,
    /// A tenth of the values are above.
    pub(crate) p90: f64,
    pub(crate) min: f64,
    pub(crate) count: usize,
}

/// Summarises values; `None` when there are none.
pub(crate) fn summary(values: &[f64]) -> Option<Summary> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(Summary {
        min: *sorted.first()?,
        median: percentile(&sorted, 0.5),
        p10: percentile(&sorted, 0.1),
        p90: percentile(&sorted, 0.9),
        count: sorted.len(),
    })
}

/// The median; `None` of nothing.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    summary(values).map(|summary| summary.median)
}

/// The value below which the share of the sorted, non-empty values lies.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (
        sorted[place.floor() as usize],
        sorted[place.ceil() as usize],
    );
    below + (above - below) * place.fract()
}

/// A number with three digits that count, and never with fewer than its whole ones.
pub(crate) fn three_digits(value: f64) -> String {
    let decimals = match value.abs() {
        // The bounds are where rounding adds a digit: 9.996 is written as 10.0.
        size if size < 0.9995 => 3,
        size if size < 9.995 => 2,
        size if size < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_numpy() {
        // numpy.percentile([1, 2, 3, 4, 10], [10, 50, 90]) is [1.4, 3, 7.6].
        let found = summary(&[4.0, 1.0, 10.0, 2.0, 3.0]).unwrap();
        assert!((found.p10 - 1.4).abs() < 1e-12, "{found:?}");
        assert!((found.p90 - 7.6).abs() < 1e-12, "{found:?}");
        assert_eq!((found.median, found.min, found.count), (3.0, 1.0, 5));
    }

    #[test]
    fn few_values_have_a_summary_and_none_has_not() {
        assert_eq!(median(&[2.5]), Some(2.5));
        assert_eq!(median(&[1.0, 2.0]), Some(1.5));
        assert_eq!(summary(&[]), None);
    }

    #[test]
    fn numbers_are_written_with_three_digits() {
        for (value, expected) in [
            (0.0864, "0.086"),
            (0.9996, "1.00"),
            (1.234, "1.23"),
            (9.996, "10.0"),
            (37.95, "38.0"),
            (99.96, "100"),
            (1234.5, "1234"),
        ] {
            assert_eq!(three_digits(value), expected);
        }
    }
}
