//! Dtypes, sets of them, promotion, and what a scalar can do.

use tensor_core::DType::{
    self, BF16, Bool, C32, C64, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64,
};
use tensor_core::{
    AdAdmissionError, Complex32, Complex64, ExternalId, MemberKind, MemberSpec, PromotionError,
    Scalar, ScalarDomain, TensorScalar, ad_admission, bf16, can_convert, dispatch_dtype, f16,
    promote, promote_in_set, promote_specs,
};

/// This crate as a part of another: what a crate sees that depends on the crate above alone.
mod above {
    pub(super) use tensor_core as core;
}

above::core::define_scalar_tag! {
    /// A set of another crate, with levels below 0.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Tiny {
        /// Eight bits, four of them exponent.
        E4("e4") => u8 : Float -1 8,
        /// Eight bits, five of them exponent.
        E5("e5") => u8 : Float -1 8,
        /// Half precision.
        Half("half") => f16 : Float 0 16,
        /// A count.
        Count("count") => u16 : UnsignedInteger 0 16,
    }
    external Other(ExternalId);
}

const SEVEN: [DType; 7] = [F32, F64, I32, I64, Bool, C32, C64];

#[test]
fn b01_one_table_makes_the_tags() {
    use MemberKind::{Boolean, Complex, Float, Integer};
    // Eight presets follow the seven. An external scalar is known by a hash of its name, not by its TypeId.
    assert_eq!(DType::TAGS[..7], SEVEN);
    assert_eq!(DType::TAGS[7..], [F16, BF16, I8, I16, U8, U16, U32, U64]);
    let rows = [
        (Float, 0, 32),
        (Float, 1, 64),
        (Integer, 0, 32),
        (Integer, 1, 64),
        (Boolean, 0, 0),
        (Complex, 0, 32),
        (Complex, 1, 64),
    ];
    for (tag, (kind, level, width)) in SEVEN.into_iter().zip(rows) {
        assert_eq!(tag.spec(), MemberSpec::new(kind, level, width), "{tag}");
    }
}

#[test]
fn b02_parallel_tables_without_external() {
    const _: () = assert!(DType::TAGS.len() == DType::SPECS.len());
    for (tag, spec) in DType::TAGS.iter().zip(DType::SPECS) {
        assert_eq!(tag.spec(), *spec, "{tag}");
        assert!(!tag.is_external());
    }
    let external = DType::External(ExternalId::from_name("b02"));
    assert_eq!(external.spec(), MemberSpec::new(MemberKind::External, 0, 0));
}

#[test]
fn b03_tags_carry_no_payload() {
    // Values live in a crate above; a tag is a small `Copy` value.
    fn copy<T: Copy + Send + Sync + 'static>() {}
    copy::<DType>();
    assert!(!std::mem::needs_drop::<DType>());
}

#[test]
fn b04_the_table_macro_works_through_another_crate() {
    assert_eq!(Tiny::TAGS, [Tiny::E4, Tiny::E5, Tiny::Half, Tiny::Count]);
    assert_eq!(Tiny::E4.spec(), MemberSpec::new(MemberKind::Float, -1, 8));
    assert_eq!((Tiny::Half.name(), Tiny::Half.size_bytes()), ("half", 2));
    let promote = |lhs, rhs| promote_in_set(Tiny::TAGS, Tiny::SPECS, lhs, rhs);
    assert_eq!(promote(Tiny::E4, Tiny::E5), Ok(Tiny::Half));
    assert_eq!(promote(Tiny::E4, Tiny::Count), Ok(Tiny::Half));
    let other = Tiny::Other(ExternalId::from_name("b04"));
    assert!(promote(other, Tiny::E4).is_err());
    assert_eq!((other.name(), other.size_bytes()), ("external", 0));
}

