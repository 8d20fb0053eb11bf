//! Options of the caller that cause or avoid an error.

use std::sync::Arc;

use super::Error;

/// An option of the caller that avoids an error. The message of the error does not name it, since each interface has its own
/// names for options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
    /// The option of the library whose value is the error, such as `include`. Other interfaces may have another name for it.
    pub fn option(&self) -> Option<&'static str> {
        self.0.option
    }

    /// Adds the option whose value is the error.
    #[must_use]
    pub(crate) fn of_option(mut self, option: &'static str) -> Self {
        Arc::make_mut(&mut self.0).option = Some(option);
        self
    }

    /// Removes the option, for an interface that names it itself.
    #[must_use]
    pub fn without_option(mut self) -> Self {
        Arc::make_mut(&mut self.0).option = None;
        self
    }

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
