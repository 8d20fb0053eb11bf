//! Printing of `Any` as its payload, with an `@type` member first.

use std::borrow::Cow;

use super::{Printer, unknown};
use crate::error::{Error, Result, shortened};
use crate::json::ANY_TOO_DEEP;
use crate::message::{NESTED_ANY, Records, Unknown, Value, canonical, type_name};
use crate::schema::MessageType;
use crate::schema::field::any;

impl<'p> Printer<'p, '_> {
    pub(super) fn any(&mut self, bytes: &[u8], depth: usize) -> Result<()> {
        let (mut url, mut payload): (&[u8], &[u8]) = (&[], &[]);
        for record in Records::new(bytes, 0) {
            let record = record?;
            match (record.number, record.value) {
                (any::TYPE_URL, Value::Len(bytes)) => url = bytes,
                (any::VALUE, Value::Len(bytes)) => payload = bytes,
                _ => self.unknown(&record)?,
            }
        }
        self.tokens.open(b'{');
        if !url.is_empty() || !payload.is_empty() {
            let url = String::from_utf8_lossy(url);
            match type_name(&url).and_then(|name| self.schema.message(name)) {
                Some(ty) => self.payload(ty, &url, payload, depth)?,
                None => self.unknown_type(&url)?,
            }
        }
        self.tokens.close(b'}');
        Ok(())
    }

    fn payload(
        &mut self,
        ty: &'p MessageType,
        url: &str,
        bytes: &[u8],
        depth: usize,
    ) -> Result<()> {
        if self.any_depth == NESTED_ANY {
            return Err(Error::syntax(ANY_TOO_DEEP));
        }
        // The enclosing message treats the payload as bytes, so it may not be in canonical form.
        let payload = canonical(self.schema, ty, bytes, depth + 1)
            .map_err(|error| error.without_offset().in_field("value"))?;
        if let Cow::Owned(_) = payload {
            self.losses.any_bytes += 1;
            self.losses.name(|| format!("[{url}]"));
        }
        self.tokens.item()?;
        self.tokens.string(b"@type")?;
        self.tokens.colon();
        self.tokens.string(url.as_bytes())?;
        let named = self.losses.paths.len();
        self.any_depth += 1;
        let result = if ty.well_known.is_none() {
            self.fields(ty, &payload, depth + 1)
        } else {
            self.tokens.item()?;
            self.tokens.string(b"value")?;
            self.tokens.colon();
            self.message(ty, &payload, depth + 1)
        };
        self.any_depth -= 1;
        self.in_step(named, result, || format!("[{url}]"))
    }

    fn unknown_type(&mut self, url: &str) -> Result<()> {
        if self.options.unknown == Unknown::Refuse {
            let url = shortened(url);
            return Err(unknown(format_args!("an Any of the unknown type {url:?}")));
        }
        self.losses.unknown_any += 1;
        self.losses.name(|| format!("[{url}]"));
        Ok(())
    }
}
