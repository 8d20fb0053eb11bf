//! What a file is by its first bytes, and by its name where the bytes do not decide.
//!
//! The kind of a file that ckdiff recognizes and does not read is a line of [`UNSUPPORTED`].

use std::fmt;

use super::Probe;
use crate::error::Error;
use crate::message::Form;

/// The names of a SavedModel's file in its directory. As in TensorFlow, binary goes before text.
pub(crate) const SAVED_MODEL_FILES: [&str; 2] = ["saved_model.pb", "saved_model.pbtxt"];

/// The name of a SavedModel's file in chunks, which TensorFlow writes on request, for more than 2 GiB.
pub(crate) const SAVED_MODEL_CHUNKED: &str = "saved_model.cpb";

/// What a file without a checkpoint is, by its bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum HeadKind {
    Unsupported(Unsupported),
    /// A message in this form. Content of no other kind counts as a binary message.
    Message(Form),
    /// Text that is neither in the text format nor JSON.
    PlainText,
}

/// A kind of file that ckdiff recognizes and does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsupported {
    /// A file in this format; the name has its article.
    Format(&'static str),
    /// A file compressed by this program.
    Compressed(&'static str),
    /// A Git LFS pointer, which stands for another file.
    LfsPointer,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(name) => write!(f, "this is {name}; ckdiff does not read those yet"),
            Self::Compressed(with) => write!(f, "this is compressed with {with}; unpack it first"),
            Self::LfsPointer => f.write_str(
                "this is a Git LFS pointer, not the file itself; `git lfs pull` fetches it",
            ),
        }
    }
}

