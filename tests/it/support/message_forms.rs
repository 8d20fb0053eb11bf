//! Messages of TensorFlow's schema in each form.

use std::path::Path;

use ckdiff::artifact::{Document, Form, ReadOptions};
use ckdiff::message::{Losses, Message};
use ckdiff::schema::{MessageType, Schema};
use ckdiff::text::{self, ParseOptions, PrintOptions, Style};
use ckdiff::{Result, json};

pub(crate) fn ty(name: &str) -> &'static MessageType {
    Schema::tensorflow().message(name).unwrap_or_else(|| panic!("{name} is not in the schema"))
}

/// The message of this type with these wire bytes.
pub(crate) fn decoded(name: &str, bytes: Vec<u8>) -> Message<'static> {
    Message::decode(Schema::tensorflow(), ty(name), bytes).unwrap()
}

/// The message of this type with this text.
#[track_caller]
pub(crate) fn parsed(name: &str, text: &str) -> Message<'static> {
    from_text(ty(name), text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The document of this type and form with these bytes.
#[track_caller]
pub(crate) fn document(name: &str, form: Form, bytes: &[u8]) -> Document<'static> {
    let options =
        ReadOptions { message: Some(name.into()), form: Some(form), ..ReadOptions::default() };
    Document::read(bytes, Path::new("a"), Schema::tensorflow(), &options).unwrap()
}

/// The document in a file of the corpus.
pub(crate) fn opened(path: impl AsRef<Path>) -> Document<'static> {
    Document::open(path, Schema::tensorflow(), &ReadOptions::default()).unwrap()
}

pub(crate) fn text_of(message: &Message<'_>, options: &PrintOptions) -> (Vec<u8>, Losses) {
    let mut out = Vec::new();
    let losses = text::print(message, options, &mut out).unwrap();
    (out, losses)
}

pub(crate) fn json_of(
    message: &Message<'_>,
    options: &json::PrintOptions,
) -> Result<(Vec<u8>, Losses)> {
    let mut out = Vec::new();
    let losses = json::print(message, options, &mut out)?;
    Ok((out, losses))
}

pub(crate) fn from_text(ty: &'static MessageType, text: &[u8]) -> Result<Message<'static>> {
    let parsed = text::parse(Schema::tensorflow(), ty, text, &ParseOptions::default());
    parsed.map(|(message, _)| message)
}

pub(crate) fn from_json(ty: &'static MessageType, text: &[u8]) -> Result<Message<'static>> {
    let parsed = json::parse(Schema::tensorflow(), ty, text, &json::ParseOptions::default());
    parsed.map(|(message, _)| message)
}

/// All options for printing text that can be read back.
pub(crate) fn print_options() -> Vec<PrintOptions> {
    let mut all = Vec::new();
    for style in [Style::TensorFlow, Style::Protoc] {
        for (single_line, short_repeated) in [(false, false), (true, true)] {
            for expand_any in [false, true] {
                let unknown_fields = text::UnknownFields::LeaveOut;
                let style = PrintOptions::new(style);
                all.push(PrintOptions {
                    single_line,
                    short_repeated,
                    expand_any,
                    unknown_fields,
                    ..style
                });
            }
        }
    }
    all
}
