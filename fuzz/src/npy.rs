//! One array of numpy.

use tensor_io::{ByteOrder, FileFormat, npy};

use crate::{check, source};

/// Reads an array, and writes it in both byte orders.
pub fn run(bytes: &[u8]) {
    let array = match npy::from_bytes(bytes) {
        Ok(array) => array,
        Err(error) => {
            let text = error.to_string();
            assert!(text.starts_with("npy bytes"), "{text}");
            return;
        }
    };
    assert!(array.size_bytes() < bytes.len(), "values and a header");
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let written = npy::to_bytes_as(&array, order).expect("numpy has the dtype");
        let again = npy::from_bytes(&written).expect("what was just written");
        assert_eq!(
            (array.dtype(), array.shape()),
            (again.dtype(), again.shape())
        );
        assert_eq!(check::plain(&array), check::plain(&again));
    }
}

/// Every dtype in both byte orders, every version, and arrays that are no tensors.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let tensors = source::tensors(|dtype| FileFormat::Npy.holds(dtype));
    let orders = [ByteOrder::Little, ByteOrder::Big].into_iter();
    let written = orders.flat_map(|order| {
        let each = tensors.iter();
        each.map(move |(_, tensor)| npy::to_bytes_as(tensor, order).expect("numpy has the dtype"))
    });
    let fixtures = [
        "complex128_be_col",
        "version_2",
        "version_3",
        "structure",
        "text",
    ];
    let fixtures = fixtures.map(|name| source::fixture(&format!("{name}.npy")));
    written.chain(fixtures).collect()
}