/// The condition on a file for a line of [`UNSUPPORTED`].
#[derive(Clone, Copy)]
enum Signature {
    /// The file begins with these bytes.
    Start(&'static [u8]),
    /// The first bytes of the file pass this test.
    Head(fn(&[u8]) -> bool),
    /// The file begins with these bytes and has one of these extensions.
    Extension(&'static [u8], &'static [&'static str]),
    /// The file has this name.
    Name(&'static str),
}

const ZIP: &[u8] = b"PK\x03\x04";
/// A zip archive without files.
const EMPTY_ZIP: &[u8] = b"PK\x05\x06";

/// Files that ckdiff recognizes and does not read. The first line that fits counts.
const UNSUPPORTED: &[(Signature, Unsupported)] = &[
    (Signature::Start(b"version https://git-lfs.github.com/spec/"), Unsupported::LfsPointer),
    (Signature::Start(b"\x89HDF"), Unsupported::Format("a Keras HDF5 file")),
    (Signature::Extension(ZIP, &["keras"]), Unsupported::Format("a Keras archive")),
    (Signature::Extension(ZIP, &["npz"]), Unsupported::Format("a NumPy archive")),
    (
        Signature::Extension(ZIP, &["pt", "pth", "bin", "ckpt"]),
        Unsupported::Format("a PyTorch file"),
    ),
    (Signature::Start(ZIP), Unsupported::Format("a zip archive")),
    (Signature::Start(EMPTY_ZIP), Unsupported::Format("a zip archive")),
    (Signature::Start(b"\x93NUMPY"), Unsupported::Format("a NumPy array")),
    (Signature::Head(is_pickle), Unsupported::Format("a pickle, as PyTorch writes")),
    (Signature::Start(b"GGUF"), Unsupported::Format("a GGUF file")),
    (Signature::Extension(b"\x08", &["onnx"]), Unsupported::Format("an ONNX model")),
    (Signature::Head(is_tflite), Unsupported::Format("a TensorFlow Lite model")),
    (Signature::Start(b"\x1f\x8b\x08"), Unsupported::Compressed("gzip")),
    (Signature::Start(b"\x28\xb5\x2f\xfd"), Unsupported::Compressed("zstd")),
    (Signature::Start(b"\xfd7zXZ\0"), Unsupported::Compressed("xz")),
    (Signature::Head(is_bzip2), Unsupported::Compressed("bzip2")),
    (
        Signature::Name(SAVED_MODEL_CHUNKED),
        Unsupported::Format("a SavedModel in chunks (saved_model.cpb)"),
    ),
];

fn is_pickle(head: &[u8]) -> bool {
    matches!(head, [0x80, 2..=5, ..])
}

fn is_tflite(head: &[u8]) -> bool {
    matches!(head, [_, _, _, _, b'T', b'F', b'L', b'3', ..])
}

fn is_bzip2(head: &[u8]) -> bool {
    matches!(head, [b'B', b'Z', b'h', b'1'..=b'9', b'1', ..])
}

impl Signature {
    fn is_on(self, probe: &Probe) -> bool {
        let head = probe.head();
        match self {
            Self::Start(bytes) => head.starts_with(bytes),
            Self::Head(test) => test(head),
            Self::Extension(bytes, extensions) => {
                let found = probe.path().extension().unwrap_or_default();
                let mut extensions = extensions.iter();
                head.starts_with(bytes) && extensions.any(|known| found.eq_ignore_ascii_case(known))
            }
            Self::Name(name) => probe.file_name().eq_ignore_ascii_case(name),
        }
    }
}

impl HeadKind {
    /// The content of a file that is no file of a checkpoint.
    pub(crate) fn of(probe: &Probe) -> Self {
        let (path, head) = (probe.path(), probe.head());
        if let Some(kind) = unsupported(probe) {
            Self::Unsupported(kind)
        } else if Form::of_content(head).is_some() || Form::of_extension(path).is_some() {
            Self::Message(Form::of_file(path, head))
        } else if is_text(head) {
            Self::PlainText
        } else {
            Self::Message(Form::Binary)
        }
    }
}

/// The kind of a file that ckdiff recognizes and does not read.
pub(crate) fn unsupported(probe: &Probe) -> Option<Unsupported> {
    UNSUPPORTED.iter().find(|(mark, _)| mark.is_on(probe)).map(|(_, kind)| *kind)
}

/// Whether the file is a table, or may be a damaged one: its content is of no other known kind.
pub(crate) fn may_be_table(probe: &Probe) -> bool {
    probe.is_table() || matches!(HeadKind::of(probe), HeadKind::Message(Form::Binary))
}

/// The error for a file that is certainly no table, which names its kind.
pub(crate) fn not_a_table(probe: &Probe) -> Option<Error> {
    if probe.is_table() {
        return None;
    }
    let kind = match HeadKind::of(probe) {
        HeadKind::Message(Form::Binary) => return None,
        HeadKind::Unsupported(kind) => kind.to_string(),
        HeadKind::Message(_) | HeadKind::PlainText => text_kind(probe.head()),
    };
    Some(Error::unsupported(kind).in_file(probe.path()))
}

/// Explains what a text is that begins with `head`.
pub(crate) fn text_kind(head: &[u8]) -> String {
    match latest_in(head) {
        Some(latest) => {
            format!("this is the state file of a directory of checkpoints; the latest is {latest}")
        }
        None => "this is a text file, not a checkpoint".into(),
    }
}

/// The latest checkpoint that a state file names, by its first bytes.
pub(crate) fn latest_in(head: &[u8]) -> Option<String> {
    let line = head.trim_ascii_start().split(|byte| *byte == b'\n').next()?;
    let value = String::from_utf8_lossy(line.strip_prefix(b"model_checkpoint_path:")?);
    Some(value.trim().trim_matches(['"', '\'']).to_owned())
}

/// Whether `head` is UTF-8 without control characters. Its last character may be cut off.
fn is_text(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(_) => head.len(),
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => return false,
    };
    let control = |&byte: &u8| byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t');
    valid > 0 && !head.iter().any(|byte| control(byte) || *byte == 0x7f)
}