#[test]
fn b05_pairing() {
    let pair = |l: DType, r: DType| promote_specs(l.spec(), r.spec()).unwrap();
    for &other in DType::TAGS {
        assert_eq!(pair(Bool, other), other.spec());
    }
    assert_eq!(
        pair(I32, F32),
        MemberSpec::new(MemberKind::Float, i32::MAX, u32::MAX)
    );
    assert_eq!(
        pair(C32, I64),
        MemberSpec::new(MemberKind::Complex, i32::MAX, u32::MAX)
    );
    assert_eq!(pair(F64, C32), MemberSpec::new(MemberKind::Complex, 0, 64));
    assert_eq!(pair(F32, C32), C32.spec());
    // The level decides inside a kind, not the width.
    let (low, high) = (
        MemberSpec::new(MemberKind::Float, 0, 64),
        MemberSpec::new(MemberKind::Float, 1, 16),
    );
    assert_eq!(promote_specs(low, high), Ok(high));
}

#[test]
fn b06_searching() {
    // Brute force over random sets is in `promotion_properties.rs`.
    let spec = |width, level| MemberSpec::new(MemberKind::Complex, level, width);
    let float = |width| MemberSpec::new(MemberKind::Float, 0, width);
    let check = |specs: &[MemberSpec], expect: usize| {
        let mut specs = specs.to_vec();
        specs.extend([spec(16, 0), float(64)]);
        let tags: Vec<usize> = (0..specs.len()).collect();
        let (lhs, rhs) = (tags.len() - 2, tags.len() - 1);
        assert_eq!(
            promote_in_set(&tags, &specs, lhs, rhs),
            Ok(expect),
            "{specs:?}"
        );
    };
    check(&[spec(64, 3), spec(64, 0), spec(80, 0)], 1); // exact
    check(&[spec(128, 1), spec(80, 1)], 1); // the narrowest wide enough
    check(&[spec(32, 1), spec(48, 1)], 1); // none wide enough: the widest
    check(&[spec(128, 4), spec(128, 2)], 1); // a tie: the lower level
    check(&[spec(48, 4), spec(48, 2)], 1); // also among too narrow ones
}

#[test]
fn b07_measured_examples() {
    for (lhs, rhs, expect) in [
        (I32, F32, F64),
        (I64, F32, F64),
        (F32, C32, C32),
        (F64, C32, C64),
        (Bool, I32, I32),
        (I32, C32, C64),
    ] {
        assert_eq!(promote(lhs, rhs), Ok(expect), "{lhs} {rhs}");
    }
}

#[test]
fn b08_the_whole_seven_by_seven() {
    let table = [
        [F32, F64, F64, F64, F32, C32, C64],
        [F64, F64, F64, F64, F64, C64, C64],
        [F64, F64, I32, I64, I32, C64, C64],
        [F64, F64, I64, I64, I64, C64, C64],
        [F32, F64, I32, I64, Bool, C32, C64],
        [C32, C64, C64, C64, C32, C32, C64],
        [C64, C64, C64, C64, C64, C64, C64],
    ];
    let p = |l, r| promote(l, r).unwrap();
    for (lhs, row) in SEVEN.into_iter().zip(table) {
        for (rhs, expect) in SEVEN.into_iter().zip(row) {
            assert_eq!(p(lhs, rhs), expect, "{lhs} {rhs}");
            assert_eq!(p(rhs, lhs), expect, "{rhs} {lhs}");
            for third in SEVEN {
                assert_eq!(p(p(lhs, rhs), third), p(lhs, p(rhs, third)));
            }
        }
        assert_eq!(p(lhs, lhs), lhs);
    }
}

#[test]
fn b09_externals_never_win() {
    // A pair without a declared relation is an error, in the set's promotion and in the search alike.
    let [x, y] = ["x", "y"].map(|name| DType::External(ExternalId::from_name(name)));
    assert_eq!(promote(x, x), Ok(x));
    for (lhs, rhs) in [(x, y), (y, x), (x, F32), (F32, x), (x, Bool), (Bool, x)] {
        assert_eq!(promote(lhs, rhs), Err(PromotionError { lhs, rhs }));
        assert!(promote_in_set(DType::TAGS, DType::SPECS, lhs, rhs).is_err());
        assert!(!can_convert(lhs, rhs));
    }
}

