//! Spans of what is done, as the feature `tracing`; without it no code at all.
//!
//! This is the one place that knows the crate `tracing`: [`trace_span!`](crate::trace_span) opens a span and gives the guard that closes it, so
//! a span is left on every way out of its scope, early returns and panics included. Without the feature the macro drops its
//! fields unread and gives [`Off`], which has no size and no destructor. Crates above use the macro and need no feature of
//! their own: what `tensor` was built with decides for all.
//!
//! Fields mean the same everywhere: `bytes` of elements, `shape`, `dtype`, `device` that the elements are on or go to, `from` the
//! one they come from, `op` the function that was called, `name` of a tensor or step, `path` of a file.

#[cfg(feature = "tracing")]
pub use tracing;

/// Opens a span: a level of `tracing`, a name, fields as `tracing` writes them. Bind it: it is closed where it is dropped.
#[cfg(feature = "tracing")]
#[doc(hidden)]
#[macro_export]
macro_rules! trace_span {
    ($level:ident, $name:literal, $($fields:tt)*) => {
        $crate::trace::tracing::span!($crate::trace::tracing::Level::$level, $name, $($fields)*).entered()
    };
}

/// Opens no span, and reads no field.
#[cfg(not(feature = "tracing"))]
#[doc(hidden)]
#[macro_export]
macro_rules! trace_span {
    ($level:ident, $name:literal, $($fields:tt)*) => {
        $crate::trace::Off
    };
}

/// What stands for a span where there is none.
#[cfg(not(feature = "tracing"))]
#[derive(Debug)]
pub struct Off;

/// Who listens on this thread, to be taken along to a thread of a pool. Without the feature it is nothing.
#[derive(Clone, Debug)]
pub struct Listener {
    #[cfg(feature = "tracing")]
    dispatch: tracing::Dispatch,
}

impl Listener {
    /// The listener of this thread.
    #[must_use]
    pub fn here() -> Self {
        Self {
            #[cfg(feature = "tracing")]
            dispatch: tracing::dispatcher::get_default(Clone::clone),
        }
    }

    /// Calls `work`, with this listener on the thread that it runs on.
    pub fn hears<T>(&self, work: impl FnOnce() -> T) -> T {
        #[cfg(feature = "tracing")]
        return tracing::dispatcher::with_default(&self.dispatch, work);
        #[cfg(not(feature = "tracing"))]
        work()
    }
}

#[cfg(test)]
mod tests {
    /// The macro drops its fields before they are compiled, and what stands for the guard is nothing.
    #[cfg(not(feature = "tracing"))]
    #[test]
    fn h06_without_the_feature_a_span_is_no_code() {
        let span = trace_span!(DEBUG, "copy", bytes = not_even_a_name, shape = ?panic!());
        assert_eq!(size_of_val(&span), 0);
        assert!(!std::mem::needs_drop::<super::Off>());
        assert_eq!(size_of::<super::Listener>(), 0);
    }
}
