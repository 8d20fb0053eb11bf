//! The checkpoints that a saver keeps.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::schema::tensorflow::SaverDef;

const SECONDS_PER_HOUR: f64 = 3_600.0;

/// The checkpoints that a saver has written, and those to remove, with the same rules as TensorFlow's `Saver`, including the surprising ones.
///
/// Each new checkpoint removes at most one, so that a smaller `max_to_keep` never catches up. A checkpoint that is kept permanently
/// (`keep_checkpoint_every_n_hours`) leaves the list, and is never removed. With a `max_to_keep` of 0 there is no list.
#[derive(Debug, Clone)]
pub struct Rotation {
    max_to_keep: i32,
    seconds_between_kept: f64,
    /// The next checkpoint to remove is kept permanently if it is newer than this, in seconds since 1970.
    next_kept: f64,
    /// The checkpoints with their times, oldest first.
    last: Vec<(PathBuf, f64)>,
    to_be_removed: VecDeque<(PathBuf, f64)>,
}

impl Rotation {
    /// The rotation of `def`, which begins at `now`, in seconds since 1970.
    pub fn new(def: &SaverDef, now: f64) -> Self {
        let seconds_between_kept = f64::from(def.keep_checkpoint_every_n_hours) * SECONDS_PER_HOUR;
        Self {
            max_to_keep: def.max_to_keep,
            seconds_between_kept,
            next_kept: now + seconds_between_kept,
            last: Vec::new(),
            to_be_removed: VecDeque::new(),
        }
    }

    /// The checkpoints that are kept, oldest first: TensorFlow's `last_checkpoints`.
    pub fn last_checkpoints(&self) -> Vec<PathBuf> {
        self.last.iter().map(|(path, _)| path.clone()).collect()
    }

    /// Replaces the list of checkpoints by these, oldest first, each with its time in seconds since 1970: TensorFlow's
    /// `set_last_checkpoints_with_time`.
    pub fn set_last_checkpoints_with_time(&mut self, last: Vec<(PathBuf, f64)>) {
        self.last = last;
    }

    /// As [`set_last_checkpoints_with_time`](Self::set_last_checkpoints_with_time) without times: none of these is ever removed.
    pub fn set_last_checkpoints(&mut self, last: Vec<PathBuf>) {
        self.last = last.into_iter().map(|path| (path, f64::INFINITY)).collect();
    }

    /// Adds a checkpoint that was written at `now`, and replaces one with the same path.
    pub fn record(&mut self, path: &Path, now: f64) {
        if self.max_to_keep == 0 {
            return;
        }
        self.last.retain(|(known, _)| known != path);
        // A checkpoint that was written again must not be removed.
        self.to_be_removed.retain(|(known, _)| known != path);
        self.last.push((path.to_path_buf(), now));
        let is_over = usize::try_from(self.max_to_keep).is_ok_and(|most| self.last.len() > most);
        // With a negative number, no checkpoint is kept.
        if is_over || self.max_to_keep < 0 {
            self.to_be_removed.push_back(self.last.remove(0));
        }
    }

    /// The checkpoint to remove now, if there is one and it is not kept permanently.
    pub fn next_to_remove(&mut self) -> Option<PathBuf> {
        let (path, time) = self.to_be_removed.pop_front()?;
        if time > self.next_kept {
            self.next_kept += self.seconds_between_kept;
            return None;
        }
        Some(path)
    }
}
