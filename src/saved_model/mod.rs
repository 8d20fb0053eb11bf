//! SavedModels: meta graphs for several uses, with the variables and files that they share, in one directory.
//!
//! ```text
//! DIR/saved_model.pb             SavedModel: its meta graphs, each with tags and signatures; or saved_model.pbtxt
//! DIR/variables/variables.index  the values of its variables, a V2 checkpoint
//! DIR/assets/NAME                files that its nodes read, such as vocabularies
//! ```
//! [`Builder`] writes one and [`SavedModel`] reads one, as TensorFlow's builder and loader do; [`Tensors`] and [`signature`] describe
//! the inputs and outputs of a model.
//!
//! Source: TensorFlow 2.21, `python/saved_model/{builder,loader,signature_def_utils,utils}_impl.py`.

mod assets;
mod builder;
mod load;
mod op;
pub mod signature;
mod tensor_info;
mod values;

use std::path::{Path, PathBuf};

use crate::checkpoint::{SAVED_MODEL_CHUNKED, SAVED_MODEL_FILES};
use crate::error::{ErrorKind, Result, shortened};
use crate::schema::{MessageType, Schema};

pub use assets::AssetSource;
pub use builder::{BuildOutcome, Builder, MetaGraphOptions};
pub use load::{Plan, SavedModel};
pub use tensor_info::{Encoding, Tensors};
pub use values::Values;

/// The folder of the assets.
const ASSETS_FOLDER: &str = "assets";
/// The folder of the checkpoint, and its prefix.
const VARIABLES: &str = "variables";

/// The collection with the op that runs after a restore.
const MAIN_OP: &str = "saved_model_main_op";
/// The former name of that collection.
const LEGACY_INIT_OP: &str = "legacy_init_op";
/// The collection with the training op.
const TRAIN_OP: &str = "saved_model_train_op";
/// The signature with the op that runs after a restore.
const INIT_OP_SIGNATURE: &str = "__saved_model_init_op";
/// The signature with the training op.
const TRAIN_OP_SIGNATURE: &str = "__saved_model_train_op";

/// The size of the largest protobuf message, in bytes.
const MAX_MESSAGE_BYTES: usize = i32::MAX as usize;
/// The number of meta graphs in an error message, and of the tags of each.
const SHOWN: usize = 8;

/// The file with the message of the SavedModel in `dir`, if there is one; as in TensorFlow, binary is preferred to text.
///
/// ```
/// use std::path::Path;
/// use ckdiff::saved_model::file_in;
///
/// assert_eq!(file_in(Path::new("tests/data/demo")), None);
/// ```
pub fn file_in(dir: &Path) -> Option<PathBuf> {
    SAVED_MODEL_FILES.map(|name| dir.join(name)).into_iter().find(|file| file.is_file())
}

/// Whether `dir` seems to contain a SavedModel in any form: TensorFlow's `maybe_saved_model_directory`.
///
/// ```
/// use std::path::Path;
/// use ckdiff::saved_model::contains_saved_model;
///
/// assert!(contains_saved_model(Path::new("tests/data/saved_models/builder")));
/// assert!(!contains_saved_model(Path::new("tests/data/demo")));
/// ```
pub fn contains_saved_model(dir: &Path) -> bool {
    file_in(dir).is_some() || dir.join(SAVED_MODEL_CHUNKED).is_file()
}

/// The prefix of the checkpoint with a SavedModel's variables.
fn variables_path(dir: &Path) -> PathBuf {
    dir.join(VARIABLES).join(VARIABLES)
}

/// The type of TensorFlow's schema with this name.
fn message_type(name: &str) -> Result<&'static MessageType> {
    let missing = || ErrorKind::NotFound(format!("there is no message {name}")).into();
    Schema::tensorflow().message(name).ok_or_else(missing)
}

/// A list of tags for an error message.
fn tag_list<'a>(tags: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = tags.len().saturating_sub(SHOWN);
    let mut shown: Vec<_> = tags.take(SHOWN).map(shortened).collect();
    if more > 0 {
        shown.push(format!("and {more} more").into());
    }
    format!("[{}]", shown.join(", "))
}
