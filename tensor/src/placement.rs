//! Where memory is: devices as values, kinds of memory, and the [`Placement`] of a tensor's elements.
//!
//! All of it is identification only: no allocation, no stream and no copy hangs on a [`Device`]. A placement fits eight
//! bytes, so that every tensor can carry one.

use std::fmt;
use std::num::NonZeroU16;
use std::str::FromStr;

/// A family of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DeviceKind {
    /// The processor that runs the program.
    Cpu,
    /// A device reached through Vulkan.
    Vulkan,
    /// A device reached through WebGPU.
    WebGpu,
    /// A family defined outside this crate, by a number that its author chooses.
    Custom(u8),
}

/// One device: a family and a number in it. `Display` and `FromStr` use `cpu:0`, `vulkan:1`, `webgpu:0`, `custom7:0`.
///
/// ```
/// use tensor::{Device, DeviceKind};
/// let device: Device = "vulkan:1".parse()?;
/// assert_eq!(device, Device::new(DeviceKind::Vulkan, 1));
/// # Ok::<(), tensor::ParseDeviceError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(into = "String", try_from = "String")
)]
pub struct Device {
    kind: DeviceKind,
    ordinal: u16,
}

impl Device {
    /// The processor that runs the program.
    pub const CPU: Self = Self::new(DeviceKind::Cpu, 0);

    /// The device number `ordinal` of a family.
    #[must_use]
    pub const fn new(kind: DeviceKind, ordinal: u16) -> Self {
        Self { kind, ordinal }
    }

    /// The family.
    #[must_use]
    pub const fn kind(self) -> DeviceKind {
        self.kind
    }

    /// The number in the family.
    #[must_use]
    pub const fn ordinal(self) -> u16 {
        self.ordinal
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ordinal = self.ordinal;
        match self.kind {
            DeviceKind::Cpu => f.pad(&format!("cpu:{ordinal}")),
            DeviceKind::Vulkan => f.pad(&format!("vulkan:{ordinal}")),
            DeviceKind::WebGpu => f.pad(&format!("webgpu:{ordinal}")),
            DeviceKind::Custom(number) => f.pad(&format!("custom{number}:{ordinal}")),
        }
    }
}

/// A text that names no device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` names no device; write cpu, vulkan, webgpu or custom0 to custom255, then `:` and a number up to 65535, such as vulkan:0"
)]
pub struct ParseDeviceError {
    /// The text that was given.
    pub text: String,
}

impl FromStr for Device {
    type Err = ParseDeviceError;

    fn from_str(text: &str) -> Result<Self, ParseDeviceError> {
        let parse = || {
            let (family, ordinal) = text.split_once(':')?;
            // `parse` would also take a sign.
            let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
            let kind = match family {
                "cpu" => DeviceKind::Cpu,
                "vulkan" => DeviceKind::Vulkan,
                "webgpu" => DeviceKind::WebGpu,
                other => {
                    let number = other.strip_prefix("custom").filter(|s| digits(s))?;
                    DeviceKind::Custom(number.parse().ok()?)
                }
            };
            let ordinal = Some(ordinal).filter(|s| digits(s))?.parse().ok()?;
            Some(Self::new(kind, ordinal))
        };
        parse().ok_or_else(|| ParseDeviceError {
            text: text.to_owned(),
        })
    }
}

#[cfg(feature = "serde")]
impl From<Device> for String {
    fn from(device: Device) -> Self {
        device.to_string()
    }
}

#[cfg(feature = "serde")]
impl TryFrom<String> for Device {
    type Error = ParseDeviceError;

    fn try_from(text: String) -> Result<Self, ParseDeviceError> {
        text.parse()
    }
}

/// What kind of memory elements lie in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[non_exhaustive]
pub enum MemoryKind {
    /// Ordinary memory of the process.
    #[default]
    UnpinnedHost,
    /// Host memory that is locked in place, for fast copies to a device.
    PinnedHost,
    /// One address space for host and device.
    Managed,
    /// Memory of a device that the host can't address.
    Device,
    /// Anything else.
    Other,
}

impl MemoryKind {
    /// Whether the host reads and writes such memory where it is.
    #[must_use]
    pub const fn is_host_addressable(self) -> bool {
        match self {
            Self::UnpinnedHost | Self::PinnedHost | Self::Managed => true,
            Self::Device | Self::Other => false,
        }
    }

    /// The kind in words.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::UnpinnedHost => "host memory",
            Self::PinnedHost => "pinned host memory",
            Self::Managed => "managed memory",
            Self::Device => "device memory",
            Self::Other => "other memory",
        }
    }
}

/// A group of processor cores with memory of its own (a NUMA node).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(into = "u16", try_from = "u16")
)]
pub struct CpuDomain(NonZeroU16);

impl CpuDomain {
    /// The domain number `index`; `None` for 65535, which no machine has.
    #[must_use]
    pub const fn new(index: u16) -> Option<Self> {
        match NonZeroU16::new(index.wrapping_add(1)) {
            Some(one_more) => Some(Self(one_more)),
            None => None,
        }
    }

