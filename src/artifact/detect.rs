//! Which message a file holds, found out by looking inside.

use std::collections::BTreeSet;
use std::path::Path;

use super::fit::fit;
use super::form::Form;
use super::message_type::message_type;
use super::names::{self, Event};
use crate::error::{Error, ErrorKind, Result};
use crate::message::Records;
use crate::schema::{MessageType, Schema};

/// A message that TensorFlow keeps in a file of its own.
struct Known {
    name: &'static str,
    /// What people call it.
    kind: &'static str,
    /// Fields without which a real one is hardly met.
    usual: &'static [u32],
}

const fn known(name: &'static str, kind: &'static str, usual: &'static [u32]) -> Known {
    Known { name, kind, usual }
}

/// What files are held against, the most likely first: of two that fit alike, the first is taken.
const KNOWN: &[Known] = &[
    known("tensorflow.MetaGraphDef", "meta graph", &[]),
    known("tensorflow.GraphDef", "graph", &[]),
    known("tensorflow.SavedModel", "SavedModel", &[2]),
    known("tensorflow.SaverDef", "saver", &[1, 2, 3]),
    known("tensorflow.CheckpointState", "state file", &[1]),
    known("tensorflow.TensorProto", "tensor", &[1]),
    known("tensorflow.FunctionDefLibrary", "function library", &[]),
    known("tensorflow.OpList", "op list", &[]),
    known("tensorflow.NodeDef", "node", &[1, 2]),
    known("tensorflow.VariableDef", "variable", &[1, 2]),
    known("tensorflow.FunctionDef", "function", &[1]),
    known("tensorflow.OpDef", "op definition", &[1]),
    known("tensorflow.SignatureDef", "signature", &[]),
    known("tensorflow.TrackableObjectGraph", "object graph", &[]),
    known("tensorflow.SavedObjectGraph", "saved object graph", &[]),
    known("tensorflow.StructuredValue", "structured value", &[]),
    known("tensorflow.FingerprintDef", "fingerprint", &[1, 2, 3, 4, 5]),
    known("tensorflow.GraphDebugInfo", "graph debug info", &[]),
    known("tensorflow.VersionDef", "version", &[1]),
];

/// Records that are looked at for what is usual.
const RECORDS: usize = 10_000;

/// Below this, a message is something else.
const FITS: f64 = 0.5;

/// How far ahead of all others one must be that does not fit well, as where many fields are unknown.
const LEAD: f64 = 0.4;

/// How far ahead of all others the one that fits must be.
const AHEAD: f64 = 0.08;

/// How far ahead of what a file's name says another must be, where that fits too.
const AHEAD_OF_NAME: f64 = 0.3;

/// What people call a message of this type: `meta graph`; the type's own name where there is no word for it.
pub(super) fn kind(ty: &MessageType) -> &str {
    let known = KNOWN.iter().find(|known| *known.name == *ty.full_name);
    known.map_or_else(|| ty.name(), |known| known.kind)
}

/// What a message may be found out from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence<'a> {
    pub(super) path: &'a Path,
    pub(super) form: Form,
    /// Its bytes: all of a binary one, the first of the others.
    pub(super) bytes: &'a [u8],
    /// The types that come into question; where there are none, those of TensorFlow.
    pub(super) candidates: &'a [String],
}

/// What is seen of a message without a schema; it is looked for once, and held against every type.
enum Signs<'a> {
    /// The fields that a text or JSON begins with.
    Events(Vec<Event<'a>>),
    /// The fields among the first of a binary message.
    Numbers(BTreeSet<u32>),
}

