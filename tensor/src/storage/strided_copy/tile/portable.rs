//! What a tile does with registers of 16 bytes, left to the compiler.

use super::super::unit::{Bits, Unit};
use super::{LINE, REGISTER};

/// Turns a block: unit `c` of each row becomes a row at `to + c * LINE`.
///
/// # Safety
/// A register's bytes lie at each of the offsets `rows` behind `from`; `to` has room for a line for each unit of those.
#[inline]
pub(super) unsafe fn turn<const N: usize>(from: *const u8, rows: &[isize], to: *mut u8) {
    for column in 0..REGISTER / N {
        for (row, &offset) in rows.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe {
                let from = from.offset(offset).add(column * N);
                Bits::<N>::put(from, to.add(column * LINE + row * N));
            }
        }
    }
}

/// Copies whole registers; there is no way around the caches.
///
/// # Safety
/// So many bytes lie at `from` and have room at `to`.
#[inline]
pub(super) unsafe fn stream(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { from.copy_to_nonoverlapping(to, bytes) }
}

/// Nothing to do: all writes were ordinary ones.
#[inline]
pub(in super::super) fn finish_streaming() {}
