//! Prints wire bytes as text, in the style of TensorFlow or of protoc.
//!
//! ```text
//! message --split--> segments --printer, one or more threads--> sinks --in order--> out
//! ```
//! Source: `text_format.py` of protobuf 7.36, and the output of `protoc --decode` 3.21.12. Only a few buffers are in memory
//! at once, for a message of any size.

mod any;
mod block;
mod brief;
mod buffer;
mod escape;
mod printer;
mod split;
mod threads;
mod unknown;
mod value;

use std::io::Write;

pub(crate) use block::block;
pub(crate) use brief::{BriefValue, brief, cut};

use crate::error::Result;
use crate::message::{FloatStyle, Losses, Message};

use buffer::TextBuffer;
use printer::Printer;

/// The program whose output the text equals, byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// TensorFlow 2.21, with `export_meta_graph(as_text=True)` and `tf.io.write_graph`.
    TensorFlow,
    /// `protoc --decode` 3.21.12.
    Protoc,
}

impl Style {
    /// The notation of floating-point numbers.
    fn of_floats(self) -> FloatStyle {
        match self {
            Self::TensorFlow => FloatStyle::Python,
            Self::Protoc => FloatStyle::C,
        }
    }
}

/// How fields are printed that the schema does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownFields {
    /// Left out, and counted.
    LeaveOut,
    /// Printed by number, and counted. For people: a reader cannot tell their types.
    ByNumber,
}

/// Options for printing a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintOptions {
    /// The style of numbers and strings.
    pub style: Style,
    /// How fields are printed that the schema does not know.
    pub unknown_fields: UnknownFields,
    /// Print on one line, without a line feed at its end.
    pub single_line: bool,
    /// Print lists of numbers and enums as `[1, 2, 3]`.
    pub short_repeated: bool,
    /// Print an `Any` of a known type as its message: `[type.googleapis.com/full.Name] { … }`.
    pub expand_any: bool,
    /// Escape the characters of strings that control a terminal, are invisible, or change the order of others. The text has the same
    /// values.
    pub printable: bool,
    /// The number of threads, 0 for one per core. The text does not depend on it.
    pub threads: usize,
}

impl PrintOptions {
    /// The defaults of the style's program.
    ///
    /// TensorFlow leaves out unknown fields and expands `Any`; protoc prints unknown fields by number and `Any` as bytes.
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
            printable: false,
            threads: 1,
        }
    }
}

impl Default for PrintOptions {
    fn default() -> Self {
        Self::new(Style::TensorFlow)
    }
}

/// Prints a message; returns what the text cannot represent.
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
/// If `out` cannot be written to.
pub fn print(message: &Message<'_>, options: &PrintOptions, out: &mut dyn Write) -> Result<Losses> {
    let threads = crate::threads::count(options.threads);
    // Segments cannot form a single line: each ends with a space, and the line does not.
    if threads > 1 && !options.single_line && message.bytes().len() > 2 * split::LEN {
        return threads::print(message, options, threads, out);
    }
    let mut printer = Printer::new(message.schema(), options, TextBuffer::stream(out));
    printer.message(message.ty(), message.bytes())?;
    let (buffer, losses) = printer.finish();
    if options.single_line {
        buffer.finish_line()?
    } else {
        buffer.finish()?
    }
    Ok(losses)
}
