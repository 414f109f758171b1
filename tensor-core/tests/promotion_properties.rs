//! Promotion over the presets, and in random sets against a search written the slow way.

use proptest::prelude::*;
use tensor_core::{
    DType, ExternalId, MemberKind, MemberSpec, can_convert, promote, promote_in_set, promote_specs,
};

#[test]
fn presets_commute_and_associate_externals_included() {
    let mut all = DType::TAGS.to_vec();
    all.extend(["x", "y"].map(|name| DType::External(ExternalId::from_name(name))));
    for &a in &all {
        assert_eq!(promote(a, a), Ok(a));
        for &b in &all {
            assert_eq!(promote(a, b).ok(), promote(b, a).ok(), "{a} {b}");
            if let Ok(both) = promote(a, b) {
                assert!(can_convert(a, both) && can_convert(b, both), "{a} {b}");
            }
            if !a.is_external() && !b.is_external() {
                let in_set = promote_in_set(DType::TAGS, DType::SPECS, a, b);
                assert_eq!(in_set.ok(), promote(a, b).ok(), "{a} {b}");
            }
            for &c in &all {
                let left = promote(a, b).ok().and_then(|ab| promote(ab, c).ok());
                let right = promote(b, c).ok().and_then(|bc| promote(a, bc).ok());
                assert_eq!(left, right, "{a} {b} {c}");
            }
        }
    }
}

fn kinds() -> impl Strategy<Value = MemberKind> {
    use MemberKind::{Boolean, Complex, External, Float, Integer, UnsignedInteger};
    prop_oneof![
        1 => Just(Boolean), 4 => Just(Integer), 4 => Just(UnsignedInteger),
        4 => Just(Float), 3 => Just(Complex), 1 => Just(External)
    ]
}

fn specs() -> impl Strategy<Value = MemberSpec> {
    let width = prop_oneof![8 => prop::sample::select(vec![8_u32, 16, 32, 64, 128]), 1 => Just(u32::MAX), 1 => 0..3_u32];
    (kinds(), -2..3_i32, width).prop_map(|(kind, level, width)| MemberSpec::new(kind, level, width))
}

/// Specs that are often equal, or equal but for one number.
fn close_specs() -> impl Strategy<Value = MemberSpec> {
    let width = prop::sample::select(vec![16_u32, 32]);
    let kind = prop::sample::select(vec![MemberKind::Float, MemberKind::Complex]);
    (kind, 0..3_i32, width).prop_map(|(kind, level, width)| MemberSpec::new(kind, level, width))
}

/// A set with members `0..`, and two of them.
fn sets() -> impl Strategy<Value = (Vec<MemberSpec>, usize, usize)> {
    let set = prop_oneof![
        prop::collection::vec(specs(), 1..9),
        prop::collection::vec(close_specs(), 2..9),
    ];
    set.prop_flat_map(|specs| {
        let members = 0..specs.len();
        (Just(specs), members.clone(), members)
    })
}

/// Whether `a` is a better answer than `b` to a request for `wanted`; all three are of one kind.
fn better(a: MemberSpec, b: MemberSpec, wanted: MemberSpec) -> bool {
    let enough = |spec: MemberSpec| spec.width >= wanted.width;
    if (a == wanted) != (b == wanted) {
        return a == wanted;
    }
    if enough(a) != enough(b) {
        return enough(a);
    }
    if a.width != b.width {
        return (a.width < b.width) == enough(a);
    }
    a.level < b.level
}

/// The rules of promotion, one after the other and without any sorting; `None` for every error.
fn slow_promote(set: &[MemberSpec], lhs: usize, rhs: usize) -> Option<usize> {
    use MemberKind::{Boolean, Complex, External, Float, Integer, UnsignedInteger};
    if lhs == rhs {
        return Some(lhs);
    }
    let (l, r) = (set[lhs], set[rhs]);
    if l.kind == External || r.kind == External {
        return None;
    }
    if l == r {
        // Every member of the kind above, and of them the one that no other undercuts.
        let above = |i: &usize| set[*i].kind == l.kind && set[*i].level > l.level;
        let key = |i: usize| (set[i].level, set[i].width);
        return (0..set.len()).filter(above).find(|&i| {
            (0..set.len())
                .filter(above)
                .all(|j| key(i) < key(j) || (key(i) == key(j) && i <= j))
        });
    }
    if l.kind == r.kind {
        let left = l.level > r.level || (l.level == r.level && l.width > r.width);
        return Some(if left { lhs } else { rhs });
    }
    if l.kind == Boolean {
        return Some(rhs);
    }
    if r.kind == Boolean {
        return Some(lhs);
    }
    let is = |kind| l.kind == kind || r.kind == kind;
    let side = |kind| if l.kind == kind { l } else { r };
    let mut wanted = if !is(Float) && !is(Complex) {
        let (signed, unsigned) = (side(Integer), side(UnsignedInteger));
        let double = u32::try_from(u64::from(unsigned.width) * 2).unwrap_or(u32::MAX);
        MemberSpec::new(
            Integer,
            signed.level,
            if double > signed.width {
                double
            } else {
                signed.width
            },
        )
    } else if is(Float) && is(Complex) {
        let complex = side(Complex);
        let float = side(Float);
        MemberSpec::new(
            Complex,
            complex.level,
            if float.width > complex.width {
                float.width
            } else {
                complex.width
            },
        )
    } else {
        MemberSpec::new(if is(Float) { Float } else { Complex }, i32::MAX, u32::MAX)
    };
    // A side that is what is wanted is the answer itself.
    if l == wanted {
        return Some(lhs);
    }
    if r == wanted {
        return Some(rhs);
    }
    if wanted.kind == Integer
        && !set
            .iter()
            .any(|s| s.kind == Integer && s.width >= wanted.width)
    {
        wanted = MemberSpec::new(Float, i32::MAX, u32::MAX);
    }
    let mut best: Option<usize> = None;
    for (i, &spec) in set.iter().enumerate() {
        if spec.kind == wanted.kind && best.is_none_or(|b| better(spec, set[b], wanted)) {
            best = Some(i);
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn the_search_is_that_of_brute_force((set, lhs, rhs) in sets()) {
        let tags: Vec<usize> = (0..set.len()).collect();
        let found = promote_in_set(&tags, &set, lhs, rhs);
        prop_assert_eq!(found.ok(), slow_promote(&set, lhs, rhs), "{:?}", found);
        prop_assert_eq!(promote_in_set(&tags, &set, rhs, lhs).ok(), found.ok());
        prop_assert!(promote_in_set(&tags, &set, lhs, set.len()).is_err());
        prop_assert!(promote_in_set(&tags, &set, set.len(), rhs).is_err());
    }

    #[test]
    fn pairing_commutes(l in specs(), r in specs()) {
        prop_assert_eq!(promote_specs(l, r).ok(), promote_specs(r, l).ok());
        if l.kind != MemberKind::External {
            prop_assert_eq!(promote_specs(l, l), Ok(l));
        }
    }
}
