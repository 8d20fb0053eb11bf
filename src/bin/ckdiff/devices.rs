//! `ckdiff devices`: lists the devices that can compare.

use ckdiff::compare::{Device, adapters};
use ckdiff::report::{self, Devices, ListedAdapter, Report, Tested};

use crate::Exit;
use crate::args::DevicesArgs;
use crate::diagnostics::Diagnostics;
use crate::output;

/// Lists the CPU and the adapters; with `--test`, compares known answers on each adapter.
///
/// # Errors
/// If the report cannot be written.
pub(crate) fn run(args: &DevicesArgs) -> Result<Exit, Diagnostics> {
    let listed = adapters().into_iter().map(|adapter| {
        let tested = if args.test { test(&adapter.name) } else { Tested::No };
        ListedAdapter { adapter, tested }
    });
    let threads = std::thread::available_parallelism().map_or(1, Into::into);
    let devices = Devices { threads, adapters: listed.collect() };
    output::write(&args.report, false, |format, look, out| {
        let options = look.options(None);
        report::write(&Report::Devices(&devices), format, &options, out).map(drop)
    })?;
    let failed = devices.adapters.iter().any(|listed| matches!(listed.tested, Tested::Failed(_)));
    Ok(if failed { Exit::Trouble } else { Exit::Same })
}

/// Compares known answers on an adapter.
fn test(name: &str) -> Tested {
    match Device::gpu(Some(name)).map(|device| device.test()) {
        Ok(Ok(())) => Tested::Passed,
        Ok(Err(failure)) => Tested::Failed(failure.to_string()),
        Err(error) => Tested::Failed(error.to_string()),
    }
}
