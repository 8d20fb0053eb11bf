//! JSON → wire bytes.
//!
//! serde_json finds the values, the schema says what each has to be, and what it is goes to the [`Writer`] at once.
//! Names of unknown fields and payloads of `Any` are passed over without a tree and without recursion.
//!
//! [`Writer`]: crate::message::Writer

mod any;
mod fields;
mod locate;
mod map;
mod reader;
mod scalar;
mod trouble;
mod value;

use std::thread;

use reader::Reader;

use super::ParseOptions;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::message::{Losses, MAX_DEPTH, Message};
use crate::schema::{MessageType, Schema};

/// How deep a message is read on the stack of the caller, of which nothing is known.
const SHALLOW: usize = 40;

/// What `MAX_DEPTH` levels need without optimisation, and as much again.
const DEEP_STACK: usize = 64 << 20;

/// See [`super::parse`].
pub(super) fn parse<'s>(
    schema: &'s Schema,
    ty: &'s MessageType,
    input: &[u8],
    options: &ParseOptions,
) -> Result<(Message<'s>, Losses)> {
    let text = utf8(input)?;
    match attempt(schema, ty, text, options, SHALLOW) {
        Err(Refusal::TooDeep(_)) => {}
        Err(Refusal::Other(error)) => return Err(error),
        Ok(read) => return Ok(read),
    }
    let deep = || attempt(schema, ty, text, options, MAX_DEPTH);
    let read = thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(DEEP_STACK).spawn_scoped(scope, deep);
        let thread = thread.map_err(|error| Refusal::Other(Error::io("start a thread", error)))?;
        match thread.join() {
            Ok(read) => read,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    read.map_err(|refusal| match refusal {
        Refusal::TooDeep(error) | Refusal::Other(error) => error,
    })
}

/// Why a text is not read.
enum Refusal {
    /// Messages are nested deeper than was allowed.
    TooDeep(Error),
    Other(Error),
}

fn attempt<'s>(
    schema: &'s Schema,
    ty: &'s MessageType,
    text: &str,
    options: &ParseOptions,
    max_depth: usize,
) -> Result<(Message<'s>, Losses), Refusal> {
    let mut reader = Reader::new(schema, text, options.unknown, max_depth);
    let mut json = serde_json::Deserializer::from_str(text);
    // The reader counts messages, and what it passes over is passed over without recursion.
    json.disable_recursion_limit();
    let read = reader.message(ty, &mut json).and_then(|()| json.end());
    if let Err(error) = read {
        reader.settle(&error, text);
    }
    match reader.failure {
        Some(error) if reader.too_deep => Err(Refusal::TooDeep(error)),
        Some(error) => Err(Refusal::Other(error)),
        None => {
            let message = Message::decode(schema, ty, reader.out.finish());
            let read = message.map(|message| (message, reader.losses));
            read.map_err(|error| Refusal::Other(error.without_offset()))
        }
    }
}

/// The text, which JSON has in UTF-8 and without a byte order mark.
fn utf8(input: &[u8]) -> Result<&str> {
    let refused = |message: String, offset| {
        Err(Error::from(ErrorKind::Syntax(message)).at_place(Place::of(input, offset)))
    };
    match std::str::from_utf8(input) {
        Ok(text) if text.starts_with('\u{feff}') => {
            refused("found a byte order mark, which JSON has not".to_owned(), 0)
        }
        Ok(text) => Ok(text),
        Err(error) => {
            let at = error.valid_up_to();
            let byte = input.get(at).copied().unwrap_or(0);
            refused(format!("found the byte {byte:#04x}, which is not UTF-8"), at)
        }
    }
}
