//! Recognizes the type of a message.
//!
//! The type is the one that the file name stands for, if it knows at least three quarters of the message; otherwise the type of
//! [`KNOWN`] that knows the most, if that is at least three quarters. See [`known_fields`] for how much a type knows.

use std::path::Path;

use super::kind::KNOWN;
use super::known_fields;
use super::message_type::message_type;
use crate::error::{Error, ErrorKind, Result};
use crate::message::{Form, Token, Tokens};
use crate::schema::{MessageType, Schema};

/// The least share of a message that its type knows.
const ENOUGH: f64 = 0.75;

/// A type that knows less than this share is certainly not the type of the message.
const TOO_LITTLE: f64 = 0.5;

/// A message of unknown type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Untyped<'a> {
    pub(super) path: &'a Path,
    pub(super) form: Form,
    /// All bytes of a binary message, or the first bytes of text or JSON.
    pub(super) bytes: &'a [u8],
    /// The candidates for the type; empty for those of TensorFlow.
    pub(super) candidates: &'a [String],
}

impl Untyped<'_> {
    /// The type of the message.
    ///
    /// # Errors
    /// If no type knows enough of the message, or several know the same share; the error names the best ones.
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
        let ranked = self.ranked(schema);
        let of_named = ranked.iter().find(|(_, ty)| named.is_some_and(|named| named.id == ty.id));
        let best = ranked.first().map_or(0.0, |(known, _)| *known);
        match (of_named, named) {
            // A damaged file still has the type of its name, and the parser reports the damage.
            (Some((known, _)), Some(named))
                if *known >= ENOUGH || best < ENOUGH && *known > 0.0 =>
            {
                return Ok(named);
            }
            _ => {}
        }
        let closest: Vec<&MessageType> =
            ranked.iter().filter(|(known, _)| *known >= best).map(|(_, ty)| *ty).collect();
        match closest.as_slice() {
            _ if best < ENOUGH => Err(self.unknown(&ranked)),
            [only] => Ok(only),
            several => Err(self.ambiguous(several)),
        }
    }

    /// The evident type of the message, if it is not `ty`.
    pub(super) fn other_than<'s>(
        &self,
        schema: &'s Schema,
        ty: &MessageType,
    ) -> Option<&'s MessageType> {
        // Users know their own schemas better than this table.
        if !std::ptr::eq(schema, Schema::tensorflow()) {
            return None;
        }
        let claimed = self.known(schema, ty);
        let (best, other) = self.ranked(schema).into_iter().next()?;
        let is_plain = best >= ENOUGH && claimed < TOO_LITTLE && other.id != ty.id;
        is_plain.then_some(other)
    }

    /// Adds the evident type of the message to a syntax error, if it is not `ty`.
    pub(super) fn hint(&self, schema: &Schema, ty: &MessageType, error: Error) -> Error {
        match (self.other_than(schema, ty), error.kind()) {
            (Some(other), ErrorKind::Syntax(what)) => {
                let what = format!("{what}; this looks like {}", other.full_name);
                error.with_kind(ErrorKind::Syntax(what))
            }
            _ => error,
        }
    }

    /// The candidates with the shares of the message that they know, the largest first.
    fn ranked<'s>(&self, schema: &'s Schema) -> Vec<(f64, &'s MessageType)> {
        let of = |name: &str| {
            let ty = schema.message(name)?;
            Some((self.known(schema, ty), ty))
        };
        let mut ranked: Vec<_> = match self.candidates {
            [] => KNOWN.iter().filter_map(|(name, _)| of(name)).collect(),
            candidates => candidates.iter().filter_map(|name| of(name)).collect(),
        };
        ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        ranked
    }

    fn known(&self, schema: &Schema, ty: &MessageType) -> f64 {
        known_fields::of(schema, ty, self.form, self.bytes)
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
        let message = match (stem, extension) {
            ("checkpoint", "") => "CheckpointState",
            ("saved_model", _) => "SavedModel",
            ("fingerprint", _) => "FingerprintDef",
            (_, "meta") => "MetaGraphDef",
            _ if stem.contains("meta") => "MetaGraphDef",
            _ if stem.contains("graph") => "GraphDef",
            _ if stem.contains("saver") => "SaverDef",
            _ => return None,
        };
        schema.message(&format!("tensorflow.{message}"))
    }

    fn empty(&self) -> Error {
        let kind = "an empty message could be of any type; --message says which it is";
        Error::usage(kind).in_file(self.path)
    }

    fn ambiguous(&self, types: &[&MessageType]) -> Error {
        let kind = format!("this could be {}; --message says which it is", listed(types));
        Error::usage(kind).in_file(self.path)
    }

    fn unknown(&self, ranked: &[(f64, &MessageType)]) -> Error {
        let closest = ranked.iter().filter(|(known, _)| *known >= TOO_LITTLE);
        let closest: Vec<&MessageType> = closest.map(|(_, ty)| *ty).take(3).collect();
        let hint = match closest.as_slice() {
            [] => String::new(),
            types => format!(", closest to {}; --message says which it is", listed(types)),
        };
        let what = match self.form {
            Form::Binary => "neither a checkpoint (is it cut short?) nor a",
            Form::Text => "text, but no",
            Form::Json => "JSON, but no",
        };
        let kind = format!("this is {what} known message{hint}");
        Error::unsupported(kind).in_file(self.path)
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
