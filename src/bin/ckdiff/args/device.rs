//! Arguments about devices.

use clap::Args;

use super::ReportArgs;

/// Where to compare.
#[derive(Debug, Clone, Args)]
pub(crate) struct DeviceArgs {
    /// Where to compare tensors: auto takes a GPU where it is the faster way; gpu:NAME any whose name has NAME in it, software
    /// too
    #[arg(long, value_name = "auto|cpu|gpu[:NAME]", default_value = "auto", value_parser = device, hide_default_value = true)]
    pub(crate) device: Choice,
}

/// The device that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The one that is faster.
    Auto,
    /// The CPU.
    Cpu,
    /// A GPU, by name or the first that there is.
    Gpu(Option<String>),
}

fn device(text: &str) -> Result<Choice, String> {
    match (text, text.strip_prefix("gpu:")) {
        ("auto", _) => Ok(Choice::Auto),
        ("cpu", _) => Ok(Choice::Cpu),
        ("gpu", _) => Ok(Choice::Gpu(None)),
        (_, Some(name)) if !name.is_empty() => Ok(Choice::Gpu(Some(name.into()))),
        _ => Err("it must be auto, cpu, gpu or gpu:NAME".into()),
    }
}

/// Arguments of `devices`.
#[derive(Debug, Clone, Args)]
pub(crate) struct DevicesArgs {
    /// Also open each GPU and hold all it counts against known answers
    #[arg(long)]
    pub(crate) test: bool,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}
