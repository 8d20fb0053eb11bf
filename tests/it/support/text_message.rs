//! Messages printed as text.

use ckdiff::message::{Losses, Message};
use ckdiff::schema::Schema;
use ckdiff::text::{PrintOptions, Style, print};

pub(crate) const STYLES: [Style; 2] = [Style::TensorFlow, Style::Protoc];

/// The text of a message of TensorFlow's, and its losses.
pub(crate) fn printed_all(ty: &str, bytes: &[u8], options: &PrintOptions) -> (String, Losses) {
    printed_with(Schema::tensorflow(), ty, bytes, options)
}

pub(crate) fn printed_with(
    schema: &Schema,
    ty: &str,
    bytes: &[u8],
    options: &PrintOptions,
) -> (String, Losses) {
    let ty = schema.message(ty).unwrap();
    let message = Message::decode_partial(schema, ty, bytes.to_vec()).unwrap();
    let mut text = Vec::new();
    let losses = print(&message, options, &mut text).unwrap();
    (String::from_utf8(text).unwrap(), losses)
}

pub(crate) fn printed(ty: &str, bytes: &[u8], style: Style) -> String {
    printed_all(ty, bytes, &PrintOptions::new(style)).0
}
