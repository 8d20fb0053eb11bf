//! Recognizes the type of a message.
//!
//! The type is the [known one](KnownType) that can read the most fields; see [`Count`]. On a tie, the file name decides.

use std::cmp::Reverse;
use std::path::Path;

use super::message_type::message_type;
use super::readable::{Count, Sample};
use crate::checkpoint::META_GRAPH_SUFFIX;
use crate::error::{Error, ErrorKind, Remedy, Result};
use crate::message::{Form, Token, Tokens};
use crate::schema::{KnownType, MessageType, Schema};
use crate::sniff::{STATE_FILE, layout};

/// A message of unknown type.
#[derive(Debug, Clone, Copy)]
pub(super) struct UntypedMessage<'a> {
    pub(super) path: &'a Path,
    pub(super) form: Form,
    /// All bytes of a binary message, or the first bytes of text or JSON.
    pub(super) bytes: &'a [u8],
    /// The candidates for the type; empty for those of TensorFlow.
    pub(super) candidates: &'a [String],
}

impl UntypedMessage<'_> {
    /// The type of the message.
    ///
    /// # Errors
    /// If no type can read enough of the message, or several can read equally much; the error names the best ones.
    pub(super) fn recognize<'s>(&self, schema: &'s Schema) -> Result<&'s MessageType> {
        if let Some(announced) = self.announced(schema) {
            return Ok(announced);
        }
        if let [only] = self.candidates {
            return message_type(schema, only);
        }
        let named = self.named(schema);
        if self.is_empty() {
            return named.ok_or_else(|| self.empty());
        }
        let ranked = self.ranked(schema, &Sample::new(self.form, self.bytes));
        let best = ranked.first().map_or(0, |(count, _)| count.surplus());
        let of_name = |ty: &MessageType| named.is_some_and(|named| named.id == ty.id);
        if best <= 0 {
            // A damaged file still has the type of its name, and the parser reports the damage.
            let damaged = ranked.iter().find(|(count, ty)| count.readable > 0 && of_name(ty));
            return damaged.map(|(_, ty)| *ty).ok_or_else(|| self.unknown(&ranked));
        }
        let best = ranked.iter().take_while(|(count, _)| count.surplus() == best);
        let best: Vec<&MessageType> = best.map(|(_, ty)| *ty).collect();
        match best.as_slice() {
            [only] => Ok(only),
            several => {
                let named = several.iter().copied().find(|ty| of_name(ty));
                named.ok_or_else(|| self.ambiguous(several))
            }
        }
    }

    /// The best-matching type of the message, if it is not `ty`.
    pub(super) fn other_than<'s>(
        &self,
        schema: &'s Schema,
        ty: &MessageType,
    ) -> Option<&'s MessageType> {
        // Users know their own schemas better than this table.
        if !std::ptr::eq(schema, Schema::tensorflow()) {
            return None;
        }
        let sample = Sample::new(self.form, self.bytes);
        let claimed = Count::of(schema, ty, &sample);
        // If a later version changed a field, the strict count rejects all messages around it, so the lenient one decides.
        let lenient = Count::lenient(schema, ty, &sample);
        let (best, other) = self.ranked(schema, &sample).into_iter().next()?;
        let is_better = claimed.surplus() <= 0 && best.surplus() > lenient.surplus().max(0);
        is_better.then_some(other)
    }

    /// Adds the best-matching type of the message to a syntax error, if it is not `ty`.
    pub(super) fn hint(&self, schema: &Schema, ty: &MessageType, error: Error) -> Error {
        match (self.other_than(schema, ty), error.kind()) {
            (Some(other), ErrorKind::Syntax(what)) => {
                let what = format!("{what}; this looks like {}", other.full_name);
                error.with_kind(ErrorKind::Syntax(what))
            }
            _ => error,
        }
    }

    /// The candidates with the fields that they can read, the type that reads the most first.
    fn ranked<'s>(&self, schema: &'s Schema, sample: &Sample<'_>) -> Vec<(Count, &'s MessageType)> {
        let known = KnownType::ALL.iter().map(|known| known.full_name());
        let names: Vec<&str> = match self.candidates {
            [] => known.collect(),
            candidates => candidates.iter().map(String::as_str).collect(),
        };
        let types = names.into_iter().filter_map(|name| schema.message(name));
        let mut ranked: Vec<_> = types.map(|ty| (Count::of(schema, ty, sample), ty)).collect();
        ranked.sort_by_key(|(count, _)| Reverse(count.surplus()));
        ranked
    }

    /// Whether the message has no fields.
    fn is_empty(&self) -> bool {
        let is_mark = |token| matches!(token, Token::Mark(_));
        self.bytes.is_empty() || self.form != Form::Binary && Tokens::new(self.bytes).all(is_mark)
    }

    /// The type in a comment at the start of a text: `# proto-message: tensorflow.GraphDef`.
    fn announced<'s>(&self, schema: &'s Schema) -> Option<&'s MessageType> {
        let lines = self.bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let comments = lines.take_while(|line| line.is_empty() || line.starts_with(b"#"));
        let mut comments = comments.filter(|_| self.form == Form::Text);
        let name = comments.find_map(|line| {
            line.strip_prefix(b"#")?.trim_ascii_start().strip_prefix(b"proto-message:")
        })?;
        schema.message(std::str::from_utf8(name.trim_ascii()).ok()?)
    }

    /// The type that the file name stands for by convention.
    fn named<'s>(&self, schema: &'s Schema) -> Option<&'s MessageType> {
        let name = self.path.file_name()?.to_str()?.to_ascii_lowercase();
        let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, ""));
        let is_stem_of = |file: &str| Path::new(file).file_stem() == Some(stem.as_ref());
        let rules = [
            (name == STATE_FILE, KnownType::CheckpointState),
            (layout::GRAPHS.into_iter().any(is_stem_of), KnownType::SavedModel),
            (is_stem_of(layout::FINGERPRINT), KnownType::FingerprintDef),
            (is_stem_of(layout::KERAS_METADATA), KnownType::SavedMetadata),
            (extension == META_GRAPH_SUFFIX, KnownType::MetaGraphDef),
            (stem.contains("meta"), KnownType::MetaGraphDef),
            (stem.contains("graph"), KnownType::GraphDef),
            (stem.contains("saver"), KnownType::SaverDef),
        ];
        let (_, ty) = rules.into_iter().find(|(applies, _)| *applies)?;
        schema.message(ty.full_name())
    }

    fn empty(&self) -> Error {
        let kind = "an empty message could be of any type";
        Error::usage(kind).avoided_by(Remedy::StateType).in_file(self.path)
    }

    fn ambiguous(&self, types: &[&MessageType]) -> Error {
        let kind = format!("this could be {}", listed(types));
        Error::usage(kind).avoided_by(Remedy::StateType).in_file(self.path)
    }

    fn unknown(&self, ranked: &[(Count, &MessageType)]) -> Error {
        let closest = ranked.iter().filter(|(count, _)| count.readable > 0 && count.surplus() >= 0);
        let closest: Vec<&MessageType> = closest.map(|(_, ty)| *ty).take(3).collect();
        let hint = match closest.as_slice() {
            [] => String::new(),
            types => format!(", closest to {}", listed(types)),
        };
        let what = match self.form {
            Form::Binary => "neither a checkpoint nor a",
            Form::Text => "text, but not a",
            Form::Json => "JSON, but not a",
        };
        let truncated = if self.form == Form::Binary { "; it may be truncated" } else { "" };
        let kind = format!("this is {what} known message{truncated}{hint}");
        let error = Error::unsupported(kind).in_file(self.path);
        if closest.is_empty() { error } else { error.avoided_by(Remedy::StateType) }
    }
}

/// A list of types as "a, b or c".
fn listed(types: &[&MessageType]) -> String {
    const SHOWN: usize = 4;
    let names: Vec<&str> = types.iter().take(SHOWN).map(|ty| &*ty.full_name).collect();
    match names.as_slice() {
        [one] => (*one).to_owned(),
        [start @ .., last] => format!("{} or {last}", start.join(", ")),
        [] => String::new(),
    }
}
