//! Exports and imports meta graphs: extracts a scope, inserts a meta graph into a scope, removes unneeded parts.
//!
//! ```text
//! export: MetaGraphDef ──► MetaGraphDef     the nodes of a scope, names without the scope, inputs from outside marked as unbound
//! import: MetaGraphDef ──► MetaGraphDef     names in an unused scope, unbound inputs bound; alone or into another meta graph
//! ```
//! The results are those of TensorFlow's `export_meta_graph` and `import_meta_graph`. TensorFlow builds the graph in memory; here
//! only the records of the message that change are rewritten, and all others, also unknown fields, stay byte for byte. So the
//! result does not depend on which ops this version knows.
//!
//! Source: TensorFlow 2.21, `python/framework/meta_graph.py`, `python/framework/importer.py`, `graph_constructor.cc`.

mod collection;
mod collections;
mod debug_info;
mod defaults;
mod definitions;
mod elements;
mod export;
mod export_nodes;
mod import;
mod import_nodes;
mod input_map;
mod merge;
mod names;
mod node;
mod op_list;
mod options;
mod order;
mod parts;
mod registered;
mod rename;
mod replace;
mod savers;
mod serving;
mod special_op;
mod unique;

#[doc(hidden)]
pub use self::{
    collection::{Item, Kind},
    debug_info::{debug_info_file, own_debug_info},
    options::Predicate,
    serving::ASSETS_KEY,
    special_op::OpPurpose,
};
pub use collection::{Collections, add_to_collection};
pub(crate) use debug_info::check_debug_info;
pub use debug_info::debug_info;
pub use export::{ExportOutcome, export};
pub use import::{ImportOutcome, import};
pub(crate) use op_list::has_op_list;
pub use options::{ExportOptions, ImportOptions};
use parts::META_GRAPH;
pub(crate) use parts::{Parts, meta_graphs_in};
pub(crate) use registered::{SAVERS, TRAINABLE, item_type};
pub(crate) use replace::Replacements;
pub(crate) use savers::{saver_in_scope, saver_of_scope};
pub(crate) use serving::assets_in;
pub(crate) use serving::name_of;
pub use serving::{assets, saver_def, signatures, with_assets, with_signatures};
pub(crate) use special_op::{
    MAIN_OP, NamedBy, SPECIAL_OPS, named_by_collection, named_by_signature,
};

use crate::error::{Error, Result};
use crate::graph::OpTable;
use crate::message::{Message, Writer};
use crate::schema::KnownType;
use crate::schema::field::meta_graph_def;

/// The collection in which an export lists inputs from outside the scope.
#[doc(hidden)]
pub const UNBOUND_INPUTS: &str = "unbound_inputs";

/// The `GraphDef` of a `MetaGraphDef`, or the message itself if it is a `GraphDef`.
///
/// # Errors
/// If the message is of another type, or a meta graph without a graph.
pub(crate) fn graph_of<'m>(message: &'m Message<'_>) -> Result<&'m [u8]> {
    match message.ty().known {
        Some(KnownType::GraphDef) => Ok(message.bytes()),
        Some(KnownType::MetaGraphDef) => Parts::of_bytes(message.bytes()).need_graph(),
        _ => {
            let expected = "a MetaGraphDef or a GraphDef";
            Err(Error::unexpected("message", &message.ty().full_name, expected))
        }
    }
}

/// The meta graph that consists of `graph`, a `GraphDef`, alone.
///
/// # Errors
/// If the message is of another type, or the schema has no meta graphs.
pub fn with_graph<'s>(graph: &Message<'s>) -> Result<Message<'s>> {
    let (schema, ty) = (graph.schema(), graph.ty());
    if ty.known != Some(KnownType::GraphDef) {
        let expected = KnownType::GraphDef.full_name();
        return Err(Error::unexpected("message", &ty.full_name, expected));
    }
    let missing = || Error::not_found(format!("the schema has no message {META_GRAPH}"));
    let meta = schema.message(META_GRAPH).ok_or_else(missing)?;
    let mut out = Writer::default();
    out.put_bytes(meta_graph_def::GRAPH_DEF, graph.bytes());
    Message::decode(schema, meta, out.finish())
}

/// The op list of `meta`, a `MetaGraphDef`, over the built-in op table.
///
/// # Errors
/// If `meta` is another message, or its op list cannot be decoded.
pub(crate) fn op_table<'m>(meta: &'m Message<'_>) -> Result<OpTable<'m>> {
    op_list::of(&Parts::of(meta)?)
}
