//! Freed blocks kept for the next request of about the same size.
//!
//! **How it works.** Sizes are rounded up to a class: multiples of 64 bytes up to 256, then four classes per doubling, so
//! a block is at most a quarter larger than asked for. Each class has lists of free blocks in several shards; a thread uses
//! the shard that its own number names, so threads that work alone rarely meet at a lock. A block freed by another thread
//! goes to that thread's shard, and a thread whose shard has none looks into the others before it asks for new memory: a
//! producer and a consumer share blocks.
//!
//! **Why shards and not a cache per thread.** A cache in a thread-local would outlive the pool or need a global table of
//! pools, would be emptied by destructors at thread exit, and blocks in caches of idle threads would be lost to the
//! others. Shards belong to the pool: they go with it, [`PoolAllocator::trim`] reaches all of them, and a thread that wants
//! a pool of its own makes one.
//!
//! **Invariants.** A block in a list is owned by the pool, was made with its class as its size, and is in one list once.
//! Nothing is written into blocks, so device memory can be pooled too. The class of a block depends on its layout and on
//! options that never change. A pool that is dropped gives back what it keeps; live blocks keep the pool alive through
//! their [`Allocation`](super::Allocation).

use std::alloc::Layout;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use super::{ALIGNMENT_BYTES, AllocError, Allocator, Counters, some_bytes};
use crate::Placement;

/// How a [`PoolAllocator`] behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolOptions {
    /// The most bytes that are kept; what would go above is given back at once. Blocks larger than this are never pooled.
    pub cached_bytes_limit: usize,
    /// The number of shards, at least 1: about the number of threads that allocate at the same time.
    pub shards: usize,
}

/// 1 GiB kept, 16 shards.
impl Default for PoolOptions {
    fn default() -> Self {
        Self {
            cached_bytes_limit: 1 << 30,
            shards: 16,
        }
    }
}

impl PoolOptions {
    /// The same with another limit of kept bytes.
    #[must_use]
    pub const fn cached_bytes_limit(mut self, bytes: usize) -> Self {
        self.cached_bytes_limit = bytes;
        self
    }

    /// The same with another number of shards.
    #[must_use]
    pub const fn shards(mut self, shards: usize) -> Self {
        self.shards = shards;
        self
    }
}

/// What a pool did so far, and what it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStats {
    /// Requests that a kept block answered.
    pub hits: u64,
    /// Requests of a pooled size that needed new memory.
    pub misses: u64,
    /// Requests that were passed on: too large, or aligned to more than 64 bytes.
    pub passed_on: u64,
    /// Bytes of blocks that are out, rounding included.
    pub live_bytes: usize,
    /// Bytes of blocks that are kept.
    pub cached_bytes: usize,
}

/// A block that the pool owns.
#[derive(Debug)]
struct Block(NonNull<u8>);

// SAFETY: the allocator that made the block promises that any thread may use it and give it back, and a listed block has
// no other owner.
unsafe impl Send for Block {}

type Lists = BTreeMap<usize, Vec<Block>>;

#[derive(Debug, Default)]
struct Tally {
    hits: AtomicU64,
    misses: AtomicU64,
    passed_on: AtomicU64,
    live_bytes: AtomicUsize,
    cached_bytes: AtomicUsize,
}

/// Keeps freed blocks for later requests of about the same size.
///
/// ```
/// use std::sync::Arc;
/// use tensor::alloc::{Allocator, PoolAllocator, PoolOptions, SystemAllocator};
/// use tensor::{DynRank, Gpu, TypedTensor};
/// let pool = Arc::new(PoolAllocator::new(Arc::new(SystemAllocator::new()), PoolOptions::default()));
/// let allocator: Arc<dyn Allocator> = pool.clone();
/// for _ in 0..10 {
///     TypedTensor::<f32, DynRank, Gpu>::zeros_in(&allocator, [100])?;
/// }
/// assert_eq!((pool.stats().hits, pool.stats().misses), (9, 1));
/// pool.trim();
/// assert_eq!(pool.stats().cached_bytes, 0);
/// # Ok::<(), tensor::TensorError>(())
/// ```
#[derive(Debug)]
pub struct PoolAllocator {
    inner: Arc<dyn Allocator>,
    options: PoolOptions,
    shards: Box<[Mutex<Lists>]>,
    tally: Tally,
    counters: Counters,
}

thread_local! {
    /// Each thread has one at an address of its own, which numbers the thread; the value means nothing.
    static MARK: Cell<u8> = const { Cell::new(0) };
}

