//! Builds a saver into a graph: variables become [`SaveableObject`]s, and these become nodes.
//!
//! ```text
//! [ToSave] ─► op_list_to_dict ─► name: ToSave ─► validate_and_slice ─► [SaveableObject] ─► group_by_device ─► nodes
//! ```
//! The nodes are those of TensorFlow 2.21's `tf.compat.v1.train.Saver`: names, order, inputs, devices and attributes. TensorFlow adds
//! `_output_shapes` when it exports a graph with shapes, not when it builds a saver. Its arguments `restore_sequentially` and
//! `preferred_shard` are missing here because TensorFlow ignores them, and the temporary directory is always `_temp` next to the checkpoint,
//! where older versions chose a random name.

mod default;
mod devices;
mod names;
mod nodes;
mod options;
mod restore;
mod save;
mod saveables;
mod value;
mod variable;

#[doc(hidden)]
pub use self::{
    default::{DefaultSaver, add_to_savers, saver_or_default},
    options::{RestoreNodes, TakenNames},
    saveables::{add_saveable, group_by_device, op_list_to_dict, saveables_of, validate_and_slice},
    variable::SliceOf,
};
pub use default::with_saver;
pub(super) use default::without_saver;
pub use options::{BuilderOptions, VarList};
pub use saveables::ToSave;
pub use variable::{Variable, all_saveable};

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::message::{Message, records};
use crate::meta_graph::{ExportOptions, Replacements, export, graph_of, has_op_list};
use crate::schema::KnownType;
use crate::schema::field::{graph_def, meta_graph_def};
use crate::schema::tensorflow::SaverDef;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;

use super::SaveableObject;
use nodes::SaverNodes;

/// The result of [`build`].
#[derive(Debug, Clone)]
pub struct BuiltSaver<'s> {
    /// The message with the nodes of the saver at the end of its graph.
    pub message: Message<'s>,
    /// The saver, which names its nodes.
    pub saver_def: SaverDef,
}

/// Builds a saver into the graph of a `MetaGraphDef`, or into a `GraphDef`, which needs a list of variables because it has no collections.
/// `None` if there are no variables and `allow_empty` is set.
///
/// If the meta graph has an op list, the ops of the new nodes are in it. The rest of the message is unchanged, including unknown fields.
///
/// ```
/// use ckdiff::artifact::{Document, ReadOptions};
/// use ckdiff::saver::builder::{BuilderOptions, build};
/// use ckdiff::schema::Schema;
///
/// let file = "tests/data/savers/build/reference.before.meta";
/// let graph = Document::open(file, Schema::tensorflow(), &ReadOptions::default())?;
/// let built = build(graph.message(), &BuilderOptions::default())?.expect("it has variables");
/// assert_eq!(built.saver_def.restore_op_name, "save/restore_all");
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If there are no variables and `allow_empty` is not set, a listed node is not a variable or not in the graph, names or variables are listed
/// twice, slices are not of one variable, or the name of the scope is invalid.
pub fn build<'s>(
    message: &Message<'s>,
    options: &BuilderOptions,
) -> Result<Option<BuiltSaver<'s>>> {
    let graph = Graph::new(graph_of(message)?)?;
    let saveables = match &options.var_list {
        VarList::All => {
            let variables = all_saveable(message)?.into_iter().map(ToSave::Variable);
            validate_and_slice(op_list_to_dict(variables.collect())?)?
        }
        VarList::List(list) => validate_and_slice(op_list_to_dict(list.clone())?)?,
        VarList::Dict(dict) => validate_and_slice(dict.clone())?,
    };
    if saveables.is_empty() {
        let none = "there are no variables to save";
        return if options.allow_empty { Ok(None) } else { Err(Error::not_found(none)) };
    }
    let mut nodes = SaverNodes::new(&graph, options.name.as_deref(), options.taken)?;
    let saver_def = add(&mut nodes, &saveables, options)?;
    let message = appended(message, &nodes.encode())?;
    Ok(Some(BuiltSaver { message, saver_def }))
}

/// Adds the nodes of a saver.
fn add(
    nodes: &mut SaverNodes<'_>,
    saveables: &[SaveableObject],
    options: &BuilderOptions,
) -> Result<SaverDef> {
    let filename = save::filename(nodes, options.filename.as_deref());
    let version = options.write_version;
    let (save_tensor, restore_op) = if options.sharded {
        let groups = group_by_device(saveables)?;
        let saved = match version {
            CheckpointFormatVersion::V2 => save::sharded_v2(nodes, &filename, &groups)?,
            _ => save::sharded_v1(nodes, &filename, &groups, version)?,
        };
        (saved, restore::sharded(nodes, &filename, &groups, options)?)
    } else {
        let saved = save::one(nodes, &filename, saveables, version)?;
        (saved, restore::one(nodes, &filename, saveables, options, "restore_all")?)
    };
    Ok(SaverDef {
        filename_tensor_name: format!("{filename}:0"),
        save_tensor_name: format!("{save_tensor}:0"),
        restore_op_name: restore_op,
        max_to_keep: options.max_to_keep.unwrap_or(0),
        sharded: options.sharded,
        keep_checkpoint_every_n_hours: options.keep_checkpoint_every_n_hours,
        version: version.into(),
    })
}

/// Appends `nodes`, which are records, to the nodes of the graph.
fn appended<'s>(message: &Message<'s>, nodes: &[u8]) -> Result<Message<'s>> {
    let graph = graph_of(message)?;
    let known = records(graph).take_while(|record| record.number == graph_def::NODE);
    let len = known.map(|record| record.bytes.len()).sum();
    // In canonical form, nodes come first.
    let (known, rest) = graph.split_at_checked(len).unwrap_or((graph, &[]));
    let graph = [known, nodes, rest].concat();
    if message.ty().known == Some(KnownType::GraphDef) {
        return Message::decode(message.schema(), message.ty(), graph);
    }
    let mut new = Replacements::default();
    new.set(meta_graph_def::GRAPH_DEF, &graph);
    let bytes = new.apply(message.schema(), message.ty(), message.bytes());
    let message = Message::decode(message.schema(), message.ty(), bytes)?;
    if !has_op_list(&message) {
        return Ok(message);
    }
    let options = ExportOptions { stripped_op_list: true, ..ExportOptions::default() };
    Ok(export(&message, &options)?.message)
}
