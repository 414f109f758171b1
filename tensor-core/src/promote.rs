//! Which dtype holds the values of two others.
//!
//! There is one algorithm, and it works for any set of tags, the presets included. [`promote_specs`] says what two members
//! ask for; [`promote_in_set`] finds the member that gives it; [`promote()`] is that search over the [`DType`] table.
//!
//! The rules: `bool` yields to the other; two members of one kind give the one of higher level, and two *different* ones
//! of one equal spec (`f16` with `bf16`) a member of the next level; signed with unsigned asks for a signed type that
//! holds both, and for the widest float where the set has none (`u64` with any signed preset); any integer with any float
//! gives the widest float, with any complex the widest complex; a float with a complex gives the complex of the wider
//! component. An external scalar promotes with itself only; every other pair with it is an error, never a silent choice of
//! one of the two.
//!
//! Invariants: the result does not depend on the order of the two sides, and over the presets it is associative.
//! `promotion.md` is the whole table of the presets; it is printed in the documentation of [`promote()`] and compared entry
//! by entry by the tests.

#[cfg(test)]
mod tests;

use crate::{DType, MemberKind, MemberSpec};

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

/// Two members that no rule pairs: one of them is an external scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "promote_specs: no rule pairs {lhs:?} with {rhs:?}; external scalars promote with themselves only, so convert one side first"
)]
pub struct PromoteSpecsError {
    /// The left spec.
    pub lhs: MemberSpec,
    /// The right spec.
    pub rhs: MemberSpec,
}

/// Why [`promote_in_set`] has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromoteInSetError<Tag> {
    /// A side is not a member of the set, as an external scalar never is.
    #[error("promote_in_set: {tag:?} is not a member of the set; convert it to a member first")]
    NotInSet {
        /// The side that is not a member.
        tag: Tag,
    },
    /// One side is of kind [`MemberKind::External`] and the other is not the same member.
    #[error(
        "promote_in_set: no rule pairs {lhs:?} with {rhs:?}; external scalars promote with themselves only, so convert one side first"
    )]
    External {
        /// The left side.
        lhs: Tag,
        /// The right side.
        rhs: Tag,
    },
    /// The set has no member of the kind that the pair asks for.
    #[error("promote_in_set: {lhs:?} with {rhs:?} gives a {kind:?}, and the set has none")]
    NoMember {
        /// The left side.
        lhs: Tag,
        /// The right side.
        rhs: Tag,
        /// The kind that was asked for.
        kind: MemberKind,
    },
    /// Two members share one spec, so neither holds the other, and nothing of their kind ranks above them.
    #[error(
        "promote_in_set: {lhs:?} and {rhs:?} share the spec {spec:?}, and the set has no member of a higher level to hold both"
    )]
    NoHigherLevel {
        /// The left side.
        lhs: Tag,
        /// The right side.
        rhs: Tag,
        /// The spec of both.
        spec: MemberSpec,
    },
}

/// What a set should hold for two of its members: the pairing rule.
///
/// | pair | asks for |
/// |---|---|
/// | `Boolean` with any | the other |
/// | one kind | the higher level; on one level the wider |
/// | `Integer` with `UnsignedInteger` | `Integer` of `max(signed width, 2 * unsigned width)`, at the signed side's level |
/// | an integer with `Float` | (`Float`, `i32::MAX`, `u32::MAX`): the widest float |
/// | an integer with `Complex` | (`Complex`, `i32::MAX`, `u32::MAX`): the widest complex |
/// | `Float` with `Complex` | `Complex` of the wider component, at the complex side's level |
///
/// The order of the sides does not matter. Specs do not tell two different members of one spec apart; that is the part of
/// [`promote_in_set`], as is what happens when the set has no member of the spec.
///
/// # Errors
/// [`PromoteSpecsError`] if a side is [`MemberKind::External`]: a spec does not say *which* external scalar it is.
pub fn promote_specs(lhs: MemberSpec, rhs: MemberSpec) -> Result<MemberSpec, PromoteSpecsError> {
    use MemberKind::{Boolean, Complex, External, Float, Integer, UnsignedInteger};
    Ok(match (lhs.kind, rhs.kind) {
        (External, _) | (_, External) => return Err(PromoteSpecsError { lhs, rhs }),
        (Boolean, Boolean)
        | (Integer, Integer)
        | (UnsignedInteger, UnsignedInteger)
        | (Float, Float)
        | (Complex, Complex) => higher(lhs, rhs),
        (Boolean, _) => rhs,
        (_, Boolean) => lhs,
        (Integer, UnsignedInteger) => signed_for(lhs, rhs),
        (UnsignedInteger, Integer) => signed_for(rhs, lhs),
        (Integer | UnsignedInteger, Float) | (Float, Integer | UnsignedInteger) => widest(Float),
        (Integer | UnsignedInteger, Complex) | (Complex, Integer | UnsignedInteger) => {
            widest(Complex)
        }
        (Float, Complex) => complex_for(rhs, lhs),
        (Complex, Float) => complex_for(lhs, rhs),
    })
}

fn higher(lhs: MemberSpec, rhs: MemberSpec) -> MemberSpec {
    if (lhs.level, lhs.width) >= (rhs.level, rhs.width) {
        lhs
    } else {
        rhs
    }
}

fn complex_for(complex: MemberSpec, float: MemberSpec) -> MemberSpec {
    MemberSpec::new(
        MemberKind::Complex,
        complex.level,
        complex.width.max(float.width),
    )
}

