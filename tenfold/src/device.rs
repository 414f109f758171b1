//! Devices, and how one is chosen.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use cpu_interp::exec::CpuBackend;
use plan::Backend;

use crate::Error;

/// Where to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A real GPU where there is one, else the CPU; the compiled function says which.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DeviceChoice::Auto => "auto",
            DeviceChoice::Cpu => "cpu",
        })
    }
}

impl FromStr for DeviceChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "auto" => Ok(DeviceChoice::Auto),
            "cpu" => Ok(DeviceChoice::Cpu),
            _ => Err(Error::UnknownDevice {
                name: text.to_owned(),
            }),
        }
    }
}

/// How to compile.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileOptions {
    /// The device.
    pub device: DeviceChoice,
    /// Number of CPU threads; `None` for as many as the process may use at once.
    pub threads: Option<usize>,
    /// Bytes that intermediates and outputs of one set of input shapes may take; `None` for no limit but the system's.
    ///
    /// A call that needs more is refused before anything is allocated for it. It bounds what a model of unknown
    /// origin can ask for; weights are bounded by the size of their file.
    pub memory_limit: Option<usize>,
}

/// A device of this machine, described. What identifies one as a value is [`tensor::Device`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The name that [`DeviceChoice`] parses.
    pub name: String,
    /// `cpu` or `gpu`.
    pub kind: String,
    /// Threads and instruction set.
    pub detail: String,
}

/// The devices that this build can run on.
pub fn devices() -> Vec<DeviceInfo> {
    let level = format!("{:?}", cpu_interp::kernels::isa::Isa::detect().level()).to_lowercase();
    let threads = default_threads();
    let plural = if threads == 1 { "" } else { "s" };
    let detail = format!("{threads} thread{plural}, {level} kernels");
    vec![DeviceInfo {
        name: "cpu".into(),
        kind: "cpu".into(),
        detail,
    }]
}

fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A chosen device and why it was chosen.
#[derive(Clone)]
pub(crate) struct Chosen {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) threads: usize,
    pub(crate) note: String,
}

/// Resolves a choice.
pub(crate) fn choose(options: &CompileOptions) -> Result<Chosen, Error> {
    if options.threads == Some(0) {
        return Err(Error::NoThreads);
    }
    let backend = CpuBackend::new(options.threads.unwrap_or_else(default_threads));
    let threads = backend.threads();
    let note = match options.device {
        DeviceChoice::Auto => "cpu (chosen by auto: this build has no GPU backend)",
        DeviceChoice::Cpu => "cpu (as asked)",
    };
    Ok(Chosen {
        backend: Arc::new(backend),
        threads,
        note: note.into(),
    })
}