#[test]
fn b10_domains() {
    for &tag in DType::TAGS {
        let domain = dispatch_dtype!(tag, T => Some(T::DOMAIN), _id => None);
        let expect = if tag == Bool {
            ScalarDomain::NonField
        } else {
            ScalarDomain::Field
        };
        assert_eq!(domain, Some(expect), "{tag}");
    }
}

#[test]
fn b11_ad_admission() {
    let order = |order| Err(AdAdmissionError::UnsupportedAdOrder { order });
    assert_eq!(
        ad_admission::<f64>(1),
        Err(AdAdmissionError::AdRuleUnavailable)
    );
    assert_eq!(
        ad_admission::<i32>(1),
        Err(AdAdmissionError::AdRuleUnavailable)
    );
    assert_eq!(
        ad_admission::<bool>(1),
        Err(AdAdmissionError::NonFieldScalar)
    );
    for wrong in [0, 2, u32::MAX] {
        // The order is judged before the domain.
        assert_eq!(ad_admission::<f64>(wrong), order(wrong));
        assert_eq!(ad_admission::<bool>(wrong), order(wrong));
    }
    let error = ad_admission::<bool>(2).unwrap_err();
    assert_eq!(
        error.to_string(),
        "ad_admission: derivatives of order 2 are not supported; only order 1 is defined"
    );
}

#[test]
fn b12_a_dtype_is_small() {
    // 24 bytes with a TypeId inside; a hash of the name keeps it at 8.
    assert!(size_of::<DType>() <= 8);
    assert!(size_of::<Option<DType>>() <= 8);
}

#[test]
fn b13_the_dtypes_of_inference() {
    for name in [
        "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "u8", "bool",
    ] {
        let tag: DType = name.parse().unwrap();
        assert!(DType::TAGS.contains(&tag));
    }
    // Four-bit weights are packed formats, not dtypes of elements; other scalars extend the list by name.
    assert!("int4".parse::<DType>().is_err());
    assert!("external#e40c292c".parse::<DType>().unwrap().is_external());
}

#[test]
fn b14_size_name_and_kind() {
    for (tag, name, size, float) in [
        (F32, "f32", 4, true),
        (F64, "f64", 8, true),
        (I32, "i32", 4, false),
        (I64, "i64", 8, false),
        (Bool, "bool", 1, false),
        (C32, "c32", 8, false),
        (C64, "c64", 16, false),
        (F16, "f16", 2, true),
        (BF16, "bf16", 2, true),
        (I8, "i8", 1, false),
        (I16, "i16", 2, false),
        (U8, "u8", 1, false),
        (U16, "u16", 2, false),
        (U32, "u32", 4, false),
        (U64, "u64", 8, false),
    ] {
        assert_eq!(
            (tag.name(), tag.size_bytes(), tag.is_float()),
            (name, size, float)
        );
    }
}

#[test]
fn b16_mixed_types_of_presets() {
    fn of<L: TensorScalar, R: TensorScalar>() -> DType {
        promote(L::dtype(), R::dtype()).expect("presets always have a common dtype")
    }
    assert_eq!(of::<f16, bf16>(), F32);
    assert_eq!(of::<u8, i8>(), I16);
    assert_eq!(of::<u32, i32>(), I64);
    assert_eq!(of::<u64, i8>(), F64);
    assert_eq!(of::<u64, u8>(), U64);
    assert_eq!(of::<i8, f16>(), F64);
    assert_eq!(of::<f64, Complex32>(), C64);
    assert_eq!(of::<Complex64, bool>(), C64);
    assert!(can_convert(I64, F64) && !can_convert(F64, F32));
}
