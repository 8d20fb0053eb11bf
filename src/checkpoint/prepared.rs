//! A checkpoint that is written, and wants only its place.

use std::fs;
use std::path::{Path, PathBuf};

use super::aside::{self, Aside};
use super::path;
use crate::error::{Error, ErrorKind, Result};
use crate::files::{Complete, Existing, Publication, folder, is_there};

/// The files of a checkpoint, complete under other names; they are gone when this is dropped.
#[derive(Debug)]
pub struct Prepared {
    path: PathBuf,
    existing: Existing,
    /// The one that makes the others count is the last.
    files: Vec<Complete>,
    aside: Option<Aside>,
}

impl Prepared {
    pub(super) fn new(path: &Path, existing: Existing, files: Vec<Complete>) -> Self {
        Self { path: path.to_path_buf(), existing, files, aside: None }
    }

    /// Whether a checkpoint may be written to `path`, before any work is done.
    pub(super) fn check_place(path: &Path, existing: Existing) -> Result<()> {
        let spelled = path.as_os_str().as_encoded_bytes();
        if path.file_name().is_none() || spelled.ends_with(b"/") {
            let kind = "a checkpoint wants a name: what the names of its files start with";
            return Err(Error::from(ErrorKind::Usage(kind.into())).in_file(path));
        }
        let folder = folder(path);
        if !folder.is_dir() {
            let kind = format!("there is no directory {}", folder.display());
            return Err(Error::from(ErrorKind::NotFound(kind)).in_file(path));
        }
        if existing == Existing::Refuse && path::names_one(path) {
            return Err(is_there(path));
        }
        Ok(())
    }

    /// Keeps the checkpoint that is to be replaced under another name, and returns that: from here until it is
    /// [published](Self::publish) and also after a crash in between, the old one can be read there. Nothing is copied where the
    /// system knows links. `None` where there is nothing to replace.
    ///
    /// # Errors
    /// When the system cannot link, nor copy.
    pub fn set_aside(&mut self) -> Result<Option<&Path>> {
        if self.aside.is_none() && self.existing == Existing::Replace {
            let places: Vec<&Path> = self.files.iter().map(Complete::place).collect();
            self.aside = aside::set_aside(&self.path, &places)?;
        }
        Ok(self.aside.as_ref().map(Aside::path))
    }

    /// Moves the files into place. What was set aside is still there under its other name, which is returned to be removed.
    ///
    /// # Errors
    /// When one cannot be moved; then what was there before is there again.
    pub fn publish_beside(mut self) -> Result<Option<Aside>> {
        self.set_aside()?;
        let mut publication = Publication::new(self.existing);
        let places: Vec<PathBuf> = self.files.iter().map(|f| f.place().to_path_buf()).collect();
        self.files.into_iter().for_each(|file| publication.add(file));
        if self.aside.is_some()
            && let Some(index) = places.last()
        {
            // Data of the one under the index of the other would be damage; without an index there is no checkpoint.
            let _ = fs::remove_file(index);
        }
        match (publication.publish(), self.aside) {
            (Ok(()), None) => Ok(None),
            (Ok(()), Some(aside)) => aside.remove_places_but(&places).map(|()| Some(aside)),
            (Err(error), None) => Err(error),
            (Err(error), Some(aside)) => aside.restore().and(Err(error)),
        }
    }

    /// Moves the files into place.
    ///
    /// # Errors
    /// When one cannot be moved; then what was there before is there again.
    pub fn publish(self) -> Result<()> {
        match self.publish_beside()? {
            Some(aside) => aside.remove(),
            None => Ok(()),
        }
    }
}
