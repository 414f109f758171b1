//! The documented table entry by entry, the fixed seven, and hand-worked pairs of specs and sets.

use super::*;
use crate::ExternalId;

/// The table of `promotion.md`: header row, then one row per dtype.
fn documented() -> Vec<(DType, DType, DType)> {
    let cells = |line: &str| -> Vec<String> {
        line.trim()
            .trim_matches('|')
            .split('|')
            .map(|c| c.trim().to_owned())
            .collect()
    };
    let mut lines = include_str!("../promotion.md")
        .lines()
        .filter(|line| line.starts_with('|'));
    let header = cells(lines.next().unwrap());
    lines.next().unwrap();
    let mut out = Vec::new();
    for line in lines {
        let row = cells(line);
        for (column, cell) in header.iter().zip(&row).skip(1) {
            out.push((
                row[0].parse().unwrap(),
                column.parse().unwrap(),
                cell.parse().unwrap(),
            ));
        }
    }
    out
}

#[test]
fn all_pairs_match_the_documented_table() {
    let table = documented();
    assert_eq!(table.len(), 15 * 15);
    for (lhs, rhs, expect) in table {
        assert_eq!(promote(lhs, rhs), Ok(expect), "{lhs} with {rhs}");
    }
}

#[test]
fn the_fixed_seven_by_seven() {
    use DType::{Bool, C32, C64, F32, F64, I32, I64};
    let tags = [F32, F64, I32, I64, Bool, C32, C64];
    let rows = [
        [F32, F64, F64, F64, F32, C32, C64],
        [F64, F64, F64, F64, F64, C64, C64],
        [F64, F64, I32, I64, I32, C64, C64],
        [F64, F64, I64, I64, I64, C64, C64],
        [F32, F64, I32, I64, Bool, C32, C64],
        [C32, C64, C64, C64, C32, C32, C64],
        [C64, C64, C64, C64, C64, C64, C64],
    ];
    for (lhs, row) in tags.into_iter().zip(rows) {
        for (rhs, expect) in tags.into_iter().zip(row) {
            assert_eq!(promote(lhs, rhs), Ok(expect), "{lhs} with {rhs}");
        }
    }
}

#[test]
fn commutative_associative_idempotent() {
    let p = |a, b| promote(a, b).unwrap();
    for &a in DType::TAGS {
        assert_eq!(p(a, a), a);
        for &b in DType::TAGS {
            assert_eq!(p(a, b), p(b, a), "{a} {b}");
            assert!(can_convert(a, p(a, b)));
            for &c in DType::TAGS {
                assert_eq!(p(p(a, b), c), p(a, p(b, c)), "{a} {b} {c}");
            }
        }
    }
    assert!(!can_convert(DType::F64, DType::F32));
}

#[test]
fn external_scalars_never_win_silently() {
    let x = DType::External(ExternalId::from_name("x"));
    let y = DType::External(ExternalId::from_name("y"));
    assert_eq!(promote(x, x), Ok(x));
    for (lhs, rhs) in [(x, y), (x, DType::F32), (DType::Bool, x)] {
        let error = promote(lhs, rhs).unwrap_err();
        assert_eq!((error.lhs, error.rhs), (lhs, rhs));
        assert!(error.to_string().contains(&lhs.to_string()));
    }
}
