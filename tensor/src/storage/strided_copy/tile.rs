//! A square of the copy: a cache line of the source wide, a cache line of the destination high.
//!
//! The units of a row lie side by side in the source, those of a column in the destination. Blocks of 16 bytes by a few
//! rows are turned in registers and put in a buffer that stays in the nearest cache, from where whole lines go to the
//! destination: so neither side is touched twice, whatever the distance of its lines, and lines can bypass the caches.
//! SSE2, which every x86-64 has, is fast enough to wait for the memory; elsewhere the compiler makes what it can.

#[cfg_attr(target_arch = "x86_64", path = "tile/sse2.rs")]
#[cfg_attr(not(target_arch = "x86_64"), path = "tile/portable.rs")]
mod registers;

use std::mem::MaybeUninit;

use super::Rows;
use super::unit::{Bits, Unit};
pub(super) use registers::finish_streaming;
use registers::turn;

/// Bytes of a cache line.
pub(super) const LINE: usize = 64;
/// Bytes of a register.
const REGISTER: usize = 16;

/// See the module. No more rows or columns than a line has units.
pub(super) struct Tile<'a> {
    /// Where column 0 of the rows' offsets begins.
    pub(super) from: *const u8,
    /// From column to column, in bytes.
    pub(super) step: isize,
    /// Where each row begins, in bytes behind `from`.
    pub(super) rows: &'a [isize],
    pub(super) columns: usize,
    /// Row 0 of column 0; rows are side by side.
    pub(super) to: *mut u8,
    /// From column to column, in bytes.
    pub(super) to_row: usize,
    /// Whether whole lines go around the caches; then `to` and `to_row` are multiples of lines, but for a first part.
    pub(super) stream: bool,
}

/// What takes a tile between its two sides: column by column, each a line.
#[repr(align(64))]
struct Buffer(MaybeUninit<[u8; LINE * LINE]>);

impl Tile<'_> {
    /// Copies unit by unit.
    ///
    /// # Safety
    /// Each position is that of a unit, and has room for one.
    #[inline(always)]
    pub(super) unsafe fn put_each<U: Unit>(&self) {
        for column in 0..self.columns {
            for (row, &offset) in self.rows.iter().enumerate() {
                // SAFETY: row and column are inside.
                unsafe {
                    let from = self.from.offset(column.cast_signed() * self.step + offset);
                    U::put(
                        from,
                        self.to.add(column * self.to_row + row * size_of::<U>()),
                    );
                }
            }
        }
    }

    /// Copies a tile of units of `N` bytes that lie side by side in the source.
    ///
    /// # Safety
    /// As [`Tile::put_each`].
    #[inline(always)]
    pub(super) unsafe fn transpose<const N: usize>(&self) {
        let (wide, high) = (REGISTER / N, block_rows(N));
        if self.columns < wide || self.rows.len() < high {
            // SAFETY: the caller's promise.
            return unsafe { self.put_each::<Bits<N>>() };
        }
        let mut buffer = Buffer(MaybeUninit::uninit());
        let buffer = buffer.0.as_mut_ptr().cast::<u8>();
        for row in blocks(self.rows.len(), high) {
            for column in blocks(self.columns, wide) {
                // SAFETY: rows and columns of the block are inside the tile; the buffer has a line for each column.
                unsafe {
                    let to = buffer.add(column * LINE + row * N);
                    let from = self.from.add(column * N);
                    turn::<N>(from, &self.rows[row..row + high], to);
                }
            }
        }
        let bytes = self.rows.len() * N;
        for column in 0..self.columns {
            // SAFETY: the blocks have written `bytes` bytes of the column's line; as many are the destination's.
            unsafe {
                let (from, to) = (buffer.add(column * LINE), self.to.add(column * self.to_row));
                if bytes == LINE {
                    copy_line(from, to, self.stream);
                } else {
                    copy_short(from, to, bytes);
                }
            }
        }
    }
}

/// Where blocks of `size` begin that cover `0..len`, which is no shorter; the last two may overlap.
#[inline(always)]
fn blocks(len: usize, size: usize) -> impl Iterator<Item = usize> {
    (0..len).step_by(size).map(move |at| at.min(len - size))
}

/// Rows of a block: with fewer units in a register than 8, as many.
const fn block_rows(unit: usize) -> usize {
    if REGISTER / unit < 8 {
        REGISTER / unit
    } else {
        8
    }
}

/// Copies a line to its place.
///
/// # Safety
/// A line lies at `from` and has room at `to`; streaming needs `to` to be a multiple of a register.
#[inline(always)]
unsafe fn copy_line(from: *const u8, to: *mut u8, stream: bool) {
    // SAFETY: the caller's promise.
    unsafe {
        if stream {
            registers::stream(from, to, LINE);
        } else {
            from.copy_to_nonoverlapping(to, LINE);
        }
    }
}

/// Copies rows as bytes, around the caches if that is asked and registers allow it.
///
/// # Safety
/// So many bytes lie at each row's place in the source, and have room in the destination.
pub(super) unsafe fn copy_rows(rows: &Rows<'_>) {
    // Longer rows are worth a call.
    const SHORT: usize = 256;
    let whole = rows.bytes.is_multiple_of(REGISTER) && rows.to.addr().is_multiple_of(REGISTER);
    // Which way is chosen outside of the loop: a short row takes no longer than a choice.
    // SAFETY: the caller's promise, for each row.
    unsafe {
        match rows.bytes {
            bytes if rows.stream && whole => {
                rows.each(|from, to| registers::stream(from, to, bytes));
            }
            LINE => rows.each(|from, to| from.copy_to_nonoverlapping(to, LINE)),
            bytes @ ..=SHORT => rows.each(|from, to| copy_short(from, to, bytes)),
            bytes => rows.each(|from, to| from.copy_to_nonoverlapping(to, bytes)),
        }
    }
}

/// Copies a few bytes without a call.
///
/// # Safety
/// So many bytes lie at `from` and have room at `to`.
#[inline(always)]
unsafe fn copy_short(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise; no piece is larger than the row.
    unsafe {
        match bytes {
            REGISTER.. => copy_pieces::<REGISTER>(from, to, bytes),
            8.. => copy_pieces::<8>(from, to, bytes),
            4.. => copy_pieces::<4>(from, to, bytes),
            _ => copy_pieces::<1>(from, to, bytes),
        }
    }
}

/// Copies pieces of one size, of which the last two may overlap.
///
/// # Safety
/// As [`copy_short`]; there are `SIZE` bytes at least.
#[inline(always)]
unsafe fn copy_pieces<const SIZE: usize>(from: *const u8, to: *mut u8, bytes: usize) {
    let mut at = 0;
    while at + SIZE <= bytes {
        // SAFETY: inside the row.
        unsafe { from.add(at).copy_to_nonoverlapping(to.add(at), SIZE) };
        at += SIZE;
    }
    if at < bytes {
        // SAFETY: inside the row, which is no shorter.
        unsafe {
            let last = bytes - SIZE;
            from.add(last).copy_to_nonoverlapping(to.add(last), SIZE);
        }
    }
}
