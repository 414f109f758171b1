//! Elements as bytes: bytes of a file to typed values and back, for every dtype.
//!
//! Values are read into the memory where they stay: it is asked for once, filled with the file's bytes piece by piece,
//! and only where file and machine differ in byte order are the bytes turned round, component by component (a complex
//! number is two components). Every piece is shown to the caller on its way, for checksums and progress. Writing is the
//! same in the other direction; a view whose elements do not lie in the order of the file goes through a small buffer.

use std::io::{self, Read, Write};

use bytemuck::{NoUninit, Zeroable};
use tensor::alloc::prefer_huge_pages;
use tensor::{TensorElement, TypedTensorView};
use tensor_core::{Complex32, Complex64, DType, bf16, f16};

/// Bytes that are moved at a time: they still lie in the cache when the checksum is taken.
pub(crate) const PIECE_BYTES: usize = 1 << 18;

/// Which byte of a number comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// The least significant; what nearly all files have.
    #[default]
    Little,
    /// The most significant.
    Big,
}

impl ByteOrder {
    /// That of this machine.
    pub const NATIVE: Self = if cfg!(target_endian = "big") {
        Self::Big
    } else {
        Self::Little
    };
}

/// How a file's bools are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bools {
    /// A byte that is neither 0 nor 1 is a damaged one.
    ZeroOrOne,
    /// Any byte but 0 is true, as for numpy.
    AnyByte,
}

/// How the elements of a file are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Encoding {
    pub(crate) order: ByteOrder,
    pub(crate) bools: Bools,
}

impl Encoding {
    /// Little-endian, and bools are 0 or 1: what formats of tensors have in common.
    pub(crate) const LITTLE: Self = Self {
        order: ByteOrder::Little,
        bools: Bools::ZeroOrOne,
    };
}

/// Why values could not be read.
#[derive(Debug)]
pub(crate) enum Fault {
    Io(io::Error),
    /// Element `at` is a bool whose byte is `byte`.
    Bool {
        at: usize,
        byte: u8,
    },
}

/// An element that files can hold.
pub(crate) trait Element: TensorElement + NoUninit + Zeroable {
    /// The elements that are moved at a time.
    const PIECE: usize;

    /// Fills `elements`, at most [`Element::PIECE`] of them, of which the first is number `first` of its tensor, from `reader`; `seen` is shown the file's bytes.
    fn fill(
        elements: &mut [Self],
        first: usize,
        reader: &mut impl Read,
        encoding: Encoding,
        seen: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Fault>;

    /// The elements whose bytes in this machine's order are `bytes`, where they lie; `None` if they can't be used there,
    /// as bools never can: memory that others write too could hold a byte that is no bool.
    fn in_place(bytes: &[u8]) -> Option<&[Self]>;

    /// The elements whose bytes in this machine's order are `bytes`, which nobody else writes; `None` if misaligned.
    fn borrowed(bytes: &[u8]) -> Result<Option<&[Self]>, Fault> {
        Ok(Self::in_place(bytes))
    }
}

macro_rules! implement {
    ($($Type:ty)+) => {$(
        impl Element for $Type {
            const PIECE: usize = PIECE_BYTES / size_of::<Self>();

            fn fill(
                elements: &mut [Self],
                _first: usize,
                reader: &mut impl Read,
                encoding: Encoding,
                seen: &mut dyn FnMut(&[u8]),
            ) -> Result<(), Fault> {
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(elements);
                reader.read_exact(bytes).map_err(Fault::Io)?;
                seen(bytes);
                turn::<Self>(bytes, encoding.order);
                Ok(())
            }

            fn in_place(bytes: &[u8]) -> Option<&[Self]> {
                bytemuck::try_cast_slice(bytes).ok()
            }
        }
    )+};
}

implement!(f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64 Complex32 Complex64);

impl Element for bool {
    const PIECE: usize = 1 << 12;

