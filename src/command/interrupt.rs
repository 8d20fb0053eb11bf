//! Removes unfinished files when the program is ended with Ctrl-C or `kill`.
//!
//! The library knows each unfinished file from the moment it is created. SIGINT and SIGTERM are handled unless the program was
//! started to ignore them; after SIGHUP, SIGKILL or outside Unix a `.ckdiff-*.tmp` may remain, until the next run that writes
//! there.

#[cfg(unix)]
use std::sync::{Arc, Once, atomic::AtomicBool, mpsc};
#[cfg(unix)]
use std::{fs, io, thread};

#[cfg(unix)]
use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
#[cfg(unix)]
use signal_hook::{iterator::Signals, low_level::emulate_default_handler};

/// Installs the signal handler, once. To be called before a file is written.
#[cfg(unix)]
pub(crate) fn install_handler() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // If the system refuses a handler, unfinished files remain, which is no reason to stop.
        let _ = listen();
    });
}

/// Does nothing outside Unix.
#[cfg(not(unix))]
pub(crate) fn install_handler() {}

/// Makes a write beyond the file size limit (`ulimit -f`) an error; by default, a signal ends the program.
#[cfg(unix)]
pub(crate) fn fail_at_file_size_limit() {
    // Without a handler, the signal ends the program.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Does nothing outside Unix.
#[cfg(not(unix))]
pub(crate) fn fail_at_file_size_limit() {}

#[cfg(unix)]
fn listen() -> io::Result<()> {
    let (sender, installed) = mpsc::channel();
    // The thread installs the handler itself: if no thread can be started, signals keep their default effect.
    thread::Builder::new().name("signals".into()).spawn(move || {
        // Not SIGHUP: under `nohup` the program must outlive its terminal.
        let handled = [SIGINT, SIGTERM].into_iter().filter(|&signal| !is_ignored(signal));
        let Ok(mut signals) = Signals::new(handled) else { return };
        // The receiver is waiting, so this cannot fail.
        let _ = sender.send(());
        for signal in signals.forever() {
            crate::files::abandon();
            // Ends the program, as the signal does by default.
            let _ = emulate_default_handler(signal);
        }
    })?;
    // If there is no handler, unfinished files remain.
    let _ = installed.recv();
    Ok(())
}

/// Whether the program was started with the signal ignored, as shells do for `&`. Known on Linux only.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
