//! The layout of a SavedModel's directory.

use std::path::{Path, PathBuf};

/// The names of the file with the graphs. As in TensorFlow, binary goes before text.
pub(crate) const GRAPHS: [&str; 2] = [BINARY, TEXT];

/// The name of the file with the graphs in binary.
pub(crate) const BINARY: &str = "saved_model.pb";

/// The name of the file with the graphs as text.
pub(crate) const TEXT: &str = "saved_model.pbtxt";

/// The name of the file with the graphs in chunks, which TensorFlow writes on request, for more than 2 GiB.
pub(crate) const CHUNKED: &str = "saved_model.cpb";

/// The directory of the assets.
pub(crate) const ASSETS: &str = "assets";

/// The directory of files that TensorFlow keeps and does not read.
pub(crate) const EXTRA_ASSETS: &str = "assets.extra";

/// The directory of the checkpoint, and its prefix.
pub(crate) const VARIABLES: &str = "variables";

/// The name of the file with the fingerprint.
pub(crate) const FINGERPRINT: &str = "fingerprint.pb";

/// The name of the file with the Keras metadata.
pub(crate) const KERAS_METADATA: &str = "keras_metadata.pb";

/// The prefix of the checkpoint with the variables.
pub(crate) fn variables_path(directory: &Path) -> PathBuf {
    directory.join(VARIABLES).join(VARIABLES)
}
