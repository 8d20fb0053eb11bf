//! A meta graph put under a scope, alone or beside another.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use prost_reflect::prost::Message as _;

use super::bound::Bound;
use super::collections;
use super::debug_info;
use super::fields::{self, records};
use super::merge::Base;
use super::names::{Placed, Rename, node_of};
use super::order::order;
use super::parts::{Parts, entry_with};
use super::place::{Nodes, devices};
use super::registered::{ASSET, SAVER_DEF, SIGNATURE};
use super::unique::Taken;
use super::{UNBOUND, UNBOUND_INPUTS};
use crate::bytes::suggestion;
use crate::error::{Error, ErrorKind, Result, shortened};
use crate::graph::Graph;
use crate::message::{Message, Writer};
use crate::schema::Schema;
use crate::schema::field::{
    collection_def, graph_def,
    meta_graph_def::{self, meta_info_def},
};
use crate::schema::tensorflow::SaverDef;

/// Whether the collection of a name is imported.
pub type Predicate<'a> = &'a dyn Fn(&str) -> bool;

/// Where and how a meta graph is imported; by default as it is.
#[derive(Clone)]
pub struct ImportOptions<'a> {
    /// The scope to put it under: another one where there is such a scope, unless it ends with `/`; empty for none.
    pub import_scope: String,
    /// What inputs are to be instead: names as nodes have them before the import, `^x` for control inputs, and names as
    /// they are after it.
    pub input_map: BTreeMap<String, String>,
    /// Nodes and tensors, of which the import tells what they are called after it.
    pub return_elements: Vec<String>,
    /// Whether nodes lose their devices, those in functions apart.
    pub clear_devices: bool,
    /// The collection that names the inputs that must be bound; `None` for no collection.
    pub unbound_inputs_col_name: Option<String>,
    /// Which collections to import; `None` for all.
    pub restore_collections_predicate: Option<Predicate<'a>>,
}

impl Default for ImportOptions<'_> {
    fn default() -> Self {
        Self {
            import_scope: String::new(),
            input_map: BTreeMap::new(),
            return_elements: Vec::new(),
            clear_devices: false,
            unbound_inputs_col_name: Some(UNBOUND_INPUTS.into()),
            restore_collections_predicate: None,
        }
    }
}

impl fmt::Debug for ImportOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportOptions")
            .field("import_scope", &self.import_scope)
            .field("input_map", &self.input_map)
            .field("return_elements", &self.return_elements)
            .field("clear_devices", &self.clear_devices)
            .field("unbound_inputs_col_name", &self.unbound_inputs_col_name)
            .finish_non_exhaustive()
    }
}

/// What an import gives.
#[derive(Debug, Clone)]
pub struct Imported<'s> {
    /// The meta graph.
    pub message: Message<'s>,
    /// The scope that it was put under, without a `/` at its end.
    pub scope: String,
    /// The saver that came with it, its names below the scope.
    pub saver: Option<SaverDef>,
    /// What the elements asked for are called now, in their order.
    pub return_elements: Vec<String>,
    /// What is left out, since the other meta graph has it already: `signature_def["predict"]`, `object_graph_def`.
    pub left_out: Vec<String>,
}

