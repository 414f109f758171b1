//! The instruction sets that kernels are compiled for, and the choice among them at run time.
//!
//! An [`Isa`] is evidence: its level is one that this processor has, because only [`Isa::detect`] makes one and
//! [`Isa::masked`] can only lower it. Calling code compiled for that level is therefore sound. Detection runs where a
//! backend value is made; the result is passed along, never kept in a global.
//!
//! `dispatch!` runs one generic body, written over [`Simd`](super::simd::Simd), inside a function that enables the
//! level's target features. Everything the body calls must be `#[inline(always)]`, or it is compiled without them.

#[cfg(target_arch = "x86_64")]
use super::simd::{avx2::Avx2, avx512::Avx512};

/// A level of vector code, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Portable code, vectorised by the compiler for the build's baseline (SSE2 on x86-64, NEON on AArch64).
    Scalar,
    /// AVX2 with fused multiply-add: 8 lanes, 16 registers.
    Avx2Fma,
    /// AVX-512 F, VL, BW and DQ: 16 lanes, 32 registers, lane masks.
    Avx512,
}

/// Evidence that this processor has a [`Level`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa {
    level: Level,
}

impl Isa {
    /// The highest level of this processor.
    #[must_use]
    pub fn detect() -> Self {
        Self { level: detected() }
    }

    /// This level or `max`, whichever is lower.
    #[must_use]
    pub fn masked(self, max: Level) -> Self {
        Self {
            level: self.level.min(max),
        }
    }

    /// The level that is known to be present.
    #[must_use]
    pub fn level(self) -> Level {
        self.level
    }

    /// Every level of this processor, lowest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let top = Self::detect();
        [Level::Scalar, Level::Avx2Fma, Level::Avx512]
            .into_iter()
            .filter(|&level| level <= top.level)
            .map(|level| top.masked(level))
            .collect()
    }
}

#[cfg(target_arch = "x86_64")]
fn detected() -> Level {
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq");
    match (avx2, avx512) {
        (true, true) => Level::Avx512,
        (true, false) => Level::Avx2Fma,
        (false, _) => Level::Scalar,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detected() -> Level {
    Level::Scalar
}

/// The entrances to code compiled for a level.
#[cfg(target_arch = "x86_64")]
impl Isa {
    /// Calls `run` inside a function with the features of the AVX2 level.
    #[inline(always)]
    pub(crate) fn enter_avx2<R>(self, run: impl FnOnce(Avx2) -> R) -> R {
        #[target_feature(enable = "avx2,fma")]
        fn enter<R>(run: impl FnOnce(Avx2) -> R) -> R {
            // SAFETY: this function has the features that the token stands for.
            run(unsafe { Avx2::new() })
        }
        assert!(
            self.level >= Level::Avx2Fma,
            "{self:?} is no evidence of AVX2"
        );
        // SAFETY: an `Isa` of this level exists only where the processor has it.
        unsafe { enter(run) }
    }

    /// Calls `run` inside a function with the features of the AVX-512 level.
    #[inline(always)]
    pub(crate) fn enter_avx512<R>(self, run: impl FnOnce(Avx512) -> R) -> R {
        #[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512bw,avx512dq")]
        fn enter<R>(run: impl FnOnce(Avx512) -> R) -> R {
            // SAFETY: this function has the features that the token stands for.
            run(unsafe { Avx512::new() })
        }
        assert!(
            self.level >= Level::Avx512,
            "{self:?} is no evidence of AVX-512"
        );
        // SAFETY: an `Isa` of this level exists only where the processor has it.
        unsafe { enter(run) }
    }
}

/// Evaluates `$body` with `$s` bound to the vector token of the level of `$isa`, compiled for that level.
///
/// The body is instantiated once a level. It borrows its surroundings like a closure.
macro_rules! dispatch {
    ($isa:expr, |$s:ident| $body:expr) => {{
        let isa: $crate::kernels::isa::Isa = $isa;
        match isa.level() {
            #[cfg(target_arch = "x86_64")]
            $crate::kernels::isa::Level::Avx2Fma => isa.enter_avx2(
                #[inline(always)]
                |$s| $body,
            ),
            #[cfg(target_arch = "x86_64")]
            $crate::kernels::isa::Level::Avx512 => isa.enter_avx512(
                #[inline(always)]
                |$s| $body,
            ),
            _ => {
                let $s = $crate::kernels::simd::portable::Portable;
                $body
            }
        }
    }};
}

pub(crate) use dispatch;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masking_only_lowers() {
        let top = Isa::detect();
        assert_eq!(top.masked(Level::Avx512), top);
        assert_eq!(top.masked(Level::Scalar).level(), Level::Scalar);
        assert_eq!(
            top.masked(Level::Scalar).masked(Level::Avx512).level(),
            Level::Scalar
        );
        assert_eq!(Isa::available().last(), Some(&top));
    }
}
