//! Arrays of numpy's npy format, as far as the golden files need them: u8, i32 and f32 in row-major order.
//!
//! The repository's own commands do not depend on the library, so that they work when it does not; this reads a
//! header and a run of elements, no more.

/// Elements in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Elements {
    U8(Vec<u8>),
    I32(Vec<i32>),
    F32(Vec<f32>),
}

/// An array.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) elements: Elements,
}

impl Array {
    /// Reads a whole file; the error says what it is instead.
    pub(crate) fn parse(file: &[u8]) -> Result<Self, String> {
        let rest = file.strip_prefix(b"\x93NUMPY").ok_or("no npy file")?;
        // Two bytes of version; since version 2 the length has four bytes instead of two.
        let (header, data) = match rest {
            [1, _, a, b, rest @ ..] => rest.split_at_checked(u16::from_le_bytes([*a, *b]).into()),
            [2 | 3, _, a, b, c, d, rest @ ..] => {
                usize::try_from(u32::from_le_bytes([*a, *b, *c, *d]))
                    .ok()
                    .and_then(|length| rest.split_at_checked(length))
            }
            _ => None,
        }
        .ok_or("the header is cut")?;
        let header = String::from_utf8_lossy(header);
        if !header.contains("'fortran_order': False") {
            return Err("not in row-major order".into());
        }
        let shape = field(&header, "'shape': (", ")")?;
        let shape = shape
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty());
        let shape: Vec<usize> = shape
            .map(|word| word.parse().map_err(|_| format!("{word:?} is no extent")))
            .collect::<Result<_, _>>()?;
        let elements = match field(&header, "'descr': '", "'")? {
            "|u1" => Elements::U8(data.to_vec()),
            "<i4" => Elements::I32(words(data)?.map(i32::from_le_bytes).collect()),
            "<f4" => Elements::F32(words(data)?.map(f32::from_le_bytes).collect()),
            other => return Err(format!("has elements {other:?}, expected |u1, <i4 or <f4")),
        };
        let array = Self { shape, elements };
        let expected: usize = array.shape.iter().product();
        if array.len() != expected {
            return Err(format!("has {} elements, expected {expected}", array.len()));
        }
        Ok(array)
    }

    /// The first `rows` of the outermost axis.
    pub(crate) fn first_rows(mut self, rows: usize) -> Result<Self, String> {
        let Some(outermost) = self.shape.first_mut().filter(|extent| **extent >= rows) else {
            return Err(format!("has shape {:?}, expected {rows} rows", self.shape));
        };
        *outermost = rows;
        let kept = self.shape.iter().product();
        match &mut self.elements {
            Elements::U8(values) => values.truncate(kept),
            Elements::I32(values) => values.truncate(kept),
            Elements::F32(values) => values.truncate(kept),
        }
        Ok(self)
    }

    fn len(&self) -> usize {
        match &self.elements {
            Elements::U8(values) => values.len(),
            Elements::I32(values) => values.len(),
            Elements::F32(values) => values.len(),
        }
    }
}

/// What stands between `begin` and `end` in the header.
fn field<'a>(header: &'a str, begin: &str, end: &str) -> Result<&'a str, String> {
    let rest = header.split_once(begin).map(|(_, rest)| rest);
    let found = rest.and_then(|rest| rest.split_once(end));
    found
        .map(|(field, _)| field)
        .ok_or_else(|| format!("the header has no {begin}"))
}

fn words(data: &[u8]) -> Result<impl Iterator<Item = [u8; 4]>, String> {
    match data.as_chunks::<4>() {
        (words, []) => Ok(words.iter().copied()),
        _ => Err(format!(
            "has {} bytes of data, no multiple of 4",
            data.len()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
    }

    fn header(descr: &str, shape: &str) -> String {
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}\n")
    }

    #[test]
    fn arrays_are_read() {
        let parse = |descr, shape, data: &[u8]| Array::parse(&file(&header(descr, shape), data));
        assert_eq!(
            parse("|u1", "3,", &[1, 2, 3]),
            Ok(Array {
                shape: vec![3],
                elements: Elements::U8(vec![1, 2, 3])
            })
        );
        let data = [1.5_f32, -2.0].map(f32::to_le_bytes).concat();
        let pair = parse("<f4", "2, 1", &data).unwrap();
        assert_eq!(pair.elements, Elements::F32(vec![1.5, -2.0]));
        assert_eq!(
            pair.first_rows(1),
            Ok(Array {
                shape: vec![1, 1],
                elements: Elements::F32(vec![1.5])
            })
        );
        let four = parse("<i4", "1", &[255; 4]).unwrap();
        assert_eq!(four.elements, Elements::I32(vec![-1]));
        assert!(four.first_rows(2).is_err());
    }

    #[test]
    fn other_files_are_refused() {
        for (wrong, expected) in [
            (b"PK".to_vec(), "no npy file"),
            (b"\x93NUMPY\x01\x00\xff\xffx".to_vec(), "cut"),
            (file(&header("<f8", "1"), &[0; 8]), "expected |u1"),
            (file(&header("<i4", "2"), &[0; 4]), "expected 2"),
            (file(&header("<i4", "1"), &[0; 5]), "multiple of 4"),
            (file(&header("<i4", "a"), &[0; 4]), "no extent"),
            (file("{'fortran_order': True}", &[]), "row-major"),
            (file("{'fortran_order': False}", &[]), "no 'shape'"),
        ] {
            let error = Array::parse(&wrong).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
