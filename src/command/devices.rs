//! `ckdiff devices`: lists the devices that can compare.

use crate::compare::{Adapter, Device, adapters};
use crate::report::{self, Devices, ListedAdapter, Report, Tested};

use crate::command::Exit;
use crate::command::args::DevicesArgs;
use crate::command::diagnostics::Diagnostics;
use crate::command::output;

/// Lists the CPU and the adapters; with `--test`, compares known answers on each adapter.
///
/// # Errors
/// If the report cannot be written.
pub(crate) fn run(args: &DevicesArgs) -> Result<Exit, Diagnostics> {
    output::check(&args.report)?;
    let listed = |adapter: Adapter| {
        let tested = if args.test { test(&adapter.name) } else { Tested::No };
        ListedAdapter { adapter, tested }
    };
    let adapters = quietly(|| adapters().into_iter().map(listed).collect());
    let threads = std::thread::available_parallelism().map_or(1, Into::into);
    let devices = Devices { threads, adapters };
    output::write(&args.report, false, |format, look, out| {
        let options = look.options(None);
        report::write(&Report::Devices(&devices), format, &options, out).map(drop)
    })?;
    let failed = devices.adapters.iter().any(|listed| matches!(listed.tested, Tested::Failed(_)));
    Ok(if failed { Exit::Trouble } else { Exit::Same })
}

/// Calls `f` with stderr redirected to `/dev/null`, because drivers write to it.
#[cfg(unix)]
fn quietly<T>(f: impl FnOnce() -> T) -> T {
    let stderr = rustix::io::dup(rustix::stdio::stderr());
    let null = std::fs::File::options().write(true).open("/dev/null");
    let (Ok(stderr), Ok(null)) = (stderr, null) else { return f() };
    // If this fails, the output of drivers is visible.
    let _ = rustix::stdio::dup2_stderr(&null);
    let result = f();
    let _ = rustix::stdio::dup2_stderr(&stderr);
    result
}

/// Calls `f`; drivers of other systems do not write to stderr.
#[cfg(not(unix))]
fn quietly<T>(f: impl FnOnce() -> T) -> T {
    f()
}

/// Compares known answers on an adapter.
fn test(name: &str) -> Tested {
    match Device::gpu(Some(name)).map(|device| device.test()) {
        Ok(Ok(())) => Tested::Passed,
        Ok(Err(failure)) => Tested::Failed(failure.to_string()),
        Err(error) => Tested::Failed(error.to_string()),
    }
}
