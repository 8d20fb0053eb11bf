//! The three forms of a message, and how to tell them apart.

use std::fmt;
use std::path::Path;

use super::tokens;

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

/// Extensions, each with its form.
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
    /// Every form.
    pub const ALL: [Self; 3] = [Self::Binary, Self::Text, Self::Json];

    /// The form of files with the extension of `path`.
    ///
    /// ```
    /// use std::path::Path;
    /// use ckdiff::message::Form;
    ///
    /// assert_eq!(Form::of_extension(Path::new("model.ckpt-7.meta")), Some(Form::Binary));
    /// assert_eq!(Form::of_extension(Path::new("graph.pbtxt")), Some(Form::Text));
    /// assert_eq!(Form::of_extension(Path::new("model.ckpt-7")), None);
    /// ```
    pub fn of_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, form)| *form)
    }

    /// The form of a file that begins with `head`, if the bytes show it; never returns [`Form::Binary`].
    ///
    /// ```
    /// use ckdiff::message::Form;
    ///
    /// assert_eq!(Form::of_content(b"node {\n  name: \"a\"\n}\n"), Some(Form::Text));
    /// assert_eq!(Form::of_content(b"{\"node\": []}"), Some(Form::Json));
    /// assert_eq!(Form::of_content(b"name: 'a\x01'"), Some(Form::Text));
    /// assert_eq!(Form::of_content(b"\x0a\x03\x0a\x01a"), None);
    /// ```
    pub fn of_content(head: &[u8]) -> Option<Self> {
        let head = tokens::without_bom(head);
        let form = if tokens::begins_json(head) {
            Self::Json
        } else if tokens::begins_text(head) {
            Self::Text
        } else {
            return None;
        };
        // Most lengths and tags of a binary message are control characters.
        (!tokens::has_control(head)).then_some(form)
    }

    /// The form of the file at `path` that begins with `head`. The content counts more than the name, and in doubt the file is
    /// binary.
    pub fn of_file(path: &Path, head: &[u8]) -> Self {
        let head = tokens::without_bom(head);
        let begins_as_named = |form: &Self| match form {
            Self::Binary => false,
            Self::Text => tokens::begins_text(head),
            Self::Json => tokens::begins_json(head),
        };
        // A text file with a stray control character is still text if its extension says so.
        let named = Self::of_extension(path)
            .filter(|named| begins_as_named(named) || !tokens::has_control(head));
        Self::of_content(head).or(named).unwrap_or(Self::Binary)
    }

    /// The name as a value of an option, and in JSON: `binary`, `text` or `json`.
    pub fn option(self) -> &'static str {
        match self {
            Self::Json => "json",
            form => form.name(),
        }
    }

    /// The name in a sentence: `binary`, `text` or `JSON`.
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
