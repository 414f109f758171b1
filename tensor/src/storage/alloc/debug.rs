//! An allocator that watches another one: leaks, and frees that are wrong.
//!
//! **How it works.** A ledger has one entry per live block: size, alignment, number, and the call stack if that was asked
//! for. A free is checked against it before the inner allocator hears of it, so a block that is freed twice, was never
//! handed out, or comes back with another layout does no harm: it is told (recorded, or a panic), and the inner allocator
//! only ever sees each block once with its own layout. What it can't see: a second free of an address that was handed out
//! again meanwhile looks like the free of the new block.
//!
//! **Order.** An entry is made after the inner allocator handed the block out, and removed before the block goes back; an
//! address that is handed out again therefore never meets its old entry.
//!
//! **Invariants.** The ledger has the blocks that are out. It is behind one lock: this allocator is for finding errors, not for
//! speed.

use std::alloc::Layout;
use std::backtrace::Backtrace;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::{self, Write as _};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{AllocError, Allocator, Counters, some_bytes};
use crate::Placement;

/// Freed blocks that are remembered, to tell a second free from a foreign one.
const REMEMBERED_FREES: usize = 4096;

/// A free that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Misuse {
    /// The block was freed before.
    #[error("block {address:#x} of {bytes} bytes was freed twice; its owner must drop it once")]
    DoubleFree {
        /// The block.
        address: usize,
        /// Its size.
        bytes: usize,
    },
    /// This allocator never handed the block out.
    #[error(
        "block {address:#x} of {bytes} bytes did not come from this allocator; give it back to the one that made it"
    )]
    ForeignFree {
        /// The block.
        address: usize,
        /// The size it was freed with.
        bytes: usize,
    },
    /// The block came back with another size or alignment.
    #[error(
        "block {address:#x} was made with {made_bytes} bytes (alignment {made_alignment}) and freed with {freed_bytes} bytes (alignment {freed_alignment}); keep its layout"
    )]
    WrongLayout {
        /// The block.
        address: usize,
        /// The size it was made with.
        made_bytes: usize,
        /// The alignment it was made with.
        made_alignment: usize,
        /// The size it was freed with.
        freed_bytes: usize,
        /// The alignment it was freed with.
        freed_alignment: usize,
    },
}

/// What happens when a free is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMisuse {
    /// It is kept for [`DebugAllocator::misuses`].
    #[default]
    Record,
    /// It is kept, and the free panics with its text.
    Panic,
}

/// How a [`DebugAllocator`] behaves; by default it takes no call stacks and records wrong frees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DebugOptions {
    /// Takes the call stack of every allocation: slow, and exact only in builds with debug information.
    pub call_stacks: bool,
    /// What a wrong free does.
    pub on_misuse: OnMisuse,
}

impl DebugOptions {
    /// The same with or without call stacks.
    #[must_use]
    pub const fn call_stacks(mut self, take: bool) -> Self {
        self.call_stacks = take;
        self
    }

    /// The same with another answer to wrong frees.
    #[must_use]
    pub const fn on_misuse(mut self, answer: OnMisuse) -> Self {
        self.on_misuse = answer;
        self
    }
}

#[derive(Debug)]
struct Entry {
    layout: Layout,
    number: u64,
    stack: Option<Backtrace>,
}

#[derive(Debug, Default)]
struct Ledger {
    live: BTreeMap<usize, Entry>,
    freed: VecDeque<(usize, usize)>,
    /// How many blocks there ever were.
    numbered: u64,
    misuses: Vec<Misuse>,
}

impl Ledger {
    fn add(&mut self, address: usize, layout: Layout, stack: Option<Backtrace>) {
        let number = self.numbered;
        self.numbered += 1;
        let entry = Entry {
            layout,
            number,
            stack,
        };
        self.live.insert(address, entry);
    }

    /// The layout that the block was made with, whose entry is gone now, and what is wrong with the free.
    fn remove(&mut self, address: usize, layout: Layout) -> (Option<Layout>, Option<Misuse>) {
        let bytes = layout.size();
        let Some(entry) = self.live.remove(&address) else {
            let before = self.freed.iter().rev().find(|(freed, _)| *freed == address);
            let misuse = match before {
                Some(&(_, bytes)) => Misuse::DoubleFree { address, bytes },
                None => Misuse::ForeignFree { address, bytes },
            };
            return (None, Some(misuse));
        };
        let made = entry.layout;
        if self.freed.len() == REMEMBERED_FREES {
            self.freed.pop_front();
        }
        self.freed.push_back((address, made.size()));
        let misuse = (made != layout).then_some(Misuse::WrongLayout {
            address,
            made_bytes: made.size(),
            made_alignment: made.align(),
            freed_bytes: bytes,
            freed_alignment: layout.align(),
        });
        (Some(made), misuse)
    }

