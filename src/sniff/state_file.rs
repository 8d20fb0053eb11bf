//! The state file of a directory, which names its checkpoints.

use prost::Message as _;

use crate::error::{Error, Result};
use crate::probe::Probe;
use crate::schema::field::checkpoint_state;
use crate::schema::{MessageType, Schema, tensorflow};
use crate::text::{self, ParseOptions, Repeated};

/// The name of a state file.
pub(crate) const STATE_FILE: &str = "checkpoint";

/// The size of the largest state file, in bytes; a thousand long paths take a tenth of it.
pub(crate) const STATE_FILE_BYTES: u64 = 16 << 20;

/// The type of a state file's message.
pub(crate) fn message_type(schema: &Schema) -> Result<&MessageType> {
    let ty = schema.message(checkpoint_state::MESSAGE_NAME);
    ty.ok_or_else(|| Error::not_found("the schema has no CheckpointState"))
}

/// A parsed state file.
pub(crate) struct StateFile {
    pub(crate) state: tensorflow::CheckpointState,
    pub(crate) bytes: Vec<u8>,
    /// The fields that are given more than once though they have one value.
    pub(crate) repeated: Vec<String>,
}

/// Parses a state file. If a field is given several times, the last value counts, as in TensorFlow's Python.
///
/// # Errors
/// If it cannot be read, is too long, or is no `CheckpointState` in the text format.
pub(crate) fn read(probe: &Probe) -> Result<StateFile> {
    let file = probe.open()?;
    let in_file = |error: Error| error.in_file(probe.path());
    let schema = Schema::tensorflow();
    let ty = message_type(schema)?;
    let bytes = file.read(STATE_FILE_BYTES)?;
    let options = ParseOptions { repeated: Repeated::Last, ..ParseOptions::default() };
    let parsed = text::parse(schema, ty, bytes.as_slice(), &options);
    let (message, losses) = parsed.map_err(in_file)?;
    let state = tensorflow::CheckpointState::decode(message.bytes())
        .map_err(|error| in_file(Error::malformed("state file", "a CheckpointState", error)))?;
    Ok(StateFile { state, bytes, repeated: losses.paths })
}

/// The latest checkpoint that a state file names; `None` for other files.
pub(super) fn latest(probe: &Probe) -> Option<String> {
    let latest = read(probe).ok()?.state.model_checkpoint_path;
    (!latest.is_empty()).then_some(latest)
}
