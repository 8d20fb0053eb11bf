//! Parsing of an object's members as the entries of a map.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, MapAccess, Visitor};

use super::locate::{Spot, ValueStep};
use super::reader::{Key, Reader, Text, With};
use super::single::Single;
use crate::json::number::integer;
use crate::message::{integer_value, write_value};
use crate::schema::{Field, Kind};

/// The entries of a map field.
pub(super) struct Entries<'s>(pub(super) &'s Field);

impl<'s, 'de> Visitor<'de> for With<'_, 's, 'de, Entries<'s>> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let reader = self.reader;
        let field = self.what.0;
        let entry = field.kind.message().and_then(|id| reader.schema[id].entry());
        let Some((key, value)) = entry else {
            return Err(reader.fail(Spot::Value, "the entries of this map have no key and value"));
        };
        let first = reader.keys.len();
        let mut ordinal = 0;
        reader.enter()?;
        while let Some(text) = map.next_key_seed(Text)? {
            reader.path.push(ValueStep::Entry(ordinal));
            let start = reader.out.position();
            reader.out.begin(field.number);
            reader.key(key, text, ordinal)?;
            let known = map.next_value_seed(reader.with(Single::of_entry(value)))?;
            reader.out.close();
            if !known {
                reader.out.truncate(start);
            }
            ordinal += 1;
            reader.path.pop();
        }
        reader.leave();
        reader.check_keys(first)
    }
}

impl<'de> Reader<'_, 'de> {
    /// Writes the key of an entry.
    fn key<E: de::Error>(
        &mut self,
        field: &Field,
        text: Cow<'de, str>,
        ordinal: usize,
    ) -> Result<(), E> {
        self.out.tag(field.number, field.wire_type);
        let key = match field.kind {
            Kind::String => {
                self.out.len_prefixed(text.as_bytes());
                Key::Text(text)
            }
            Kind::Bool => {
                let value = match &*text {
                    "true" => true,
                    "false" => false,
                    _ => {
                        return Err(self.fail(Spot::Key, r#"expected "true" or "false" as a key"#));
                    }
                };
                self.out.varint(value.into());
                Key::Number(value.into())
            }
            kind => {
                let number = integer(text.as_bytes());
                let value = number.and_then(|number| Some((number, integer_value(kind, number)?)));
                let Some((number, value)) = value else {
                    let expected = super::scalar::range(kind);
                    return Err(self.fail(Spot::Key, format!("expected {expected} as a key")));
                };
                write_value(kind, value, &mut self.out);
                Key::Number(number)
            }
        };
        self.keys.push((key, ordinal));
        Ok(())
    }

    /// Checks the keys from `first` on for duplicates and removes them.
    fn check_keys<E: de::Error>(&mut self, first: usize) -> Result<(), E> {
        let keys = self.keys.get_mut(first..).unwrap_or_default();
        // Printed messages have sorted keys.
        let mut twice = None;
        if !keys.is_sorted_by(|(a, _), (b, _)| a < b) {
            keys.sort();
            let same = keys.windows(2).filter_map(|pair| match pair {
                [(a, _), (b, ordinal)] if a == b => Some(*ordinal),
                _ => None,
            });
            twice = same.min();
        }
        self.keys.truncate(first);
        match twice {
            None => Ok(()),
            Some(ordinal) => {
                self.path.push(ValueStep::Entry(ordinal));
                Err(self.fail(Spot::Key, "this key is given twice"))
            }
        }
    }
}
