//! From wire bytes to text, in the two forms that people have.
//!
//! ```text
//! message --split--> units --printer, one or more threads--> sinks --in order--> out
//! ```
//! Source: `text_format.py` of protobuf 7.36, and what `protoc --decode` 3.21.12 writes. Never more than a few buffers are
//! held, whatever the size of the message.

mod any;
mod block;
mod brief;
mod decimal;
mod escape;
mod float;
mod printer;
mod sink;
mod split;
mod threads;
mod unknown;
mod value;

use std::io::Write;

pub(crate) use block::block;
pub(crate) use brief::{Shown, brief};

use crate::error::Result;
use crate::message::{Losses, Message};

use printer::Printer;
use sink::Sink;

/// Whose text it is, byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// That of TensorFlow 2.21, as `export_meta_graph(as_text=True)` and `tf.io.write_graph` write it.
    TensorFlow,
    /// That of `protoc --decode` 3.21.12.
    Protoc,
}

/// What becomes of fields that the schema does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownFields {
    /// They are left out, and counted.
    LeaveOut,
    /// They are shown, by number: for people, since nothing tells their types to who reads it. Counted too.
    ByNumber,
}

/// How a message is printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintOptions {
    /// How numbers and strings are spelled, and what is left out.
    pub style: Style,
    /// What becomes of fields that the schema does not know.
    pub unknown_fields: UnknownFields,
    /// Everything in one line, without a newline at its end.
    pub single_line: bool,
    /// Lists of numbers and enums as `[1, 2, 3]`.
    pub short_repeated: bool,
    /// An `Any` whose type the schema knows as what it holds: `[type.googleapis.com/full.Name] { … }`.
    pub expand_any: bool,
    /// How many threads print, 0 for one per core; the text is the same.
    pub threads: usize,
}

impl PrintOptions {
    /// What the style's program does.
    ///
    /// TensorFlow leaves unknown fields out and expands `Any`; protoc shows the former by number and the latter as
    /// bytes.
    pub fn new(style: Style) -> Self {
        Self {
            style,
            unknown_fields: match style {
                Style::TensorFlow => UnknownFields::LeaveOut,
                Style::Protoc => UnknownFields::ByNumber,
            },
            single_line: false,
            short_repeated: false,
            expand_any: style == Style::TensorFlow,
            threads: 1,
        }
    }
}

impl Default for PrintOptions {
    fn default() -> Self {
        Self::new(Style::TensorFlow)
    }
}

/// Prints a message; returns what the text cannot carry.
///
/// ```
/// use ckdiff::message::Message;
/// use ckdiff::schema::Schema;
/// use ckdiff::text::{PrintOptions, print};
///
/// let schema = Schema::tensorflow();
/// let ty = schema.message("tensorflow.VersionDef").unwrap();
/// let versions = Message::decode(schema, ty, vec![0x08, 27, 0x1a, 2, 5, 6])?;
/// let mut text = Vec::new();
/// let losses = print(&versions, &PrintOptions::default(), &mut text)?;
/// assert_eq!(text, b"producer: 27\nbad_consumers: 5\nbad_consumers: 6\n");
/// assert!(losses.is_empty());
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// When `out` cannot be written to.
pub fn print(message: &Message<'_>, options: &PrintOptions, out: &mut dyn Write) -> Result<Losses> {
    let threads = crate::threads::count(options.threads);
    // A line cannot be put together from parts: it ends without the space that each part ends with.
    if threads > 1 && !options.single_line && message.bytes().len() > 2 * split::LEN {
        return threads::print(message, options, threads, out);
    }
    let mut printer = Printer::new(message.schema(), options, Sink::stream(out));
    printer.message(message.ty(), message.bytes())?;
    let (sink, losses) = printer.finish();
    if options.single_line {
        sink.finish_line()?
    } else {
        sink.finish()?
    }
    Ok(losses)
}
