//! Names that are not UTF-8, for JSON, which holds text only.

use crate::serial::base64;
use crate::tensor::Name;

pub(super) struct Text<'a>(pub(super) &'a Name);

impl serde::Serialize for Text<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// The exact bytes of a name that is not UTF-8; `None` for any other.
pub(super) fn exact(name: &Name) -> Option<String> {
    name.as_str().is_none().then(|| base64(name.as_bytes()))
}
