//! How a command fails: called wrongly, or could not do its work.
//!
//! Both carry one sentence for the person at the terminal. The difference decides the exit code (2 and 1), so that a
//! script can tell a typing error from a failed check.

use std::fmt;
use std::process::ExitCode;

/// Why a command ended without success.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line was wrong.
    Usage(String),
    /// The command was understood and failed.
    Failed(String),
}

impl Failure {
    /// The command line was wrong in the way that `text` says.
    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    /// The command failed for the reason that `text` says.
    pub(crate) fn failed(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }

    /// 2 for a wrong command line, 1 for everything else.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::Failed(_) => ExitCode::from(1),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Failed(text) => out.write_str(text),
        }
    }
}
