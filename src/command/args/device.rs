//! Arguments that choose a device.

use clap::Args;

use super::report::ReportArgs;

/// The device that compares tensors.
#[derive(Debug, Clone, Args)]
pub(crate) struct DeviceArgs {
    /// Device that compares tensors: auto uses a GPU if it is faster; gpu:NAME selects a GPU by name, part of its name, or bus
    /// address, software adapters included
    #[arg(long, value_name = "auto|cpu|gpu[:NAME]", default_value = "auto", value_parser = device, hide_default_value = true)]
    pub(crate) device: Choice,
}

/// The requested device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The faster one.
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU of this name, or else the first.
    Gpu(Option<String>),
}

fn device(text: &str) -> Result<Choice, String> {
    match (text, text.strip_prefix("gpu:")) {
        ("auto", _) => Ok(Choice::Auto),
        ("cpu", _) => Ok(Choice::Cpu),
        ("gpu", _) => Ok(Choice::Gpu(None)),
        (_, Some(name)) if !name.is_empty() => Ok(Choice::Gpu(Some(name.into()))),
        _ => Err("expected auto, cpu, gpu or gpu:NAME".into()),
    }
}

/// Arguments of `devices`.
#[derive(Debug, Clone, Args)]
pub(crate) struct DevicesArgs {
    /// Also compute known answers on each GPU, and compare
    #[arg(long)]
    pub(crate) test: bool,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}
