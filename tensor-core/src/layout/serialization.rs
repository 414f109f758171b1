//! Layouts in serde's data model: the fields `shape`, `strides` and `offset`, all in elements.
//!
//! Reading validates everything that does not depend on a buffer: one stride per extent, an element count and reachable
//! offsets that fit, and no element before the buffer's start. Whether the buffer is long enough is for
//! [`TensorLayout::validate_in_bounds`] when the two meet.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::TensorLayout;
use crate::{TensorRank, ValidationError};

impl<R: TensorRank> Serialize for TensorLayout<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("TensorLayout", 3)?;
        fields.serialize_field("shape", self.shape())?;
        fields.serialize_field("strides", self.strides())?;
        fields.serialize_field("offset", &self.offset)?;
        fields.end()
    }
}

/// The fields as they were read.
#[derive(serde::Deserialize)]
#[serde(rename = "TensorLayout", deny_unknown_fields)]
struct Fields {
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: usize,
}

impl<'de, R: TensorRank> Deserialize<'de> for TensorLayout<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const OP: &str = "TensorLayout";
        let Fields {
            shape,
            strides,
            offset,
        } = Fields::deserialize(deserializer)?;
        R::shape_from_slice(&shape)
            .and_then(|ranked| Self::validated(OP, ranked, &strides, offset, usize::MAX))
            .map_err(|error| match error.with_op(OP) {
                // No buffer is known yet, so what is out of bounds lies before its start.
                ValidationError::ViewOutOfBounds { min, .. } => D::Error::custom(format_args!(
                    "{OP}: shape {shape:?} with strides {strides:?} and offset {offset} reaches element {min}, which is \
                     before the start of any buffer; raise the offset"
                )),
                other => D::Error::custom(other),
            })
    }
}
