//! Imports a meta graph into a scope, alone or into another meta graph.

use std::collections::BTreeSet;

use prost::Message as _;

use super::collection::VALUE;
use super::collections;
use super::debug_info;
use super::definitions::Definitions;
use super::elements::Elements;
use super::import_nodes::{ImportedNodes, devices};
use super::input_map::InputMap;
use super::merge::Base;
use super::names::{ImportScope, Rename};
use super::options::ImportOptions;
use super::order::order;
use super::parts::{Parts, entry_with};
use super::registered::{ASSET, SAVER_DEF, SIGNATURE, TRAINABLE};
use super::rename::renamed;
use super::replace::Replacements;
use super::unique::UsedNames;
use crate::error::{Error, Result, shortened};
use crate::graph::{Graph, UNBOUND, check_node_name, check_scope, node_of};
use crate::message::{Message, field, fields, nested, string, varint};
use crate::schema::field::{
    collection_def, graph_def,
    meta_graph_def::{self, meta_info_def},
    version_def,
};
use crate::schema::tensorflow::SaverDef;

/// The version of graphs that TensorFlow 2.21 reads and writes.
const GRAPH_VERSION: u64 = 2474;

/// The result of an import.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ImportOutcome<'s> {
    /// The meta graph.
    pub message: Message<'s>,
    /// The scope of the import, without a `/` at its end.
    pub scope: String,
    /// The saver of the imported meta graph, with its new names.
    pub saver: Option<SaverDef>,
    /// The new names of the requested elements, in order.
    pub return_elements: Vec<String>,
    /// The parts that were left out because the other meta graph has them: `signature_def["predict"]`, `object_graph_def`.
    pub left_out: Vec<String>,
}

/// Imports `meta`, a `MetaGraphDef`, alone or into another.
///
/// ```
/// use ckdiff::artifact::{Document, ReadOptions};
/// use ckdiff::meta_graph::{ImportOptions, import};
/// use ckdiff::schema::Schema;
///
/// let file = "tests/data/demo/model.ckpt.meta";
/// let document = Document::open(file, Schema::tensorflow(), &ReadOptions::default())?;
/// let options = ImportOptions { import_scope: "copy".into(), ..ImportOptions::default() };
/// let first = import(document.message(), None, &options)?;
/// let both = import(document.message(), Some(&first.message), &options)?;
/// assert_eq!((first.scope, both.scope), ("copy".into(), "copy_1".into()));
/// assert_eq!(both.saver.unwrap().restore_op_name, "copy_1/save/restore_all");
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If one of the two is not a `MetaGraphDef`; `meta` has no graph, an unbound input without a replacement, a missing input, or two
/// nodes of one name; an input is of another dtype than its node takes, or an output that its node does not have; an option or a collection names
/// something missing; or the two disagree about a function or a collection.
pub fn import<'s>(
    meta: &Message<'s>,
    into: Option<&Message<'s>>,
    options: &ImportOptions<'_>,
) -> Result<ImportOutcome<'s>> {
    let mut parts = Parts::of(meta)?;
    let graph_bytes = parts.need_graph()?;
    let base = into.map(Base::of).transpose()?;
    check_scope(&options.import_scope)?;
    check_unbound(&parts, options)?;

    let graph = Graph::new(graph_bytes)?;
    let nothing = UsedNames::default();
    let taken = base.as_ref().map_or(&nothing, |base| &base.taken);
    let names = UsedNames::of(graph_bytes);
    let scope = taken.scope(&options.import_scope);
    let placed = ImportScope { renamed: taken.renamed(&scope, &names), scope };
    let definitions = Definitions::of(&parts)?;
    let bound = InputMap::new(options, &graph, &definitions)?;
    check_versions(graph_bytes)?;
    check_graph(&graph, &bound)?;
    bound.check_inputs(&graph, &definitions)?;
    bound.check_values(&names, &placed, taken)?;
    if let Some(into) = into.filter(|_| !bound.is_empty()) {
        let base = Parts::of(into)?;
        let of_base = (&Graph::new(base.graph.unwrap_or_default())?, &Definitions::of(&base)?);
        bound.check_dtypes((&graph, &definitions), of_base)?;
    }

    let order = order(&graph, |input| bound.of(input.text).is_some())?;
    let devices = devices(&graph, &order, options.clear_devices);
    let is_moved = graph.nodes().iter().zip(&devices).any(|(node, device)| node.device != *device);
    if !placed.is_identity() || is_moved || !bound.is_empty() || !order.is_sorted() {
        let nodes =
            ImportedNodes::new(&graph, &placed, &bound, devices).graph(graph_bytes, &order)?;
        parts.new.set(meta_graph_def::GRAPH_DEF, &with_debug_info(nodes, &placed)?);
    }
    let saver = rename_others(&mut parts, &placed);
    let has = |name: &str| definitions.has(&graph, name);
    set_collections(&mut parts, &placed, &has, options)?;
    let elements = Elements { graph: &graph, definitions: &definitions, bound: &bound };
    let return_elements = elements.returned(&options.return_elements, &placed)?;
    let mut left_out = Vec::new();
    let message = match base {
        Some(base) => base.with(&parts.message(meta), &mut left_out)?,
        None => parts.message(meta),
    };
    let scope = placed.scope;
    Ok(ImportOutcome { message, scope, saver, return_elements, left_out })
}

