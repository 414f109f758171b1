//! What a program does over time, as a file for Perfetto (`ui.perfetto.dev`) or Chrome (`chrome://tracing`). Feature `tracing`.
//!
//! ```
//! use tenfold::prelude::*;
//!
//! # let path = std::env::temp_dir().join(format!("tenfold-doc-{}.json", std::process::id()));
//! let trace = tenfold::trace::to_file(&path)?;
//! let matrix = Tensor::from_vec_row_major([2, 2], vec![1.0_f32, 2.0, 3.0, 4.0])?;
//! let turned = matrix.view()?.transpose().to_contiguous()?;
//! trace.finish()?;
//! # let text = std::fs::read_to_string(&path)?;
//! # assert!(text.contains("to_contiguous"));
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **How it works.** The crates open spans with the crate `tracing`: allocations, copies, moves between devices, files, runs and
//! every step of a plan. A [`Trace`] listens on the thread that made it, and on the threads of a pool that runs of a compiled
//! function started there go to. It writes each span as one complete event when it is left. Nothing is global: other threads
//! are listened to where the program says so, by [`Trace::dispatch`]. Whoever has a subscriber of `tracing` already (logs,
//! `tracing-chrome`, ranges for a vendor's profiler) needs none of this and gets the spans there.
//!
//! **Invariants.** What is in the file is a JSON array of events as soon as [`Trace::finish`] returned or the trace was dropped; a
//! span that is still open then is not in it. Every event is complete, so begin and end can't get out of step. Nothing here
//! panics: what goes wrong with the file is kept and told by [`Trace::finish`].

mod recorder;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tracing::Dispatch;
use tracing::dispatcher::{self, DefaultGuard};

use recorder::Recorder;

/// Why there is no trace, or not all of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The file can't be made.
    #[error("cannot make the trace {path:?}; name a file in a folder that can be written", path = path.display().to_string())]
    Create {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file can't be written; what was written before is there.
    #[error("cannot write all of the trace {path:?}", path = path.display().to_string())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// A trace that is being written. Dropping it ends it too, but only [`Trace::finish`] says whether all of it was written.
#[derive(Debug)]
#[must_use = "the trace ends when this is dropped"]
pub struct Trace {
    path: PathBuf,
    recorder: Arc<Recorder>,
    dispatch: Dispatch,
    /// Makes this thread one that is listened to, and the value one that stays on it.
    _here: DefaultGuard,
}

/// Begins a trace in the file at `path`, which is replaced, and listens on this thread.
///
/// # Errors
/// [`TraceError::Create`].
pub fn to_file(path: impl AsRef<Path>) -> Result<Trace, TraceError> {
    let path = path.as_ref().to_owned();
    let file = match File::create(&path) {
        Ok(file) => file,
        Err(source) => return Err(TraceError::Create { path, source }),
    };
    let recorder = Arc::new(Recorder::new(Box::new(file)));
    let dispatch = Dispatch::new(Arc::clone(&recorder));
    Ok(Trace {
        path,
        recorder,
        _here: dispatcher::set_default(&dispatch),
        dispatch,
    })
}

impl Trace {
    /// What `tracing` calls a listener: `tracing::dispatcher::set_default` listens on another thread, and `set_global_default`
    /// on all that have no listener.
    pub fn dispatch(&self) -> &Dispatch {
        &self.dispatch
    }

    /// Ends the trace and writes what is left.
    ///
    /// # Errors
    /// [`TraceError::Write`] with the first thing that went wrong since the trace began.
    pub fn finish(self) -> Result<(), TraceError> {
        match self.recorder.finish() {
            Ok(()) => Ok(()),
            Err(source) => Err(TraceError::Write {
                path: self.path.clone(),
                source,
            }),
        }
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        // `finish` tells what goes wrong; whoever only drops the trace has not asked.
        let _untold = self.recorder.finish();
    }
}
