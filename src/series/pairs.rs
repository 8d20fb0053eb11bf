//! Compares the checkpoints of a series two at a time, and reads each as rarely as memory allows.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cache::{Cache, Key};
use super::drift::{Drift, Tensors};
use super::{Against, Judge, SeriesOptions};
use crate::artifact::Artifact;
use crate::checkpoint::Checkpoint;
use crate::compare::CompareOptions;
use crate::diff::{DiffOptions, Only, diff};
use crate::error::{Error, Result};
use crate::progress::Progress;

/// The most bytes of content that are kept in memory.
const HELD: u64 = 128 << 20;

/// The most bytes of a checkpoint that the system is asked to read ahead of time.
const AHEAD: u64 = 256 << 20;

/// An open checkpoint of a series.
#[derive(Debug)]
pub(super) struct Opened {
    artifact: Artifact<'static>,
    /// What identifies its content in a cache; computed only with one.
    fingerprint: Option<String>,
    is_held: bool,
}

/// The result of comparing two checkpoints: what is kept of it, and the errors of tensors.
pub(super) type Compared = (Arc<Drift>, Vec<Error>);

/// Compares checkpoints.
pub(super) struct Pairs<'a> {
    options: DiffOptions,
    judge: Option<Judge<'a>>,
    cache: Option<&'a mut Cache>,
    progress: &'a dyn Progress,
    tensors: Tensors,
    /// Whether the earlier checkpoint is kept in memory, since all others are compared with it. The one before is read only twice, the second time
    /// soon after the first, when the system still has it.
    holds_lhs: bool,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(
        options: &SeriesOptions,
        judge: Option<Judge<'a>>,
        cache: Option<&'a mut Cache>,
        progress: &'a dyn Progress,
    ) -> Self {
        let holds_lhs = options.against != Against::Previous;
        let compare = CompareOptions { threads: options.threads, ..CompareOptions::default() };
        let names = options.names.clone();
        let rules = judge.and_then(|judge| judge.rules).map(Arc::clone);
        let only = Only::Tensors;
        let options = DiffOptions { compare, names, only, rules, ..DiffOptions::default() };
        Self { options, judge, cache, progress, tensors: Tensors::new(), holds_lhs }
    }

    /// Opens a checkpoint. Without a cache, asks the system to read it ahead of time.
    ///
    /// # Errors
    /// If it cannot be opened, or is no checkpoint.
    pub(super) fn open(&self, path: &Path) -> Result<Opened> {
        let artifact = Artifact::open(path)?;
        let checkpoint = artifact.tensors("compared")?;
        let fingerprint = self.cache.as_ref().map(|_| Checkpoint::fingerprint(checkpoint));
        // A cache may have all that would be read.
        if fingerprint.is_none() {
            checkpoint.read_ahead(AHEAD);
        }
        Ok(Opened { artifact, fingerprint, is_held: false })
    }

    /// Compares two checkpoints, unless the cache has the result.
    ///
    /// # Errors
    /// If they have nothing to compare. An unreadable tensor is not such an error.
    pub(super) fn compare(&mut self, lhs: &mut Opened, rhs: &Opened) -> Result<Compared> {
        let key = self.key(lhs, rhs);
        let known = key.as_ref().zip(self.cache.as_deref_mut());
        if let Some(drift) = known.and_then(|(key, cache)| cache.get(key, &mut self.tensors)) {
            self.progress.advance(lhs.bytes().saturating_add(rhs.bytes()));
            return Ok((drift, Vec::new()));
        }
        if key.is_some() {
            [&*lhs, rhs].iter().for_each(|opened| opened.read_ahead());
        }
        if self.holds_lhs {
            lhs.hold(self.options.compare.threads);
        }
        let diff = diff(&lhs.artifact, &rhs.artifact, &self.options, self.progress)?;
        let errors: Vec<Error> = diff.errors().cloned().collect();
        let judged = self.judge.map(|of| (of.judge)(&diff)).unwrap_or_default();
        let drift = Arc::new(Drift::of(&diff, judged, &mut self.tensors));
        if let Some((key, cache)) = key.zip(self.cache.as_deref_mut()).filter(|_| errors.is_empty())
        {
            cache.insert(key, &drift);
        }
        Ok((drift, errors))
    }

    /// Writes the cache, if there is one that was not written for some seconds.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn save_sometimes(&mut self) -> Result<()> {
        self.cache.as_deref_mut().map_or(Ok(()), Cache::save_sometimes)
    }

    /// The key of a comparison in the cache.
    fn key(&self, lhs: &Opened, rhs: &Opened) -> Option<Key> {
        let (lhs, rhs) = (lhs.fingerprint.as_deref()?, rhs.fingerprint.as_deref()?);
        let names = &self.options.names;
        let rules = self.judge.map_or("", |judge| judge.identity);
        Some(Key::new([lhs, rhs, rules], [names.included(), names.excluded()]))
    }
}

impl Opened {
    fn bytes(&self) -> u64 {
        self.artifact.checkpoint().map_or(0, Checkpoint::stored_bytes)
    }

    /// Asks the system to read it ahead of time, unless it is in memory.
    fn read_ahead(&self) {
        if let Some(checkpoint) = self.artifact.checkpoint().filter(|_| !self.is_held) {
            checkpoint.read_ahead(AHEAD);
        }
    }

    /// Reads its content into memory, once, as far as it fits.
    fn hold(&mut self, threads: usize) {
        if !std::mem::replace(&mut self.is_held, true) {
            self.artifact.hold(HELD, threads);
        }
    }

    /// The path that it was opened by.
    pub(super) fn path(&self) -> PathBuf {
        self.artifact.path().to_path_buf()
    }
}
