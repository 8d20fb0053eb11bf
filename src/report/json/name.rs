//! Names that are not UTF-8, for JSON, which holds text only.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::bytes;
use crate::tensor::Name;

/// `bytes` in base 64, with padding (RFC 4648, section 4).
///
/// ```
/// assert_eq!(ckdiff::report::json::base64(b"\xff\xfe"), "//4=");
/// ```
pub fn base64(bytes: &[u8]) -> String {
    let mut out = Vec::new();
    bytes::base64::encode(bytes, &mut out);
    out.into_iter().map(char::from).collect()
}

/// A name as text: what is not UTF-8 as `\xNN`.
pub(super) struct Text<'a>(pub(super) &'a Name);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0 as &dyn fmt::Display)
    }
}

/// The exact bytes of a name that is not UTF-8; `None` for any other.
pub(super) fn exact(name: &Name) -> Option<String> {
    name.as_str().is_none().then(|| base64(name.as_bytes()))
}