    /// One line per live block, oldest first, with its call stack below it; empty without live blocks.
    fn report(&self, placement: Placement) -> String {
        let mut text = String::new();
        if self.live.is_empty() {
            return text;
        }
        let mut entries: Vec<_> = self.live.iter().collect();
        entries.sort_by_key(|(_, entry)| entry.number);
        let count = entries.len();
        let bytes: usize = entries.iter().map(|(_, entry)| entry.layout.size()).sum();
        // Writing to a string can't fail.
        let _ = writeln!(
            text,
            "{count} blocks of {placement} are live, {bytes} bytes in all"
        );
        for (address, entry) in entries {
            let (number, bytes) = (entry.number, entry.layout.size());
            let _ = writeln!(text, "  #{number}: {bytes} bytes at {address:#x}");
            if let Some(stack) = &entry.stack {
                let _ = writeln!(text, "{stack}");
            }
        }
        text
    }
}

/// Watches the blocks of another allocator: for development, and for tests that look for leaks.
///
/// ```
/// use std::sync::Arc;
/// use tensor::alloc::{Allocator, DebugAllocator, DebugOptions, SystemAllocator};
/// use tensor::{DynRank, Gpu, TypedTensor};
/// let debug = Arc::new(DebugAllocator::new(Arc::new(SystemAllocator::new()), DebugOptions::default()));
/// let allocator: Arc<dyn Allocator> = debug.clone();
/// let held = TypedTensor::<f32, DynRank, Gpu>::zeros_in(&allocator, [10])?;
/// assert!(debug.leak_report().starts_with("1 blocks of host memory are live, 40 bytes in all\n  #0: 40 bytes at "));
/// drop(held);
/// assert_eq!(debug.leak_report(), "");
/// assert_eq!(debug.counters().read().peak_bytes, 40);
/// # Ok::<(), tensor::TensorError>(())
/// ```
#[derive(Debug)]
pub struct DebugAllocator {
    inner: Arc<dyn Allocator>,
    options: DebugOptions,
    ledger: Mutex<Ledger>,
    counters: Counters,
}

impl DebugAllocator {
    /// Watches the blocks of `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn Allocator>, options: DebugOptions) -> Self {
        Self {
            inner,
            options,
            ledger: Mutex::default(),
            counters: Counters::new(),
        }
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of live blocks.
    #[must_use]
    pub fn live_blocks(&self) -> usize {
        self.ledger().live.len()
    }

    /// The wrong frees so far.
    #[must_use]
    pub fn misuses(&self) -> Vec<Misuse> {
        self.ledger().misuses.clone()
    }

    /// The live blocks as text, oldest first: number, size, address and call stack. Empty if there are none.
    #[must_use]
    pub fn leak_report(&self) -> String {
        self.ledger().report(self.placement())
    }

    /// A guard that hands the leak report to `sink` when it is dropped, if there is one: kept in `main`, it reports what is
    /// still live at the end of the program.
    #[must_use = "the guard reports when it is dropped"]
    pub fn report_at_exit(
        self: &Arc<Self>,
        sink: impl FnOnce(&str) + Send + 'static,
    ) -> ExitReport {
        ExitReport {
            watched: Arc::clone(self),
            sink: Some(Box::new(sink)),
        }
    }
}

// SAFETY: blocks are those of `inner`, which keeps the promises and is kept alive; each goes back once and with the layout
// that it was made with, also where the caller says another.
unsafe impl Allocator for DebugAllocator {
    fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        some_bytes(layout)?;
        let block = self.inner.allocate(layout);
        let block = self.counters.counted(layout.size(), block)?;
        let stack = self.options.call_stacks.then(Backtrace::force_capture);
        self.ledger().add(block.addr().get(), layout, stack);
        Ok(block)
    }

    /// Unlike other allocators, it may be given any address with any layout, unless a block of somebody else lives there:
    /// what is wrong is told and does no harm.
    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        let mut ledger = self.ledger();
        let (made, misuse) = ledger.remove(block.addr().get(), layout);
        ledger.misuses.extend(misuse.clone());
        drop(ledger);
        if let Some(made) = made {
            self.counters.freed(made.size());
            // SAFETY: the ledger had the block with the layout that `inner` made it with, and no longer has it, so it goes
            // back once. The block that lives at this address is the caller's, who gives it up.
            unsafe { self.inner.deallocate(block, made) };
        }
        if let (Some(misuse), OnMisuse::Panic) = (misuse, self.options.on_misuse) {
            panic!("{misuse}");
        }
    }

    fn placement(&self) -> Placement {
        self.inner.placement()
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }
}

/// Who gets the report.
type Sink = Box<dyn FnOnce(&str) + Send>;

/// Reports the live blocks of a [`DebugAllocator`] when it is dropped; made by [`DebugAllocator::report_at_exit`].
///
/// The allocator's own end would be too late: live blocks keep it alive.
pub struct ExitReport {
    watched: Arc<DebugAllocator>,
    sink: Option<Sink>,
}

impl fmt::Debug for ExitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExitReport")
            .field("watched", &self.watched)
            .finish_non_exhaustive()
    }
}

impl Drop for ExitReport {
    fn drop(&mut self) {
        let report = self.watched.leak_report();
        if let Some(sink) = self.sink.take()
            && !report.is_empty()
        {
            sink(&report);
        }
    }
}
