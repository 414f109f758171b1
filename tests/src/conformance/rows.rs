//! The rows of the table, by family. Every op of [`graph::op::table`] has at least one.

mod arithmetic;
mod codes;
mod copies;
mod elementwise;
mod empty;
mod indexed;
mod recurrent;
mod resampled;
mod scan;
mod structured;
mod windows;

use tensor::DType;

use super::values::PLAIN;
use super::{Row, Values};

/// Every row.
pub fn rows() -> Vec<Row> {
    let mut rows = elementwise::rows();
    rows.extend(structured::rows());
    rows.extend(arithmetic::rows());
    rows.extend(scan::rows());
    rows.extend(indexed::rows());
    rows.extend(copies::rows());
    rows.extend(windows::rows());
    rows.extend(resampled::rows());
    rows.extend(empty::rows());
    rows.extend(codes::rows());
    rows.extend(recurrent::rows());
    rows
}

const FLOATS: &[DType] = &[DType::F32, DType::F64, DType::F16, DType::BF16];
const NUMBERS: &[DType] = &[
    DType::F32,
    DType::F64,
    DType::F16,
    DType::BF16,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
];
const ANY: &[DType] = &[
    DType::F32,
    DType::F64,
    DType::F16,
    DType::BF16,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::Bool,
];
const INTEGERS: &[DType] = &[
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
];
const BOOL: &[DType] = &[DType::Bool];

/// No axis, no element, one element, primes, an axis of no elements, more elements than a tile or a vector holds.
const SHAPES: &[&str] = &["", "0", "1", "7", "3, 5, 7", "2, 0, 3", "613", "5, 131"];

/// Room for all pairs of special values.
const PAIRS: &[&str] = &["22, 23"];

fn row(
    inputs: impl Into<String>,
    result: impl Into<String>,
    call: impl Into<String>,
    dtypes: &'static [DType],
) -> Row {
    Row {
        inputs: inputs.into(),
        constants: String::new(),
        result: result.into(),
        call: call.into(),
        shapes: &[""],
        dtypes,
        values: vec![PLAIN],
    }
}

impl Row {
    fn shapes(mut self, shapes: &'static [&'static str]) -> Row {
        self.shapes = shapes;
        self
    }

    fn constants(mut self, constants: impl Into<String>) -> Row {
        self.constants = constants.into();
        self
    }

    fn values(mut self, values: &[Values]) -> Row {
        self.values = values.to_vec();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_op_has_rows() {
        let rows = rows();
        let without: Vec<&str> = graph::op::table()
            .iter()
            .map(|def| def.name)
            .filter(|name| !rows.iter().any(|row| row.op() == *name))
            .collect();
        assert!(without.is_empty(), "ops without a row: {without:?}");
    }

    #[test]
    fn every_op_has_rows_without_elements() {
        /// Their inputs have elements by what they mean.
        const NEVER: &[&str] = &["range", "random_uniform", "random_normal"];
        let empty = |row: &Row| {
            let shapes = row
                .shapes
                .iter()
                .map(|shape| row.inputs.replace("[S", &format!("[{shape}")));
            let mut extents = shapes.flat_map(|inputs| {
                let parts = inputs.split(['[', ']', ',', ' ']).map(str::to_owned);
                parts.collect::<Vec<_>>()
            });
            extents.any(|extent| extent == "0")
        };
        let rows = rows();
        let without: Vec<&str> = graph::op::table()
            .iter()
            .map(|def| def.name)
            .filter(|name| !NEVER.contains(name))
            .filter(|name| !rows.iter().any(|row| row.op() == *name && empty(row)))
            .collect();
        assert!(
            without.is_empty(),
            "ops without a row of no elements: {without:?}"
        );
    }

    #[test]
    fn special_values_meet_in_pairs() {
        for &dtype in NUMBERS {
            let list = |nth| crate::text::elements(&Values::Special.tensor(dtype, &[22, 23], nth));
            let mut pairs: Vec<(String, String)> = list(0)
                .iter()
                .zip(list(1))
                .map(|(a, b)| (a.to_string(), b.to_string()))
                .collect();
            let mut singles: Vec<String> = pairs.iter().map(|(a, _)| a.clone()).collect();
            pairs.sort();
            pairs.dedup();
            singles.sort();
            singles.dedup();
            assert_eq!(pairs.len(), singles.len().pow(2), "{dtype}");
        }
    }
}
