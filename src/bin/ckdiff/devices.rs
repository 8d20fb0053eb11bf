//! `ckdiff devices`: what there is to compare on.

use ckdiff::compare::{Device, adapters};
use ckdiff::report::{Devices, Listed, human, json};

use crate::Exit;
use crate::args::{DevicesArgs, Format};
use crate::output;
use crate::trouble::Trouble;

/// Lists the CPU and the adapters; with `--test` holds each against known answers.
///
/// # Errors
/// When the report cannot be written.
pub(crate) fn run(args: &DevicesArgs) -> Result<Exit, Trouble> {
    let listed = adapters().into_iter().map(|adapter| {
        let failure = || match Device::gpu(Some(&adapter.name)) {
            Ok(device) => device.test().err().map(|failure| failure.to_string()),
            Err(error) => Some(error.to_string()),
        };
        let tested = args.test.then(failure);
        Listed { adapter, tested }
    });
    let threads = std::thread::available_parallelism().map_or(1, Into::into);
    let devices = Devices { threads, adapters: listed.collect() };
    output::write(&args.report, false, |format, palette, out| match format {
        Format::Human => human::devices(&devices, palette, out),
        Format::Json => json::devices(&devices, out),
    })?;
    let failed = devices.adapters.iter().any(|listed| matches!(listed.tested, Some(Some(_))));
    Ok(if failed { Exit::Trouble } else { Exit::Same })
}
