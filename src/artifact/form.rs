//! The three forms of a message, and how to tell them.

use std::fmt;
use std::path::Path;

use super::names;

/// A form that a message is stored in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The wire format.
    Binary,
    /// The text format.
    Text,
    /// Protobuf's JSON.
    Json,
}

/// Extensions and the forms they stand for.
const EXTENSIONS: &[(&str, Form)] = &[
    ("pb", Form::Binary),
    ("meta", Form::Binary),
    ("binpb", Form::Binary),
    ("bin", Form::Binary),
    ("pbtxt", Form::Text),
    ("textproto", Form::Text),
    ("txtpb", Form::Text),
    ("textpb", Form::Text),
    ("prototxt", Form::Text),
    ("txt", Form::Text),
    ("json", Form::Json),
];

impl Form {
    /// The form that the extension of `path` stands for.
    ///
    /// ```
    /// use std::path::Path;
    /// use ckdiff::artifact::Form;
    ///
    /// assert_eq!(Form::of_extension(Path::new("model.ckpt-7.meta")), Some(Form::Binary));
    /// assert_eq!(Form::of_extension(Path::new("graph.pbtxt")), Some(Form::Text));
    /// assert_eq!(Form::of_extension(Path::new("model.ckpt-7")), None);
    /// ```
    pub fn of_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, form)| *form)
    }

    /// The form of what begins with `head`, where that cannot be another; binary is never certain.
    ///
    /// ```
    /// use ckdiff::artifact::Form;
    ///
    /// assert_eq!(Form::of_content(b"node {\n  name: \"a\"\n}\n"), Some(Form::Text));
    /// assert_eq!(Form::of_content(b"{\"node\": []}"), Some(Form::Json));
    /// assert_eq!(Form::of_content(b"name: 'a\x01'"), Some(Form::Text));
    /// assert_eq!(Form::of_content(b"\x0a\x03\x0a\x01a"), None);
    /// ```
    pub fn of_content(head: &[u8]) -> Option<Self> {
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        let form = if names::begins_json(head) {
            Self::Json
        } else if names::begins_text(head) {
            Self::Text
        } else {
            return None;
        };
        // Lengths and tags of a binary message are control characters, all but a few.
        (!names::has_control(head)).then_some(form)
    }

    /// The form of the file at `path` that begins with `head`: what is inside tells more than the name, and in doubt
    /// it is binary.
    pub fn of_file(path: &Path, head: &[u8]) -> Self {
        let is_binary =
            names::has_control(head) && !names::begins_text(head) && !names::begins_json(head);
        let named = || Self::of_extension(path).filter(|_| !is_binary);
        Self::of_content(head).or_else(named).unwrap_or(Self::Binary)
    }

    /// `binary`, `text` or `JSON`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::Text => "text",
            Self::Json => "JSON",
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
