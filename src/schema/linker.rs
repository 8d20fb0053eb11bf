//! Builds a [`Schema`] from descriptors: resolves the names of types, and the features of editions.

use std::collections::BTreeMap;

use prost::Message as _;

use super::descriptor::{self, FileDescriptorSet};
use super::features::{Features, Presence};
use super::finish::{finish, mark_required};
use super::known_type::KnownType;
use super::name_table::NameTable;
use super::types::{
    Cardinality, EnumId, EnumType, Field, Kind, MessageId, MessageType, Oneof, SCALARS, Schema,
    WellKnown,
};
use crate::error::{Error, Result, abridged};

impl Schema {
    /// The schema of a serialized `FileDescriptorSet`, which must include every imported file, in any order.
    ///
    /// Proto2, proto3 and editions 2023 and 2024. Services and most options are ignored.
    ///
    /// # Errors
    /// If the bytes are not such a set, a type is missing or defined twice, or an edition is unknown.
    pub fn from_descriptor_set(bytes: &[u8]) -> Result<Self> {
        let set = FileDescriptorSet::decode(bytes).map_err(|error| {
            // It repeats the path of the field for each level of nesting.
            let error = error.to_string();
            let kind = format!("this is not a FileDescriptorSet: {}", abridged(&error));
            Error::syntax(kind)
        })?;
        let mut linker = Linker::default();
        for file in &set.file {
            let features = Features::of_syntax(&file.syntax, file.edition)?
                .with(file.options.as_ref().and_then(|options| options.features.as_ref()));
            let scope = Declaration { prefix: &file.package, features };
            linker.declare_all(&scope, &file.message_type, &file.enum_type, &file.extension)?;
        }
        linker.link()
    }
}

/// The scope of a declaration.
struct Declaration<'a> {
    /// The full name of the package or message.
    prefix: &'a str,
    features: Features,
}

impl Declaration<'_> {
    fn full_name(&self, name: &str) -> String {
        if self.prefix.is_empty() { name.to_owned() } else { format!("{}.{name}", self.prefix) }
    }
}

