//! Arguments that choose a device.

use crate::compare::DeviceChoice;
use clap::Args;

use super::report::ReportArgs;

/// The device that compares tensors.
#[derive(Debug, Clone, Args)]
pub(crate) struct DeviceArgs {
    /// Device that compares tensors: auto uses a GPU if it is faster; gpu:NAME selects a GPU by name, part of its name, or bus
    /// address, software adapters included
    #[arg(
        long,
        value_name = "auto|cpu|gpu[:NAME]",
        default_value = "auto",
        hide_default_value = true
    )]
    pub(crate) device: DeviceChoice,
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
