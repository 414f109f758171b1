//! From a dtype value to a Rust type.

/// Runs one generic expression with `T` set to the preset type of a [`DType`](crate::DType).
///
/// The last arm is for external scalars, which have no preset type. Rust checks that the list of presets is complete.
///
/// ```
/// use tensor_core::{DType, dispatch_dtype};
/// let size = dispatch_dtype!(DType::I64, T => Some(std::mem::size_of::<T>()), _external => None);
/// assert_eq!(size, Some(8));
/// ```
#[macro_export]
macro_rules! dispatch_dtype {
    ($dtype:expr, $T:ident => $body:expr, $external:pat => $other:expr $(,)?) => {
        match $dtype {
            $crate::DType::F32 => {
                type $T = f32;
                $body
            }
            $crate::DType::F64 => {
                type $T = f64;
                $body
            }
            $crate::DType::I32 => {
                type $T = i32;
                $body
            }
            $crate::DType::I64 => {
                type $T = i64;
                $body
            }
            $crate::DType::Bool => {
                type $T = bool;
                $body
            }
            $crate::DType::C32 => {
                type $T = $crate::Complex32;
                $body
            }
            $crate::DType::C64 => {
                type $T = $crate::Complex64;
                $body
            }
            $crate::DType::F16 => {
                type $T = $crate::f16;
                $body
            }
            $crate::DType::BF16 => {
                type $T = $crate::bf16;
                $body
            }
            $crate::DType::I8 => {
                type $T = i8;
                $body
            }
            $crate::DType::I16 => {
                type $T = i16;
                $body
            }
            $crate::DType::U8 => {
                type $T = u8;
                $body
            }
            $crate::DType::U16 => {
                type $T = u16;
                $body
            }
            $crate::DType::U32 => {
                type $T = u32;
                $body
            }
            $crate::DType::U64 => {
                type $T = u64;
                $body
            }
            $crate::DType::External($external) => $other,
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::{DType, ExternalId, TensorScalar};

    #[test]
    fn every_preset_reaches_its_own_type() {
        for &tag in DType::TAGS {
            let found = dispatch_dtype!(tag, T => Some((T::dtype(), std::mem::size_of::<T>())), _id => None);
            assert_eq!(found, Some((tag, tag.size_bytes())));
        }
        let id = ExternalId::from_name("x");
        assert_eq!(
            dispatch_dtype!(DType::External(id), T => Err(T::dtype()), found => Ok(found)),
            Ok(id)
        );
    }
}