const fn widest(kind: MemberKind) -> MemberSpec {
    MemberSpec::new(kind, i32::MAX, u32::MAX)
}

fn signed_for(signed: MemberSpec, unsigned: MemberSpec) -> MemberSpec {
    let width = signed.width.max(unsigned.width.saturating_mul(2));
    MemberSpec::new(MemberKind::Integer, signed.level, width)
}

/// The member of a set that holds the values of two of its members: the search rule.
///
/// `tags` and `specs` are the parallel tables of the set, such as [`DType::TAGS`] and [`DType::SPECS`]. A tag promotes with
/// itself to itself. Otherwise [`promote_specs`] says what is wanted; if that is one side's own spec, that side is the
/// result, and if it is both sides' spec, the lowest member of the next level is. Else the first member of exactly that spec
/// is taken; else, in the same kind, the narrowest that is wide enough; else the widest; of two equally wide ones the one of
/// lower level, and of two equal ones the first of the table. A signed type that the set does not hold wide enough is
/// replaced by the widest float.
///
/// ```
/// use tensor_core::{promote_in_set, define_scalar_tag};
///
/// define_scalar_tag! {
///     /// The element types of a small device.
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     pub enum Small {
///         /// Half precision.
///         Half("half") => tensor_core::f16 : Float 0 16,
///         /// A sensor's counts.
///         Count("count") => u16 : UnsignedInteger 0 16,
///         /// A difference of counts.
///         Delta("delta") => i32 : Integer 0 32,
///     }
/// }
/// let promote = |lhs, rhs| promote_in_set(Small::TAGS, Small::SPECS, lhs, rhs);
/// assert_eq!(promote(Small::Count, Small::Delta), Ok(Small::Delta));
/// assert_eq!(promote(Small::Half, Small::Delta), Ok(Small::Half));
/// ```
///
/// # Errors
/// [`PromoteInSetError::NotInSet`] if a side is missing in `tags`, even beside itself; [`PromoteInSetError::External`] if
/// one side is of kind `External` and the other is not the same tag; [`PromoteInSetError::NoMember`] if the set has no
/// member of the kind that the pair asks for; [`PromoteInSetError::NoHigherLevel`] if two members share a spec and none of
/// their kind ranks above.
pub fn promote_in_set<Tag: Copy + PartialEq>(
    tags: &[Tag],
    specs: &[MemberSpec],
    lhs: Tag,
    rhs: Tag,
) -> Result<Tag, PromoteInSetError<Tag>> {
    let members = || tags.iter().copied().zip(specs.iter().copied());
    let spec_of = |tag: Tag| {
        members()
            .find(|member| member.0 == tag)
            .map(|member| member.1)
            .ok_or(PromoteInSetError::NotInSet { tag })
    };
    let (l, r) = (spec_of(lhs)?, spec_of(rhs)?);
    if lhs == rhs {
        return Ok(lhs);
    }
    let wanted = promote_specs(l, r).map_err(|_| PromoteInSetError::External { lhs, rhs })?;
    match (wanted == l, wanted == r) {
        (true, false) => Ok(lhs),
        (false, true) => Ok(rhs),
        (true, true) => members()
            .filter(|(_, spec)| spec.kind == wanted.kind && spec.level > wanted.level)
            .min_by_key(|(_, spec)| (spec.level, spec.width))
            .map(|(tag, _)| tag)
            .ok_or(PromoteInSetError::NoHigherLevel {
                lhs,
                rhs,
                spec: wanted,
            }),
        (false, false) => {
            let wanted = if wanted.kind == MemberKind::Integer && !has_width(specs, wanted) {
                widest(MemberKind::Float)
            } else {
                wanted
            };
            let kind = wanted.kind;
            search(members(), wanted).ok_or(PromoteInSetError::NoMember { lhs, rhs, kind })
        }
    }
}

fn has_width(specs: &[MemberSpec], wanted: MemberSpec) -> bool {
    specs
        .iter()
        .any(|spec| spec.kind == wanted.kind && spec.width >= wanted.width)
}

/// The exact member, else the narrowest of the kind that is wide enough, else the widest.
fn search<Tag: Copy>(
    members: impl Iterator<Item = (Tag, MemberSpec)>,
    wanted: MemberSpec,
) -> Option<Tag> {
    members
        .filter(|(_, spec)| spec.kind == wanted.kind)
        // Exact before wide enough before too narrow; wide enough by rising width, too narrow by falling width.
        .min_by_key(|(_, spec)| {
            let (rank, by_width) = if *spec == wanted {
                (0, 0)
            } else if spec.width >= wanted.width {
                (1, spec.width)
            } else {
                (2, u32::MAX - spec.width)
            };
            (rank, by_width, spec.level)
        })
        .map(|(tag, _)| tag)
}

/// The dtype that holds the values of both `lhs` and `rhs`: [`promote_in_set`] over the presets.
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
pub fn promote(lhs: DType, rhs: DType) -> Result<DType, PromotionError> {
    if lhs == rhs {
        // External scalars are in no table, and each is its own common dtype.
        return Ok(lhs);
    }
    promote_in_set(DType::TAGS, DType::SPECS, lhs, rhs).map_err(|_| PromotionError { lhs, rhs })
}

/// Whether converting `from` into `to` follows the promotion order, that is `promote(from, to) == to`.
#[must_use]
pub fn can_convert(from: DType, to: DType) -> bool {
    promote(from, to) == Ok(to)
}
