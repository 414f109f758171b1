//! The registry: which importer serves an op from which opset on.
//!
//! One file per family holds its rows and importers. A row names every attribute of the op in that
//! opset, supported or not; others are refused before the importer runs. Of the rows of an op the
//! newest that is not newer than the model's opset counts, so a row stands only where an attribute,
//! the number of inputs or the meaning changed.

mod activation;
mod arithmetic;
mod arrange;
mod attention;
mod batch;
mod cast;
mod causal;
mod constant;
mod create;
mod dropout;
mod einsum;
mod extents;
mod loss;
mod map;
mod matmul;
mod normalise;
mod pad;
mod pool;
mod quantise;
mod recurrent;
mod reduce;
mod reduce_composed;
mod resample;
mod rms_norm;
mod rotary;
mod scan;
mod scatter;
mod search;
mod select;
mod shape;
mod signal;
mod statistic;
mod unpool;
mod variadic;
mod window;

use crate::call::{Call, Done};

/// How one op is imported from one opset on.
#[derive(Debug)]
pub(crate) struct Row {
    op_type: &'static str,
    domain: &'static str,
    since: i64,
    /// Fewest and most inputs.
    pub(crate) inputs: (usize, usize),
    /// Every attribute of the op.
    pub(crate) attributes: &'static [&'static str],
    /// The importer.
    pub(crate) import: fn(&mut Call<'_>) -> Done,
}

/// A row of the default domain.
const fn row(
    op_type: &'static str,
    since: i64,
    inputs: (usize, usize),
    attributes: &'static [&'static str],
    import: fn(&mut Call<'_>) -> Done,
) -> Row {
    Row {
        op_type,
        domain: "",
        since,
        inputs,
        attributes,
        import,
    }
}

/// The rows of every family.
const FAMILIES: &[&[Row]] = &[
    map::ROWS,
    variadic::ROWS,
    reduce::ROWS,
    matmul::ROWS,
    window::ROWS,
    normalise::ROWS,
    select::ROWS,
    shape::ROWS,
    constant::ROWS,
    arithmetic::ROWS,
    activation::ROWS,
    reduce_composed::ROWS,
    scan::ROWS,
    create::ROWS,
    signal::ROWS,
    statistic::ROWS,
    loss::ROWS,
    arrange::ROWS,
    batch::ROWS,
    causal::ROWS,
    pad::ROWS,
    pool::ROWS,
    resample::ROWS,
    scatter::ROWS,
    search::ROWS,
    unpool::ROWS,
    cast::ROWS,
    quantise::ROWS,
    attention::ROWS,
    dropout::ROWS,
    einsum::ROWS,
    recurrent::ROWS,
    rms_norm::ROWS,
    rotary::ROWS,
];

/// Why there is no row.
#[derive(Debug, PartialEq)]
pub(crate) enum Missing {
    /// The op is not supported.
    Unknown,
    /// The op is served from this opset on.
    Before(i64),
}

/// The row that serves an op in an opset.
pub(crate) fn find(domain: &str, op_type: &str, opset: i64) -> Result<&'static Row, Missing> {
    let all = FAMILIES.iter().flat_map(|rows| rows.iter());
    let rows = all.filter(|row| row.op_type == op_type && row.domain == domain);
    let newest = rows.clone().filter(|row| row.since <= opset);
    match (
        newest.max_by_key(|row| row.since),
        rows.map(|row| row.since).min(),
    ) {
        (Some(row), _) => Ok(row),
        (None, Some(since)) => Err(Missing::Before(since)),
        (None, None) => Err(Missing::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_row_that_is_not_too_new_counts() {
        let cases = [
            (("", "Clip", 7), Ok(6)),
            (("", "Clip", 10), Ok(6)),
            (("", "Clip", 11), Ok(11)),
            (("", "Clip", 26), Ok(11)),
            (("", "HardSwish", 13), Err(Missing::Before(14))),
            (("", "Blur", 13), Err(Missing::Unknown)),
            (("com.microsoft", "Clip", 13), Err(Missing::Unknown)),
        ];
        for ((domain, op_type, opset), want) in cases {
            let got = find(domain, op_type, opset).map(|row| row.since);
            assert_eq!(got, want, "{op_type} {opset}");
        }
    }

    #[test]
    fn rows_are_unique() {
        let mut keys: Vec<_> = FAMILIES
            .iter()
            .flat_map(|rows| rows.iter())
            .map(|row| (row.domain, row.op_type, row.since))
            .collect();
        keys.sort_unstable();
        assert!(keys.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
