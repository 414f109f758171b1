//! Elements as bytes: little-endian bytes to typed values and back, for every dtype.
//!
//! Values are read through a small buffer, so that a file needs memory once, and each buffer is converted in one
//! loop over fixed-size chunks. Big-endian input is reversed component by component before that (a complex number is
//! two components).

use std::io::{self, Read, Write};

use tensor::TensorElement;
use tensor_core::{Complex32, Complex64, DType, bf16, f16};

/// Bytes that are converted at a time; a multiple of every element's size.
const BUFFER_BYTES: usize = 1 << 16;

/// An element that files can hold.
pub(crate) trait Element: TensorElement {
    /// Appends the elements whose little-endian bytes are `bytes`, a whole number of elements.
    fn extend_from_le_bytes(elements: &mut Vec<Self>, bytes: &[u8]);

    /// Appends the little-endian bytes of this element.
    fn push_le_bytes(self, bytes: &mut Vec<u8>);
}

macro_rules! implement {
    ($($Type:ty: $size:literal, $bytes:ident => $from:expr, $element:ident => $to:expr;)+) => {$(
        impl Element for $Type {
            fn extend_from_le_bytes(elements: &mut Vec<Self>, bytes: &[u8]) {
                let (chunks, _whole) = bytes.as_chunks::<$size>();
                elements.extend(chunks.iter().map(|&$bytes| $from));
            }

            fn push_le_bytes(self, bytes: &mut Vec<u8>) {
                let $element = self;
                bytes.extend_from_slice(&$to);
            }
        }
    )+};
}

implement! {
    f32: 4, bytes => f32::from_le_bytes(bytes), element => element.to_le_bytes();
    f64: 8, bytes => f64::from_le_bytes(bytes), element => element.to_le_bytes();
    f16: 2, bytes => f16::from_le_bytes(bytes), element => element.to_le_bytes();
    bf16: 2, bytes => bf16::from_le_bytes(bytes), element => element.to_le_bytes();
    i8: 1, bytes => i8::from_le_bytes(bytes), element => element.to_le_bytes();
    i16: 2, bytes => i16::from_le_bytes(bytes), element => element.to_le_bytes();
    i32: 4, bytes => i32::from_le_bytes(bytes), element => element.to_le_bytes();
    i64: 8, bytes => i64::from_le_bytes(bytes), element => element.to_le_bytes();
    u8: 1, bytes => u8::from_le_bytes(bytes), element => element.to_le_bytes();
    u16: 2, bytes => u16::from_le_bytes(bytes), element => element.to_le_bytes();
    u32: 4, bytes => u32::from_le_bytes(bytes), element => element.to_le_bytes();
    u64: 8, bytes => u64::from_le_bytes(bytes), element => element.to_le_bytes();
    // Any byte but 0 is true, as for numpy.
    bool: 1, bytes => bytes != [0], element => [u8::from(element)];
}

impl Element for Complex32 {
    fn extend_from_le_bytes(elements: &mut Vec<Self>, bytes: &[u8]) {
        let (components, _whole) = bytes.as_chunks::<4>();
        let (pairs, _whole) = components.as_chunks::<2>();
        elements.extend(
            pairs
                .iter()
                .map(|&[re, im]| Self::new(f32::from_le_bytes(re), f32::from_le_bytes(im))),
        );
    }

    fn push_le_bytes(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.re.to_le_bytes());
        bytes.extend_from_slice(&self.im.to_le_bytes());
    }
}

impl Element for Complex64 {
    fn extend_from_le_bytes(elements: &mut Vec<Self>, bytes: &[u8]) {
        let (components, _whole) = bytes.as_chunks::<8>();
        let (pairs, _whole) = components.as_chunks::<2>();
        elements.extend(
            pairs
                .iter()
                .map(|&[re, im]| Self::new(f64::from_le_bytes(re), f64::from_le_bytes(im))),
        );
    }

    fn push_le_bytes(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.re.to_le_bytes());
        bytes.extend_from_slice(&self.im.to_le_bytes());
    }
}

/// Bytes of the part that a byte order applies to.
fn component_bytes(dtype: DType) -> usize {
    if dtype.is_complex() {
        dtype.size_bytes() / 2
    } else {
        dtype.size_bytes()
    }
}

/// Reads exactly `count` elements.
///
/// # Errors
/// What the reader reports, `UnexpectedEof` when it ends early, `OutOfMemory` when the elements do not fit.
pub(crate) fn read_elements<T: Element>(
    reader: &mut impl Read,
    count: usize,
    big_endian: bool,
) -> io::Result<Vec<T>> {
    let mut elements = Vec::new();
    elements
        .try_reserve_exact(count)
        .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    let size = std::mem::size_of::<T>();
    let mut buffer = vec![0_u8; BUFFER_BYTES.min(count.saturating_mul(size))];
    while elements.len() < count {
        let bytes = (count - elements.len()).min(BUFFER_BYTES / size) * size;
        let part = &mut buffer[..bytes];
        reader.read_exact(part)?;
        if big_endian {
            part.chunks_exact_mut(component_bytes(T::dtype()))
                .for_each(<[u8]>::reverse);
        }
        T::extend_from_le_bytes(&mut elements, part);
    }
    Ok(elements)
}

/// Writes elements as little-endian bytes, a buffer at a time.
///
/// # Errors
/// What the writer reports.
pub(crate) fn write_elements<T: Element>(
    writer: &mut impl Write,
    elements: impl Iterator<Item = T>,
) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(BUFFER_BYTES + std::mem::size_of::<T>());
    for element in elements {
        element.push_le_bytes(&mut buffer);
        if buffer.len() >= BUFFER_BYTES {
            writer.write_all(&buffer)?;
            buffer.clear();
        }
    }
    writer.write_all(&buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_one_buffer_arrives_in_order() {
        let count = BUFFER_BYTES / 2 + 7;
        let values = || (0..count).map(|n| u32::try_from(n).unwrap().wrapping_mul(0x9e37_79b1));
        let little: Vec<u8> = values().flat_map(u32::to_le_bytes).collect();
        let big: Vec<u8> = values().flat_map(u32::to_be_bytes).collect();
        for (bytes, big_endian) in [(little, false), (big, true)] {
            let read: Vec<u32> = read_elements(&mut bytes.as_slice(), count, big_endian).unwrap();
            assert!(read.into_iter().eq(values()), "big_endian {big_endian}");
        }
        let mut written = Vec::new();
        write_elements(&mut written, values()).unwrap();
        assert_eq!(
            written,
            values().flat_map(u32::to_le_bytes).collect::<Vec<u8>>()
        );
    }

    #[test]
    fn complex_components_are_reversed_one_by_one() {
        let bytes: Vec<u8> = [1.5_f32, -2.0, 0.25, 8.0]
            .into_iter()
            .flat_map(f32::to_be_bytes)
            .collect();
        let read: Vec<Complex32> = read_elements(&mut bytes.as_slice(), 2, true).unwrap();
        assert_eq!(read, [Complex32::new(1.5, -2.0), Complex32::new(0.25, 8.0)]);
    }

    #[test]
    fn early_ends_and_impossible_sizes_are_errors() {
        let error = read_elements::<f64>(&mut [0_u8; 15].as_slice(), 2, false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        let error = read_elements::<f64>(&mut io::empty(), usize::MAX / 8, false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
    }
}
