//! Keeps programs apart that publish files in one directory.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// How long a program waits for another one, which only moves complete files.
const PATIENCE: Duration = Duration::from_secs(30);

/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// The right to publish files in a directory; ends when dropped.
///
/// The files of a checkpoint are moved one after the other, so that two programs that publish the same checkpoint at once would leave
/// the data of one with the index of the other. A system that cannot lock directories does not keep them apart.
#[derive(Debug)]
pub(crate) struct DirectoryLock {
    _directory: Option<File>,
}

impl DirectoryLock {
    /// Waits for the right to publish files in `directory`. A program that has it must not ask again.
    ///
    /// # Errors
    /// If another program does not end.
    pub(crate) fn acquire(directory: &Path) -> Result<Self> {
        // A directory that may be written to and not read cannot be locked.
        let Ok(file) = File::open(directory) else { return Ok(Self { _directory: None }) };
        let end = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _directory: Some(file) }),
                Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    let why = "another program is writing to this directory, and does not end";
                    return Err(Error::usage(why).in_file(directory));
                }
                Err(TryLockError::Error(_)) => return Ok(Self { _directory: None }),
            }
        }
    }
}
