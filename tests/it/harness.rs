//! What fuzz targets and seeded mutations do with bytes: read everything there is in them.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use ckdiff::bytes::{Limits, Memory};
use ckdiff::checkpoint::Checkpoint;
use ckdiff::json;
use ckdiff::message::{Message, Unknown};
use ckdiff::schema::{MessageType, Schema};
use ckdiff::table::Table;
use ckdiff::tensor::TensorSource;
use ckdiff::text::{self, ParseOptions, PrintOptions, Style, UnknownFields};

use crate::text_said;

/// Bounds a machine under test can bear.
pub(crate) fn limits() -> Limits {
    Limits { tensor_bytes: 1 << 26, ..Limits::default() }
}

/// Walks all of a table.
pub(crate) fn open_table(bytes: &[u8]) {
    let limits = limits();
    let Ok(table) = Table::open(Arc::new(Memory(bytes.into())), &limits) else {
        return;
    };
    let damage = table.scan(&mut |_, value| match value.bytes(limits.entry_bytes) {
        Ok(_) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    });
    for error in damage {
        assert!(!error.to_string().is_empty());
    }
}

/// A tensor as it was read: type, shape, content.
pub(crate) type Read = (String, Result<(String, Vec<u8>), ckdiff::Error>);

/// Reads every tensor, in chunks of `chunk` elements; `Err` when the checkpoint does not open or is damaged itself.
pub(crate) fn read_all(path: &Path, chunk: usize) -> Result<Vec<Read>, ckdiff::Error> {
    let checkpoint = Checkpoint::open_with(path, &limits())?;
    let read = checkpoint.tensors().map(|entry| {
        let content = entry.source.as_ref().map_err(Clone::clone).and_then(|source| {
            let kind = format!("{} {}", source.dtype(), source.shape());
            if let Some(extent) = source.extent() {
                assert!(source.dtype().size().is_some(), "{extent:?}");
            }
            source.fingerprint();
            Ok((kind, read(&**source, chunk)?))
        });
        (entry.name.printable(), content)
    });
    let read = read.collect();
    match checkpoint.damage().first() {
        Some(error) => Err(error.clone()),
        None => Ok(read),
    }
}

/// All content of a tensor, unless it is more than a test can bear.
pub(crate) fn read(source: &dyn TensorSource, chunk: usize) -> Result<Vec<u8>, ckdiff::Error> {
    let size = source.dtype().size().unwrap_or(1);
    let mut out = vec![0; size * chunk];
    let mut content = Vec::new();
    let mut stream = source.stream()?;
    loop {
        let read = stream.read(&mut out)?;
        assert!(read % size == 0 && read <= out.len(), "{read} bytes of elements of {size}");
        if read == 0 {
            assert_eq!(stream.read(&mut out)?, 0, "the end stays the end");
            return Ok(content);
        }
        content.extend_from_slice(&out[..read]);
    }
}

/// Writes a file anew. Not over an old one: file systems flush those when they are closed, which takes a millisecond.
pub(crate) fn put(path: &Path, bytes: &[u8]) {
    drop(std::fs::remove_file(path));
    std::fs::write(path, bytes).expect("the directory is writable");
}

/// Reads a V2 checkpoint of this index and this data.
pub(crate) fn open_checkpoint_v2(dir: &Path, index: &[u8], data: &[u8]) {
    let prefix = dir.join("m");
    put(&dir.join("m.index"), index);
    put(&dir.join("m.data-00000-of-00001"), data);
    drop(read_all(&prefix, 1000));
}

/// Reads a V1 checkpoint of these bytes.
pub(crate) fn open_checkpoint_v1(dir: &Path, bytes: &[u8]) {
    let path = dir.join("m");
    put(&path, bytes);
    drop(read_all(&path, 1000));
}

/// The types that the first byte of an input picks from.
const TYPES: &[&str] = &["MetaGraphDef", "SavedModel", "TensorProto", "CheckpointState", "NodeDef"];

/// The type that the first byte picks, and the other bytes.
fn pick(input: &[u8]) -> Option<(&'static MessageType, &[u8])> {
    let (first, rest) = input.split_first()?;
    let name = TYPES.get(usize::from(*first) % TYPES.len())?;
    Some((Schema::tensorflow().message(&format!("tensorflow.{name}"))?, rest))
}

/// Reads what follows the first byte as text.
pub(crate) fn parse_text(input: &[u8]) {
    if let Some((ty, text)) = pick(input) {
        drop(check_text(ty, text));
    }
}

/// Reads what follows the first byte as JSON.
pub(crate) fn parse_json(input: &[u8]) {
    if let Some((ty, text)) = pick(input) {
        drop(check_json(ty, text));
    }
}

