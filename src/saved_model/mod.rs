//! SavedModels: meta graphs for several uses, with the variables and files that they share, in one directory.
//!
//! ```text
//! DIR/saved_model.pb             SavedModel: its meta graphs, each with tags and signatures; or saved_model.pbtxt
//! DIR/variables/variables.index  what its variables hold, a V2 checkpoint
//! DIR/assets/NAME                files that its nodes read, such as vocabularies
//! ```
//! [`Builder`] writes one and [`SavedModel`] reads one, as TensorFlow's builder and loader do; [`Tensors`] and [`signature`] describe what
//! goes into a model and what comes out.
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

pub use builder::{Asset, BuildOutcome, Builder, MetaGraphOptions};
pub use load::{Plan, SavedModel};
pub use tensor_info::{Encoding, Tensors};
pub use values::Values;

/// The files that hold the message, the one that TensorFlow takes first.
const FILES: [&str; 2] = ["saved_model.pb", "saved_model.pbtxt"];
/// The message in chunks, as TensorFlow writes it beyond 2 GiB.
const CHUNKED: &str = "saved_model.cpb";
/// The folder of files that nodes read.
const ASSETS: &str = "assets";
/// The folder of the checkpoint, and what the names of its files start with.
const VARIABLES: &str = "variables";

/// The collection with the op that is run after a restore.
const MAIN_OP: &str = "saved_model_main_op";
/// What that collection was called before.
const LEGACY_INIT_OP: &str = "legacy_init_op";
/// The collection with the op that trains.
const TRAIN_OP: &str = "saved_model_train_op";
/// The signature that names the op that is run after a restore.
const INIT_OP_SIGNATURE: &str = "__saved_model_init_op";
/// The signature that names the op that trains.
const TRAIN_OP_SIGNATURE: &str = "__saved_model_train_op";

/// The file with the message of the SavedModel in `dir`, where there is one; as in TensorFlow, binary goes before text.
///
/// ```
/// use std::path::Path;
/// use ckdiff::saved_model::file_in;
///
/// assert_eq!(file_in(Path::new("tests/data/demo")), None);
/// ```
pub fn file_in(dir: &Path) -> Option<PathBuf> {
    FILES.map(|name| dir.join(name)).into_iter().find(|file| file.is_file())
}

/// Whether `dir` may hold a SavedModel, in any of its forms: TensorFlow's `maybe_saved_model_directory`.
///
/// ```
/// use std::path::Path;
/// use ckdiff::saved_model::contains_saved_model;
///
/// assert!(contains_saved_model(Path::new("tests/data/saved_models/builder")));
/// assert!(!contains_saved_model(Path::new("tests/data/demo")));
/// ```
pub fn contains_saved_model(dir: &Path) -> bool {
    file_in(dir).is_some() || dir.join(CHUNKED).is_file()
}

/// What the names of the files of a SavedModel's variables start with.
fn variables_path(dir: &Path) -> PathBuf {
    dir.join(VARIABLES).join(VARIABLES)
}
