//! Exports a part of a meta graph.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeSet;

use super::collection::{Kind, list};
use super::collections;
use super::defaults::Defaults;
use super::export_nodes::{ExportedNodes, with_library};
use super::names::{ExportScope, Rename};
use super::op_list;
use super::options::ExportOptions;
use super::parts::{Parts, entry_with};
use super::registered::{ASSET, SAVERS, SIGNATURE};
use super::rename::{NameFields, renamed};
use super::replace::Replacements;
use super::savers::ExtraneousSavers;
use crate::error::{Error, Result, shortened};
use crate::graph::OpTable;
use crate::message::{Message, canonical_tensorflow, encoded, field, fields, records, string};
use crate::schema::field::{
    any,
    collection_def::{self, bytes_list},
    graph_def,
    meta_graph_def::{self, meta_info_def},
    node_def, saver_def,
};
use crate::suggestion;

/// The result of an export.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ExportOutcome<'s> {
    /// The meta graph.
    pub message: Message<'s>,
    /// The inputs from outside the scope, by their new names: `$unbound_inputs_x`, `^$unbound_inputs_y:1`; one for each use.
    pub unbound_inputs: Vec<String>,
    /// The signatures and assets that were left out because they refer to nodes outside the scope: `signature_def["predict"]`.
    pub left_out: Vec<String>,
}

/// Exports a part of `meta`, a `MetaGraphDef`.
///
/// ```
/// use ckdiff::artifact::{Document, ReadOptions};
/// use ckdiff::graph::Graph;
/// use ckdiff::meta_graph::{ExportOptions, export};
/// use ckdiff::schema::Schema;
///
/// let file = "tests/data/meta_graphs/towers.meta";
/// let document = Document::open(file, Schema::tensorflow(), &ReadOptions::default())?;
/// let options = ExportOptions { export_scope: "tower2/".into(), ..ExportOptions::default() };
/// let exported = export(document.message(), &options)?;
/// assert_eq!(exported.unbound_inputs, ["$unbound_inputs_outside", "^$unbound_inputs_started"]);
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If `meta` is not a `MetaGraphDef` or has no graph, an option names something missing, or an item of a collection is not the
/// message that the collection has.
pub fn export<'s>(meta: &Message<'s>, options: &ExportOptions) -> Result<ExportOutcome<'s>> {
    let mut parts = Parts::of(meta)?;
    let graph = parts.need_graph()?;
    check(&parts, graph, options)?;
    let own = op_list::of(&parts)?;
    let scope = ExportScope::new(&options.export_scope);
    let leaving =
        collections::CollectionExport { scope, dropped: extraneous(&parts, graph, options) };

    let mut unbound_inputs = Vec::new();
    let is_changed = scope.is_some()
        || options.clear_devices
        || options.strip_default_attrs
        || options.clear_extraneous_savers;
    if let Some(scope) = scope {
        check_names(graph, scope)?;
    }
    let new_graph = if is_changed {
        let functions = op_list::functions(graph).into_keys().collect();
        let defaults = options.strip_default_attrs.then(|| Defaults::new(&own, functions));
        let edit = ExportedNodes {
            scope,
            options,
            defaults: defaults.as_ref(),
            unbound: &mut unbound_inputs,
        };
        let rebuilt = scope.is_some() || options.clear_devices || options.clear_extraneous_savers;
        let nodes = edit.graph(graph, &leaving.dropped)?;
        Cow::Owned(if rebuilt { with_library(nodes) } else { nodes })
    } else {
        Cow::Borrowed(graph)
    };
    set_info(&mut parts, &new_graph, &own, options)?;
    if is_changed {
        parts.new.set(meta_graph_def::GRAPH_DEF, &new_graph);
    }
    set_collections(&mut parts, &leaving, options, &unbound_inputs)?;
    let left_out = scope.map(|scope| strip_signatures(&mut parts, scope)).unwrap_or_default();
    Ok(ExportOutcome { message: parts.message(meta), unbound_inputs, left_out })
}

