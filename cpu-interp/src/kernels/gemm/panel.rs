//! The copy from a strided matrix into a panel: contiguous lanes are copied, contiguous steps are transposed.

use crate::kernels::isa::Isa;
#[cfg(target_arch = "x86_64")]
use crate::kernels::isa::Level;
use crate::kernels::simd::Simd;

/// `dst[p * width + i] = src[i * lane + p * step]` for `i < lanes`, `p < steps`. Other elements of those rows of `dst`
/// may change too.
///
/// # Safety
/// The source elements are in bounds, and so are `steps * width` elements of `dst`; `lanes` is at most `width`.
#[expect(
    clippy::too_many_arguments,
    reason = "a strided copy has two strides and two sizes a side"
)]
pub(super) unsafe fn copy_panel(
    isa: Isa,
    src: *const f32,
    lane: isize,
    step: isize,
    lanes: usize,
    steps: usize,
    dst: *mut f32,
    width: usize,
) {
    #[cfg(target_arch = "x86_64")]
    if step == 1 && lanes > 1 && steps >= 16 && isa.level() >= Level::Avx2Fma {
        // The last steps are left to the plain loop, because whole vectors would overrun the panel there.
        let whole = (steps - 8) / 8 * 8;
        // SAFETY: the level is present; of the steps that remain, eight or more, each has `width` elements of `dst`.
        unsafe {
            x86::transpose_panel(src, lane, lanes, whole, dst, width);
            let (src, dst) = (src.add(whole), dst.add(whole * width));
            plain(src, lane, step, lanes, steps - whole, dst, width);
        }
        return;
    }
    let _ = isa;
    // SAFETY: the caller's promise.
    unsafe { plain(src, lane, step, lanes, steps, dst, width) };
}

/// Packs `steps` contiguous rows of `cols` elements, `stride` apart, as panels of `nr` columns each `steps * nr` long,
/// the last one filled up with zeros. Row by row, so that the source is read in order.
///
/// # Safety
/// The rows are in bounds, and so are the panels; `nr` is a multiple of the vector's length.
#[inline(always)]
pub(super) unsafe fn pack_rows<S: Simd>(
    s: S,
    src: *const f32,
    stride: isize,
    steps: usize,
    cols: usize,
    nr: usize,
    dst: *mut f32,
) {
    let whole = cols / nr;
    for p in 0..steps {
        // SAFETY: (whole function) vectors below `whole * nr` and parts up to `cols` are in the row; panel `whole` exists
        // if columns are left.
        unsafe {
            let row = src.offset(p as isize * stride);
            for panel in 0..whole {
                let (from, to) = (row.add(panel * nr), dst.add((panel * steps + p) * nr));
                for v in (0..nr).step_by(S::LANES) {
                    s.store(to.add(v), s.load(from.add(v)));
                }
            }
            if whole * nr < cols {
                let (from, to) = (row.add(whole * nr), dst.add((whole * steps + p) * nr));
                for v in (0..nr).step_by(S::LANES) {
                    let left = (cols - whole * nr).saturating_sub(v).min(S::LANES);
                    s.store(to.add(v), s.load_part(from.wrapping_add(v), left));
                }
            }
        }
    }
}

/// # Safety
/// As [`copy_panel`].
unsafe fn plain(
    src: *const f32,
    lane: isize,
    step: isize,
    lanes: usize,
    steps: usize,
    dst: *mut f32,
    width: usize,
) {
    if lane == 1 {
        for p in 0..steps {
            // SAFETY: exactly the elements that the caller vouches for.
            unsafe {
                let (from, to) = (src.offset(p as isize * step), dst.add(p * width));
                std::ptr::copy_nonoverlapping(from, to, lanes);
            }
        }
        return;
    }
    // Along k first within a block of steps, so that both sides stay in the nearest cache.
    const BLOCK: usize = 16;
    let mut p0 = 0;
    while p0 < steps {
        let end = steps.min(p0 + BLOCK);
        for i in 0..lanes {
            for p in p0..end {
                // SAFETY: exactly the elements that the caller vouches for.
                unsafe {
                    *dst.add(p * width + i) = *src.offset(i as isize * lane + p as isize * step);
                }
            }
        }
        p0 = end;
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use crate::kernels::simd::avx2::transpose_eight;
    use core::arch::x86_64::*;

    /// Steps 0 to `steps`, a multiple of 8, eight at a time. Vectors of eight lanes overrun a step's `lanes` and with
    /// that its `width` elements, into the next steps, which are written later.
    ///
    /// # Safety
    /// The processor has AVX2. The source elements are in bounds, and so are `(steps + 8) * width` elements of `dst`.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn transpose_panel(
        src: *const f32,
        lane: isize,
        lanes: usize,
        steps: usize,
        dst: *mut f32,
        width: usize,
    ) {
        // SAFETY: (whole function) rows past the last lane repeat it, so reads stay in bounds. A vector written at lane
        // i of step p ends before lane i + 8 < width + 8 of it, which is inside the eight steps that follow.
        unsafe {
            for p in (0..steps).step_by(8) {
                if lanes <= 16 {
                    // Both halves of a step are written before the next step, which the second overruns into.
                    let row = |i: usize| src.offset(i.min(lanes - 1) as isize * lane).add(p);
                    let low: [*const f32; 8] = std::array::from_fn(row);
                    let low = transpose_eight(low);
                    if lanes <= 8 {
                        for (q, low) in low.into_iter().enumerate() {
                            _mm256_storeu_ps(dst.add((p + q) * width), low);
                        }
                        continue;
                    }
                    let high: [*const f32; 8] = std::array::from_fn(|i| row(i + 8));
                    for (q, (low, high)) in low.into_iter().zip(transpose_eight(high)).enumerate() {
                        let to = dst.add((p + q) * width);
                        _mm256_storeu_ps(to, low);
                        _mm256_storeu_ps(to.add(8), high);
                    }
                    continue;
                }
                // Panels wider than 16 are those of B, whose width is a multiple of 8: nothing overruns.
                for i in (0..lanes).step_by(8) {
                    let rows: [*const f32; 8] = std::array::from_fn(|r| {
                        src.offset((i + r).min(lanes - 1) as isize * lane).add(p)
                    });
                    for (q, column) in transpose_eight(rows).into_iter().enumerate() {
                        _mm256_storeu_ps(dst.add((p + q) * width + i), column);
                    }
                }
            }
        }
    }
}
