//! Options of the caller that avoid an error.

use std::sync::Arc;

use super::Error;

/// An option of the caller that avoids an error. The message of the error does not name it, since each interface has its own
/// names for options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Replace the file that already exists.
    Overwrite,
    /// Leave out what the other form cannot hold.
    DropUnknown,
    /// Write a V2 checkpoint.
    WriteV2,
    /// Exclude the tensor.
    ExcludeTensor,
    /// State the type of the message.
    StateType,
}

impl Error {
    /// The option that avoids the error, if there is one.
    pub fn remedy(&self) -> Option<Remedy> {
        self.0.remedy
    }

    /// Adds the option that avoids the error.
    #[must_use]
    pub(crate) fn avoided_by(mut self, remedy: Remedy) -> Self {
        Arc::make_mut(&mut self.0).remedy = Some(remedy);
        self
    }
}
