//! What fuzz targets and seeded mutations do with the bytes of a message: read it, and hold it to the laws.

use std::path::Path;

use ckdiff::artifact::{Document, ReadOptions};
use ckdiff::json;
use ckdiff::message::{Message, Unknown};
use ckdiff::schema::{MessageType, Schema};
use ckdiff::text::{self, FieldNumbers, ParseOptions, PrintOptions, Style, UnknownFields};

use super::{everything, text_layout};

/// A type of a schema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Type {
    pub(crate) schema: &'static Schema,
    pub(crate) ty: &'static MessageType,
}

impl Type {
    /// A type of TensorFlow's schema, without its package.
    pub(crate) fn tensorflow(name: &str) -> Self {
        Self::of(Schema::tensorflow(), &format!("tensorflow.{name}"))
    }

    pub(crate) fn of(schema: &'static Schema, name: &str) -> Self {
        let ty = schema.message(name).unwrap_or_else(|| panic!("{name} is in the schema"));
        Self { schema, ty }
    }
}

/// The types that the first byte of an input picks from.
const TYPES: &[&str] = &["MetaGraphDef", "SavedModel", "TensorProto", "CheckpointState", "NodeDef"];

/// Those that it picks from beside them.
pub(crate) const EVERYTHING: &[&str] = &[
    "everything.All",
    "everything.Maps",
    "everything.WellKnown",
    "everything.Item",
    "google.protobuf.Value",
    "google.protobuf.Any",
];

/// The type that the first byte picks, and the other bytes.
fn pick(input: &[u8]) -> Option<(Type, &[u8])> {
    let (first, rest) = input.split_first()?;
    let number = usize::from(*first) % (TYPES.len() + EVERYTHING.len());
    let ty = match TYPES.get(number) {
        Some(name) => Type::tensorflow(name),
        None => Type::of(everything::schema(), EVERYTHING[number - TYPES.len()]),
    };
    Some((ty, rest))
}

/// Reads what follows the first byte as text. Returns whether it is a message.
pub(crate) fn parse_text(input: &[u8]) -> bool {
    pick(input).is_some_and(|(ty, text)| check_text(ty, text).is_ok())
}

/// Reads what follows the first byte as JSON. Returns whether it is a message.
pub(crate) fn parse_json(input: &[u8]) -> bool {
    pick(input).is_some_and(|(ty, text)| check_json(ty, text).is_ok())
}

/// Reads what follows the first byte as the binary format. Returns whether it is a message.
pub(crate) fn decode_message(input: &[u8]) -> bool {
    pick(input).is_some_and(|(ty, bytes)| check_binary(ty, bytes).is_ok())
}

/// Reads bytes of which nothing is known. Returns whether they are a document.
pub(crate) fn read_document(bytes: &[u8]) -> bool {
    let path = Path::new("input");
    Document::read(bytes, path, Schema::tensorflow(), &ReadOptions::default()).is_ok()
}

/// A number that depends on all of the bytes, so that not every input has to go every way.
fn lot(bytes: &[u8]) -> u8 {
    bytes.iter().fold(1, |lot: u8, byte| lot.wrapping_mul(5).wrapping_add(*byte))
}

/// What a text says, or why it is refused; the same in pieces, by several threads, and laid out anew.
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
        // What breaks the grammar is found before what breaks the schema, piece by piece.
        let by_threads = said(&read(text, ParseOptions { piece_bytes, threads: 3, ..whole }));
        assert_eq!(by_threads, parts, "pieces of {piece_bytes}");
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

/// What a JSON text says, or why it is refused.
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

/// What bytes say, or why they are refused.
pub(crate) fn check_binary(of: Type, bytes: &[u8]) -> ckdiff::Result<Message<'static>> {
    Message::decode(of.schema, of.ty, bytes.to_vec()).inspect(check_message)
}

/// A message is the same after each form it can be put in, but for what is said to be lost.
fn check_message(message: &Message<'_>) {
    let (schema, ty, bytes) = (message.schema(), message.ty(), message.bytes());
    let again = Message::decode(schema, ty, bytes.to_vec()).expect("it was decoded");
    assert_eq!(again.bytes(), bytes, "the canonical form is that of itself");
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
        // What is lost is lost once.
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
        json::print(&read, &options, &mut again).expect("what was read from JSON has JSON");
        assert!(again == text, "{}", text.escape_ascii());
    }
}

fn printed(message: &Message<'_>, options: &PrintOptions) -> (Vec<u8>, ckdiff::message::Losses) {
    let mut text = Vec::new();
    let losses = text::print(message, options, &mut text).expect("memory takes all");
    (text, losses)
}

/// What is printed is laid out already, and one line of it is laid out the same, unless that takes too many blanks.
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

/// JSON as it is by default, and with every option the other way.
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
