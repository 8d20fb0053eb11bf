//! What a file is by its first bytes, and by its extension where the bytes do not decide.

mod unsupported;

use crate::error::Error;
use crate::message::Form;
use crate::probe::Probe;

pub use unsupported::Unsupported;
pub(crate) use unsupported::unsupported;

/// What a file without a checkpoint is, by its bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum HeadKind {
    Unsupported(Unsupported),
    /// A message in this form. Content of no other kind counts as a binary message.
    Message(Form),
    /// Text that is neither in the text format nor JSON.
    PlainText,
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

/// Whether the file may be a damaged one of a checkpoint: its content is of no other kind.
pub(crate) fn may_be_checkpoint_file(probe: &Probe) -> bool {
    probe.is_table() || matches!(HeadKind::of(probe), HeadKind::Message(Form::Binary))
}

/// The error for a file whose content is certainly of another kind than a checkpoint's.
pub(crate) fn other_kind(probe: &Probe) -> Option<Error> {
    if probe.is_table() {
        return None;
    }
    let kind = match HeadKind::of(probe) {
        HeadKind::Message(Form::Binary) => return None,
        HeadKind::Unsupported(kind) => kind.to_string(),
        HeadKind::Message(_) | HeadKind::PlainText => TEXT.into(),
    };
    Some(Error::unsupported(kind).in_file(probe.path()))
}

/// The reason why a text is not opened as a checkpoint.
pub(crate) const TEXT: &str = "this is a text file, not a checkpoint";

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