/// Imports `meta`, a `MetaGraphDef`, into another, or into nothing.
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
/// When one of the two is no `MetaGraphDef`; `meta` has no graph, an input that is neither bound nor there, or two nodes of
/// one name; an option or a collection names what is not there; the two disagree about a function or a collection.
pub fn import<'s>(
    meta: &Message<'s>,
    into: Option<&Message<'s>>,
    options: &ImportOptions<'_>,
) -> Result<Imported<'s>> {
    let mut parts = Parts::of(meta)?;
    let graph_bytes = parts.need_graph()?;
    let base = into.map(Base::of).transpose()?;
    check_scope(&options.import_scope)?;
    check_unbound(&parts, options)?;

    let graph = Graph::new(graph_bytes)?;
    let nothing = Taken::default();
    let taken = base.as_ref().map_or(&nothing, |base| &base.taken);
    let names = Taken::of(graph_bytes);
    let scope = taken.scope(&options.import_scope);
    let placed = Placed { renamed: taken.renamed(&scope, &names), scope };
    let bound = Bound::new(options, &graph)?;
    check_graph(&graph, &bound)?;
    bound.check_values(&names, &placed, taken)?;

    let order = order(&graph, |input| bound.of(input.text).is_some())?;
    let devices = devices(&graph, &order, options.clear_devices);
    let is_moved = graph.nodes().iter().zip(&devices).any(|(node, device)| node.device != *device);
    if !placed.is_nothing() || is_moved || !bound.is_empty() || !order.is_sorted() {
        let nodes = Nodes::new(&graph, &placed, &bound, devices).graph(graph_bytes, &order)?;
        parts.set(
            meta_graph_def::GRAPH_DEF,
            fields::field(meta_graph_def::GRAPH_DEF, &with_debug_info(nodes, &placed)?),
        );
    }
    let saver = rename_others(&mut parts, &placed);
    set_collections(&mut parts, &placed, &graph, options)?;
    let return_elements = returned(options, &graph, &placed, &bound)?;
    let mut left_out = Vec::new();
    let message = match base {
        Some(base) => base.with(&parts.message(meta), &mut left_out)?,
        None => parts.message(meta),
    };
    let scope = placed.scope;
    Ok(Imported { message, scope, saver, return_elements, left_out })
}

/// The graph with the names of its nodes where it says where they were made.
fn with_debug_info(graph: Vec<u8>, placed: &Placed<'_>) -> Result<Vec<u8>> {
    let schema = Schema::tensorflow();
    match (fields::bytes_in(&graph, graph_def::DEBUG_INFO), schema.message("tensorflow.GraphDef")) {
        (Some(info), Some(ty)) if !placed.is_nothing() => {
            let name = |node: &str| Some(placed.rename(node).into_owned());
            let info = fields::field(graph_def::DEBUG_INFO, &debug_info::of_nodes(info, &name)?);
            Ok(fields::splice(schema, ty, &graph, &BTreeMap::from([(graph_def::DEBUG_INFO, info)])))
        }
        _ => Ok(graph),
    }
}

/// Whether TensorFlow takes `scope` for the name of one.
fn check_scope(scope: &str) -> Result<()> {
    let is_any = |c: char| c.is_ascii_alphanumeric() || "_.\\/>-".contains(c);
    let first = scope.chars().next();
    if scope.chars().all(is_any) && first.is_none_or(|c| c == '.' || c.is_ascii_alphanumeric()) {
        return Ok(());
    }
    let allowed = "it must be letters, digits and _.\\/>- behind a letter, a digit or a dot";
    Err(Error::unexpected("name of a scope", format!("{:?}", shortened(scope)), allowed))
}

/// Whether all inputs that an export has listed are bound.
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
    let kind = format!("unbound inputs, which input_map must bind: {}", names.join(", "));
    Err(ErrorKind::Usage(kind).into())
}

/// Whether every node has a name of its own, and inputs that are there or bound.
fn check_graph(graph: &Graph<'_>, bound: &Bound<'_>) -> Result<()> {
    if let Some(&id) = graph.duplicates().first() {
        let name = format!("{:?} a second time", shortened(graph.node(id).name));
        return Err(Error::unexpected("name of a node", name, "every node needs its own"));
    }
    for node in graph.nodes() {
        for input in graph.inputs(node).iter().filter(|input| input.source.is_none()) {
            if bound.of(input.text).is_some() {
                continue;
            }
            let (name, text) = (shortened(node.name), shortened(input.text));
            let is_unbound = node_of(input.text).starts_with(UNBOUND);
            return Err(if is_unbound {
                let kind = format!("node {name}: input {text} is unbound; input_map must bind it");
                ErrorKind::Usage(kind).into()
            } else {
                ErrorKind::NotFound(format!("node {name}: input {text} is not in the graph")).into()
            });
        }
    }
    Ok(())
}

