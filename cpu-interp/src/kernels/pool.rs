//! Threads as a value: a rayon pool of its own, one loop to split work over it, and the workspace that goes with it.
//!
//! [`Threads::for_each`] hands out task numbers from a counter, so a slow or busy core takes fewer tasks. Work that is
//! too small to be worth waking another thread stays on the calling thread: callers say what a task costs in
//! nanoseconds, roughly. Which thread runs a task never changes its result, because a task owns what it writes.
//!
//! With one thread there is no pool and nothing is ever spawned. A caller that runs many kernels in a row, of which
//! [`Threads::watched`] says that they use several threads, should run them inside [`Threads::install`]: each kernel then
//! starts from a pool thread, which is much cheaper than entering the pool once a kernel.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::scratch::{Scratch, ScratchPool};

/// Below this much work (nanoseconds) per thread another thread is not worth its wake-up.
const WORTH_A_THREAD_NS: f64 = 12_000.0;

thread_local! {
    /// Whether a loop that began on this thread used others, for [`Threads::watched`].
    static FORKED: Cell<bool> = const { Cell::new(false) };
}

/// A fixed number of threads and their workspace.
#[derive(Debug)]
pub struct Threads {
    pool: Option<rayon::ThreadPool>,
    count: usize,
    scratch: ScratchPool,
}

impl Threads {
    /// `count` threads; 0 counts as 1. Where the system refuses to start them, all work stays on the calling thread.
    #[must_use]
    pub fn new(count: usize) -> Self {
        let pool = (count > 1)
            .then(|| {
                rayon::ThreadPoolBuilder::new()
                    .num_threads(count)
                    .build()
                    .ok()
            })
            .flatten();
        Self {
            count: if pool.is_some() { count } else { 1 },
            pool,
            scratch: ScratchPool::default(),
        }
    }

    /// How many threads there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The buffers that kernels borrow.
    #[must_use]
    pub fn scratch(&self) -> &ScratchPool {
        &self.scratch
    }

    /// Runs `work` on a pool thread (or here, with one thread) and waits for it.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Runs `work` here; also tells whether a loop in it was worth several threads.
    pub fn watched<R>(&self, work: impl FnOnce() -> R) -> (R, bool) {
        let before = FORKED.replace(false);
        let result = work();
        let forked = FORKED.get();
        FORKED.set(before || forked);
        (result, forked)
    }

    /// How many threads `tasks` tasks of `task_ns` nanoseconds each deserve.
    #[must_use]
    pub fn useful(&self, tasks: usize, task_ns: f64) -> usize {
        if self.count == 1 || tasks <= 1 {
            return 1;
        }
        let worth = (tasks as f64 * task_ns / WORTH_A_THREAD_NS) as usize;
        worth.min(self.count).min(tasks).max(1)
    }

    /// Calls `task(0..tasks)`, each number once, on as many threads as the work is worth.
    pub fn for_each(&self, tasks: usize, task_ns: f64, task: impl Fn(usize) + Sync) {
        self.run(tasks, task_ns, &|_, index| task(index));
    }

    /// The same, lending each thread a buffer for the whole loop.
    pub fn for_each_with(
        &self,
        tasks: usize,
        task_ns: f64,
        task: impl Fn(&mut Scratch, usize) + Sync,
    ) {
        self.run(tasks, task_ns, &task);
    }

