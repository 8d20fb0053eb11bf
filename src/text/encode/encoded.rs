//! Runs of encoded fields, and the message that they become.

use super::encoder::Encoder;
use super::frame::{Container, SetField};
use crate::error::{Error, Result};
use crate::message::{Fragment, Losses, Message};
use crate::schema::MessageType;
use crate::text::syntax::Refusal;

/// A finished run of fields in one message.
#[derive(Debug)]
pub(in crate::text) struct Encoded {
    part: Fragment,
    set_fields: Vec<SetField>,
    losses: Losses,
}

impl<'s> Encoder<'s> {
    /// Returns the encoded fields.
    ///
    /// # Errors
    /// If they are nested too deeply.
    pub(super) fn finish(mut self) -> Result<Encoded, Refusal> {
        self.end_packed();
        let bytes = std::mem::take(&mut self.out).finish();
        let part = match self.frames.first().map(|frame| frame.container) {
            Some(Container::Message(ty) | Container::List(_, ty)) => {
                Fragment::new(self.schema, ty, bytes)
            }
            _ => Ok(Fragment::default()),
        };
        let part = part.map_err(|error| Refusal::new(0, error.without_offset().to_string()))?;
        Ok(Encoded { part, set_fields: self.set_fields, losses: self.losses })
    }

    /// Appends the result of the encoder of the next fields.
    pub(super) fn absorb(&mut self, encoded: Encoded) -> Result<(), Refusal> {
        self.end_packed();
        if let Container::Message(ty) = self.container() {
            for set in encoded.set_fields {
                if let Some(field) = ty.fields.get(usize::from(set.position)) {
                    self.set_once(field, set.at)?;
                }
            }
        }
        self.follows(encoded.part.first, encoded.part.last);
        self.is_canonical &= encoded.part.is_canonical;
        self.out.absorb(encoded.part.bytes);
        self.losses.add(encoded.losses);
        Ok(())
    }

    /// Returns the message, of which all parts were absorbed.
    pub(in crate::text) fn into_message(
        mut self,
        ty: &'s MessageType,
    ) -> Result<(Message<'s>, Losses)> {
        self.end_packed();
        let bytes = self.out.finish();
        let message = if self.is_canonical {
            Message::from_canonical(self.schema, ty, bytes)
        } else {
            Message::decode_partial(self.schema, ty, bytes).map_err(Error::without_offset)?
        };
        if !self.options.partial {
            message.check_required()?;
        }
        Ok((message, self.losses))
    }
}
