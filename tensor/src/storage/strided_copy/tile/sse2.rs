//! What a tile does with registers of 16 bytes, with the instructions that every x86-64 has.

use std::arch::x86_64::{
    __m128i, _MM_HINT_T0, _mm_loadu_si128, _mm_prefetch, _mm_setzero_si128, _mm_sfence,
    _mm_storel_epi64, _mm_storeu_si128, _mm_stream_si128, _mm_unpackhi_epi8, _mm_unpackhi_epi16,
    _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi8, _mm_unpacklo_epi16,
    _mm_unpacklo_epi32, _mm_unpacklo_epi64,
};

use super::{LINE, REGISTER};

/// How far ahead of its use a line of the source is asked for, in bytes.
const AHEAD: usize = 4 * LINE;

/// Turns a block: unit `c` of each row becomes a row at `to + c * LINE`.
///
/// # Safety
/// A register's bytes lie at each of [`block_rows`](super::block_rows) offsets behind `from`; `to` has room for a line for
/// each unit of those.
#[inline]
pub(super) unsafe fn turn<const N: usize>(from: *const u8, rows: &[isize], to: *mut u8) {
    // SAFETY: every x86-64 has SSE2; the rest is the caller's promise.
    unsafe {
        match N {
            1 => turn_bytes(from, rows, to),
            2 => turn_units::<2, 8>(from, rows, to),
            4 => turn_units::<4, 4>(from, rows, to),
            8 => turn_units::<8, 2>(from, rows, to),
            _ => turn_units::<16, 1>(from, rows, to),
        }
    }
}

/// A block with as many rows as a register has units.
///
/// # Safety
/// As [`turn`].
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn turn_units<const N: usize, const ROWS: usize>(
    from: *const u8,
    rows: &[isize],
    to: *mut u8,
) {
    // SAFETY: the caller's promise.
    let block = unsafe { load::<ROWS>(from, rows) };
    for (column, register) in transposed::<N, ROWS>(block).into_iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { _mm_storeu_si128(to.add(column * LINE).cast(), register) };
    }
}

/// A block of 8 rows of 16 bytes.
///
/// # Safety
/// As [`turn`].
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn turn_bytes(from: *const u8, rows: &[isize], to: *mut u8) {
    // SAFETY: the caller's promise.
    let block = unsafe { load::<8>(from, rows) };
    for (pair, register) in transposed::<1, 8>(block).into_iter().enumerate() {
        // SAFETY: the caller's promise; each half of the register is a row of 8 bytes.
        unsafe {
            let to = to.add(2 * pair * LINE);
            _mm_storel_epi64(to.cast(), register);
            _mm_storel_epi64(to.add(LINE).cast(), _mm_unpackhi_epi64(register, register));
        }
    }
}

/// The rows of a block; what comes after them is asked for.
///
/// # Safety
/// As [`turn`].
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn load<const ROWS: usize>(from: *const u8, rows: &[isize]) -> [__m128i; ROWS] {
    std::array::from_fn(|row| {
        // SAFETY: the caller's promise; a prefetch may name any address.
        unsafe {
            let from = from.offset(rows[row]);
            _mm_prefetch::<_MM_HINT_T0>(from.wrapping_add(AHEAD).cast());
            _mm_loadu_si128(from.cast())
        }
    })
}

/// Rows of units of `N` bytes as columns, one after the other.
///
/// Each step has the units of the first half of the rows be followed by their partners of the second half; it moves one bit
/// of a unit's place from row to column, so that as many steps as the number of rows has bits move all.
#[inline]
#[target_feature(enable = "sse2")]
fn transposed<const N: usize, const ROWS: usize>(mut rows: [__m128i; ROWS]) -> [__m128i; ROWS] {
    for _ in 0..ROWS.ilog2() {
        let mut next = [_mm_setzero_si128(); ROWS];
        for pair in 0..ROWS / 2 {
            let (a, b) = (rows[pair], rows[pair + ROWS / 2]);
            (next[2 * pair], next[2 * pair + 1]) = match N {
                1 => (_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)),
                2 => (_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)),
                4 => (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b)),
                _ => (_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b)),
            };
        }
        rows = next;
    }
    rows
}

/// Copies whole registers to an aligned place, around the caches.
///
/// # Safety
/// So many bytes lie at `from` and have room at `to`; `to` and `bytes` are multiples of a register.
#[inline]
pub(super) unsafe fn stream(from: *const u8, to: *mut u8, bytes: usize) {
    if cfg!(miri) {
        // SAFETY: the caller's promise.
        return unsafe { from.copy_to_nonoverlapping(to, bytes) };
    }
    for at in (0..bytes).step_by(REGISTER) {
        // SAFETY: a register's bytes inside the row, aligned in the destination; every x86-64 has SSE2.
        unsafe {
            let register = _mm_loadu_si128(from.add(at).cast());
            _mm_stream_si128(to.add(at).cast(), register);
        }
    }
}

/// Orders streamed writes before all that follow, as other writes are: to be called before anyone else reads them.
#[inline]
pub(in super::super) fn finish_streaming() {
    if !cfg!(miri) {
        // SAFETY: every x86-64 has SSE.
        unsafe { _mm_sfence() };
    }
}
