//! The adapters that this machine offers to compare on.

/// A GPU, or software that acts as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adapter {
    /// Its name, by which it can be asked for; of several of one name the second has ` #2` behind it.
    pub name: String,
    /// What it is.
    pub kind: AdapterKind,
    /// The programming interface it is reached by: Vulkan, Metal, Direct3D 12.
    pub interface: String,
    /// Its driver, with the version.
    pub driver: String,
    /// Where it sits, as in `0000:01:00.0`; empty where that is not known.
    pub bus: String,
    /// The most bytes of one side that it takes at once.
    pub most_bytes: u64,
}

/// What an adapter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the memory of the CPU.
    Integrated,
    /// A GPU that a virtual machine is lent.
    Virtual,
    /// Of a kind that it does not tell.
    Other,
    /// A program on the CPU: right, and slow.
    Software,
}

impl AdapterKind {
    /// Whether it is known to be a GPU. What is not is used only when named.
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
