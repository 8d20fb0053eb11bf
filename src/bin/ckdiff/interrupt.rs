//! What is cleared away when somebody ends the program, with Ctrl-C or `kill`.

use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// A file that is not complete. It is removed when it is dropped, and on Unix also when the program is ended.
#[must_use]
pub(crate) struct Unfinished {
    /// Dropped first, while it is still known what to remove.
    file: NamedTempFile,
    _registered: system::Registered,
}

impl Unfinished {
    /// The file that `make` makes.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn new(make: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<Self> {
        let (file, registered) = system::register(make)?;
        Ok(Self { file, _registered: registered })
    }

    /// The file, to be written.
    pub(crate) fn file(&mut self) -> &mut std::fs::File {
        self.file.as_file_mut()
    }

    /// Moves the file into place.
    ///
    /// # Errors
    /// When it cannot be moved; then it is gone.
    pub(crate) fn persist(self, place: &Path) -> io::Result<()> {
        self.file.persist(place).map(drop).map_err(|error| error.error)
    }
}

#[cfg(unix)]
mod system {
    use std::path::PathBuf;
    use std::sync::{Mutex, MutexGuard, Once, PoisonError};
    use std::{fs, io, thread};

    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use tempfile::NamedTempFile;

    /// The file that is not complete.
    static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

    fn unfinished() -> MutexGuard<'static, Option<PathBuf>> {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// While it lives, the file that was made for it is removed if the program is ended.
    pub(super) struct Registered(());

    impl Drop for Registered {
        fn drop(&mut self) {
            *unfinished() = None;
        }
    }

    /// Makes a file; from the moment it is there, it is known what to remove.
    pub(super) fn register(
        make: impl FnOnce() -> io::Result<NamedTempFile>,
    ) -> io::Result<(NamedTempFile, Registered)> {
        static LISTENER: Once = Once::new();
        LISTENER.call_once(|| {
            // Where the system does not let it listen, the file stays.
            let _ = listen();
        });
        let mut unfinished = unfinished();
        let file = make()?;
        *unfinished = Some(file.path().to_path_buf());
        Ok((file, Registered(())))
    }

    fn listen() -> io::Result<()> {
        // Not the end of the terminal: under `nohup` the program is to outlive that.
        let heeded = [SIGINT, SIGTERM].into_iter().filter(|&signal| !is_ignored(signal));
        let mut signals = Signals::new(heeded)?;
        thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                // Held until the end, so that no other file is begun.
                let path = unfinished();
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

    /// Whether the program was started to ignore a signal, as shells start it behind `&`. Only Linux tells.
    fn is_ignored(signal: i32) -> bool {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;

    use tempfile::NamedTempFile;

    pub(super) struct Registered(());

    /// Makes a file, which stays when the program is ended.
    pub(super) fn register(
        make: impl FnOnce() -> io::Result<NamedTempFile>,
    ) -> io::Result<(NamedTempFile, Registered)> {
        make().map(|file| (file, Registered(())))
    }
}