    /// Not generic, so that the machinery below is compiled once and not once a kernel.
    fn run(&self, tasks: usize, task_ns: f64, task: &(dyn Fn(&mut Scratch, usize) + Sync)) {
        let workers = self.useful(tasks, task_ns);
        let next = AtomicUsize::new(0);
        let work = || {
            let mut scratch = self.scratch.take();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= tasks {
                    break;
                }
                task(&mut scratch, index);
            }
        };
        match &self.pool {
            Some(pool) if workers > 1 => {
                FORKED.set(true);
                let work: &(dyn Fn() + Sync) = &work;
                pool.install(|| fork(workers, work));
            }
            _ => work(),
        }
    }

    /// Splits `0..len` into ranges whose bounds are multiples of `align` and calls `task` on each.
    pub fn for_ranges(
        &self,
        len: usize,
        align: usize,
        item_ns: f64,
        task: impl Fn(Range<usize>) + Sync,
    ) {
        let units = len.div_ceil(align);
        let workers = self.useful(units, item_ns * align as f64);
        if workers == 1 {
            if len > 0 {
                task(0..len);
            }
            return;
        }
        // Four ranges a thread, so that a core that is busy elsewhere holds up little.
        let step = units.div_ceil(4 * workers) * align;
        let tasks = len.div_ceil(step);
        self.for_each(tasks, item_ns * step as f64, |index| {
            task(index * step..len.min((index + 1) * step));
        });
    }
}

/// Runs `work` on up to `workers` threads of the current pool. A copy that no thread takes up runs here and ends at once.
fn fork(workers: usize, work: &(dyn Fn() + Sync)) {
    if workers <= 1 {
        work();
    } else {
        let half = workers / 2;
        rayon::join(|| fork(workers - half, work), || fork(half, work));
    }
}

/// A pointer that tasks share. The tasks must write disjoint elements.
#[derive(Debug)]
pub(crate) struct SharedMut<T>(*mut T);

impl<T> Clone for SharedMut<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SharedMut<T> {}

// SAFETY: the pointer itself is plain data; whoever writes through it upholds disjointness (see `SharedMut::get`).
unsafe impl<T: Send> Send for SharedMut<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for SharedMut<T> {}

impl<T> SharedMut<T> {
    /// Shares a slice among tasks.
    pub(crate) fn new(slice: &mut [T]) -> Self {
        Self(slice.as_mut_ptr())
    }

    /// The pointer. Writes through it are sound where no two tasks touch the same element.
    pub(crate) fn get(self) -> *mut T {
        self.0
    }

    /// The elements `range` of the shared slice.
    ///
    /// # Safety
    /// `range` lies in the shared slice, which is still borrowed, and no other task uses any element of it meanwhile.
    pub(crate) unsafe fn slice<'a>(self, range: Range<usize>) -> &'a mut [T] {
        // SAFETY: the caller promises bounds and exclusivity.
        unsafe { std::slice::from_raw_parts_mut(self.0.add(range.start), range.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_runs_once() {
        for count in [0, 1, 2, 3] {
            let threads = Threads::new(count);
            for tasks in [0, 1, 2, 7, 100] {
                let seen: Vec<AtomicUsize> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
                threads.for_each(tasks, 1e6, |i| {
                    seen[i].fetch_add(1, Ordering::Relaxed);
                });
                assert!(seen.iter().all(|n| n.load(Ordering::Relaxed) == 1));
            }
        }
    }

    #[test]
    fn ranges_cover_and_align() {
        let threads = Threads::new(2);
        for (len, align, ns) in [(0, 4, 1e6), (1, 4, 1e6), (1003, 16, 1e4), (64, 64, 1.0)] {
            let seen: Vec<AtomicUsize> = (0..len).map(|_| AtomicUsize::new(0)).collect();
            threads.for_ranges(len, align, ns, |range| {
                assert_eq!(range.start % align, 0);
                for i in range {
                    seen[i].fetch_add(1, Ordering::Relaxed);
                }
            });
            assert!(seen.iter().all(|n| n.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn small_work_stays_here() {
        let threads = Threads::new(2);
        let work = |task_ns| threads.watched(|| threads.for_each(100, task_ns, |_| {})).1;
        assert_eq!((work(10.0), work(1e5), work(10.0)), (false, true, false));
        let (inner, outer) = threads.watched(|| work(1e5));
        assert!(inner && outer);
        assert_eq!(threads.useful(100, 10.0), 1);
        assert_eq!(threads.useful(100, 1e5), 2);
        assert_eq!(threads.useful(1, 1e9), 1);
    }
}