/// Reads what follows the first byte as the binary format.
pub(crate) fn decode_message(input: &[u8]) {
    if let Some((ty, bytes)) = pick(input) {
        drop(check_binary(ty, bytes));
    }
}

/// What a text says, or why it is refused; the same in pieces, by several threads, and laid out anew.
pub(crate) fn check_text(
    ty: &'static MessageType,
    text: &[u8],
) -> ckdiff::Result<Message<'static>> {
    let read = |text: &[u8], piece_bytes, threads| {
        let options = ParseOptions { piece_bytes, threads, ..ParseOptions::default() };
        text::parse(Schema::tensorflow(), ty, text, &options).map(|(message, _)| message)
    };
    let whole = read(text, usize::MAX, 1);
    let said = |read: &ckdiff::Result<Message<'_>>| match read {
        Ok(message) => Ok(message.bytes().to_vec()),
        Err(error) => Err(error.to_string()),
    };
    let some = text.iter().fold(1, |some: u8, byte| some.wrapping_mul(5).wrapping_add(*byte));
    for (piece_bytes, threads) in [(1, 3), (usize::from(some), 2), (4 * usize::from(some), 3)] {
        let parts = said(&read(text, piece_bytes, 1));
        let (one, other) = (said(&whole), &parts);
        let shown =
            || format!("{one:?} | in pieces of {piece_bytes}: {parts:?}\n{}", text.escape_ascii());
        assert!(one.as_ref().ok() == other.as_ref().ok(), "{}", shown());
        // What breaks the grammar is found before what breaks the schema, piece by piece.
        assert_eq!(said(&read(text, piece_bytes, threads)), parts, "pieces of {piece_bytes}");
    }
    if let Some(laid_out) = text_said::check_layout(text) {
        let again = read(&laid_out, 1 << 18, 1);
        assert_eq!(said(&again).ok(), said(&whole).ok(), "{}", laid_out.escape_ascii());
    }
    whole.inspect(check_message)
}

/// What a JSON text says, or why it is refused.
pub(crate) fn check_json(
    ty: &'static MessageType,
    text: &[u8],
) -> ckdiff::Result<Message<'static>> {
    let options = json::ParseOptions::default();
    let parsed = json::parse(Schema::tensorflow(), ty, text, &options);
    parsed.map(|(message, _)| message).inspect(check_message)
}

/// What bytes say, or why they are refused.
pub(crate) fn check_binary(
    ty: &'static MessageType,
    bytes: &[u8],
) -> ckdiff::Result<Message<'static>> {
    Message::decode(Schema::tensorflow(), ty, bytes.to_vec()).inspect(check_message)
}

/// A message is the same after each form it can be put in, but for what is said to be lost.
fn check_message(message: &Message<'_>) {
    let (schema, ty, bytes) = (message.schema(), message.ty(), message.bytes());
    let again = Message::decode(schema, ty, bytes.to_vec()).expect("it was decoded");
    assert_eq!(again.bytes(), bytes, "the canonical form is that of itself");
    for style in [Style::TensorFlow, Style::Protoc] {
        for short in [false, true] {
            let unknown_fields = UnknownFields::LeaveOut;
            let lines =
                PrintOptions { unknown_fields, short_repeated: short, ..PrintOptions::new(style) };
            let mut text = Vec::new();
            let losses = text::print(message, &lines, &mut text).expect("memory takes all");
            let (read, _) = text::parse(schema, ty, &*text, &ParseOptions::default())
                .unwrap_or_else(|error| panic!("{error}\n{}", text.escape_ascii()));
            assert!(!losses.is_empty() || read.bytes() == bytes, "{}", text.escape_ascii());
            let layout = text::LayoutOptions::default();
            let laid_out = text::format(&text, &layout).expect("it was parsed");
            assert!(laid_out == text, "printed text is laid out: {}", text.escape_ascii());
            let line = PrintOptions { single_line: true, ..lines };
            let mut text = Vec::new();
            text::print(message, &line, &mut text).expect("memory takes all");
            let from_line = text::format(&text, &layout).expect("one line can be parsed");
            assert!(from_line == laid_out, "{}", text.escape_ascii());
        }
    }
    let options = json::PrintOptions { unknown: Unknown::Drop, ..Default::default() };
    let mut text = Vec::new();
    if let Ok(losses) = json::print(message, &options, &mut text) {
        let (read, _) = json::parse(schema, ty, &text, &json::ParseOptions::default())
            .unwrap_or_else(|error| {
                panic!("{error}\n{}\n{}", text.escape_ascii(), bytes.escape_ascii())
            });
        assert!(!losses.is_empty() || read.bytes() == bytes, "{}", text.escape_ascii());
    }
}
