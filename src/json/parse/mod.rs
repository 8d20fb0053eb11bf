//! Parsing: JSON to wire bytes.
//!
//! serde_json tokenizes, the schema determines the type of each value, and values go directly to the [`Writer`].
//! Unknown fields and payloads of `Any` are skipped without a tree and without recursion.
//!
//! [`Writer`]: crate::message::Writer

mod any;
mod diagnostics;
mod fields;
mod locate;
mod map;
mod reader;
mod scalar;
mod single;
mod value;

use std::thread;

use reader::Reader;

use super::ParseOptions;
use crate::error::{Error, Location, Result};
use crate::message::{Losses, MAX_DEPTH, Message};
use crate::schema::{MessageType, Schema};

/// The depth up to which messages are parsed on the caller's stack, whose size is unknown.
const SHALLOW: usize = 40;

/// Twice the stack that `MAX_DEPTH` levels need in an unoptimized build.
const DEEP_STACK: usize = 64 << 20;

/// See [`super::parse`].
pub(super) fn parse<'s>(
    schema: &'s Schema,
    ty: &'s MessageType,
    input: &[u8],
    options: &ParseOptions,
) -> Result<(Message<'s>, Losses)> {
    let text = utf8(input)?;
    match parse_to_depth(schema, ty, text, options, SHALLOW) {
        Err(Failure::TooDeep(_)) => {}
        Err(Failure::Other(error)) => return Err(error),
        Ok(read) => return Ok(read),
    }
    let deep = || parse_to_depth(schema, ty, text, options, MAX_DEPTH);
    let read = thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(DEEP_STACK).spawn_scoped(scope, deep);
        let thread = thread.map_err(|error| Failure::Other(Error::io("start a thread", error)))?;
        match thread.join() {
            Ok(read) => read,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    read.map_err(|refusal| match refusal {
        Failure::TooDeep(error) | Failure::Other(error) => error,
    })
}

/// The reason why an attempt failed.
enum Failure {
    /// Messages are nested deeper than this attempt allowed.
    TooDeep(Error),
    Other(Error),
}

fn parse_to_depth<'s>(
    schema: &'s Schema,
    ty: &'s MessageType,
    text: &str,
    options: &ParseOptions,
    max_depth: usize,
) -> Result<(Message<'s>, Losses), Failure> {
    let mut reader = Reader::new(schema, text, options.unknown, max_depth);
    let mut json = serde_json::Deserializer::from_str(text);
    // The reader bounds the depth of messages itself, and skips values without recursion.
    json.disable_recursion_limit();
    let read = reader.message(ty, &mut json).and_then(|()| json.end());
    if let Err(error) = read {
        reader.record_serde_error(&error, text);
    }
    match reader.failure {
        Some(error) if reader.too_deep => Err(Failure::TooDeep(error)),
        Some(error) => Err(Failure::Other(error)),
        None => {
            let message = Message::decode(schema, ty, reader.out.finish());
            let read = message.map(|message| (message, reader.losses));
            read.map_err(|error| Failure::Other(error.without_offset()))
        }
    }
}

/// Checks that `input` is UTF-8 without a byte order mark, as RFC 8259 requires.
fn utf8(input: &[u8]) -> Result<&str> {
    let refused = |message: String, offset| {
        Err(Error::syntax(message).at_location(Location::of(input, offset)))
    };
    match std::str::from_utf8(input) {
        Ok(text) if text.starts_with('\u{feff}') => {
            refused("expected JSON, found a byte order mark".to_owned(), 0)
        }
        Ok(text) => Ok(text),
        Err(error) => {
            let at = error.valid_up_to();
            let byte = input.get(at).copied().unwrap_or(0);
            refused(format!("expected UTF-8, found the byte {byte:#04x}"), at)
        }
    }
}
