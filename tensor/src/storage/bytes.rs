//! The bytes of preset elements, as devices copy them: in the byte order of this machine.
//!
//! All of it rests on [`TensorElement`] being sealed: its fifteen types are the integers, floats and `bool` of the language,
//! `f16` and `bf16` (one `u16` each) and complex numbers (two floats, `repr(C)`). None has padding, so all their bytes are
//! initialised; all but `bool` take any bytes as a value.

use std::marker::PhantomData;
use std::slice;

use super::AllocBuffer;
use crate::TensorElement;

/// The bytes of `elements`.
pub(crate) fn bytes_of<T: TensorElement>(elements: &[T]) -> &[u8] {
    let (start, len) = (elements.as_ptr().cast::<u8>(), size_of_val(elements));
    // SAFETY: these are the bytes of the slice, borrowed for as long; a preset element has no padding, so all of them are
    // initialised, and `u8` needs no alignment.
    unsafe { slice::from_raw_parts(start, len) }
}

/// The bytes of `elements`, to be written; `None` for `bool`, which does not take any byte.
pub(crate) fn bytes_of_mut<T: TensorElement>(elements: &mut [T]) -> Option<&mut [u8]> {
    if T::dtype().is_bool() {
        return None;
    }
    let (len, start) = (size_of_val(elements), elements.as_mut_ptr().cast::<u8>());
    // SAFETY: as in `bytes_of`, and `elements` is given up for as long as the bytes are; a preset element that is not a
    // `bool` takes any bytes as a value, so whatever is written leaves valid elements.
    Some(unsafe { slice::from_raw_parts_mut(start, len) })
}

impl AllocBuffer<u8> {
    /// The same memory as elements of type `T`, without a rest at the end; a byte of a `bool` is true unless 0.
    pub(crate) fn into_elements<T: TensorElement>(mut self) -> AllocBuffer<T> {
        if T::dtype().is_bool() {
            for byte in self.as_mut_slice() {
                *byte = u8::from(*byte != 0);
            }
        }
        let aligned = self.allocation.layout().align() >= align_of::<T>();
        assert!(
            aligned,
            "every block of an AllocBuffer is aligned to 64 bytes"
        );
        // The invariant of `AllocBuffer`: the block is host addressable and holds `self.len` initialised bytes, so also this
        // many elements; it is aligned for them; and their bytes are values of `T`, which takes any, or 0 or 1 for a `bool`.
        AllocBuffer {
            len: self.len / size_of::<T>(),
            allocation: self.allocation,
            elements: PhantomData,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::alloc::{Allocator, SystemAllocator};
    use crate::{Complex32, Complex64, bf16, f16};

    #[test]
    fn bytes_are_those_of_the_machine() {
        assert_eq!(bytes_of(&[0x0102_0304_u32]), 0x0102_0304_u32.to_ne_bytes());
        assert_eq!(bytes_of(&[true, false]), [1, 0]);
        let parts = [1.5_f32.to_ne_bytes(), (-2.0_f32).to_ne_bytes()];
        assert_eq!(bytes_of(&[Complex32::new(1.5, -2.0)]), parts.as_flattened());
        let mut elements = [0_i16; 2];
        let bytes = bytes_of_mut(&mut elements).unwrap();
        bytes[2..].copy_from_slice(&(-3_i16).to_ne_bytes());
        assert_eq!(elements, [0, -3]);
        assert!(bytes_of_mut(&mut [true]).is_none());
        assert_eq!(bytes_of(&[] as &[f64]), [] as [u8; 0]);
    }

    #[test]
    fn every_preset_comes_back_from_its_bytes() {
        fn check<T: TensorElement>(elements: &[T]) {
            let system: Arc<dyn Allocator> = Arc::new(SystemAllocator::new());
            let bytes = AllocBuffer::copied(&system, bytes_of(elements)).unwrap();
            assert_eq!(bytes.into_elements::<T>().as_slice(), elements);
        }
        check(&[1_i8, -2]);
        check(&[1_i16, -2]);
        check(&[1_i32, -2]);
        check(&[1_i64, -2]);
        check(&[1_u8, 2]);
        check(&[1_u16, 2]);
        check(&[1_u32, 2]);
        check(&[1_u64, 2]);
        check(&[1.5_f32, -2.0]);
        check(&[1.5_f64, -2.0]);
        check(&[f16::ONE, f16::EPSILON]);
        check(&[bf16::ONE, bf16::EPSILON]);
        check(&[Complex32::new(1.0, 2.0); 3]);
        check(&[Complex64::new(1.0, 2.0); 3]);
        check(&[true, false, true]);
    }

    #[test]
    fn any_byte_but_zero_is_true_and_a_rest_is_left_out() {
        let system: Arc<dyn Allocator> = Arc::new(SystemAllocator::new());
        let bytes = AllocBuffer::copied(&system, &[0_u8, 1, 2, 255]).unwrap();
        assert_eq!(
            bytes.into_elements::<bool>().as_slice(),
            [false, true, true, true]
        );
        let bytes = AllocBuffer::copied(&system, &[7_u8; 7]).unwrap();
        assert_eq!(bytes.into_elements::<u32>().as_slice(), [0x0707_0707]);
    }
}
