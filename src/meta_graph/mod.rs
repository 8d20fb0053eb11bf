//! Meta graphs made from meta graphs: a scope taken out, or put under another; what is not needed left away.
//!
//! ```text
//! export: MetaGraphDef ──► MetaGraphDef     nodes by scope, names without it, inputs from outside marked as unbound
//! import: MetaGraphDef ──► MetaGraphDef     names under a scope that is free, unbound inputs bound, in a graph or alone
//! ```
//! What comes out is what TensorFlow's `export_meta_graph` and `import_meta_graph` make of the same graph. They go by way
//! of a graph in memory; here the records of the message are rewritten that change, and all others, unknown fields too,
//! stay byte for byte. So nothing depends on what this version knows of an op.
//!
//! Source: TensorFlow 2.21, `python/framework/meta_graph.py`, `python/framework/importer.py`, `graph_constructor.cc`.

mod bound;
mod collection;
mod collections;
mod debug_info;
mod defaults;
mod export;
mod import;
mod kept;
mod merge;
mod names;
mod node;
mod op_list;
mod order;
mod parts;
mod place;
mod registered;
mod rename;
mod replace;
mod savers;
mod serving;
mod unique;

pub use collection::{Collections, Item, Kind, add_to_collection};
pub(crate) use debug_info::check_debug_info;
pub use debug_info::{debug_info, debug_info_file, own_debug_info};
pub use export::{ExportOptions, Exported, export};
pub use import::{ImportOptions, Imported, Predicate, import};
pub(crate) use replace::Replacements;
pub(crate) use savers::{saver_in_scope, saver_of_scope};
pub(crate) use serving::assets_in;
pub(crate) use serving::name_of;
pub use serving::{ASSETS_KEY, assets, saver_def, signatures, with_assets, with_signatures};

use crate::error::Result;
use crate::graph::OpTable;
use crate::message::Message;

/// The collection in which an export lists the inputs that come from outside.
pub const UNBOUND_INPUTS: &str = "unbound_inputs";

/// What the names of such inputs begin with.
const UNBOUND: &str = "$unbound_inputs_";

/// The `GraphDef` of `meta`, a `MetaGraphDef`.
///
/// # Errors
/// When it is another message, or has none.
pub(crate) fn graph_of<'m>(meta: &'m Message<'_>) -> Result<&'m [u8]> {
    parts::Parts::of(meta)?.need_graph()
}

/// The op definitions that `meta`, a `MetaGraphDef`, brings along, over those of TensorFlow.
///
/// # Errors
/// When it is another message, or its list is none.
pub(crate) fn op_table<'m>(meta: &'m Message<'_>) -> Result<OpTable<'m>> {
    op_list::of(&parts::Parts::of(meta)?)
}
