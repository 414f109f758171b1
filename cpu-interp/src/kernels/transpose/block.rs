//! One plane transposed: `to[i * to_step + j] = from[j * step + i]` for `i < width`, `j < n`.
//!
//! The plane is walked in squares of [`SQUARE`] by [`SQUARE`] elements, along `i` innermost, so that the source is read
//! in whole lines. Squares of 4-byte elements are transposed in registers where the processor has AVX.

use crate::kernels::isa::Isa;
#[cfg(target_arch = "x86_64")]
use crate::kernels::isa::Level;

/// Elements along the contiguous axis of the source in one task: as many rows (pages) of the destination.
pub(super) const BAND: usize = 512;
/// The side of a square: 16 elements of 4 bytes are a cache line.
const SQUARE: usize = 16;

/// See the module.
pub(super) struct Plane<T> {
    pub(super) from: *const T,
    pub(super) step: isize,
    pub(super) to: *mut T,
    pub(super) to_step: usize,
    pub(super) width: usize,
    pub(super) n: usize,
}

impl<T: Copy> Plane<T> {
    /// Transposes; `stream` asks for writes around the caches.
    ///
    /// # Safety
    /// All elements on both sides are in bounds, and nobody else uses those of `to`.
    pub(super) unsafe fn transpose(&self, isa: Isa, stream: bool) {
        #[cfg(target_arch = "x86_64")]
        if size_of::<T>() == 4 && isa.level() >= Level::Avx2Fma {
            let plane = Plane::<f32> {
                from: self.from.cast(),
                step: self.step,
                to: self.to.cast(),
                to_step: self.to_step,
                width: self.width,
                n: self.n,
            };
            // SAFETY: the level is present; bounds are the caller's promise. Moving 4-byte elements as f32 in vector
            // registers keeps their bits.
            unsafe { x86::transpose(&plane, stream) };
            return;
        }
        let _ = (isa, stream);
        for j in (0..self.n).step_by(SQUARE) {
            for i in (0..self.width).step_by(SQUARE) {
                let (rows, cols) = (SQUARE.min(self.n - j), SQUARE.min(self.width - i));
                // SAFETY: a part of the plane.
                unsafe { self.square(i, j, cols, rows) };
            }
        }
    }

    /// Positions `i..i + cols`, `j..j + rows`.
    ///
    /// # Safety
    /// As [`Plane::transpose`]; the positions are in the plane.
    #[inline(always)]
    unsafe fn square(&self, i: usize, j: usize, cols: usize, rows: usize) {
        // SAFETY: as the caller promises.
        unsafe {
            let from = self.from.offset(j as isize * self.step).add(i);
            let to = self.to.add(i * self.to_step + j);
            if rows == SQUARE && cols == SQUARE {
                for x in 0..SQUARE {
                    for y in 0..SQUARE {
                        *to.add(x * self.to_step + y) = *from.offset(y as isize * self.step).add(x);
                    }
                }
            } else {
                for x in 0..cols {
                    for y in 0..rows {
                        *to.add(x * self.to_step + y) = *from.offset(y as isize * self.step).add(x);
                    }
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Plane, SQUARE};
    use core::arch::x86_64::*;

    /// Lines of the source that are asked for ahead of their use.
    const AHEAD: usize = 4 * SQUARE;

    /// # Safety
    /// The processor has AVX2; the rest as [`Plane::transpose`].
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn transpose(plane: &Plane<f32>, stream: bool) {
        // Whole lines can go around the caches only where rows of the destination keep the alignment of lines.
        let aligned = (plane.to as usize).is_multiple_of(64) && plane.to_step.is_multiple_of(16);
        let stream = stream && aligned;
        // SAFETY: (whole function) parts of the plane.
        unsafe {
            for j in (0..plane.n).step_by(SQUARE) {
                let rows = SQUARE.min(plane.n - j);
                for i in (0..plane.width).step_by(SQUARE) {
                    let cols = SQUARE.min(plane.width - i);
                    if rows < SQUARE || cols < SQUARE {
                        plane.square(i, j, cols, rows);
                        continue;
                    }
                    let from = plane.from.offset(j as isize * plane.step).add(i);
                    for y in 0..SQUARE {
                        let ahead = from.wrapping_offset(y as isize * plane.step + AHEAD as isize);
                        _mm_prefetch::<_MM_HINT_T0>(ahead.cast());
                    }
                    let to = plane.to.add(i * plane.to_step + j);
                    for x in (0..SQUARE).step_by(8) {
                        let left = eight(from.add(x), plane.step);
                        let right = eight(from.offset(8 * plane.step).add(x), plane.step);
                        for (y, (left, right)) in left.into_iter().zip(right).enumerate() {
                            let line = to.add((x + y) * plane.to_step);
                            if stream {
                                _mm256_stream_ps(line, left);
                                _mm256_stream_ps(line.add(8), right);
                            } else {
                                _mm256_storeu_ps(line, left);
                                _mm256_storeu_ps(line.add(8), right);
                            }
                        }
                    }
                }
            }
        }
        if stream {
            // Streamed writes are ordered before whatever tells other threads that the task is done.
            _mm_sfence();
        }
    }

    /// Eight rows of eight elements, transposed.
    ///
    /// # Safety
    /// The elements are readable.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn eight(from: *const f32, step: isize) -> [__m256; 8] {
        // SAFETY: rows 0 to 7 of the caller's square.
        let r: [__m256; 8] =
            std::array::from_fn(|y| unsafe { _mm256_loadu_ps(from.offset(y as isize * step)) });
        let t: [__m256; 8] = [
            _mm256_unpacklo_ps(r[0], r[1]),
            _mm256_unpackhi_ps(r[0], r[1]),
            _mm256_unpacklo_ps(r[2], r[3]),
            _mm256_unpackhi_ps(r[2], r[3]),
            _mm256_unpacklo_ps(r[4], r[5]),
            _mm256_unpackhi_ps(r[4], r[5]),
            _mm256_unpacklo_ps(r[6], r[7]),
            _mm256_unpackhi_ps(r[6], r[7]),
        ];
        let u: [__m256; 8] = [
            _mm256_shuffle_ps::<0x44>(t[0], t[2]),
            _mm256_shuffle_ps::<0xee>(t[0], t[2]),
            _mm256_shuffle_ps::<0x44>(t[1], t[3]),
            _mm256_shuffle_ps::<0xee>(t[1], t[3]),
            _mm256_shuffle_ps::<0x44>(t[4], t[6]),
            _mm256_shuffle_ps::<0xee>(t[4], t[6]),
            _mm256_shuffle_ps::<0x44>(t[5], t[7]),
            _mm256_shuffle_ps::<0xee>(t[5], t[7]),
        ];
        [
            _mm256_permute2f128_ps::<0x20>(u[0], u[4]),
            _mm256_permute2f128_ps::<0x20>(u[1], u[5]),
            _mm256_permute2f128_ps::<0x20>(u[2], u[6]),
            _mm256_permute2f128_ps::<0x20>(u[3], u[7]),
            _mm256_permute2f128_ps::<0x31>(u[0], u[4]),
            _mm256_permute2f128_ps::<0x31>(u[1], u[5]),
            _mm256_permute2f128_ps::<0x31>(u[2], u[6]),
            _mm256_permute2f128_ps::<0x31>(u[3], u[7]),
        ]
    }
}
