//! Parsing of `Any`: an object whose `@type` member, in any position, gives the type of the payload.
//!
//! The object is scanned for its type first and parsed second; nothing is copied.

use std::fmt;

use serde::Deserializer;
use serde::de::{Deserialize, DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::diagnostics::located;
use super::fields::Members;
use super::locate::{Spot, ValueStep};
use super::reader::{Reader, Text, With};
use crate::error::shortened;
use crate::json::ANY_TOO_DEEP;
use crate::message::{Message, NESTED_ANY, Value, type_name};
use crate::schema::MessageType;
use crate::schema::field::any;

impl<'s, 'de> Reader<'s, 'de> {
    pub(super) fn any<D: Deserializer<'de>>(&mut self, json: D) -> Result<(), D::Error> {
        let object = <&RawValue>::deserialize(json)?.get();
        if let Err(error) = self.any_object(object) {
            self.record_serde_error(&error, object);
            return Err(serde::de::Error::custom(""));
        }
        Ok(())
    }

    fn any_object(&mut self, object: &'de str) -> serde_json::Result<()> {
        let read = || {
            let mut json = serde_json::Deserializer::from_str(object);
            json.disable_recursion_limit();
            json
        };
        let Some((url, ty)) = read().deserialize_map(self.with(FindType))? else { return Ok(()) };
        if self.any_depth == NESTED_ANY {
            return Err(self.fail(Spot::Value, ANY_TOO_DEEP));
        }
        self.any_depth += 1;
        self.enter::<serde_json::Error>()?;
        let outside = std::mem::take(&mut self.out);
        match ty.well_known {
            None => read().deserialize_map(self.with(Members { ty, in_any: true }))?,
            Some(_) => read().deserialize_map(self.with(Payload { ty }))?,
        }
        let payload = std::mem::replace(&mut self.out, outside).finish();
        self.leave();
        self.any_depth -= 1;
        let payload = match Message::decode(self.schema, ty, payload) {
            Ok(message) => message.into_bytes(),
            Err(error) => {
                let found = super::locate::locate(self.input, &self.path);
                self.failure =
                    Some(located(error.without_offset(), self.input, found.value, &found.path));
                return Err(serde::de::Error::custom(""));
            }
        };
        self.put(any::TYPE_URL, Value::Len(url.as_bytes()));
        self.put(any::VALUE, Value::Len(&payload));
        Ok(())
    }
}

/// Finds `@type` and returns its URL and the message type; `None` for an object without members.
struct FindType;

impl<'s, 'de> Visitor<'de> for With<'_, 's, 'de, FindType> {
    type Value = Option<(String, &'s MessageType)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let reader = self.reader;
        let mut found = None;
        let mut ordinal = 0;
        while let Some(name) = map.next_key_seed(Text)? {
            reader.path.push(ValueStep::Member(ordinal));
            ordinal += 1;
            if name != "@type" {
                map.next_value::<IgnoredAny>()?;
            } else if found.is_some() {
                return Err(reader.fail(Spot::Key, "@type is given twice"));
            } else {
                let url = map.next_value_seed(Text)?.into_owned();
                let Some(full_name) = type_name(&url) else {
                    return Err(
                        reader.refuse(r#"a type URL such as "type.googleapis.com/full.Name""#)
                    );
                };
                let Some(ty) = reader.schema.message(full_name) else {
                    let name = shortened(full_name);
                    let message =
                        format!("unknown type {name:?}; only messages of the schema are read");
                    return Err(reader.fail(Spot::Value, message));
                };
                found = Some((url, ty));
            }
            reader.path.pop();
        }
        if found.is_none() && ordinal != 0 {
            return Err(reader.fail(Spot::Value, r#"expected "@type" in an Any"#));
        }
        Ok(found)
    }
}

/// A payload of a well-known type, whose JSON form is the `value` member.
struct Payload<'s> {
    ty: &'s MessageType,
}

impl<'s, 'de> Visitor<'de> for With<'_, 's, 'de, Payload<'s>> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let reader = self.reader;
        let ty = self.what.ty;
        let mut found = false;
        let mut ordinal = 0;
        while let Some(name) = map.next_key_seed(Text)? {
            reader.path.push(ValueStep::Member(ordinal));
            ordinal += 1;
            match &*name {
                "@type" => drop(map.next_value::<IgnoredAny>()?),
                "value" if found => return Err(reader.fail(Spot::Key, "value is given twice")),
                "value" => {
                    found = true;
                    map.next_value_seed(reader.with(Content(ty)))?;
                }
                _ => {
                    let message = || {
                        let name = shortened(&name);
                        format!("unknown field {name:?}; an Any of {} has \"value\"", ty.full_name)
                    };
                    reader.drop_unknown(Some(&name), message)?;
                    map.next_value::<IgnoredAny>()?;
                }
            }
            reader.path.pop();
        }
        if found {
            return Ok(());
        }
        Err(reader.fail(Spot::Value, format!("expected \"value\" in an Any of {}", ty.full_name)))
    }
}

/// The `value` member.
struct Content<'s>(&'s MessageType);

impl<'s, 'de> DeserializeSeed<'de> for With<'_, 's, 'de, Content<'s>> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        self.reader.message(self.what.0, json)
    }
}