/// The declarations, before their types are resolved.
#[derive(Default)]
struct Linker<'a> {
    types: BTreeMap<String, Declared>,
    messages: Vec<(&'a descriptor::MessageType, String, Features)>,
    enums: Vec<EnumType>,
    extensions: Vec<(&'a descriptor::Field, String, Features)>,
}

#[derive(Clone, Copy)]
enum Declared {
    Message(MessageId),
    Enum(EnumId),
}

impl<'a> Linker<'a> {
    fn declare_all(
        &mut self,
        scope: &Declaration<'_>,
        messages: &'a [descriptor::MessageType],
        enums: &'a [descriptor::EnumType],
        extensions: &'a [descriptor::Field],
    ) -> Result<()> {
        for declared in enums {
            let full_name = scope.full_name(&declared.name);
            let id = EnumId(number_of(self.enums.len())?);
            self.declare(&full_name, Declared::Enum(id))?;
            self.enums.push(enum_type(declared, full_name, scope.features));
        }
        for declared in extensions {
            let full_name = scope.full_name(&declared.name);
            self.extensions.push((declared, full_name, scope.features));
        }
        for declared in messages {
            let full_name = scope.full_name(&declared.name);
            let options = declared.options.as_ref();
            let features = scope.features.with(options.and_then(|o| o.features.as_ref()));
            let id = MessageId(number_of(self.messages.len())?);
            self.declare(&full_name, Declared::Message(id))?;
            self.messages.push((declared, full_name.clone(), features));
            let inner = Declaration { prefix: &full_name, features };
            self.declare_all(
                &inner,
                &declared.nested_type,
                &declared.enum_type,
                &declared.extension,
            )?;
        }
        Ok(())
    }

    fn declare(&mut self, full_name: &str, declared: Declared) -> Result<()> {
        match self.types.insert(full_name.to_owned(), declared) {
            None => Ok(()),
            Some(_) => {
                Err(Error::unexpected("type", format_args!("{full_name} twice"), "one definition"))
            }
        }
    }

    fn link(self) -> Result<Schema> {
        let mut messages = Vec::with_capacity(self.messages.len());
        for (id, (declared, full_name, features)) in (0..).map(MessageId).zip(&self.messages) {
            messages.push(self.message(id, declared, full_name, *features)?);
        }
        let mut extensions = Vec::new();
        for (declared, full_name, features) in &self.extensions {
            let extended = self.message_id(&declared.extendee, full_name)?;
            let field = self.field(declared, full_name, *features)?;
            extensions.push((full_name.as_str().into(), extended, field.number));
            if let Some(message) = messages.get_mut(extended.0 as usize) {
                message.fields.push(field);
            }
        }
        extensions.sort();
        for message in &mut messages {
            finish(message)?;
        }
        let mut by_name: Vec<_> =
            messages.iter().map(|message| (message.full_name.clone(), message.id)).collect();
        by_name.sort();
        let mut schema = Schema { messages, enums: self.enums, by_name, extensions };
        mark_required(&mut schema);
        Ok(schema)
    }

    fn message(
        &self,
        id: MessageId,
        declared: &descriptor::MessageType,
        full_name: &str,
        features: Features,
    ) -> Result<MessageType> {
        let oneof_features: Vec<_> = declared
            .oneof_decl
            .iter()
            .map(|oneof| features.with(oneof.options.as_ref().and_then(|o| o.features.as_ref())))
            .collect();
        let options = declared.options.clone().unwrap_or_default();
        let mut fields = Vec::with_capacity(declared.field.len());
        for field in &declared.field {
            let oneof = oneof_index(field);
            let parent = oneof.and_then(|oneof| oneof_features.get(oneof)).unwrap_or(&features);
            let mut linked = self.field(field, full_name, *parent)?;
            if options.map_entry {
                // Keys and values are always written, and never as groups.
                linked.has_presence = true;
                if let Kind::Group(id) = linked.kind {
                    linked.kind = Kind::Message(id);
                    linked.wire_type = linked.kind.wire_type();
                }
            }
            linked.oneof = oneof.and_then(|oneof| u16::try_from(oneof).ok());
            fields.push(linked);
        }
        let oneofs = declared.oneof_decl.iter();
        Ok(MessageType {
            id,
            full_name: full_name.into(),
            fields,
            oneofs: oneofs.map(|o| Oneof { name: (*o.name).into(), fields: Vec::new() }).collect(),
            reserved_names: declared.reserved_name.iter().map(|name| (**name).into()).collect(),
            is_map_entry: options.map_entry,
            is_message_set: options.message_set_wire_format,
            has_required: false,
            well_known: WellKnown::of(full_name),
            known: KnownType::of(full_name),
            dense: Box::default(),
            by_name: NameTable::default(),
            by_json_name: NameTable::default(),
        })
    }

    /// A field of the message `scope`, or the extension with the full name `scope`.
    fn field(&self, declared: &descriptor::Field, scope: &str, parent: Features) -> Result<Field> {
        let options = declared.options.as_ref();
        let features = parent.with(options.and_then(|options| options.features.as_ref()));
        let is_extension = !declared.extendee.is_empty();
        let kind = self.kind(declared, scope, features)?;
        let cardinality = self.cardinality(declared, kind, features);
        let kind = match kind {
            Kind::Group(id) if cardinality == Cardinality::Map => Kind::Message(id),
            kind => kind,
        };
        let is_packable =
            !matches!(kind, Kind::String | Kind::Bytes | Kind::Message(_) | Kind::Group(_))
                && cardinality == Cardinality::Repeated;
        let packed = options.and_then(|options| options.packed).unwrap_or(features.packed);
        let name: Box<str> = if is_extension { scope.into() } else { (*declared.name).into() };
        let bracketed = || format!("[{name}]").into_boxed_str();
        let json_name = match &declared.json_name {
            _ if is_extension => bracketed(),
            Some(given) => given.as_str().into(),
            None => lower_camel(&name),
        };
        let text_name = match kind {
            _ if is_extension => bracketed(),
            Kind::Group(id) => self.group_name(id, scope, &name),
            _ => name.clone(),
        };
        let has_presence = kind.message().is_some()
            || declared.oneof_index.is_some()
            || declared.proto3_optional
            || is_extension
            || features.presence != Presence::Implicit;
        Ok(Field {
            text_name,
            json_name,
            number: number(declared, scope)?,
            kind,
            wire_type: kind.wire_type(),
            cardinality,
            has_presence,
            is_implicit: !has_presence,
            is_packed: is_packable && packed,
            is_utf8: kind == Kind::String && features.utf8,
            is_extension,
            oneof: None,
            position: 0,
            name,
        })
    }

    /// The cardinality of a field.
    fn cardinality(
        &self,
        declared: &descriptor::Field,
        kind: Kind,
        features: Features,
    ) -> Cardinality {
        let is_required = declared.label == 2 || features.presence == Presence::Required;
        match declared.label {
            3 if kind.message().is_some_and(|id| self.is_map_entry(id)) => Cardinality::Map,
            3 => Cardinality::Repeated,
            // Members of oneofs and extensions are never required, even if they inherit the feature.
            _ if is_required && declared.oneof_index.is_none() && declared.extendee.is_empty() => {
                Cardinality::Required
            }
            _ => Cardinality::Singular,
        }
    }

    fn kind(&self, field: &descriptor::Field, scope: &str, features: Features) -> Result<Kind> {
        Ok(match field.r#type {
            10 => Kind::Group(self.message_id(&field.type_name, scope)?),
            11 if features.delimited => Kind::Group(self.message_id(&field.type_name, scope)?),
            11 => Kind::Message(self.message_id(&field.type_name, scope)?),
            14 => Kind::Enum(self.enum_id(&field.type_name, scope)?),
            code => match SCALARS.iter().find(|(known, ..)| *known == code) {
                Some((.., kind)) => *kind,
                None => {
                    let expected = format!("1 to 18 in {scope}");
                    return Err(Error::unexpected("type of a field", code, expected));
                }
            },
        })
    }

    fn message_id(&self, name: &str, scope: &str) -> Result<MessageId> {
        match self.types.get(name.trim_start_matches('.')) {
            Some(Declared::Message(id)) => Ok(*id),
            _ => Err(missing("message", name, scope)),
        }
    }

    fn enum_id(&self, name: &str, scope: &str) -> Result<EnumId> {
        match self.types.get(name.trim_start_matches('.')) {
            Some(Declared::Enum(id)) => Ok(*id),
            _ => Err(missing("enum", name, scope)),
        }
    }

    fn is_map_entry(&self, id: MessageId) -> bool {
        let declared = self.messages.get(id.0 as usize);
        declared.is_some_and(|(message, ..)| message.options.as_ref().is_some_and(|o| o.map_entry))
    }

    /// The name of a group in the text format: that of its type if the type is declared with the field, as in proto2.
    fn group_name(&self, id: MessageId, scope: &str, field: &str) -> Box<str> {
        let full_name = self.messages.get(id.0 as usize).map_or("", |(_, full_name, _)| full_name);
        match full_name.strip_prefix(scope).and_then(|rest| rest.strip_prefix('.')) {
            Some(name) if name.to_ascii_lowercase() == field => name.into(),
            _ => field.into(),
        }
    }
}

