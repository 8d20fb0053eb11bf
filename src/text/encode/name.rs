//! Looks up the names of a text in the schema.

use std::borrow::Cow;

use crate::error::shortened;
use crate::message::{Losses, Unknown};
use crate::schema::{Field, MessageType, Schema, WellKnown};
use crate::suggestion;
use crate::text::syntax::{Name, NameKind, Refusal};
use crate::text::{FieldNumbers, ParseOptions};

/// The meaning of a name.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target<'s> {
    Field(&'s Field),
    /// The content of an `Any`, a message of this type.
    Any(&'s MessageType),
    /// A reserved or unknown name, whose value is skipped.
    Skipped,
}

/// The lookup of a name that is not that of a field.
#[derive(Debug)]
pub(super) struct NameLookup<'s, 'l> {
    pub(super) schema: &'s Schema,
    pub(super) options: ParseOptions,
    pub(super) losses: &'l mut Losses,
}

impl<'s> NameLookup<'s, '_> {
    /// Looks up `name` in a message of type `ty`.
    pub(super) fn target(
        &mut self,
        ty: &'s MessageType,
        name: Name<'_>,
    ) -> Result<Target<'s>, Refusal> {
        let cleaned = cleaned(name.text);
        let text = String::from_utf8_lossy(&cleaned);
        match name.kind {
            NameKind::Field => {
                if ty.reserved_names.iter().any(|reserved| **reserved == *text) {
                    return Ok(Target::Skipped);
                }
                self.unknown(name.at, &text, || {
                    let hint = suggestion::hint(name.text, ty.field_names());
                    format!("{} has no field {}{hint}", ty.full_name, shortened(&text))
                })
            }
            NameKind::Number if self.options.field_numbers == FieldNumbers::Refuse => {
                Err(Refusal::new(name.at, "expected a field name, found a number"))
            }
            NameKind::Number => match text.parse().ok().and_then(|number| ty.field(number)) {
                Some(field) => Ok(Target::Field(field)),
                None => {
                    self.losses.unknown_fields += 1;
                    self.losses.name(|| text.to_string());
                    Ok(Target::Skipped)
                }
            },
            NameKind::Extension => match self.schema.extension(ty, &text) {
                Some(field) => Ok(Target::Field(field)),
                None => self.unknown(name.at, &format!("[{text}]"), || {
                    format!("{} has no extension [{}]", ty.full_name, shortened(&text))
                }),
            },
            NameKind::Any if ty.well_known != Some(WellKnown::Any) => {
                let shown = shortened(&text);
                let why = format!("[{shown}] is for google.protobuf.Any, not {}", ty.full_name);
                Err(Refusal::new(name.at, why))
            }
            NameKind::Any => {
                let full_name = text.rsplit('/').next().unwrap_or_default();
                match self.schema.message(full_name) {
                    Some(ty) => Ok(Target::Any(ty)),
                    None => self.unknown(name.at, &format!("[{text}]"), || {
                        format!("the schema has no message {}", shortened(full_name))
                    }),
                }
            }
        }
    }

    /// Refuses or skips a name that the schema does not know.
    fn unknown(
        &mut self,
        at: usize,
        name: &str,
        why: impl FnOnce() -> String,
    ) -> Result<Target<'s>, Refusal> {
        if self.options.unknown == Unknown::Refuse {
            return Err(Refusal::new(at, why()));
        }
        self.losses.unknown_fields += 1;
        self.losses.name(|| name.to_owned());
        Ok(Target::Skipped)
    }
}

/// A name without the white space and comments that brackets may contain.
pub(super) fn cleaned(text: &[u8]) -> Cow<'_, [u8]> {
    if text.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'#') {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    for line in text.split(|&byte| byte == b'\n') {
        let code = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        out.extend(code.iter().filter(|byte| byte.is_ascii_graphic()));
    }
    Cow::Owned(out)
}
