//! An archive of arrays.

use std::io::Cursor;

use tensor_io::npz::{Compression, Npz, write_to};
use tensor_io::{Entry, FileError, FileFormat};

use crate::{check, source};

/// What an archive may unpack an array to.
pub const MAX_TENSOR_BYTES: u64 = 1 << 20;

/// Lists an archive and reads each of its arrays.
pub fn run(bytes: &[u8]) {
    let mut archive = match Npz::from_reader(Cursor::new(bytes), "file") {
        Ok(archive) => archive,
        Err(error) => return check::printed(&error),
    };
    archive.set_max_tensor_bytes(MAX_TENSOR_BYTES);
    match archive.entries() {
        Ok(entries) => {
            assert!(entries.iter().map(|entry| &entry.name).eq(archive.names()));
            entries.iter().for_each(|entry| read(&mut archive, entry));
        }
        Err(error) => {
            check::printed(&error);
            for name in archive.names().to_vec() {
                if let Err(error) = archive.read(&name) {
                    check::printed(&error);
                }
            }
        }
    }
}

/// An array whose header was readable: it is that array, or its values are damaged.
fn read(archive: &mut Npz<Cursor<&[u8]>>, entry: &Entry) {
    assert!(entry.bytes <= MAX_TENSOR_BYTES, "{entry:?}");
    let array = match archive.read(&entry.name) {
        Ok(array) => array,
        Err(error) => {
            check::printed(&error);
            assert!(matches!(error, FileError::Io { .. }), "{error}");
            return;
        }
    };
    check::tensor(entry, &array);
    let mut bytes = Cursor::new(Vec::new());
    let one = [(entry.name.as_str(), &array)];
    write_to(&mut bytes, "file", &one, Compression::Deflated).expect("numpy has the dtype");
    let again = Npz::from_reader(bytes, "file").and_then(|mut again| again.read_all());
    let again = again.expect("what was just written");
    assert_eq!(check::plain(&array), check::plain(&again[0].1));
}

/// Archives of some dtypes, stored and deflated, and one of numpy.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let tensors = source::tensors(|dtype| FileFormat::Npz.holds(dtype));
    let kinds = [Compression::Stored, Compression::Deflated].into_iter();
    let written = kinds.flat_map(|kind| {
        tensors.chunks(3).map(move |some| {
            let mut bytes = Cursor::new(Vec::new());
            write_to(&mut bytes, "seed", &source::lent(some), kind).expect("numpy has the dtypes");
            bytes.into_inner()
        })
    });
    written.chain([source::fixture("deflated.npz")]).collect()
}
