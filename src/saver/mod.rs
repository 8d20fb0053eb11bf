//! Savers: the nodes that save and restore the variables of a graph, built into it and run.
//!
//! ```text
//! MetaGraphDef ─► build: variables ─► SaveableObjects ─► nodes, as TensorFlow names and wires them ─► GraphDef, SaverDef
//! MetaGraphDef, SaverDef, path ─► run: its nodes, in order ─► Variables
//! ```

pub mod build;
mod content;
mod object_keys;
mod on_disk;
mod rotation;
pub mod run;
mod save;
mod save_spec;

pub use content::{Content, Model};
pub use object_keys::ObjectKeys;
pub use rotation::Rotation;
pub use save::{SaveOptions, SaveOutcome, Saver};
pub use save_spec::{SaveSpec, SaveableObject, Saved, VariableKind};

use crate::error::{Error, Result};
use crate::graph::fields;
use crate::message::Message;

/// The field of a `MetaGraphDef` with its graph.
const GRAPH_DEF: u32 = 2;

/// The bytes of the graph in a message.
fn graph_of<'m>(message: &'m Message<'_>) -> Result<&'m [u8]> {
    match &*message.ty().full_name {
        "tensorflow.GraphDef" => Ok(message.bytes()),
        "tensorflow.MetaGraphDef" => {
            Ok(fields(message.bytes(), GRAPH_DEF).last().unwrap_or_default())
        }
        other => {
            let allowed = "a saver goes with a MetaGraphDef or a GraphDef";
            Err(Error::unexpected("message", other, allowed))
        }
    }
}