/// Checks that everything that `options` name exists.
fn check(parts: &Parts<'_>, graph: &[u8], options: &ExportOptions) -> Result<()> {
    if let Some(scope) = ExportScope::new(&options.export_scope)
        && !names(graph).any(|(name, _)| scope.has(name))
    {
        let scopes: BTreeSet<&str> =
            names(graph).filter_map(|(name, _)| Some(name.split_once('/')?.0)).collect();
        let wanted = &options.export_scope;
        let hint = suggestion::hint(wanted.as_bytes(), scopes.into_iter());
        return Err(Error::not_found(format!(
            "no node has a name that begins with {}{hint}",
            shortened(wanted)
        )));
    }
    for key in options.collection_list.iter().flatten() {
        if !parts.collections.contains_key(&**key) {
            let hint = suggestion::hint(key.as_bytes(), parts.collections.keys().copied());
            return Err(Error::not_found(format!(
                "there is no collection {}{hint}",
                shortened(key)
            )));
        }
    }
    Ok(())
}

/// The names and ops of the nodes.
fn names(graph: &[u8]) -> impl Iterator<Item = (&str, &str)> {
    let nodes = fields(graph, graph_def::NODE);
    nodes.map(|node| (string(node, node_def::NAME), string(node, node_def::OP)))
}

/// Checks that no two nodes have the same name without the scope.
fn check_names(graph: &[u8], scope: ExportScope<'_>) -> Result<()> {
    let inside = names(graph).map(|(name, _)| name).filter(|name| scope.has(name));
    let mut names: Vec<_> = inside.map(|name| (scope.rename(name), name)).collect();
    names.sort_unstable();
    let mut pairs = names.iter().zip(names.iter().skip(1));
    match pairs.find(|(a, b)| a.0 == b.0 && a.1 != b.1) {
        Some(((name, one), (_, other))) => {
            let (one, other) = (shortened(one), shortened(other));
            Err(Error::usage(format!(
                "{one} and {other} are both {} without their scope",
                shortened(name)
            )))
        }
        None => Ok(()),
    }
}

/// The nodes of savers other than that of the meta graph.
fn extraneous<'m>(
    parts: &Parts<'m>,
    graph: &'m [u8],
    options: &ExportOptions,
) -> BTreeSet<&'m str> {
    if !options.clear_extraneous_savers {
        return BTreeSet::new();
    }
    let own = parts.saver.map(|saver| {
        [string(saver, saver_def::SAVE_TENSOR_NAME), string(saver, saver_def::RESTORE_OP_NAME)]
    });
    let extraneous = ExtraneousSavers::new(names(graph), own.as_ref().map_or(&[], |own| own));
    names(graph).map(|(name, _)| name).filter(|name| extraneous.has(name)).collect()
}

/// Updates `meta_info_def` by the options, and its op list by the new graph.
fn set_info(
    parts: &mut Parts<'_>,
    graph: &[u8],
    ops: &OpTable<'_>,
    options: &ExportOptions,
) -> Result<()> {
    let mut new = Replacements::default();
    let nodes_may_go = !options.export_scope.is_empty() || options.clear_extraneous_savers;
    let old_list = field(parts.info, meta_info_def::STRIPPED_OP_LIST);
    if options.stripped_op_list || nodes_may_go && old_list.is_some() {
        let mut list = op_list::of_graph(graph, ops);
        let unknown = records(old_list.unwrap_or_default());
        let unknown = unknown.filter(|record| record.number != crate::schema::field::op_list::OP);
        list.extend(unknown.flat_map(|record| record.bytes));
        new.set(meta_info_def::STRIPPED_OP_LIST, &list);
    }
    if options.strip_default_attrs {
        new.set_bool(meta_info_def::STRIPPED_DEFAULT_ATTRS, true);
    }
    if let Some(version) = &options.meta_graph_version {
        let given = Some(version).filter(|version| !version.is_empty());
        new.set_list(meta_info_def::META_GRAPH_VERSION, given);
    }
    if let Some(any) = &options.any_info {
        new.set(meta_info_def::ANY_INFO, &canonical_tensorflow(any::MESSAGE_NAME, any)?);
    }
    if let Some(tags) = &options.tags {
        new.set_list(meta_info_def::TAGS, tags);
    }
    if !new.is_empty() {
        let info = new.apply_to(meta_info_def::MESSAGE_NAME, parts.info);
        parts.new.set(meta_graph_def::META_INFO_DEF, &info);
    }
    Ok(())
}

