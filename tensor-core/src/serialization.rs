//! Dtypes and ids of external scalars in serde's data model: as their text names.
//!
//! Names survive a change of the table's order, which positions would not. What does not parse is refused with the error of
//! `FromStr`, which lists what would.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::{DType, ExternalId};

struct NameOf<T>(PhantomData<T>);

impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for NameOf<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a dtype, such as `f32` or `external#e40c292c`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

macro_rules! by_name {
    ($($Type:ty)+) => {$(
        impl Serialize for $Type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $Type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(NameOf(PhantomData))
            }
        }
    )+};
}

by_name!(DType ExternalId);