impl PoolAllocator {
    /// A pool of blocks of `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn Allocator>, options: PoolOptions) -> Self {
        let shards = (0..options.shards.max(1))
            .map(|_| Mutex::default())
            .collect();
        Self {
            inner,
            options,
            shards,
            tally: Tally::default(),
            counters: Counters::new(),
        }
    }

    /// What the pool did beside what [`Counters`] say. Each number is exact; while other threads allocate they may be of slightly different moments.
    #[must_use]
    pub fn stats(&self) -> PoolStats {
        PoolStats {
            hits: self.tally.hits.load(Ordering::Relaxed),
            misses: self.tally.misses.load(Ordering::Relaxed),
            passed_on: self.tally.passed_on.load(Ordering::Relaxed),
            live_bytes: self.tally.live_bytes.load(Ordering::Relaxed),
            cached_bytes: self.tally.cached_bytes.load(Ordering::Relaxed),
        }
    }

    /// Gives all kept blocks back. Live blocks are not touched.
    pub fn trim(&self) {
        for shard in &self.shards {
            let lists = std::mem::take(&mut *lock(shard));
            for (class, blocks) in lists {
                let layout = class_layout(class);
                for block in blocks {
                    self.tally.cached_bytes.fetch_sub(class, Ordering::Relaxed);
                    // SAFETY: `inner` made the block with this layout, and it was in no other list and not out.
                    unsafe { self.inner.deallocate(block.0, layout) };
                }
            }
        }
    }

    /// The class of a pooled layout, or `None` for what is passed on.
    fn class(&self, layout: Layout) -> Option<usize> {
        let class = class_bytes(layout.size())?;
        (layout.align() <= ALIGNMENT_BYTES && class <= self.options.cached_bytes_limit)
            .then_some(class)
    }

    /// The number of the calling thread's shard.
    fn own_shard(&self) -> usize {
        let address = MARK.with(|mark| std::ptr::from_ref(mark).addr());
        // Addresses of threads differ by whole pages: a multiplication brings their bits up, the shift takes them.
        let mixed = (address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize % self.shards.len()
    }

    /// A kept block of `class`: from the own shard, else from one that nobody is using just now.
    fn take(&self, class: usize) -> Option<Block> {
        let own = self.own_shard();
        if let Some(block) = pop(&mut lock(&self.shards[own]), class) {
            return Some(block);
        }
        let others = (1..self.shards.len()).map(|step| (own + step) % self.shards.len());
        others
            .filter_map(|other| match self.shards[other].try_lock() {
                Ok(guard) => Some(guard),
                Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => None,
            })
            .find_map(|mut lists| pop(&mut lists, class))
    }

    /// A kept block, or a new one.
    fn serve(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        let Some(class) = self.class(layout) else {
            let block = self.renew(layout)?;
            self.tally.passed_on.fetch_add(1, Ordering::Relaxed);
            self.tally
                .live_bytes
                .fetch_add(layout.size(), Ordering::Relaxed);
            return Ok(block);
        };
        let block = match self.take(class) {
            Some(Block(block)) => {
                self.tally.hits.fetch_add(1, Ordering::Relaxed);
                self.tally.cached_bytes.fetch_sub(class, Ordering::Relaxed);
                block
            }
            None => {
                let block = self.renew(class_layout(class))?;
                self.tally.misses.fetch_add(1, Ordering::Relaxed);
                block
            }
        };
        self.tally.live_bytes.fetch_add(class, Ordering::Relaxed);
        Ok(block)
    }

    /// New memory; if there is none, what is kept is given back and asked for again.
    fn renew(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        match self.inner.allocate(layout) {
            Err(_) if self.tally.cached_bytes.load(Ordering::Relaxed) > 0 => {
                self.trim();
                self.inner.allocate(layout)
            }
            made => made,
        }
    }
}

fn lock(shard: &Mutex<Lists>) -> MutexGuard<'_, Lists> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

fn pop(lists: &mut Lists, class: usize) -> Option<Block> {
    lists.get_mut(&class)?.pop()
}

/// `bytes` rounded up to its class, or `None` if no layout is as large.
fn class_bytes(bytes: usize) -> Option<usize> {
    // Four steps from one power of two to the next.
    let step = (bytes.checked_next_power_of_two()? / 8).max(ALIGNMENT_BYTES);
    let class = bytes.checked_next_multiple_of(step)?;
    Layout::from_size_align(class, ALIGNMENT_BYTES)
        .is_ok()
        .then_some(class)
}

/// The layout of a class that [`class_bytes`] made.
fn class_layout(class: usize) -> Layout {
    Layout::from_size_align(class, ALIGNMENT_BYTES)
        .expect("class_bytes makes only sizes that have a layout")
}

// SAFETY: a block is one of `inner`, which keeps the promises and is kept alive, of at least the asked size and alignment.
// A kept block was given up by its user, and is out of its list before it is handed out again, so no two users share one.
unsafe impl Allocator for PoolAllocator {
    fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        some_bytes(layout)?;
        self.counters.counted(layout.size(), self.serve(layout))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        self.counters.freed(layout.size());
        let class = self.class(layout);
        let size = class.unwrap_or(layout.size());
        self.tally.live_bytes.fetch_sub(size, Ordering::Relaxed);
        let room = |cached: usize| {
            let sum = cached.checked_add(size)?;
            (sum <= self.options.cached_bytes_limit).then_some(sum)
        };
        let counter = &self.tally.cached_bytes;
        if let Some(class) = class
            && counter
                .try_update(Ordering::Relaxed, Ordering::Relaxed, room)
                .is_ok()
        {
            let mut lists = lock(&self.shards[self.own_shard()]);
            lists.entry(class).or_default().push(Block(block));
            return;
        }
        let made_with = class.map_or(layout, class_layout);
        // SAFETY: by the caller's promise `allocate` returned `block` for `layout`; it got it from `inner` with the layout
        // of its class, or with `layout` itself where it has none, and the class has not changed since.
        unsafe { self.inner.deallocate(block, made_with) };
    }

    fn placement(&self) -> Placement {
        self.inner.placement()
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }
}

impl Drop for PoolAllocator {
    fn drop(&mut self) {
        self.trim();
    }
}