    /// The number.
    #[must_use]
    pub const fn index(self) -> u16 {
        self.0.get() - 1
    }
}

#[cfg(feature = "serde")]
impl From<CpuDomain> for u16 {
    fn from(domain: CpuDomain) -> Self {
        domain.index()
    }
}

#[cfg(feature = "serde")]
impl TryFrom<u16> for CpuDomain {
    type Error = &'static str;

    fn try_from(index: u16) -> Result<Self, &'static str> {
        Self::new(index).ok_or("a cpu domain is a number from 0 to 65534")
    }
}

/// Where elements lie: the kind of memory, the device that owns it, and the processor cores it is close to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Placement {
    /// The kind of memory.
    pub memory_kind: MemoryKind,
    /// The device that the memory belongs to, or that may address it; `None` for plain host memory.
    pub device: Option<Device>,
    /// The processor cores that are close to the memory, where that is known.
    pub cpu_domain: Option<CpuDomain>,
}

impl Placement {
    /// Ordinary host memory, the default.
    pub const HOST: Self = Self {
        memory_kind: MemoryKind::UnpinnedHost,
        device: None,
        cpu_domain: None,
    };

    /// Memory of `device` that the host can't address.
    #[must_use]
    pub const fn on_device(device: Device) -> Self {
        Self {
            memory_kind: MemoryKind::Device,
            device: Some(device),
            cpu_domain: None,
        }
    }

    /// The device whose operations read the elements where they are: the processor for host memory, pinned or not, also
    /// where another device may address it.
    #[must_use]
    pub const fn resident_device(&self) -> Device {
        match (self.memory_kind, self.device) {
            (MemoryKind::Managed | MemoryKind::Device | MemoryKind::Other, Some(device)) => device,
            _ => Device::CPU,
        }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.memory_kind.words())?;
        if let Some(device) = self.device {
            write!(f, " of {device}")?;
        }
        if let Some(domain) = self.cpu_domain {
            write!(f, " near cpu domain {}", domain.index())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e01_devices_are_small_ordered_keys_that_print_and_parse_back() {
        let devices = [
            (Device::CPU, "cpu:0"),
            (Device::new(DeviceKind::Vulkan, 3), "vulkan:3"),
            (Device::new(DeviceKind::WebGpu, 65535), "webgpu:65535"),
            (Device::new(DeviceKind::Custom(7), 1), "custom7:1"),
        ];
        for (device, text) in devices {
            assert_eq!(device.to_string(), text);
            assert_eq!(text.parse(), Ok(device));
        }
        // By kind, then by number: the order of the table above.
        assert!(devices.is_sorted());
        let by_device = std::collections::HashMap::from(devices);
        assert_eq!(
            by_device[&Device::new(DeviceKind::Custom(7), 1)],
            "custom7:1"
        );
        assert_eq!(by_device.len(), devices.len());
        assert!(size_of::<Device>() <= 4);
        for text in [
            "",
            "cpu",
            "cpu:",
            "cpu:-1",
            "cpu:+1",
            "cpu:65536",
            "gpu:0",
            "custom:0",
            "custom256:0",
            "cpu:0 ",
        ] {
            let error = text.parse::<Device>().unwrap_err();
            assert!(error.to_string().starts_with(&format!("`{text}`")));
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn placements_read_back_what_they_write() {
        let mut placement = Placement::on_device(Device::new(DeviceKind::Custom(7), 2));
        placement.cpu_domain = CpuDomain::new(3);
        let text = r#"{"memory_kind":"device","device":"custom7:2","cpu_domain":3}"#;
        assert_eq!(serde_json::to_string(&placement).unwrap(), text);
        assert_eq!(serde_json::from_str::<Placement>(text).unwrap(), placement);
        let refused = [
            (text.replace("custom7:2", "custom7"), "names no device"),
            (text.replace('3', "65535"), "from 0 to 65534"),
            (text.replace("memory_kind", "kind"), "unknown field `kind`"),
            (
                text.replace("\"device\",", "\"disk\","),
                "unknown variant `disk`",
            ),
        ];
        for (text, cause) in refused {
            let error = serde_json::from_str::<Placement>(&text).unwrap_err();
            assert!(error.to_string().contains(cause), "{error}");
        }
    }

    #[test]
    fn a_placement_fits_eight_bytes_and_says_where_it_is() {
        assert_eq!(size_of::<Placement>(), 8);
        assert_eq!(Placement::default().to_string(), "host memory");
        let mut placement = Placement::on_device(Device::new(DeviceKind::Vulkan, 0));
        placement.cpu_domain = CpuDomain::new(1);
        assert_eq!(
            placement.to_string(),
            "device memory of vulkan:0 near cpu domain 1"
        );
        assert_eq!(CpuDomain::new(u16::MAX), None);
        assert_eq!(CpuDomain::new(0).map(CpuDomain::index), Some(0));
    }
}
