//! The fuzz targets: each is a function of any bytes, which fails if a property does not hold.
//!
//! `tests/fuzz` runs them on bytes that libFuzzer makes up, and `cargo test` on the corpora that it found.

use std::path::Path;

use tempfile::TempDir;

use super::{
    encoding, fuzz_checkpoint, fuzz_files, fuzz_message, fuzz_meta_graph, fuzz_models, fuzz_pairs,
    fuzz_saver, fuzz_snapshot, fuzz_state_file,
};

/// A fuzz target.
type Target = fn(&[u8]);

/// The targets by their names, which are those of the binaries and of the corpora in `tests/fuzz`.
pub(crate) const TARGETS: &[(&str, Target)] = &[
    ("decode_message", decode_message),
    ("diff_checkpoints", diff_checkpoints),
    ("diff_messages", diff_messages),
    ("format_text", format_text),
    ("move_meta_graph", move_meta_graph),
    ("open_checkpoint_v1", open_checkpoint_v1),
    ("open_checkpoint_v2", open_checkpoint_v2),
    ("open_file", open_file),
    ("open_safetensors", open_safetensors),
    ("open_saved_model", open_saved_model),
    ("open_table", open_table),
    ("parse_json", parse_json),
    ("parse_text", parse_text),
    ("read_document", read_document),
    ("read_snapshot", read_snapshot),
    ("run_saver", run_saver),
    ("state_file", state_file),
];

/// Runs a target on an input.
pub(crate) fn run(name: &str, input: &[u8]) {
    let (_, target) = TARGETS
        .iter()
        .find(|(target, _)| *target == name)
        .unwrap_or_else(|| panic!("{name} is not a target"));
    target(input);
}

thread_local! {
    /// Where targets write files: a directory per thread, since tests run side by side.
    static DIR: TempDir = tempfile::tempdir().expect("the temporary directory is writable");
}

/// Runs with a directory of this thread for files.
fn with_dir(run: impl FnOnce(&Path)) {
    DIR.with(|dir| run(dir.path()));
}

/// Two parts of an input, whose first two bytes are the length of the first part.
fn halves(input: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = input.split_first_chunk::<2>()?;
    Some(rest.split_at(usize::from(u16::from_le_bytes(*len)).min(rest.len())))
}

/// Decodes a binary message. The first byte picks the message type.
fn decode_message(input: &[u8]) {
    fuzz_message::decode_message(input);
}

/// Compares two models. The first byte picks the message type, the next two are the first model's length.
fn diff_messages(input: &[u8]) {
    fuzz_models::diff_messages(input);
}

/// Opens a V1 checkpoint whose only block has these bytes.
fn open_checkpoint_v1(input: &[u8]) {
    with_dir(|dir| {
        fuzz_checkpoint::open_checkpoint_v1(dir, &encoding::table_around(input));
    });
}

/// Opens a V2 checkpoint: the only block of its index, and its data file.
fn open_checkpoint_v2(input: &[u8]) {
    let Some((payload, data)) = halves(input) else { return };
    with_dir(|dir| {
        fuzz_checkpoint::open_checkpoint_v2(dir, &encoding::table_around(payload), data);
    });
}

/// Opens the header and content of a safetensors file, and an index of shards.
fn open_safetensors(input: &[u8]) {
    with_dir(|dir| {
        fuzz_checkpoint::open_safetensors(dir, input);
    });
}

/// Opens a table, and a table with one block of these bytes.
fn open_table(input: &[u8]) {
    fuzz_checkpoint::open_table(input);
    fuzz_checkpoint::open_table(&encoding::table_around(input));
}

/// Parses JSON. The first byte picks the message type.
fn parse_json(input: &[u8]) {
    fuzz_message::parse_json(input);
}

/// Parses a text. The first byte picks the message type.
fn parse_text(input: &[u8]) {
    fuzz_message::parse_text(input);
}

/// Reads a document without naming its form or message type.
fn read_document(input: &[u8]) {
    fuzz_message::read_document(input);
}

/// Compares two V2 checkpoints in both directions, and each with itself.
fn diff_checkpoints(input: &[u8]) {
    with_dir(|dir| {
        fuzz_pairs::diff_checkpoints(dir, input);
    });
}

/// Formats a text, which keeps its value and its comments, twice.
fn format_text(input: &[u8]) {
    fuzz_message::format_text(input);
}

/// Exports a meta graph, and imports it.
fn move_meta_graph(input: &[u8]) {
    fuzz_meta_graph::move_meta_graph(input);
}

/// Shows, verifies and compares a file. The first byte picks its name.
fn open_file(input: &[u8]) {
    with_dir(|dir| {
        fuzz_files::open_file(dir, input);
    });
}

/// Shows, verifies and compares a SavedModel, which is cut into files.
fn open_saved_model(input: &[u8]) {
    with_dir(|dir| {
        fuzz_files::open_saved_model(dir, input);
    });
}

/// Reads a snapshot, or takes that of a model: the text is what it reads as.
fn read_snapshot(input: &[u8]) {
    fuzz_snapshot::read_snapshot(input);
}

/// Saves variables by the nodes of a saver, and restores them.
fn run_saver(input: &[u8]) {
    with_dir(|dir| {
        fuzz_saver::run_saver(dir, input);
    });
}

/// Reads a state file, and writes it again.
fn state_file(input: &[u8]) {
    with_dir(|dir| {
        fuzz_state_file::state_file(dir, input);
    });
}