/// The graph with the new names of its nodes in the debug information.
fn with_debug_info(graph: Vec<u8>, placed: &ImportScope<'_>) -> Result<Vec<u8>> {
    let Some(info) = field(&graph, graph_def::DEBUG_INFO).filter(|_| !placed.is_identity()) else {
        return Ok(graph);
    };
    let name = |node: &str| Some(placed.rename(node).into_owned());
    let mut new = Replacements::default();
    new.set(graph_def::DEBUG_INFO, &debug_info::of_nodes(info, &name)?);
    Ok(new.apply_to(graph_def::MESSAGE_NAME, &graph))
}

/// Checks that all inputs that the export listed are bound.
fn check_unbound(parts: &Parts<'_>, options: &ImportOptions<'_>) -> Result<()> {
    let key = options.unbound_inputs_col_name.as_deref().unwrap_or_default();
    let listed = parts.collections.get(key).filter(|_| !key.is_empty());
    let listed = listed.map(|collection| collection.def).unwrap_or_default();
    let missing: BTreeSet<&str> =
        collections::texts(listed).filter(|name| !options.input_map.contains_key(*name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    const SHOWN: usize = 10;
    let mut names: Vec<_> =
        missing.iter().take(SHOWN).map(|name| shortened(name).to_string()).collect();
    if missing.len() > SHOWN {
        names.push(format!("and {} more", missing.len() - SHOWN));
    }
    Err(Error::usage(format!("unbound inputs, which input_map must bind: {}", names.join(", "))))
}

/// Checks that TensorFlow 2.21 is not too old for a `GraphDef`.
fn check_versions(graph: &[u8]) -> Result<()> {
    let versions = field(graph, graph_def::VERSIONS).unwrap_or_default();
    let least = varint(versions, version_def::MIN_CONSUMER).unwrap_or_default();
    if least > GRAPH_VERSION {
        let expected = format!("at most {GRAPH_VERSION}, the version of TensorFlow 2.21");
        return Err(Error::unexpected("min_consumer of the graph", least, expected));
    }
    Ok(())
}

/// Checks that names of nodes are valid and unique, and inputs exist or are bound.
fn check_graph(graph: &Graph<'_>, bound: &InputMap<'_>) -> Result<()> {
    if let Some(&id) = graph.duplicates().first() {
        return Err(Error::duplicate("node name", graph.node(id).name));
    }
    for node in graph.nodes() {
        check_node_name(node.name)?;
        for input in graph.inputs(node).iter().filter(|input| input.source.is_none()) {
            if bound.of(input.text).is_some() {
                continue;
            }
            let (name, text) = (shortened(node.name), shortened(input.text));
            let is_unbound = node_of(input.text).starts_with(UNBOUND);
            return Err(if is_unbound {
                let kind = format!("node {name}: input {text} is unbound; input_map must bind it");
                Error::usage(kind)
            } else {
                Error::not_found(format!("node {name}: input {text} is not in the graph"))
            });
        }
    }
    Ok(())
}

/// Renames the nodes in the saver, signatures and assets. Returns the saver.
fn rename_others(parts: &mut Parts<'_>, placed: &ImportScope<'_>) -> Option<SaverDef> {
    if !placed.is_identity() {
        let signatures = parts.signatures.iter().map(|(key, (entry, signature))| {
            entry_with(key, entry, &renamed(signature, &SIGNATURE, placed))
        });
        let assets = parts.assets.iter().map(|asset| renamed(asset, &ASSET, placed));
        parts.new.set_list(meta_graph_def::SIGNATURE_DEF, signatures);
        parts.new.set_list(meta_graph_def::ASSET_FILE_DEF, assets);
    }
    let saver = renamed(parts.saver?, &SAVER_DEF, placed);
    parts.new.set(meta_graph_def::SAVER_DEF, &saver);
    SaverDef::decode(&*saver).ok()
}

/// Replaces the collections by those with the new names.
fn set_collections(
    parts: &mut Parts<'_>,
    placed: &ImportScope<'_>,
    has: &dyn Fn(&str) -> bool,
    options: &ImportOptions<'_>,
) -> Result<()> {
    let version = string(parts.info, meta_info_def::TENSORFLOW_VERSION);
    let trainable = is_before_trainable(version).then(|| {
        let collection = parts.collections.get(TRAINABLE);
        let list = collection.map(|collection| nested(collection.def, collection_def::BYTES_LIST));
        fields(list.unwrap_or_default(), VALUE).collect()
    });
    let entering = collections::CollectionImport { scope: placed, has, trainable };
    let unbound = options.unbound_inputs_col_name.as_deref().filter(|key| !key.is_empty());
    for (key, collection) in parts.collections.clone() {
        let is_wanted = options.restore_collections_predicate.is_none_or(|wanted| wanted(key));
        let new = match is_wanted && unbound != Some(key) {
            true => entering.collection(key, collection.def)?,
            false => None,
        };
        parts.replace_collection(key, collection.def, new);
    }
    Ok(())
}

/// Whether this is a version before 1.9, in which variables do not tell whether they are trainable.
fn is_before_trainable(version: &str) -> bool {
    let mut numbers = version.split('.').map(|part| part.parse::<u32>());
    matches!((numbers.next(), numbers.next()), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) < (1, 9))
}