impl Evidence<'_> {
    /// The type of the message.
    ///
    /// # Errors
    /// When it cannot be told; the error names what comes near.
    pub(super) fn message<'s>(&self, schema: &'s Schema) -> Result<&'s MessageType> {
        if let Some(announced) = self.announced(schema) {
            return Ok(announced);
        }
        if let [only] = self.candidates {
            return message_type(schema, only);
        }
        let usual = self.usual(schema);
        let scored = self.scored(schema);
        let Some(&(best, ty)) = scored.first().filter(|_| !self.is_empty()) else {
            return usual.ok_or_else(|| self.unclear(&[]));
        };
        let near: Vec<_> =
            scored.iter().filter(|(score, _)| *score > best - AHEAD).map(|(_, ty)| *ty).collect();
        let lead = scored.get(1).map_or(LEAD, |(second, _)| best - second);
        if best < FITS && !(best > 0.0 && lead >= LEAD) {
            return match usual {
                // What is damaged is still what its name says, and the parser tells the damage.
                Some(usual) if scored.iter().any(|(s, ty)| *s > 0.0 && ty.id == usual.id) => {
                    Ok(usual)
                }
                _ => Err(self.strange(&scored)),
            };
        }
        let named = scored.iter().find(|(_, ty)| usual.is_some_and(|usual| usual.id == ty.id));
        match named {
            Some((score, usual)) if *score >= FITS.max(best - AHEAD_OF_NAME) => Ok(usual),
            _ if near.len() == 1 => Ok(ty),
            _ => Err(self.unclear(&near)),
        }
    }

    /// What the message is instead of `ty`, which somebody says it is, where that is plain.
    pub(super) fn other_than<'s>(
        &self,
        schema: &'s Schema,
        ty: &MessageType,
    ) -> Option<&'s MessageType> {
        // Of a schema of the user's own, nothing is known that would tell more than the user does.
        if !std::ptr::eq(schema, Schema::tensorflow()) {
            return None;
        }
        let claimed = self.score(schema, ty, &[], &self.signs());
        let (best, other) = self.scored(schema).into_iter().next()?;
        // Where nearly nothing is known in it: an unknown field of a binary message says less against it than a name.
        let nothing = if self.form == Form::Binary { -0.2 } else { -0.75 };
        let plain = best >= FITS && claimed < nothing && other.id != ty.id;
        plain.then_some(other)
    }

    /// Adds to what a parser says of a text what message it looks like, where that is plain and another than `ty`.
    pub(super) fn hint(&self, schema: &Schema, ty: &MessageType, error: Error) -> Error {
        match (self.other_than(schema, ty), error.kind()) {
            (Some(other), ErrorKind::Syntax(what)) => {
                let what = format!("{what}; this looks like {}", other.full_name);
                error.with_kind(ErrorKind::Syntax(what))
            }
            _ => error,
        }
    }

    /// The types that come into question with how well they fit, best first.
    fn scored<'s>(&self, schema: &'s Schema) -> Vec<(f64, &'s MessageType)> {
        let signs = self.signs();
        let score = |name: &str, usual: &[u32]| {
            let ty = schema.message(name)?;
            Some((self.score(schema, ty, usual, &signs), ty))
        };
        let mut scored: Vec<_> = if self.candidates.is_empty() {
            KNOWN.iter().filter_map(|known| score(known.name, known.usual)).collect()
        } else {
            self.candidates.iter().filter_map(|name| score(name, &[])).collect()
        };
        // Stable: the most likely stays before what fits alike.
        scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        scored
    }

    fn score(&self, schema: &Schema, ty: &MessageType, usual: &[u32], signs: &Signs<'_>) -> f64 {
        match signs {
            Signs::Events(events) => names::fit(schema, ty, self.form, events),
            Signs::Numbers(numbers) => {
                let missing = usual.iter().filter(|number| !numbers.contains(number));
                fit(schema, ty, self.bytes) - 0.25 * missing.count() as f64
            }
        }
    }

    /// What is seen of the message without a schema.
    fn signs(&self) -> Signs<'_> {
        match self.form {
            Form::Binary => {
                let records = Records::new(self.bytes, 0).map_while(Result::ok).take(RECORDS);
                Signs::Numbers(records.map(|record| record.number).collect())
            }
            form => Signs::Events(names::events(form, self.bytes)),
        }
    }

    /// Whether the message has no field.
    fn is_empty(&self) -> bool {
        let events = || names::events(self.form, self.bytes);
        self.bytes.is_empty()
            || self.form != Form::Binary && events().iter().all(|event| *event == Event::Close)
    }

    /// The type that a comment at the start of a text names.
    fn announced<'s>(&self, schema: &'s Schema) -> Option<&'s MessageType> {
        let text = self.form == Form::Text;
        schema.message(names::announced(self.bytes).filter(|_| text)?)
    }

    /// What a file of this name holds, as TensorFlow and people name them.
    fn usual<'s>(&self, schema: &'s Schema) -> Option<&'s MessageType> {
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

    fn unclear(&self, near: &[&MessageType]) -> Error {
        let kind = match near {
            [] if self.form != Form::Text
                || self.bytes.trim_ascii().is_empty()
                || self.bytes.trim_ascii_start().starts_with(b"#") =>
            {
                "an empty message could be of any type; --message says which it is".into()
            }
            [] => "what it begins with names no field; --message says which message it is".into(),
            _ => format!("this could be {}; --message says which it is", listed(near)),
        };
        Error::from(ErrorKind::Usage(kind)).in_file(self.path)
    }

    fn strange(&self, scored: &[(f64, &MessageType)]) -> Error {
        let near: Vec<_> =
            scored.iter().filter(|(score, _)| *score > 0.0).map(|(_, ty)| *ty).take(3).collect();
        let kind = match near.as_slice() {
            [] => format!("as {} this is no message that is known here", self.form),
            near => format!(
                "as {} this is no message that is known here, nearest to {}; --message says which it is",
                self.form,
                listed(near)
            ),
        };
        Error::from(ErrorKind::Unsupported(kind)).in_file(self.path)
    }
}

/// Types as in "a, b or c".
fn listed(types: &[&MessageType]) -> String {
    const SHOWN: usize = 4;
    let names: Vec<&str> = types.iter().take(SHOWN).map(|ty| &*ty.full_name).collect();
    match names.as_slice() {
        [one] => (*one).to_owned(),
        [start @ .., last] => format!("{} or {last}", start.join(", ")),
        [] => String::new(),
    }
}
