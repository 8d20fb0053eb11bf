//! An advisory lock for publishing into a directory.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// The longest wait for another program, which holds the lock only while it moves complete files.
const PATIENCE: Duration = Duration::from_secs(30);

/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// A held lock on a directory.
///
/// The files of a checkpoint are moved one after the other, so two programs that publish the same checkpoint at once would leave the
/// data of one with the index of the other. On a system that cannot lock directories, there is no such protection.
#[derive(Debug)]
pub(crate) struct DirectoryLock {
    _directory: Option<File>,
}

impl DirectoryLock {
    /// Waits for the lock on `directory`. Not reentrant.
    ///
    /// # Errors
    /// If another program holds the lock for too long.
    pub(crate) fn acquire(directory: &Path) -> Result<Self> {
        // Without read permission a directory cannot be locked.
        let Ok(file) = File::open(directory) else { return Ok(Self { _directory: None }) };
        let end = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _directory: Some(file) }),
                Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    let seconds = PATIENCE.as_secs();
                    let why = format!(
                        "another program has been writing to this directory for {seconds} s; try again later"
                    );
                    return Err(Error::usage(why).in_file(directory));
                }
                Err(TryLockError::Error(_)) => return Ok(Self { _directory: None }),
            }
        }
    }
}
