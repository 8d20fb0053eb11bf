//! What a name in a text means.

use std::borrow::Cow;

use super::{Encoder, Name, Numbers, Outer, Refusal, Unknown, refuse};
use crate::bytes::suggestion;
use crate::error::shortened;
use crate::schema::{Field, MessageType, WellKnown};
use crate::text::syntax::NameKind;

/// What a name means where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target<'s> {
    Field(&'s Field),
    /// What an `Any` holds.
    Any(&'s MessageType),
    /// Nothing any more, or nothing known: what follows is passed over.
    Nothing,
}

impl<'s> Encoder<'s> {
    /// What `name` means in the message that is open.
    #[inline]
    pub(super) fn target(&mut self, name: Name<'_>) -> Result<Target<'s>, Refusal> {
        let Outer::Message(ty) = self.outer() else { return Ok(Target::Nothing) };
        if name.kind == NameKind::Field
            && let Some(field) = ty.field_by_name(name.text)
        {
            return Ok(Target::Field(field));
        }
        self.rare_target(ty, name)
    }

    fn rare_target(&mut self, ty: &'s MessageType, name: Name<'_>) -> Result<Target<'s>, Refusal> {
        let cleaned = cleaned(name.text);
        let text = String::from_utf8_lossy(&cleaned);
        match name.kind {
            NameKind::Field => {
                if ty.reserved_names.iter().any(|reserved| **reserved == *text) {
                    return Ok(Target::Nothing);
                }
                self.unknown(name.at, &text, || {
                    let hint = suggestion::hint(name.text, ty.field_names());
                    format!("{} has no field {}{hint}", ty.full_name, shortened(&text))
                })
            }
            NameKind::Number if self.options.numbers == Numbers::Refuse => {
                Err(refuse(name.at, "expected the name of a field, found a number"))
            }
            NameKind::Number => match text.parse().ok().and_then(|number| ty.field(number)) {
                Some(field) => Ok(Target::Field(field)),
                None => {
                    self.losses.unknown_fields += 1;
                    self.losses.name(|| text.to_string());
                    Ok(Target::Nothing)
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
                Err(refuse(name.at, why))
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

    /// A name that the schema does not have.
    fn unknown(
        &mut self,
        at: usize,
        name: &str,
        why: impl FnOnce() -> String,
    ) -> Result<Target<'s>, Refusal> {
        if self.options.unknown == Unknown::Refuse {
            return Err(refuse(at, why()));
        }
        self.losses.unknown_fields += 1;
        self.losses.name(|| name.to_owned());
        Ok(Target::Nothing)
    }
}

/// A name without the blanks and comments that may stand in brackets.
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