    /// By way of a small buffer: a byte of the file must not be a `bool` before it was looked at.
    fn fill(
        elements: &mut [Self],
        first: usize,
        reader: &mut impl Read,
        encoding: Encoding,
        seen: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Fault> {
        let mut buffer = [0; Self::PIECE];
        let bytes = &mut buffer[..elements.len()];
        reader.read_exact(bytes).map_err(Fault::Io)?;
        seen(bytes);
        if encoding.bools == Bools::ZeroOrOne
            && let Some(at) = bytes.iter().position(|&byte| byte > 1)
        {
            return Err(Fault::Bool {
                at: first + at,
                byte: bytes[at],
            });
        }
        for (element, &byte) in elements.iter_mut().zip(&*bytes) {
            *element = byte != 0;
        }
        Ok(())
    }

    fn in_place(_bytes: &[u8]) -> Option<&[Self]> {
        None
    }

    fn borrowed(bytes: &[u8]) -> Result<Option<&[Self]>, Fault> {
        match bytes.iter().position(|&byte| byte > 1) {
            Some(at) => Err(Fault::Bool {
                at,
                byte: bytes[at],
            }),
            None => Ok(bytemuck::checked::try_cast_slice(bytes).ok()),
        }
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

/// Turns the bytes of each component round if `order` is not this machine's.
fn turn<T: Element>(bytes: &mut [u8], order: ByteOrder) {
    let component = component_bytes(T::dtype());
    if order != ByteOrder::NATIVE && component > 1 {
        bytes.chunks_exact_mut(component).for_each(<[u8]>::reverse);
    }
}

/// Memory for `count` elements, all zero; on huge pages if it is large, since first touches of small ones would take several
/// times as long as reading the file.
pub(crate) fn try_zeroed<T: NoUninit + Zeroable>(count: usize) -> Option<Vec<T>> {
    let zeroed = bytemuck::allocation::try_zeroed_slice_box(count).ok()?;
    prefer_huge_pages(&zeroed);
    Some(zeroed.into_vec())
}

/// Fills `elements` from `reader`; `seen` is shown the file's bytes, a piece at a time, all of them even if one is no bool.
pub(crate) fn fill<T: Element>(
    elements: &mut [T],
    reader: &mut impl Read,
    encoding: Encoding,
    seen: &mut dyn FnMut(&[u8]),
) -> Result<(), Fault> {
    let mut damaged = None;
    for (nth, piece) in elements.chunks_mut(T::PIECE).enumerate() {
        match T::fill(piece, nth * T::PIECE, reader, encoding, seen) {
            Err(fault @ Fault::Bool { .. }) => damaged = damaged.or(Some(fault)),
            done => done?,
        }
    }
    damaged.map_or(Ok(()), Err)
}

/// Writes the elements of a view in row-major order; `seen` is shown the bytes as they are in the file.
pub(crate) fn write_elements<T: Element>(
    writer: &mut dyn Write,
    view: &TypedTensorView<'_, T>,
    order: ByteOrder,
    seen: &mut dyn FnMut(&[u8]),
) -> io::Result<()> {
    let mut put = |bytes: &[u8]| {
        seen(bytes);
        writer.write_all(bytes)
    };
    if let Ok(elements) = view.as_slice()
        && (order == ByteOrder::NATIVE || size_of::<T>() == 1)
    {
        let bytes: &[u8] = bytemuck::cast_slice(elements);
        return bytes.chunks(PIECE_BYTES).try_for_each(put);
    }
    let mut buffer = Vec::with_capacity(PIECE_BYTES.min(size_of::<T>() * view.len()));
    let mut elements = view.iter();
    loop {
        buffer.clear();
        for element in elements.by_ref().take(PIECE_BYTES / size_of::<T>()) {
            buffer.extend_from_slice(bytemuck::bytes_of(element));
        }
        if buffer.is_empty() {
            return Ok(());
        }
        turn::<T>(&mut buffer, order);
        put(&buffer)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: Element>(bytes: &[u8], count: usize, order: ByteOrder) -> Result<Vec<T>, Fault> {
        let encoding = Encoding {
            order,
            ..Encoding::LITTLE
        };
        let mut elements = try_zeroed(count).unwrap();
        fill(&mut elements, &mut { bytes }, encoding, &mut |_| {})?;
        Ok(elements)
    }

    #[test]
    fn more_than_one_piece_arrives_in_order() {
        let count = PIECE_BYTES / 2 + 7;
        let values = || (0..count).map(|n| u32::try_from(n).unwrap().wrapping_mul(0x9e37_79b1));
        let little: Vec<u8> = values().flat_map(u32::to_le_bytes).collect();
        let big: Vec<u8> = values().flat_map(u32::to_be_bytes).collect();
        let elements: Vec<u32> = values().collect();
        let backwards: Vec<u32> = elements.iter().rev().copied().collect();
        for (bytes, order) in [(little, ByteOrder::Little), (big, ByteOrder::Big)] {
            let mut seen = Vec::new();
            let mut found = vec![0_u32; count];
            fill(
                &mut found,
                &mut bytes.as_slice(),
                Encoding {
                    order,
                    ..Encoding::LITTLE
                },
                &mut |piece| seen.extend_from_slice(piece),
            )
            .unwrap();
            assert!(found == elements && seen == bytes, "{order:?}");
            let views = [
                TypedTensorView::from_slice([count], &elements).unwrap(),
                TypedTensorView::from_slice_strided([count], &[-1], count - 1, &backwards).unwrap(),
            ];
            for view in views {
                let (mut written, mut seen) = (Vec::new(), Vec::new());
                write_elements(&mut written, &view, order, &mut |piece| {
                    seen.extend_from_slice(piece);
                })
                .unwrap();
                assert!(
                    written == bytes && seen == bytes,
                    "{order:?} {:?}",
                    view.strides()
                );
            }
        }
    }

    #[test]
    fn complex_components_are_reversed_one_by_one() {
        let bytes: Vec<u8> = [1.5_f32, -2.0, 0.25, 8.0]
            .into_iter()
            .flat_map(f32::to_be_bytes)
            .collect();
        let expect = [Complex32::new(1.5, -2.0), Complex32::new(0.25, 8.0)];
        let found: Vec<Complex32> = read(&bytes, 2, ByteOrder::Big).unwrap();
        assert_eq!(found, expect);
        let view = TypedTensorView::from_slice([2], &expect).unwrap();
        let mut written = Vec::new();
        write_elements(&mut written, &view, ByteOrder::Big, &mut |_| {}).unwrap();
        assert_eq!(written, bytes);
    }

    #[test]
    fn a_bool_is_zero_or_one_unless_any_byte_will_do() {
        let found = read::<bool>(&[0, 1, 2, 1], 4, ByteOrder::Little);
        assert!(
            matches!(found, Err(Fault::Bool { at: 2, byte: 2 })),
            "{found:?}"
        );
        assert_eq!(
            read::<bool>(&[1, 0], 2, ByteOrder::Big).unwrap(),
            [true, false]
        );
        let mut found = [true; 3];
        let numpy = Encoding {
            bools: Bools::AnyByte,
            ..Encoding::LITTLE
        };
        fill(&mut found, &mut &[0, 1, 255][..], numpy, &mut |_| {}).unwrap();
        assert_eq!(found, [false, true, true]);
        // The place of a damaged one counts from the first element, in later pieces too.
        let at = 2 * bool::PIECE + 5;
        let mut bytes = vec![1; at + 8];
        bytes[at] = 3;
        let error = read::<bool>(&bytes, bytes.len(), ByteOrder::Little).unwrap_err();
        assert!(
            matches!(error, Fault::Bool { at: found, byte: 3 } if found == at),
            "{error:?}"
        );
    }

    #[test]
    fn early_ends_and_impossible_sizes_are_errors() {
        let error = read::<f64>(&[0; 15], 2, ByteOrder::Little).unwrap_err();
        assert!(matches!(error, Fault::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof));
        assert!(try_zeroed::<f64>(usize::MAX / 8).is_none());
    }
}