/// Checks the number of a field, for which the wire format has 29 bits.
fn number(declared: &descriptor::Field, scope: &str) -> Result<u32> {
    let number = u32::try_from(declared.number).ok().filter(|number| (1..1 << 29).contains(number));
    number.ok_or_else(|| {
        let expected = format!("1 to 2^29 - 1 in {scope}");
        Error::unexpected("number of a field", declared.number, expected)
    })
}

fn missing(what: &str, name: &str, scope: &str) -> Error {
    Error::unexpected("type of a field", name, format!("a known {what} in {scope}"))
}

fn number_of(len: usize) -> Result<u32> {
    u32::try_from(len).map_err(|_| Error::unexpected("number of types", len, "at most 2^32 - 1"))
}

/// The oneof of a field, unless it is the synthetic one of a proto3 `optional` field.
fn oneof_index(field: &descriptor::Field) -> Option<usize> {
    field.oneof_index.filter(|_| !field.proto3_optional).and_then(|i| usize::try_from(i).ok())
}

fn enum_type(declared: &descriptor::EnumType, full_name: String, features: Features) -> EnumType {
    let features = features.with(declared.options.as_ref().and_then(|o| o.features.as_ref()));
    let mut values: Vec<(i32, Box<str>)> =
        declared.value.iter().map(|value| (value.number, (*value.name).into())).collect();
    // The sort is stable: of aliases, the first stays.
    values.sort_by_key(|(number, _)| *number);
    values.dedup_by_key(|(number, _)| *number);
    EnumType {
        full_name: full_name.into(),
        is_closed: features.closed,
        default: declared.value.first().map_or(0, |value| value.number),
        values,
        by_name: NameTable::new(declared.value.iter().map(|value| &*value.name).zip(0..)),
        numbers: declared.value.iter().map(|value| value.number).collect(),
    }
}

/// The name in JSON: without underscores, and with an upper case letter after each.
fn lower_camel(name: &str) -> Box<str> {
    let mut out = String::with_capacity(name.len());
    let mut raised = false;
    for c in name.chars() {
        match c {
            '_' => raised = true,
            c if raised => {
                out.extend(c.to_uppercase());
                raised = false;
            }
            c => out.push(c),
        }
    }
    out.into()
}
