//! Tensor names: any bytes, usually UTF-8.

use std::fmt;
use std::sync::Arc;

/// The name of a tensor as stored. Names sort bytewise, as tables do.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<[u8]>);

impl Name {
    /// The bytes of the name.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The name as text; `None` if it is not UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The name for a terminal: as [`Display`](fmt::Display), and with escapes for characters that control the terminal, are
    /// invisible, or change the order of others.
    pub fn printable(&self) -> String {
        if let Some(text) = self.as_str().filter(|text| is_plain(text)) {
            return text.to_owned();
        }
        let mut out = String::with_capacity(self.0.len());
        for c in self.to_string().chars() {
            if is_printable(c) {
                out.push(c);
            } else {
                out.extend(c.escape_default());
            }
        }
        out
    }
}

/// Whether a text has only printable characters of ASCII, as most have.
pub(crate) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Whether a character neither controls a terminal, nor is invisible or changes the order of others.
pub(crate) fn is_printable(c: char) -> bool {
    !c.is_control() && !is_invisible(c)
}

/// Whether a character can make a text look like another one: format characters and line separators.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

impl<T: AsRef<[u8]> + ?Sized> From<&T> for Name {
    fn from(bytes: &T) -> Self {
        Self(bytes.as_ref().into())
    }
}

impl AsRef<[u8]> for Name {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// The name, with `\xNN` for bytes that are not UTF-8.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            f.write_str(chunk.valid())?;
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}
