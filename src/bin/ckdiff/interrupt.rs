//! What is cleared away when somebody ends the program, with Ctrl-C or `kill`: files that are not complete.

#[cfg(unix)]
use std::{fs, io, sync::Once, thread};

#[cfg(unix)]
use signal_hook::consts::{SIGINT, SIGTERM};
#[cfg(unix)]
use signal_hook::{iterator::Signals, low_level::emulate_default_handler};

/// From here on, unfinished files are removed if the program is ended. For whoever is about to write files.
#[cfg(unix)]
pub(crate) fn heed() {
    static LISTENER: Once = Once::new();
    LISTENER.call_once(|| {
        // Where the system does not let it listen, the files stay.
        let _ = listen();
    });
}

/// Elsewhere such files stay.
#[cfg(not(unix))]
pub(crate) fn heed() {}

#[cfg(unix)]
fn listen() -> io::Result<()> {
    // Not the end of the terminal: under `nohup` the program is to outlive that.
    let heeded = [SIGINT, SIGTERM].into_iter().filter(|&signal| !is_ignored(signal));
    let mut signals = Signals::new(heeded)?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            ckdiff::files::abandon();
            // Ends the program as the signal would have.
            let _ = emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

/// Whether the program was started to ignore a signal, as shells start it behind `&`. Only Linux tells.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
