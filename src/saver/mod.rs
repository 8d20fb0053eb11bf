//! Savers: builds the nodes that save and restore the variables of a graph, and runs them.
//!
//! ```text
//! MetaGraphDef ─► builder: variables ─► SaveableObjects ─► nodes, as TensorFlow names and wires them ─► GraphDef, SaverDef
//! MetaGraphDef, SaverDef, path ─► run: its nodes, in order, and those of the functions that they call ─► Variables
//! MetaGraphDef, SaverDef, Checkpoint ─► plan: each tensor that its nodes would read, and whether it can be restored
//! ```

pub mod builder;
mod content;
mod directory;
mod files_writer;
mod object_keys;
pub mod plan;
mod restore;
mod rotation;
pub mod run;
mod save;
mod save_spec;

#[doc(hidden)]
pub use self::{
    content::{Content, Model},
    object_keys::{ObjectKeys, renamed_object_graph},
    rotation::Rotation,
    save_spec::{SaveSource, SaveSpec, SaveableObject},
};
#[doc(hidden)]
pub use crate::graph::VariableKind;
pub use save::{SaveOptions, SaveOutcome, Saver};

use std::path::Path;

use crate::error::{Error, Result};
use crate::schema::tensorflow::SaverDef;

/// Checks that a saver names its save and restore nodes, as TensorFlow does before a run.
///
/// # Errors
/// If one of the names is missing.
fn check_nodes(saver: &SaverDef) -> Result<()> {
    for (name, field) in
        [(&saver.save_tensor_name, "save_tensor_name"), (&saver.restore_op_name, "restore_op_name")]
    {
        if name.is_empty() {
            return Err(Error::not_found("the saver names no node").in_field(field));
        }
    }
    Ok(())
}

/// A path as graphs store it.
fn utf8(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| {
        let kind = "a graph can store only paths in UTF-8";
        Error::unsupported(kind).in_file(path)
    })
}
