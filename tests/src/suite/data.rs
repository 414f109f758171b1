//! A tensor from a file of the suite: just the fields of `TensorProto` that the suite uses.
//!
//! The importer has a decoder of its own. This one shares nothing with it, so that a mistake there cannot hide in what
//! is expected.

use tensor::{DType, Tensor};

/// Element types narrower than any dtype by their numbers in ONNX: the dtype of the tensor of their codes, and the bits that an
/// element has in the file.
const NARROW: &[(u64, DType, usize)] = &[
    (17, DType::U8, 8),
    (18, DType::U8, 8),
    (19, DType::U8, 8),
    (20, DType::U8, 8),
    (21, DType::U8, 4),
    (22, DType::I8, 4),
    (23, DType::U8, 4),
    (24, DType::U8, 8),
    (25, DType::U8, 2),
    (26, DType::I8, 2),
];

/// The dtypes by their numbers in ONNX.
const DTYPES: &[(u64, DType)] = &[
    (1, DType::F32),
    (2, DType::U8),
    (3, DType::I8),
    (4, DType::U16),
    (5, DType::I16),
    (6, DType::I32),
    (7, DType::I64),
    (9, DType::Bool),
    (10, DType::F16),
    (11, DType::F64),
    (12, DType::U32),
    (13, DType::U64),
    (16, DType::BF16),
];

/// The name and the tensor that the bytes of a `.pb` file hold.
///
/// # Errors
/// What this reader does not understand.
pub(super) fn read(bytes: &[u8]) -> Result<(String, Tensor), String> {
    let (mut shape, mut code, mut name, mut raw) = (Vec::new(), 0, String::new(), &[][..]);
    let mut listed = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        match (field(&mut rest)?, &mut shape) {
            ((1, Field::Number(extent)), shape) => shape.push(extent),
            ((1, Field::Bytes(mut packed)), shape) => {
                while !packed.is_empty() {
                    shape.push(varint(&mut packed)?);
                }
            }
            ((2, Field::Number(number)), _) => code = number,
            // Elements, or bytes that hold several, each written as a number of 32 bits.
            ((5, Field::Bytes(mut packed)), _) => {
                while !packed.is_empty() {
                    listed.push(varint(&mut packed)?);
                }
            }
            ((8, Field::Bytes(text)), _) => name = String::from_utf8_lossy(text).into_owned(),
            ((9, Field::Bytes(elements)), _) => raw = elements,
            ((12, Field::Bytes(_)), _) => {}
            ((other, _), _) => return Err(format!("field {other} of a tensor is not read")),
        }
    }
    let extents = shape.iter().map(|&extent| usize::try_from(extent));
    let shape: Vec<usize> = extents
        .collect::<Result<_, _>>()
        .map_err(|e| e.to_string())?;
    let tensor = if let Some(&(_, dtype, bits)) = NARROW.iter().find(|row| row.0 == code) {
        let bytes = low_bytes(&listed, 1);
        let stored = if raw.is_empty() { &bytes } else { raw };
        let codes = unpacked(stored, bits, shape.iter().product());
        let signed = |&code: &u8| code.cast_signed() << (8 - bits) >> (8 - bits);
        match dtype {
            DType::I8 => Tensor::from_vec_row_major(&shape, codes.iter().map(signed).collect()),
            _ => Tensor::from_vec_row_major(&shape, codes),
        }
    } else {
        let row = DTYPES.iter().find(|row| row.0 == code);
        let dtype = row.ok_or(format!("data type {code} is not read"))?.1;
        let bytes = low_bytes(&listed, dtype.size_bytes());
        let stored = if raw.is_empty() { &bytes } else { raw };
        Tensor::from_le_bytes(dtype, &shape, stored)
    };
    let tensor = tensor.map_err(|e| format!("{name}: {e}"))?;
    Ok((name, tensor))
}

/// The low bytes of each number of a list.
fn low_bytes(list: &[u64], count: usize) -> Vec<u8> {
    let bytes = list
        .iter()
        .flat_map(|n| n.to_le_bytes().into_iter().take(count));
    bytes.collect()
}

