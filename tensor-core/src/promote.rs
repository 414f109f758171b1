//! Which dtype holds the values of two others.
//!
//! The rules: `bool` yields to the other; two members of one kind give the one of higher level (`f16` with `bf16`, which
//! share a level, give `f32`); signed with unsigned gives the narrowest signed type that holds both, or `f64` where `u64`
//! leaves none; any integer with any float gives `f64`, with any complex `c64`; a float with a complex gives the complex of
//! the wider component. The operation is commutative, associative and idempotent over the presets. An external scalar
//! promotes with itself only; every other pair with it is an error, never a silent choice of one of the two.
//!
//! `promotion.md` is the whole table; it is printed in the documentation of [`promote`] and compared entry by entry by
//! the tests.

use crate::{DType, MemberKind};

/// Two dtypes without a common one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "promote: no common dtype for {lhs} and {rhs}; external scalars promote with themselves only, so convert one side first"
)]
pub struct PromotionError {
    /// The left dtype.
    pub lhs: DType,
    /// The right dtype.
    pub rhs: DType,
}

/// The dtype that holds the values of both `lhs` and `rhs`.
///
/// `bool` yields to the other; the higher level wins inside a kind; signed with unsigned gives the narrowest signed type
/// that holds both, or `f64`; any integer with any float gives `f64`. The operation is commutative and associative:
///
#[doc = include_str!("promotion.md")]
///
/// An external scalar promotes with itself only.
///
/// # Errors
/// [`PromotionError`] if one side is an external scalar and the other is not the same one.
pub const fn promote(lhs: DType, rhs: DType) -> Result<DType, PromotionError> {
    use MemberKind::{Boolean, Complex, External, Float, Integer, UnsignedInteger};
    let (l, r) = (lhs.spec(), rhs.spec());
    Ok(match (l.kind, r.kind) {
        (External, External) if same_external(lhs, rhs) => lhs,
        (External, _) | (_, External) => return Err(PromotionError { lhs, rhs }),
        (Boolean, _) => rhs,
        (_, Boolean) => lhs,
        (Integer, Integer) | (UnsignedInteger, UnsignedInteger) | (Complex, Complex) => {
            if l.level >= r.level { lhs } else { rhs }
        }
        (Float, Float) => match (lhs, rhs) {
            (DType::F16, DType::BF16) | (DType::BF16, DType::F16) => DType::F32,
            _ if l.level >= r.level => lhs,
            _ => rhs,
        },
        (Integer, UnsignedInteger) => mixed_signs(l.width, r.width),
        (UnsignedInteger, Integer) => mixed_signs(r.width, l.width),
        (Integer | UnsignedInteger, Float) | (Float, Integer | UnsignedInteger) => DType::F64,
        (Integer | UnsignedInteger, Complex) | (Complex, Integer | UnsignedInteger) => DType::C64,
        (Float, Complex) | (Complex, Float) => {
            if l.width == 64 || r.width == 64 {
                DType::C64
            } else {
                DType::C32
            }
        }
    })
}

/// Whether converting `from` into `to` follows the promotion order, that is `promote(from, to) == to`.
#[must_use]
pub fn can_convert(from: DType, to: DType) -> bool {
    promote(from, to) == Ok(to)
}

const fn same_external(lhs: DType, rhs: DType) -> bool {
    match (lhs, rhs) {
        (DType::External(a), DType::External(b)) => a.to_u32() == b.to_u32(),
        _ => false,
    }
}

/// The narrowest signed type that holds a signed type of `signed` bits and an unsigned one of `unsigned` bits.
const fn mixed_signs(signed: u32, unsigned: u32) -> DType {
    match (signed, unsigned * 2) {
        (_, 128..) => DType::F64,
        (64, _) | (_, 64) => DType::I64,
        (32, _) | (_, 32) => DType::I32,
        _ => DType::I16,
    }
}

#[cfg(test)]
mod tests {
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
        let mut lines = include_str!("promotion.md")
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
}
