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

#[test]
fn specs_pair_by_hand_worked_rules() {
    use MemberKind::{Boolean, Complex, Float, Integer, UnsignedInteger};
    let spec = MemberSpec::new;
    let (most, widest) = (i32::MAX, u32::MAX);
    for (lhs, rhs, expect) in [
        (
            spec(Boolean, 0, 0),
            spec(Integer, 0, 32),
            spec(Integer, 0, 32),
        ),
        (
            spec(Boolean, 0, 0),
            spec(Boolean, 1, 1),
            spec(Boolean, 1, 1),
        ),
        // The level decides inside a kind, whatever the widths are; the width only between equals.
        (spec(Float, 1, 16), spec(Float, 0, 64), spec(Float, 1, 16)),
        (spec(Float, 0, 32), spec(Float, 0, 64), spec(Float, 0, 64)),
        (
            spec(Float, -1, 16),
            spec(Float, -1, 16),
            spec(Float, -1, 16),
        ),
        (
            spec(Integer, 0, 32),
            spec(Float, 0, 32),
            spec(Float, most, widest),
        ),
        (
            spec(UnsignedInteger, 3, 64),
            spec(Complex, 0, 32),
            spec(Complex, most, widest),
        ),
        // A float never lowers the rank of a complex number.
        (
            spec(Float, 0, 32),
            spec(Complex, 7, 64),
            spec(Complex, 7, 64),
        ),
        (
            spec(Float, 1, 64),
            spec(Complex, 0, 32),
            spec(Complex, 0, 64),
        ),
        (
            spec(Integer, -2, 8),
            spec(UnsignedInteger, 0, 8),
            spec(Integer, -2, 16),
        ),
        (
            spec(Integer, 1, 64),
            spec(UnsignedInteger, 2, 32),
            spec(Integer, 1, 64),
        ),
        (
            spec(Integer, 0, 8),
            spec(UnsignedInteger, 0, u32::MAX),
            spec(Integer, 0, u32::MAX),
        ),
    ] {
        assert_eq!(promote_specs(lhs, rhs), Ok(expect), "{lhs:?} {rhs:?}");
        assert_eq!(promote_specs(rhs, lhs), Ok(expect), "{rhs:?} {lhs:?}");
    }
    let external = spec(MemberKind::External, 0, 0);
    for other in [external, spec(Boolean, 0, 0), spec(Float, 0, 32)] {
        for (lhs, rhs) in [(external, other), (other, external)] {
            assert_eq!(promote_specs(lhs, rhs), Err(PromoteSpecsError { lhs, rhs }));
        }
    }
}

type Row = (char, MemberKind, i32, u32);

fn check_set(rows: &[Row], lhs: char, rhs: char, expect: Result<char, PromoteInSetError<char>>) {
    let tags: Vec<char> = rows.iter().map(|row| row.0).collect();
    let specs: Vec<MemberSpec> = rows
        .iter()
        .map(|row| MemberSpec::new(row.1, row.2, row.3))
        .collect();
    assert_eq!(promote_in_set(&tags, &specs, lhs, rhs), expect, "{rows:?}");
    let other_way = promote_in_set(&tags, &specs, rhs, lhs);
    assert_eq!(other_way.ok(), expect.ok(), "{rows:?}, sides exchanged");
}

#[test]
fn the_search_prefers_exact_then_narrow_enough_then_widest() {
    use MemberKind::{Boolean, Complex, Float, Integer};
    let set = [
        ('h', Float, 0, 16),
        ('s', Float, 1, 32),
        ('i', Integer, 0, 32),
    ];
    check_set(&set, 'h', 'i', Ok('s'));
    let narrow = [
        ('z', Complex, 9, 32),
        ('y', Complex, 2, 32),
        ('x', Complex, 0, 16),
        ('d', Float, 0, 64),
    ];
    check_set(&narrow, 'x', 'd', Ok('y'));
    let wide = [
        ('w', Complex, 3, 128),
        ('m', Complex, 2, 64),
        ('c', Complex, 0, 32),
        ('f', Float, 1, 48),
        ('g', Float, 2, 64),
    ];
    check_set(&wide, 'f', 'c', Ok('m'));
    // What is asked for is (0, 64): not there, and two are equally wide enough.
    check_set(&wide, 'g', 'c', Ok('m'));
    // The winner of a pair stays itself beside a twin that comes first in the table.
    let twins = [
        ('h', Float, 0, 16),
        ('b', Float, 0, 16),
        ('n', Boolean, 0, 0),
    ];
    check_set(&twins, 'n', 'b', Ok('b'));
}

#[test]
fn equal_specs_go_up_one_level() {
    use MemberKind::{Boolean, Float};
    let set = [
        ('p', Float, -2, 8),
        ('q', Float, -2, 8),
        ('t', Float, 0, 32),
        ('u', Float, -1, 16),
        ('v', Float, -1, 16),
    ];
    check_set(&set, 'q', 'p', Ok('u'));
    check_set(&set, 'u', 'v', Ok('t'));
    check_set(&set, 'p', 'p', Ok('p'));
    let (lhs, rhs, spec) = ('a', 'b', MemberSpec::new(Boolean, 0, 0));
    check_set(
        &[('a', Boolean, 0, 0), ('b', Boolean, 0, 0)],
        lhs,
        rhs,
        Err(PromoteInSetError::NoHigherLevel { lhs, rhs, spec }),
    );
}

#[test]
fn mixed_signs_fall_back_to_a_float() {
    use MemberKind::{Float, Integer, UnsignedInteger};
    let set = [
        ('i', Integer, 0, 32),
        ('u', UnsignedInteger, 0, 32),
        ('f', Float, 0, 32),
    ];
    check_set(&set, 'u', 'i', Ok('f'));
    let (lhs, rhs, kind) = ('u', 'i', Float);
    let none = Err(PromoteInSetError::NoMember { lhs, rhs, kind });
    check_set(&set[..2], lhs, rhs, none);
    let wider = [set[0], set[1], ('w', Integer, 1, 128)];
    check_set(&wider, 'u', 'i', Ok('w'));
}

#[test]
fn strangers_and_externals_are_refused() {
    use MemberKind::{External, Float};
    let open = [
        ('e', External, 0, 0),
        ('o', External, 0, 0),
        ('f', Float, 0, 32),
    ];
    check_set(&open, 'e', 'e', Ok('e'));
    for (lhs, rhs) in [('e', 'o'), ('f', 'o')] {
        check_set(
            &open,
            lhs,
            rhs,
            Err(PromoteInSetError::External { lhs, rhs }),
        );
    }
    let stranger = |tag| Err(PromoteInSetError::NotInSet { tag });
    check_set(&open, 'f', '?', stranger('?'));
    check_set(&open, '?', '?', stranger('?'));
    check_set(&[], 'a', 'a', stranger('a'));
}

#[test]
fn set_errors_say_what_is_missing() {
    let error = promote_in_set(&['i'], &[DType::I32.spec()], 'i', 'x').unwrap_err();
    assert_eq!(
        error.to_string(),
        "promote_in_set: 'x' is not a member of the set; convert it to a member first"
    );
    // Tables of different lengths: what has no spec is no member.
    assert!(promote_in_set(&['i', 'j'], &[DType::I32.spec()], 'j', 'j').is_err());
}
