//! Reusable workspace: 64-byte aligned buffers that are lent out and come back.
//!
//! A [`ScratchPool`] keeps the buffers that are not in use. A kernel takes one, grows it if it is too small, and its
//! guard puts it back, so that a repeated call finds buffers of the right size and allocates nothing. The lock is held
//! only for the push and the pop, never across a kernel, so nested and concurrent kernels cannot block each other.

use std::fmt;
use std::sync::{Mutex, PoisonError};

/// One cache line of f32.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([f32; 16]);

impl Line {
    const ZERO: Line = Line([0.0; 16]);
}

/// A growable, 64-byte aligned buffer of f32; its contents are whatever was last written.
#[derive(Default)]
pub struct Scratch {
    lines: Vec<Line>,
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch")
            .field("bytes", &(self.lines.len() * size_of::<Line>()))
            .finish()
    }
}

impl Scratch {
    /// An empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `len` elements of unspecified (but initialised) contents; allocates only when the buffer must grow.
    pub fn get(&mut self, len: usize) -> &mut [f32] {
        let lines = len.div_ceil(16);
        if self.lines.len() < lines {
            // Growing must not copy the old contents: they mean nothing.
            self.lines = Vec::new();
            self.lines = vec![Line::ZERO; lines];
        }
        self.elements_mut(len)
    }

    /// As [`Scratch::get`], for sizes that a model decides: `None` if the memory is not to be had.
    pub fn try_get(&mut self, len: usize) -> Option<&mut [f32]> {
        let lines = len.div_ceil(16);
        if self.lines.len() < lines {
            self.lines = Vec::new();
            self.lines.try_reserve_exact(lines).ok()?;
            self.lines.resize(lines, Line::ZERO);
        }
        Some(self.elements_mut(len))
    }

    /// # Panics
    /// If the buffer is shorter.
    fn elements_mut(&mut self, len: usize) -> &mut [f32] {
        let lines = &mut self.lines[..len.div_ceil(16)];
        // SAFETY: a `Line` is 16 f32 without padding, and the slice holds `len.div_ceil(16)` of them.
        unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), len) }
    }

    /// The first `len` elements as they are.
    ///
    /// # Panics
    /// If the buffer never held `len` elements.
    #[must_use]
    pub fn filled(&self, len: usize) -> &[f32] {
        assert!(
            len <= self.lines.len() * 16,
            "scratch holds {} elements, asked for {len}",
            self.lines.len() * 16
        );
        // SAFETY: a `Line` is 16 f32 without padding, and the vector holds at least `len` of those.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), len) }
    }
}

/// The buffers that are not lent out.
#[derive(Debug, Default)]
pub struct ScratchPool {
    free: Mutex<Vec<Scratch>>,
}

impl ScratchPool {
    /// Lends a buffer until the guard drops.
    pub fn take(&self) -> ScratchGuard<'_> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        ScratchGuard {
            pool: self,
            scratch: free.pop().unwrap_or_default(),
        }
    }
}

/// A lent buffer.
#[derive(Debug)]
pub struct ScratchGuard<'a> {
    pool: &'a ScratchPool,
    scratch: Scratch,
}

impl std::ops::Deref for ScratchGuard<'_> {
    type Target = Scratch;
    fn deref(&self) -> &Scratch {
        &self.scratch
    }
}

impl std::ops::DerefMut for ScratchGuard<'_> {
    fn deref_mut(&mut self) -> &mut Scratch {
        &mut self.scratch
    }
}

impl Drop for ScratchGuard<'_> {
    fn drop(&mut self) {
        let mut free = self
            .pool
            .free
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        free.push(std::mem::take(&mut self.scratch));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_come_back_aligned_and_keep_their_size() {
        let pool = ScratchPool::default();
        let first = {
            let mut lent = pool.take();
            let buffer = lent.get(1000);
            assert_eq!(buffer.len(), 1000);
            assert_eq!(buffer.as_ptr() as usize % 64, 0);
            buffer.as_ptr() as usize
        };
        let mut again = pool.take();
        assert_eq!(again.get(10).as_ptr() as usize, first);
        assert_eq!(again.get(0).len(), 0);
    }

    #[test]
    fn what_is_not_to_be_had_is_none() {
        let mut scratch = Scratch::new();
        assert!(scratch.try_get(usize::MAX / 4).is_none());
        assert_eq!(scratch.try_get(17).map(|lent| lent.len()), Some(17));
    }
}
