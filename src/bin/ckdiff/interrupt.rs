//! What is cleared away when somebody ends the program, with Ctrl-C or `kill`.

use std::io;
use std::path::Path;

pub(crate) use system::removes;

/// Removes nothing any more once it is dropped.
#[must_use]
pub(crate) struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        system::forget();
    }
}

#[cfg(unix)]
mod system {
    use super::{Guard, Path, io};
    use std::path::PathBuf;
    use std::sync::{Mutex, Once, PoisonError};
    use std::{fs, thread};

    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// The file that is not complete yet.
    static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

    /// Has the file at `path` removed when the program is ended from outside.
    ///
    /// # Errors
    /// When the system does not let it listen.
    pub(crate) fn removes(path: &Path) -> io::Result<Guard> {
        static LISTENER: Once = Once::new();
        let mut listening = Ok(());
        LISTENER.call_once(|| listening = listen());
        listening?;
        set(Some(path.to_path_buf()));
        Ok(Guard)
    }

    pub(super) fn forget() {
        set(None);
    }

    fn set(path: Option<PathBuf>) {
        *UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner) = path;
    }

    fn listen() -> io::Result<()> {
        // Not the end of the terminal: under `nohup` the program is to outlive that.
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                // Held until the end, so that no other file is begun.
                let path = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(path) = &*path {
                    // It may have been moved into place just now.
                    let _ = fs::remove_file(path);
                }
                // Ends the program as the signal would have.
                let _ = emulate_default_handler(signal);
            }
        })?;
        Ok(())
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Guard, Path, io};

    /// Elsewhere the file stays.
    pub(crate) fn removes(_: &Path) -> io::Result<Guard> {
        Ok(Guard)
    }

    pub(super) fn forget() {}
}