/// Elements of so many bits, one per byte; the first of a byte are its lowest bits.
fn unpacked(bytes: &[u8], bits: usize, count: usize) -> Vec<u8> {
    let per_byte = 8 / bits;
    let element = |at: usize| {
        let byte = bytes.get(at / per_byte)?;
        Some(byte >> (at % per_byte * bits) & (u8::MAX >> (8 - bits)))
    };
    (0..count).map_while(element).collect()
}

enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The next field and its number.
fn field<'a>(rest: &mut &'a [u8]) -> Result<(u64, Field<'a>), String> {
    let key = varint(rest)?;
    let value = match key & 7 {
        0 => Field::Number(varint(rest)?),
        2 => {
            let length = usize::try_from(varint(rest)?).unwrap_or(usize::MAX);
            let split = rest.split_at_checked(length);
            let (bytes, behind) = split.ok_or("the file ends in the middle of a field")?;
            *rest = behind;
            Field::Bytes(bytes)
        }
        wire => return Err(format!("wire type {wire} is not read")),
    };
    Ok((key >> 3, value))
}

fn varint(rest: &mut &[u8]) -> Result<u64, String> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let Some((&byte, behind)) = rest.split_first() else {
            return Err("the file ends in the middle of a number".to_owned());
        };
        *rest = behind;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err("a number is longer than 64 bits".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{bytes, number};

    #[test]
    fn a_tensor_is_read() {
        let elements = [1.5_f32.to_le_bytes(), (-2.0_f32).to_le_bytes()].concat();
        let unpacked = [number(1, 1), number(1, 2)].concat();
        for extents in [unpacked, bytes(1, &[1, 2])] {
            let parts = [extents, number(2, 1), bytes(8, b"x"), bytes(9, &elements)];
            let (name, tensor) = read(&parts.concat()).unwrap();
            assert_eq!((name.as_str(), tensor.shape()), ("x", &[1, 2][..]));
            assert_eq!(tensor.to_vec::<f32>().unwrap(), [1.5, -2.0]);
        }
        let empty = [number(1, 0), number(2, 7), bytes(8, b"e")].concat();
        let none = read(&empty).unwrap().1.to_vec::<i64>().unwrap();
        assert!(none.is_empty());
    }

    #[test]
    fn packed_elements_are_taken_apart() {
        // 0x7a is -6, then 7; 201 in a list of bytes is 0xc9.
        let raw = [number(1, 3), number(2, 22), bytes(9, &[0x7a, 0xf8])].concat();
        assert_eq!(read(&raw).unwrap().1.to_vec::<i8>().unwrap(), [-6, 7, -8]);
        let list = [number(1, 5), number(2, 25), bytes(5, &[0xc9, 0x01, 2])].concat();
        let codes = read(&list).unwrap().1.to_vec::<u8>().unwrap();
        assert_eq!(codes, [1, 2, 0, 3, 2]);
        // -2 as a number of 64 bits.
        let minus = [&[0xfe][..], &[0xff; 8], &[1, 3]].concat();
        let wide = [number(1, 2), number(2, 5), bytes(5, &minus)].concat();
        assert_eq!(read(&wide).unwrap().1.to_vec::<i16>().unwrap(), [-2, 3]);
        let whole = [number(1, 2), number(2, 17), bytes(9, &[0x7e, 0xff])].concat();
        let codes = read(&whole).unwrap().1.to_vec::<u8>().unwrap();
        assert_eq!(codes, [0x7e, 0xff]);
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        let cases: [(Vec<u8>, &str); 8] = [
            (number(2, 8), "data type 8"),
            (
                [number(1, 2), number(2, 5), bytes(5, &[1])].concat(),
                "bytes",
            ),
            (bytes(4, &[1]), "field 4"),
            (vec![0x08], "middle of a number"),
            (vec![0x4a, 9, 0], "middle of a field"),
            (vec![0x0d, 0, 0, 0, 0], "wire type 5"),
            ([number(1, 3), number(2, 1)].concat(), "bytes"),
            (
                [number(1, 3), number(2, 22), bytes(9, &[1])].concat(),
                "data length 2",
            ),
        ];
        for (bytes, expect) in cases {
            let error = read(&bytes).unwrap_err();
            assert!(error.contains(expect), "{error}: {expect}");
        }
    }
}
