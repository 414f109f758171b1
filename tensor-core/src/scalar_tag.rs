//! The macro that makes a set of element types from one table.
//!
//! [`DType`](crate::DType) is made by it, and a crate outside makes its own set with it. The macro names everything through
//! `$crate` or `::core`, so it works under whatever path the caller reaches this crate, without any import.

/// Makes a tag enum with its tables from rows `Variant("name") => Type : Kind level width`.
///
/// The enum gets the attributes and documentation that are written above it, and has to derive `Clone`, `Copy` and whatever
/// else it should have. `Kind` is a variant of [`MemberKind`](crate::MemberKind), `level` a literal `i32` (the higher level
/// of one kind wins a promotion), `width` a literal number of bits (of one component for complex numbers, 0 for truth
/// values). The last line, `external Variant(Type);`, may be left out; it adds a variant for scalars that the table does
/// not know, such as an [`ExternalId`](crate::ExternalId).
///
/// What is made, all of it `const`:
/// - `TAGS` and `SPECS`, the members and their [`MemberSpec`](crate::MemberSpec)s, in the order of the rows; the external
///   variant is in neither;
/// - `spec()`, `name()` and `size_bytes()` of a tag; for the external variant `(External, 0, 0)`, `"external"` and 0.
///
/// [`promote_in_set`](crate::promote_in_set) promotes in the set:
/// ```
/// // A crate that knows this one only as a part of another writes `other_crate::core::define_scalar_tag!`.
/// mod other_crate {
///     pub use tensor_core as core;
/// }
///
/// other_crate::core::define_scalar_tag! {
///     /// Numbers of a ledger.
///     #[derive(Clone, Copy, Debug, PartialEq, Eq)]
///     pub enum Ledger {
///         /// Whole cents.
///         Cents("cents") => i64 : Integer 0 64,
///         /// An exchange rate.
///         Rate("rate") => f64 : Float 0 64,
///         /// A flag.
///         Settled("settled") => bool : Boolean 0 0,
///     }
///     external Custom(u16);
/// }
///
/// assert_eq!(Ledger::TAGS, [Ledger::Cents, Ledger::Rate, Ledger::Settled]);
/// assert_eq!((Ledger::Rate.name(), Ledger::Rate.size_bytes()), ("rate", 8));
/// let promote = |l, r| tensor_core::promote_in_set(Ledger::TAGS, Ledger::SPECS, l, r);
/// assert_eq!(promote(Ledger::Cents, Ledger::Rate), Ok(Ledger::Rate));
/// assert_eq!(promote(Ledger::Settled, Ledger::Cents), Ok(Ledger::Cents));
/// assert!(promote(Ledger::Cents, Ledger::Custom(7)).is_err());
/// ```
#[macro_export]
macro_rules! define_scalar_tag {
    (
        $(#[$meta:meta])*
        $vis:vis enum $Tag:ident {
            $(
                $(#[$row_meta:meta])*
                $Variant:ident($name:literal) => $Type:ty : $Kind:ident $level:literal $width:literal
            ),+ $(,)?
        }
        $(external $External:ident($ExternalType:ty);)?
    ) => {
        $(#[$meta])*
        $vis enum $Tag {
            $($(#[$row_meta])* $Variant,)+
            $(
                /// A scalar that the table of this set does not know, by its id.
                $External($ExternalType),
            )?
        }

        #[allow(dead_code, reason = "a set for one crate need not use every table")]
        impl $Tag {
            /// Every member of the table, in its order.
            $vis const TAGS: &'static [Self] = &[$(Self::$Variant,)+];
            /// The specs of [`Self::TAGS`], in the same order.
            $vis const SPECS: &'static [$crate::MemberSpec] =
                &[$($crate::MemberSpec::new($crate::MemberKind::$Kind, $level, $width),)+];

            /// Family, level and width.
            #[must_use]
            $vis const fn spec(self) -> $crate::MemberSpec {
                match self {
                    $(Self::$Variant => {
                        $crate::MemberSpec::new($crate::MemberKind::$Kind, $level, $width)
                    })+
                    $(Self::$External(_) => {
                        $crate::MemberSpec::new($crate::MemberKind::External, 0, 0)
                    })?
                }
            }

            /// The name in the table; `external` for every scalar that the table does not know.
            #[must_use]
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$Variant => $name,)+
                    $(Self::$External(_) => "external",)?
                }
            }

            /// Bytes of one element; 0 for a scalar that the table does not know.
            #[must_use]
            $vis const fn size_bytes(self) -> usize {
                match self {
                    $(Self::$Variant => ::core::mem::size_of::<$Type>(),)+
                    $(Self::$External(_) => 0,)?
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::allow_attributes,
        reason = "define_scalar_tag! can't know whether its caller uses every table"
    )]

    mod facade {
        pub(super) use crate as core;
    }

    /// A macro over the macro, as a crate above would write it: it passes its fragments on.
    macro_rules! outer {
        ($(#[$meta:meta])* $vis:vis enum $Tag:ident {
            $($Variant:ident => $Type:ty : $Kind:ident $level:literal $width:literal),* $(,)?
        } $(external $External:ident($Id:ty);)?) => {
            facade::core::define_scalar_tag! {
                $(#[$meta])*
                $vis enum $Tag {
                    $(
                        #[doc = stringify!($Variant)]
                        $Variant("nested") => $Type : $Kind $level $width,
                    )*
                }
                $(external $External($Id);)?
            }
        };
    }

    outer! {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(super) enum Nested {
            Flag => bool : Boolean 0 0,
            Byte => i8 : Integer -1 8,
            Count => u8 : UnsignedInteger 0 8,
            Wide => (u64, u64) : Float 3 107,
            Pair => [f64; 2] : Complex 0 64,
            Opaque => [u8; 3] : External 0 0
        }
    }

    outer! {
        #[derive(Clone, Copy, Debug, PartialEq)]
        enum Open { Only => f32 : Float 0 32 }
        external Other(u8);
    }

    use crate::{MemberKind, MemberSpec};

    #[test]
    fn nests_in_another_macro_and_takes_every_kind() {
        use MemberKind::{Boolean, Complex, External, Float, Integer, UnsignedInteger};
        let rows = [
            (Nested::Flag, Boolean, 0, 0, 1),
            (Nested::Byte, Integer, -1, 8, 1),
            (Nested::Count, UnsignedInteger, 0, 8, 1),
            (Nested::Wide, Float, 3, 107, 16),
            (Nested::Pair, Complex, 0, 64, 16),
            (Nested::Opaque, External, 0, 0, 3),
        ];
        assert_eq!(Nested::TAGS.len(), rows.len());
        for (i, (tag, kind, level, width, size)) in rows.into_iter().enumerate() {
            assert_eq!(Nested::TAGS[i], tag);
            assert_eq!(Nested::SPECS[i], MemberSpec::new(kind, level, width));
            assert_eq!((tag.spec(), tag.size_bytes()), (Nested::SPECS[i], size));
            assert_eq!(tag.name(), "nested");
        }
    }

    #[test]
    fn the_external_variant_is_in_no_table() {
        assert_eq!((Open::TAGS.len(), Open::SPECS.len()), (1, 1));
        let other = Open::Other(3);
        assert_eq!(other.spec(), MemberSpec::new(MemberKind::External, 0, 0));
        assert_eq!((other.name(), other.size_bytes()), ("external", 0));
        assert_eq!(Open::Only.size_bytes(), 4);
    }
}
