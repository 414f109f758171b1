//! A hint to the operating system: this memory is large, so let its pages be.
//!
//! The first write to a page of 4 KiB costs more than the write of its bytes, and a matrix of 1 GiB has 262,144 of them;
//! it has 512 huge pages of 2 MiB, whose first use costs a fifth, and whose addresses the processor can keep in mind. Linux
//! gives them where it is asked (`madvise`); elsewhere, and where the kernel refuses, the memory is as good as any other.

/// A huge page of x86-64 and of aarch64 with small pages of 4 KiB.
pub(super) const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Asks for huge pages for memory that has not been written yet, if it is large enough to hold some.
///
/// Nothing else changes: neither contents nor size, and only whole small pages behind the start count, so that no memory
/// is taken that would not be anyway. Every large copy of this crate does it.
pub fn prefer_huge_pages<T>(memory: &[T]) {
    let bytes = size_of_val(memory);
    if bytes >= 2 * HUGE_PAGE_BYTES {
        advise(memory.as_ptr().cast(), bytes);
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
pub(super) fn advise(start: *const u8, bytes: usize) {
    use rustix::mm::{Advice, madvise};
    use rustix::param::page_size;
    // The page in which the memory begins is there anyway; the one in which it ends may go on with other memory.
    let first = start.map_addr(|at| at - at % page_size());
    let end = start.addr() + bytes;
    let whole = end - end % page_size() - first.addr();
    // SAFETY: the advice changes no contents and no access rights, only the size of pages, and each page of the range holds
    // bytes of `memory`, which lives.
    // Kernels without huge pages refuse; the memory is as good as any other then.
    let _ = unsafe { madvise(first.cast_mut().cast(), whole, Advice::LinuxHugepage) };
}

#[cfg(not(all(target_os = "linux", not(miri))))]
pub(super) fn advise(_start: *const u8, _bytes: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_as_it_was() {
        let large = if cfg!(miri) { 4099 } else { 5 << 20 };
        for len in [0, 1, 4096, large] {
            let memory: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
            prefer_huge_pages(&memory);
            prefer_huge_pages(&memory[len / 2..]);
            assert!(
                memory
                    .iter()
                    .enumerate()
                    .all(|(at, &byte)| byte == (at % 251) as u8)
            );
        }
    }
}
