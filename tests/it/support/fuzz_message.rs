//! Runs of fuzz targets and seeded mutations on messages: reading, and the properties of messages.

use std::path::Path;

use ckdiff::artifact::{Document, ReadOptions};
use ckdiff::json;
use ckdiff::message::{Message, Unknown};
use ckdiff::schema::{MessageType, Schema};
use ckdiff::text::{self, FieldNumbers, ParseOptions, PrintOptions, Style, UnknownFields};

use super::{everything, text_layout};

/// A message type and its schema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Type {
    pub(crate) schema: &'static Schema,
    pub(crate) ty: &'static MessageType,
}

impl Type {
    /// A type of TensorFlow's schema, named without its package.
    pub(crate) fn tensorflow(name: &str) -> Self {
        Self::of(Schema::tensorflow(), &format!("tensorflow.{name}"))
    }

    pub(crate) fn of(schema: &'static Schema, name: &str) -> Self {
        let ty = schema.message(name).unwrap_or_else(|| panic!("{name} is not in the schema"));
        Self { schema, ty }
    }
}

/// TensorFlow's types that the first byte of an input picks from.
const TYPES: &[&str] = &["MetaGraphDef", "SavedModel", "TensorProto", "CheckpointState", "NodeDef"];

/// The other types that the first byte picks from.
pub(crate) const EVERYTHING: &[&str] = &[
    "everything.All",
    "everything.Maps",
    "everything.WellKnown",
    "everything.Item",
    "google.protobuf.Value",
    "google.protobuf.Any",
];

/// The type that the first byte picks, and the rest of the bytes.
fn pick(input: &[u8]) -> Option<(Type, &[u8])> {
    let (first, rest) = input.split_first()?;
    let number = usize::from(*first) % (TYPES.len() + EVERYTHING.len());
    let ty = match TYPES.get(number) {
        Some(name) => Type::tensorflow(name),
        None => Type::of(everything::schema(), EVERYTHING[number - TYPES.len()]),
    };
    Some((ty, rest))
}

/// Parses the bytes after the first as text. Returns whether they are a message.
pub(crate) fn parse_text(input: &[u8]) -> bool {
    pick(input).is_some_and(|(ty, text)| check_text(ty, text).is_ok())
}

/// Parses the bytes after the first as JSON. Returns whether they are a message.
pub(crate) fn parse_json(input: &[u8]) -> bool {
    pick(input).is_some_and(|(ty, text)| check_json(ty, text).is_ok())
}

/// Decodes the bytes after the first as binary. Returns whether they are a message.
pub(crate) fn decode_message(input: &[u8]) -> bool {
    pick(input).is_some_and(|(ty, bytes)| check_binary(ty, bytes).is_ok())
}

/// Reads bytes of unknown form and type. Returns whether they are a document.
pub(crate) fn read_document(bytes: &[u8]) -> bool {
    let path = Path::new("input");
    Document::read(bytes, path, Schema::tensorflow(), &ReadOptions::default()).is_ok()
}

/// Formats the bytes after the first three, which pick a message type, the indentation and the width. Returns whether they are a text.
pub(crate) fn format_text(input: &[u8]) -> bool {
    let Some((&[_, indent, width], text)) = input.split_first_chunk::<3>() else { return false };
    let Some((Type { schema, ty }, _)) = pick(input) else { return false };
    let options =
        text::LayoutOptions { indent: usize::from(indent % 9), width: usize::from(width) };
    let Some(laid_out) = text_layout::check_layout_with(text, options) else { return false };
    let message = |text: &[u8]| {
        let read = text::parse(schema, ty, text, &ParseOptions::default());
        read.map(|(message, _)| message.bytes().to_vec()).ok()
    };
    assert_eq!(message(text), message(&laid_out), "{}", laid_out.escape_ascii());
    true
}

/// A number derived from all bytes, by which each input takes only some of the checks.
fn lot(bytes: &[u8]) -> u8 {
    bytes.iter().fold(1, |lot: u8, byte| lot.wrapping_mul(5).wrapping_add(*byte))
}

/// Parses a text whole, in pieces, by several threads and formatted, and checks that the results are equal.
pub(crate) fn check_text(of: Type, text: &[u8]) -> ckdiff::Result<Message<'static>> {
    let Type { schema, ty } = of;
    let read = |text: &[u8], options: ParseOptions| {
        text::parse(schema, ty, text, &options).map(|(message, _)| message)
    };
    let whole = ParseOptions { piece_bytes: usize::MAX, threads: 1, ..ParseOptions::default() };
    let message = read(text, whole);
    let said = |read: &ckdiff::Result<Message<'_>>| match read {
        Ok(message) => Ok(message.bytes().to_vec()),
        Err(error) => Err(error.to_string()),
    };
    let lot = lot(text);
    let piece_bytes = if lot < 64 { 1 } else { usize::from(lot) };
    let parts = said(&read(text, ParseOptions { piece_bytes, ..whole }));
    let one = said(&message);
    let shown =
        || format!("{one:?} | in pieces of {piece_bytes}: {parts:?}\n{}", text.escape_ascii());
    assert!(one.as_ref().ok() == parts.as_ref().ok(), "{}", shown());
    if lot.is_multiple_of(4) {
        // Errors of the grammar come before errors of the schema, piece by piece, so only the pieces must be equal.
        let by_threads = said(&read(text, ParseOptions { piece_bytes, threads: 3, ..whole }));
        assert_eq!(by_threads, parts, "by threads, in pieces of {piece_bytes}");
    }
    if let Ok(message) = &message {
        let field_numbers = FieldNumbers::Accept;
        let lenient =
            ParseOptions { field_numbers, unknown: Unknown::Drop, partial: true, ..whole };
        assert_eq!(said(&read(text, lenient)), Ok(message.bytes().to_vec()));
    }
    if let Some(laid_out) = text_layout::check_layout(text) {
        let again = read(&laid_out, ParseOptions::default());
        assert_eq!(said(&again).ok(), one.ok(), "{}", laid_out.escape_ascii());
    }
    message.inspect(check_message)
}