/// Renames what the saver, signatures and assets name; returns the saver.
fn rename_others(parts: &mut Parts<'_>, placed: &Placed<'_>) -> Option<SaverDef> {
    let renamed = |bytes, shape| {
        let mut out = Writer::default();
        fields::rename(bytes, shape, placed, &mut out);
        out.finish()
    };
    if !placed.is_nothing() {
        let signatures = parts.signatures.iter().flat_map(|(key, (entry, signature))| {
            fields::field(
                meta_graph_def::SIGNATURE_DEF,
                &entry_with(key, entry, &renamed(signature, &SIGNATURE)),
            )
        });
        let signatures: Vec<u8> = signatures.collect();
        let assets: Vec<u8> = parts
            .assets
            .iter()
            .flat_map(|asset| {
                fields::field(meta_graph_def::ASSET_FILE_DEF, &renamed(asset, &ASSET))
            })
            .collect();
        parts.set(meta_graph_def::SIGNATURE_DEF, signatures);
        parts.set(meta_graph_def::ASSET_FILE_DEF, assets);
    }
    let saver = parts.saver.map(|saver| renamed(saver, &SAVER_DEF))?;
    parts.set(meta_graph_def::SAVER_DEF, fields::field(meta_graph_def::SAVER_DEF, &saver));
    SaverDef::decode(&*saver).ok()
}

/// Puts the collections in place with the names that their items get.
fn set_collections(
    parts: &mut Parts<'_>,
    placed: &Placed<'_>,
    graph: &Graph<'_>,
    options: &ImportOptions<'_>,
) -> Result<()> {
    let has = |name: &str| graph.find(name).is_some();
    let trainable =
        is_before_trainable(fields::text_in(parts.info, meta_info_def::TENSORFLOW_VERSION)).then(
            || {
                let collection = parts.collections.get("trainable_variables");
                let list = collection
                    .and_then(|c| fields::bytes_in(c.def, collection_def::BYTES_LIST))
                    .unwrap_or_default();
                records(list).map(|record| crate::graph::bytes_of(&record)).collect()
            },
        );
    let entering = collections::Import { placed, has: &has, trainable };
    let unbound = options.unbound_inputs_col_name.as_deref().filter(|key| !key.is_empty());
    for (key, collection) in parts.collections.clone() {
        let is_wanted = options.restore_collections_predicate.is_none_or(|wanted| wanted(key));
        let new = match is_wanted && unbound != Some(key) {
            true => entering.collection(key, collection.def)?,
            false => None,
        };
        match new {
            Some(new) if new != collection.def => parts.set_collection(key, new),
            Some(_) => {}
            None => parts.remove_collection(key),
        }
    }
    Ok(())
}

/// Whether variables do not say if they are trainable: a version before 1.9.
fn is_before_trainable(version: &str) -> bool {
    let mut numbers = version.split('.').map(|part| part.parse::<u32>());
    matches!((numbers.next(), numbers.next()), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) < (1, 9))
}

/// What the elements asked for are called.
fn returned(
    options: &ImportOptions<'_>,
    graph: &Graph<'_>,
    placed: &Placed<'_>,
    bound: &Bound<'_>,
) -> Result<Vec<String>> {
    let found = |element: &String| {
        let is_tensor = element.contains(':');
        if let Some(new) = bound.of(element).filter(|_| is_tensor) {
            return Ok(new.to_string());
        }
        let node = node_of(element);
        let output = element.get(node.len() + 1..).filter(|_| is_tensor);
        let is_output = output.is_none_or(|output| output.parse::<u32>().is_ok());
        if element.starts_with('^') || !is_output {
            let found = format!("{:?}", shortened(element));
            return Err(Error::unexpected(
                "element to return",
                found,
                "it must be NODE or NODE:OUTPUT",
            ));
        }
        if graph.find(node).is_none() {
            let hint =
                suggestion::hint(node.as_bytes(), graph.nodes().iter().map(|node| node.name));
            let kind = format!("{} is not in the graph{hint}", shortened(element));
            return Err(ErrorKind::NotFound(kind).into());
        }
        Ok(placed.rename(element).into_owned())
    };
    options.return_elements.iter().map(found).collect()
}
