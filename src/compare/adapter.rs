//! The adapters of a machine: devices that can compare.

use serde::Serialize;

use crate::serial::serialize_by_name;

/// A GPU, or software that acts as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Adapter {
    /// Its name, which selects it; the second adapter of one name has ` #2` appended.
    pub name: String,
    /// Its kind.
    pub kind: AdapterKind,
    /// The programming interface that it is used through: Vulkan, Metal, Direct3D 12.
    pub interface: String,
    /// Its driver, with version.
    pub driver: String,
    /// Its bus address, such as `0000:01:00.0`; empty where it is not known.
    pub bus: String,
    /// The maximum number of bytes of one side that it accepts at once.
    pub most_bytes: u64,
}

/// The kind of an adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterKind {
    /// A GPU with its own memory.
    Discrete,
    /// A GPU that shares the memory of the CPU.
    Integrated,
    /// A GPU of a virtual machine.
    Virtual,
    /// Unknown.
    Other,
    /// A program on the CPU: correct, and slow.
    Software,
}

impl AdapterKind {
    /// Whether it is known to be a GPU. Other adapters are used only when selected by name.
    pub fn is_gpu(self) -> bool {
        matches!(self, Self::Discrete | Self::Integrated | Self::Virtual)
    }

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Other => "other",
            Self::Software => "software",
        }
    }
}

serialize_by_name!(AdapterKind);