/// Replaces the collections that changed.
fn set_collections(
    parts: &mut Parts<'_>,
    leaving: &collections::CollectionExport<'_>,
    options: &ExportOptions,
    unbound: &[String],
) -> Result<()> {
    let is_kept = |key: &str| {
        options.collection_list.as_ref().is_none_or(|list| list.iter().any(|kept| kept == key))
    };
    let unbound_key = options.unbound_inputs_col_name.as_deref().filter(|key| !key.is_empty());
    for (key, collection) in parts.collections.clone() {
        if !is_kept(key) {
            parts.remove_collection(key);
            continue;
        }
        let mut def = Cow::Borrowed(collection.def);
        let is_list = matches!(list(&def), Some((Kind::BytesList, _)));
        if options.clear_extraneous_savers && key == SAVERS && is_list {
            let saver = parts.saver.map(|saver| encoded(bytes_list::VALUE, saver));
            def = Cow::Owned(encoded(collection_def::BYTES_LIST, &saver.unwrap_or_default()));
            if parts.saver.is_none() {
                parts.remove_collection(key);
                continue;
            }
        }
        if leaving.scope.is_some() || !leaving.dropped.is_empty() || matches!(def, Cow::Owned(_)) {
            parts.replace_collection(key, collection.def, leaving.collection(key, &def)?);
        }
    }
    // As in TensorFlow, control inputs are not listed; an importer finds these in the nodes.
    let listed: Vec<u8> = unbound
        .iter()
        .filter(|input| !input.starts_with('^'))
        .flat_map(|input| encoded(bytes_list::VALUE, input.as_bytes()))
        .collect();
    if let Some(key) = unbound_key
        && leaving.scope.is_some()
        && is_kept(key)
    {
        if listed.is_empty() {
            parts.remove_collection(key);
        } else {
            parts.set_collection(key, encoded(collection_def::BYTES_LIST, &listed));
        }
    }
    Ok(())
}

/// Removes the scope from signatures and assets. Returns those that refer to nodes outside the scope, and are left out.
fn strip_signatures(parts: &mut Parts<'_>, scope: ExportScope<'_>) -> Vec<String> {
    let (mut signatures, mut assets, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    for (key, (entry, signature)) in &parts.signatures {
        match stripped(signature, &SIGNATURE, scope) {
            Some(new) => signatures.push(entry_with(key, entry, &new)),
            None => left_out.push(format!("signature_def[{key:?}]")),
        }
    }
    for (index, asset) in parts.assets.iter().enumerate() {
        match stripped(asset, &ASSET, scope) {
            Some(new) => assets.push(new),
            None => left_out.push(format!("asset_file_def[{index}]")),
        }
    }
    parts.new.set_list(meta_graph_def::SIGNATURE_DEF, signatures);
    parts.new.set_list(meta_graph_def::ASSET_FILE_DEF, assets);
    left_out
}

/// A message without the scope in its names; `None` if one of them is outside the scope.
fn stripped(message: &[u8], names: &NameFields, scope: ExportScope<'_>) -> Option<Vec<u8>> {
    let strip = Strip { scope, is_outside: Cell::new(false) };
    let stripped = renamed(message, names, &strip);
    (!strip.is_outside.get()).then_some(stripped)
}

/// Removes a scope from names, and notes whether one is outside it.
struct Strip<'a> {
    scope: ExportScope<'a>,
    is_outside: Cell<bool>,
}

impl Rename for Strip<'_> {
    fn rename<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if !name.is_empty() && !self.scope.has(name) {
            self.is_outside.set(true);
        }
        self.scope.rename(name)
    }
}