/// Parses a JSON text and checks the properties of the message.
pub(crate) fn check_json(of: Type, text: &[u8]) -> ckdiff::Result<Message<'static>> {
    let read = |unknown| {
        let parsed = json::parse(of.schema, of.ty, text, &json::ParseOptions { unknown });
        parsed.map(|(message, _)| message)
    };
    let message = read(Unknown::Refuse);
    let lenient = read(Unknown::Drop);
    if let Ok(message) = &message {
        assert_eq!(message.bytes(), lenient.expect("nothing is unknown").bytes());
    }
    message.inspect(check_message)
}

/// Decodes bytes and checks the properties of the message.
pub(crate) fn check_binary(of: Type, bytes: &[u8]) -> ckdiff::Result<Message<'static>> {
    Message::decode(of.schema, of.ty, bytes.to_vec()).inspect(check_message)
}

/// Checks that a message is equal after a round trip through each form, except for the reported losses.
fn check_message(message: &Message<'_>) {
    let (schema, ty, bytes) = (message.schema(), message.ty(), message.bytes());
    let again =
        Message::decode(schema, ty, bytes.to_vec()).expect("the message was decoded before");
    assert_eq!(again.bytes(), bytes, "the canonical form is stable");
    let lot = lot(bytes);
    let style = if lot.is_multiple_of(2) { Style::TensorFlow } else { Style::Protoc };
    let short_repeated = (lot / 2).is_multiple_of(2);
    let unknown_fields = UnknownFields::LeaveOut;
    let lines = PrintOptions { unknown_fields, short_repeated, ..PrintOptions::new(style) };
    let (text, losses) = printed(message, &lines);
    let (read, _) = text::parse(schema, ty, &*text, &ParseOptions::default())
        .unwrap_or_else(|error| panic!("{error}\n{}", text.escape_ascii()));
    if losses.is_empty() {
        assert!(read.bytes() == bytes, "{}", text.escape_ascii());
    } else {
        // A second round trip loses nothing more.
        assert!(printed(&read, &lines).0 == text, "{}", text.escape_ascii());
    }
    check_layouts(message, &lines, &text);
    let unknown_fields = UnknownFields::ByNumber;
    assert_eq!(printed(message, &PrintOptions { unknown_fields, ..lines }).1, losses);
    for options in json_options() {
        let mut text = Vec::new();
        let Ok(losses) = json::print(message, &options, &mut text) else { continue };
        let (read, _) = json::parse(schema, ty, &text, &json::ParseOptions::default())
            .unwrap_or_else(|error| {
                panic!("{error}\n{}\n{}", text.escape_ascii(), bytes.escape_ascii())
            });
        if losses.is_empty() {
            assert!(read.bytes() == bytes, "{}", text.escape_ascii());
            continue;
        }
        let mut again = Vec::new();
        json::print(&read, &options, &mut again)
            .expect("a message that was read from JSON has a JSON form");
        assert!(again == text, "{}", text.escape_ascii());
    }
}

fn printed(message: &Message<'_>, options: &PrintOptions) -> (Vec<u8>, ckdiff::message::Losses) {
    let mut text = Vec::new();
    let losses = text::print(message, options, &mut text).expect("writing to memory succeeds");
    (text, losses)
}

/// Checks that printed text is already formatted, and that a single line formats to the same text if depth permits.
fn check_layouts(message: &Message<'_>, lines: &PrintOptions, text: &[u8]) {
    let layout = text::LayoutOptions::default();
    let laid_out = match text::format(text, &layout) {
        Ok(laid_out) => laid_out,
        Err(error) => return assert!(error.to_string().contains("nested too deeply"), "{error}"),
    };
    assert!(laid_out == text, "printed text is laid out: {}", text.escape_ascii());
    let (line, _) = printed(message, &PrintOptions { single_line: true, ..*lines });
    match text::format(&line, &layout) {
        Ok(from_line) => assert!(from_line == laid_out, "{}", line.escape_ascii()),
        Err(error) => assert!(error.to_string().contains("nested too deeply"), "{error}"),
    }
}

/// The default options of JSON, and the opposite of each.
fn json_options() -> [json::PrintOptions; 2] {
    let unknown = Unknown::Drop;
    let other = json::PrintOptions {
        names: json::FieldNames::Original,
        enums: json::Enums::Numbers,
        defaults: true,
        layout: json::Layout::Compact,
        unknown,
    };
    [json::PrintOptions { unknown, ..json::PrintOptions::default() }, other]
}
