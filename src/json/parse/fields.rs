//! Parsing of an object's members as the fields of a message.

use std::fmt;

use serde::Deserializer;
use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::locate::{Spot, ValueStep};
use super::map::Entries;
use super::reader::{Reader, Text, With};
use super::single::{Base64, Single};
use crate::error::shortened;
use crate::message::{FieldSet, message_set};
use crate::schema::{Cardinality, Field, Kind, MessageType, WireType};
use crate::suggestion;

impl<'s, 'de> Reader<'s, 'de> {
    /// Parses a message that is not of a well-known type.
    pub(super) fn fields<D: Deserializer<'de>>(
        &mut self,
        ty: &'s MessageType,
        json: D,
    ) -> Result<(), D::Error> {
        json.deserialize_map(self.with(Members { ty, in_any: false }))
    }

    /// A wrapper such as `Int64Value`, whose JSON form is the value of its one field.
    pub(super) fn wrapper<D: Deserializer<'de>>(
        &mut self,
        ty: &'s MessageType,
        json: D,
    ) -> Result<(), D::Error> {
        match ty.field(1).filter(|field| field.kind.message().is_none()) {
            Some(field) => self.single(Single::of(field), json).map(drop),
            None => Err(self.fail(Spot::Value, format!("{} has no field 1", ty.full_name))),
        }
    }

    fn field(&self, ty: &'s MessageType, name: &str) -> Option<&'s Field> {
        ty.field_by_json_name(name.as_bytes()).or_else(|| {
            let extension = name.strip_prefix('[')?.strip_suffix(']')?;
            self.schema.extension(ty, extension)
        })
    }

    /// Parses the value of a field, other than null.
    fn field_value<D: Deserializer<'de>>(
        &mut self,
        MemberValue { ty, field }: MemberValue<'s>,
        json: D,
    ) -> Result<bool, D::Error> {
        match field.cardinality {
            Cardinality::Map => json.deserialize_map(self.with(Entries(field))).map(|()| true),
            Cardinality::Repeated => json.deserialize_seq(self.with(Items(field))).map(|()| true),
            _ if ty.is_message_set => self.set_item(field, json).map(|()| true),
            _ => self.single(Single::of(field), json),
        }
    }

    /// Handles null, which leaves all but a few fields unset; returns whether the field was set.
    fn null(&mut self, field: &Field) -> bool {
        let singular = !field.is_repeated();
        match field.kind {
            Kind::Enum(id) if singular && self.schema[id].is_null_value() => {
                if field.has_presence {
                    self.out.put_varint(field.number, 0);
                }
                true
            }
            Kind::Message(id) if singular && self.is_value(id) => {
                // A Value with null_value set.
                self.out.put_bytes(field.number, &[0x08, 0]);
                true
            }
            _ => false,
        }
    }

    /// Parses a single value; returns false if it was an unknown enum value.
    pub(super) fn single<D: Deserializer<'de>>(
        &mut self,
        single: Single<'s>,
        json: D,
    ) -> Result<bool, D::Error> {
        let field = single.field;
        match field.kind {
            Kind::Message(id) | Kind::Group(id) => {
                self.enter()?;
                let wire_type = field.wire_type;
                let ty = &self.schema[id];
                self.out.tag(field.number, wire_type);
                if wire_type == WireType::Start {
                    self.message(ty, json)?;
                    self.out.tag(field.number, WireType::End);
                } else {
                    self.out.open();
                    self.message(ty, json)?;
                    self.out.close();
                }
                self.leave();
                Ok(true)
            }
            Kind::String => json.deserialize_str(self.with(single)).map(|()| true),
            Kind::Bytes => json.deserialize_str(self.with(Base64(single))).map(|()| true),
            kind => {
                let raw = <&RawValue as de::Deserialize>::deserialize(json)?;
                let value = self.scalar(kind, raw.get())?;
                Ok(value.map(|value| single.write(value, &mut self.out)).is_some())
            }
        }
    }

    /// Parses an extension of a message set.
    fn set_item<D: Deserializer<'de>>(
        &mut self,
        field: &'s Field,
        json: D,
    ) -> Result<(), D::Error> {
        let Some(id) = field.kind.message() else {
            return Err(self.fail(Spot::Key, "an extension of a message set is a message"));
        };
        self.enter()?;
        message_set::begin_item(field.number, &mut self.out);
        self.message(&self.schema[id], json)?;
        message_set::end_item(&mut self.out);
        self.leave();
        Ok(())
    }
}

