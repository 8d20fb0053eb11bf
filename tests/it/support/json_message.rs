//! Conversions of messages from and to JSON.

use ckdiff::json::{Enums, FieldNames, Layout, ParseOptions, PrintOptions, parse, print};
use ckdiff::message::{Losses, Message, Unknown};
use ckdiff::schema::Schema;
use prost_reflect::DescriptorPool;

pub(crate) const COMPACT: PrintOptions = PrintOptions {
    names: FieldNames::LowerCamel,
    enums: Enums::Names,
    defaults: false,
    layout: Layout::Compact,
    unknown: Unknown::Refuse,
};

pub(crate) fn read<'s>(schema: &'s Schema, name: &str, text: &[u8]) -> ckdiff::Result<Message<'s>> {
    let ty = schema.message(name).expect("the schema has it");
    parse(schema, ty, text, &ParseOptions::default()).map(|(message, losses)| {
        assert_eq!(losses, Losses::default());
        message
    })
}

pub(crate) fn decoded<'s>(schema: &'s Schema, name: &str, bytes: Vec<u8>) -> Message<'s> {
    Message::decode(schema, schema.message(name).expect("the schema has it"), bytes).unwrap()
}

pub(crate) fn written(
    message: &Message<'_>,
    options: &PrintOptions,
) -> ckdiff::Result<(String, Losses)> {
    let mut out = Vec::new();
    let losses = print(message, options, &mut out)?;
    Ok((String::from_utf8(out).expect("JSON is UTF-8"), losses))
}

/// The cases whose result is not the expected one, with both.
pub(crate) fn not_as_expected<'a>(
    schema: &Schema,
    cases: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>,
) -> String {
    let mut wrong = String::new();
    for (name, text, expected) in cases {
        let said = match read(schema, name, text.as_bytes()) {
            Ok(message) => format!("read as {:?}", message.bytes()),
            Err(error) => error.to_string(),
        };
        if said != expected {
            wrong += &format!("{name}: {text}\n  {said}\n  {expected}\n");
        }
    }
    wrong
}

/// The schema of the well-known types, the package `google.protobuf`.
pub(crate) fn well_known() -> Schema {
    Schema::from_descriptor_set(&DescriptorPool::global().encode_to_vec()).unwrap()
}
