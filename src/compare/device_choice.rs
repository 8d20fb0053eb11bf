//! The choice of a device, by its name.

use std::str::FromStr;

use super::Device;
use crate::error::{Error, Result};

/// The choice of a device: `auto`, `cpu`, `gpu` or `gpu:NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A GPU where it is faster.
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU of this name, or else the first.
    Gpu(Option<String>),
}

impl DeviceChoice {
    /// The device. A GPU is opened.
    ///
    /// # Errors
    /// If there is no such GPU.
    pub fn open(&self) -> Result<Device> {
        match self {
            Self::Auto => Ok(Device::auto()),
            Self::Cpu => Ok(Device::cpu()),
            Self::Gpu(name) => Device::gpu(name.as_deref()),
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match (text, text.strip_prefix("gpu:")) {
            ("auto", _) => Ok(Self::Auto),
            ("cpu", _) => Ok(Self::Cpu),
            ("gpu", _) => Ok(Self::Gpu(None)),
            (_, Some(name)) if !name.is_empty() => Ok(Self::Gpu(Some(name.into()))),
            _ => Err(Error::usage("expected auto, cpu, gpu or gpu:NAME")),
        }
    }
}