/// The members of a message's object.
pub(super) struct Members<'s> {
    pub(super) ty: &'s MessageType,
    /// Whether the message is the payload of an `Any`, whose object also has `@type`.
    pub(super) in_any: bool,
}

impl<'s, 'de> Visitor<'de> for With<'_, 's, 'de, Members<'s>> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Members { ty, in_any } = self.what;
        let reader = self.reader;
        let (mut given, mut oneofs) = (FieldSet::default(), FieldSet::default());
        let mut ordinal = 0;
        while let Some(name) = map.next_key_seed(Text)? {
            reader.path.push(ValueStep::Member(ordinal));
            ordinal += 1;
            if let Some(field) = reader.field(ty, &name) {
                if !given.insert(field.position) {
                    return Err(
                        reader.fail(Spot::Key, format!("{} is given twice", field.json_name))
                    );
                }
                let set = map.next_value_seed(reader.with(MemberValue { ty, field }))?;
                if let Some(oneof) = field.oneof.filter(|_| set)
                    && !oneofs.insert(oneof)
                {
                    return Err(reader.second_of_oneof(ty, field, &given));
                }
            } else if in_any && name == "@type" {
                map.next_value::<IgnoredAny>()?;
            } else {
                reader.drop_unknown(Some(&name), || unknown_field(ty, &name))?;
                map.next_value::<IgnoredAny>()?;
            }
            reader.path.pop();
        }
        Ok(())
    }
}

impl Reader<'_, '_> {
    #[cold]
    fn second_of_oneof<E: de::Error>(
        &mut self,
        ty: &MessageType,
        field: &Field,
        given: &FieldSet,
    ) -> E {
        let oneof = field.oneof.and_then(|at| ty.oneofs.get(usize::from(at)));
        let others = oneof.iter().flat_map(|oneof| &oneof.fields);
        let first = others
            .filter(|at| **at != field.position && given.contains(**at))
            .find_map(|at| ty.fields.get(usize::from(*at)));
        let message = format!(
            "{} and {} are both given, but at most one field of {} may be",
            first.map_or("another", |first| &first.json_name),
            field.json_name,
            oneof.map_or("a oneof", |oneof| &oneof.name),
        );
        self.fail(Spot::Key, message)
    }
}

fn unknown_field(ty: &MessageType, name: &str) -> String {
    let names = ty.fields.iter().map(|field| &*field.json_name);
    let hint = suggestion::hint(name.as_bytes(), names);
    let name = shortened(name);
    format!("unknown field {name:?} of {}{hint}", ty.full_name)
}

/// The value of a member.
#[derive(Clone, Copy)]
struct MemberValue<'s> {
    ty: &'s MessageType,
    field: &'s Field,
}

/// Returns whether the field was set.
impl<'s, 'de> DeserializeSeed<'de> for With<'_, 's, 'de, MemberValue<'s>> {
    type Value = bool;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<bool, D::Error> {
        json.deserialize_option(self)
    }
}

impl<'s, 'de> Visitor<'de> for With<'_, 's, 'de, MemberValue<'s>> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_none<E: de::Error>(self) -> Result<bool, E> {
        Ok(self.reader.null(self.what.field))
    }

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, json: D) -> Result<bool, D::Error> {
        self.reader.field_value(self.what, json)
    }
}

/// The elements of a repeated field.
pub(super) struct Items<'s>(pub(super) &'s Field);

impl<'s, 'de> Visitor<'de> for With<'_, 's, 'de, Items<'s>> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let reader = self.reader;
        let field = self.what.0;
        let start = reader.out.position();
        if field.is_packed {
            reader.out.begin(field.number);
        }
        let begin = reader.out.position();
        let single = Single { field, keep: true, tag: !field.is_packed };
        reader.path.push(ValueStep::Item(0));
        while list.next_element_seed(reader.with(single))?.is_some() {
            if let Some(ValueStep::Item(index)) = reader.path.last_mut() {
                *index += 1;
            }
        }
        reader.path.pop();
        if field.is_packed {
            let empty = reader.out.position() == begin;
            reader.out.close();
            if empty {
                reader.out.truncate(start);
            }
        }
        Ok(())
    }
}
