//! A saver is built into a graph: variables become [`SaveableObject`]s, and these become nodes.
//!
//! ```text
//! [ToSave] ─► op_list_to_dict ─► name: ToSave ─► validate_and_slice ─► [SaveableObject] ─► group_by_device ─► nodes
//! ```
//! The nodes are those that TensorFlow 2.21's `tf.compat.v1.train.Saver` makes: names, order, inputs, devices and attributes.
//! TensorFlow adds `_output_shapes` where a graph is exported with shapes; that is not a part of building, and not done here.
//! Its arguments `restore_sequentially` and `preferred_shard` have no place here, since it does not look at them either. Nor
//! has the random name of a temporary folder, which older ones put into the graph: today it is `_temp` beside the checkpoint.

mod default;
mod devices;
mod names;
mod nodes;
mod restore;
mod save;
mod saveables;
mod value;
mod variable;

pub(super) use default::without_saver;
pub use default::{DefaultSaver, add_to_savers, saver_or_default, with_saver};
pub use saveables::{
    ToSave, add_saveable, group_by_device, op_list_to_dict, saveables_of, validate_and_slice,
};
pub use variable::{SliceOf, Variable, all_saveable};

use std::collections::BTreeMap;

use crate::error::{ErrorKind, Result};
use crate::graph::Graph;
use crate::message::{Message, records};
use crate::meta_graph::Replacements;
use crate::schema::field::{graph_def, meta_graph_def};
use crate::schema::tensorflow::SaverDef;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;

use super::{SaveableObject, graph_of};
use nodes::Nodes;

/// What is saved.
#[derive(Debug, Clone, Default)]
pub enum VarList {
    /// All that the collections `variables` and `saveable_objects` list, as [`all_saveable`] finds it.
    #[default]
    All,
    /// These, under names of their own.
    List(Vec<ToSave>),
    /// These, under other names.
    Dict(BTreeMap<String, ToSave>),
}

/// The nodes that read a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RestoreNodes {
    /// One that reads all tensors of a shard, as `BulkSaverBuilder` has it.
    #[default]
    One,
    /// One for each tensor, as `BaseSaverBuilder` has it.
    Each,
}

/// Which names TensorFlow would know to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TakenNames {
    /// Those of nodes and of their scopes, as in the program that made the graph: a second saver is in `save_1`. A graph does not
    /// say which scopes were opened, so all that names of nodes begin with are taken for such.
    #[default]
    Scopes,
    /// Those of nodes alone, as after an import: a second saver is in `save` too, and its nodes have a number each.
    Nodes,
}

/// How a saver is built, in the words of `tf.compat.v1.train.Saver`.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is saved.
    pub var_list: VarList,
    /// Whether a restored tensor is given the shape of its variable.
    pub reshape: bool,
    /// Whether each device has a file of its own.
    pub sharded: bool,
    /// How many checkpoints are kept; `None` is written as 0.
    pub max_to_keep: Option<i32>,
    /// One checkpoint is kept for good every so many hours.
    pub keep_checkpoint_every_n_hours: f32,
    /// The scope that the nodes are in, made unique; one that ends with `/` is taken as it is. `save` where there is none.
    pub name: Option<String>,
    /// How the checkpoint is read.
    pub restore: RestoreNodes,
    /// Whether there may be nothing to save: then nothing is built.
    pub allow_empty: bool,
    /// The format that is written; both are read.
    pub write_version: CheckpointFormatVersion,
    /// The file name that is taken unless another one is fed: `model` where there is none.
    pub filename: Option<String>,
    /// Which names are taken.
    pub taken: TakenNames,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            var_list: VarList::All,
            reshape: false,
            sharded: false,
            max_to_keep: Some(5),
            keep_checkpoint_every_n_hours: 10_000.0,
            name: None,
            restore: RestoreNodes::One,
            allow_empty: false,
            write_version: CheckpointFormatVersion::V2,
            filename: None,
            taken: TakenNames::Scopes,
        }
    }
}

/// What building gives.
#[derive(Debug, Clone)]
pub struct Built<'s> {
    /// The message that a saver was built into, with its nodes at the end of the graph.
    pub message: Message<'s>,
    /// The saver: which nodes it is run by.
    pub saver_def: SaverDef,
}

/// Builds a saver into the graph of a `MetaGraphDef`, or into a `GraphDef`, which has no collections and so needs a list of
/// what is saved. `None` where nothing is to be saved, and may be so.
///
/// All else in the message stays as it is, unknown fields too.
///
/// ```
/// use ckdiff::artifact::{Document, ReadOptions};
/// use ckdiff::saver::builder::{Options, build};
/// use ckdiff::schema::Schema;
///
/// let file = "tests/data/savers/build/reference.before.meta";
/// let graph = Document::open(file, Schema::tensorflow(), &ReadOptions::default())?;
/// let built = build(graph.message(), &Options::default())?.expect("it has variables");
/// assert_eq!(built.saver_def.restore_op_name, "save/restore_all");
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// When there is nothing to save and that is not allowed, a variable of the list is none or is not in the graph, names or
/// variables are given twice, slices do not belong together, or the scope's name is none.
pub fn build<'s>(message: &Message<'s>, options: &Options) -> Result<Option<Built<'s>>> {
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
        return if options.allow_empty {
            Ok(None)
        } else {
            Err(ErrorKind::NotFound(none.into()).into())
        };
    }
    let mut nodes = Nodes::new(&graph, options.name.as_deref(), options.taken)?;
    let saver_def = add(&mut nodes, &saveables, options)?;
    let message = appended(message, &nodes.encode())?;
    Ok(Some(Built { message, saver_def }))
}

/// Adds all nodes of a saver.
fn add(nodes: &mut Nodes<'_>, saveables: &[SaveableObject], options: &Options) -> Result<SaverDef> {
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

/// The message with `nodes`, the records of more nodes, at the end of its graph.
fn appended<'s>(message: &Message<'s>, nodes: &[u8]) -> Result<Message<'s>> {
    let graph = graph_of(message)?;
    let known = records(graph).take_while(|record| record.number == graph_def::NODE);
    let len = known.map(|record| record.bytes.len()).sum();
    // In canonical form nodes come before all else.
    let (known, rest) = graph.split_at_checked(len).unwrap_or((graph, &[]));
    let graph = [known, nodes, rest].concat();
    if &*message.ty().full_name == "tensorflow.GraphDef" {
        return Message::decode(message.schema(), message.ty(), graph);
    }
    let mut new = Replacements::default();
    new.set(meta_graph_def::GRAPH_DEF, &graph);
    let bytes = new.apply(message.schema(), message.ty(), message.bytes());
    Message::decode(message.schema(), message.ty(), bytes)
}
