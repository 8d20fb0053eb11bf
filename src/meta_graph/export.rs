//! A meta graph with a part of what it has.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use super::UNBOUND_INPUTS;
use super::collection::{Kind, list};
use super::collections;
use super::defaults::Defaults;
use super::fields::{self, Shape, records, text_in};
use super::kept::{Nodes, with_library};
use super::names::{Rename, Scope};
use super::op_list;
use super::parts::{Parts, entry_with};
use super::registered::{ASSET, SIGNATURE};
use super::savers::Extraneous;
use crate::bytes::suggestion;
use crate::error::{ErrorKind, Result, shortened};
use crate::graph::{OpTable, bytes_of};
use crate::message::{Message, Writer};
use crate::schema::Schema;
use crate::schema::field;
use crate::schema::field::{
    collection_def::{self, bytes_list},
    graph_def,
    meta_graph_def::{self, meta_info_def},
    node_def, saver_def,
};

/// What an export keeps and what it says; by default it keeps everything.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// Only nodes whose name begins with this, and without it; empty for all.
    pub export_scope: String,
    /// The collection that names the inputs from outside the scope; `None` for no collection.
    pub unbound_inputs_col_name: Option<String>,
    /// Whether nodes lose their devices, those in functions apart.
    pub clear_devices: bool,
    /// Whether the nodes of savers go, but for those of the meta graph's own, and these savers from their collection.
    pub clear_extraneous_savers: bool,
    /// Whether attributes go whose value is the default.
    pub strip_default_attrs: bool,
    /// The collections to keep; `None` for all.
    pub collection_list: Option<Vec<String>>,
    /// Whether `stripped_op_list` is made anew in any case. It is where there is one and nodes may have gone.
    pub stripped_op_list: bool,
    /// The tags in place of those there are.
    pub tags: Option<Vec<String>>,
    /// The user's version in place of the one there is.
    pub meta_graph_version: Option<String>,
    /// The user's `google.protobuf.Any`, in the binary format, in place of the one there is.
    pub any_info: Option<Vec<u8>>,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            export_scope: String::new(),
            unbound_inputs_col_name: Some(UNBOUND_INPUTS.into()),
            clear_devices: false,
            clear_extraneous_savers: false,
            strip_default_attrs: false,
            collection_list: None,
            stripped_op_list: false,
            tags: None,
            meta_graph_version: None,
            any_info: None,
        }
    }
}

/// What an export gives.
#[derive(Debug, Clone)]
pub struct Exported<'s> {
    /// The meta graph.
    pub message: Message<'s>,
    /// The inputs from outside the scope, as nodes name them now: `$unbound_inputs_x`, `^$unbound_inputs_y:1`; one for each
    /// time that it is taken.
    pub unbound_inputs: Vec<String>,
    /// Signatures and assets that are left out, since they name what is not in the scope: `signature_def["predict"]`.
    pub left_out: Vec<String>,
}

/// Exports what `options` ask for from `meta`, a `MetaGraphDef`.
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
/// When `meta` is no `MetaGraphDef` or has no graph, an option names what is not there, or an item of a collection is not
/// the message that it must be.
pub fn export<'s>(meta: &Message<'s>, options: &ExportOptions) -> Result<Exported<'s>> {
    let mut parts = Parts::of(meta)?;
    let graph = parts.need_graph()?;
    check(&parts, graph, options)?;
    let own = op_list::of(&parts)?;
    let scope = Scope::new(&options.export_scope);
    let leaving = collections::Export { scope, gone: gone(&parts, graph, options) };

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
        let edit =
            Nodes { scope, options, defaults: defaults.as_ref(), unbound: &mut unbound_inputs };
        let rebuilt = scope.is_some() || options.clear_devices || options.clear_extraneous_savers;
        let nodes = edit.graph(graph, &leaving.gone)?;
        Cow::Owned(if rebuilt { with_library(nodes) } else { nodes })
    } else {
        Cow::Borrowed(graph)
    };
    set_info(&mut parts, &new_graph, &own, options)?;
    if is_changed {
        parts.set(meta_graph_def::GRAPH_DEF, fields::field(meta_graph_def::GRAPH_DEF, &new_graph));
    }
    set_collections(&mut parts, &leaving, options, &unbound_inputs)?;
    let left_out = scope.map(|scope| strip_signatures(&mut parts, scope)).unwrap_or_default();
    Ok(Exported { message: parts.message(meta), unbound_inputs, left_out })
}

/// Whether all that `options` name is there.
fn check(parts: &Parts<'_>, graph: &[u8], options: &ExportOptions) -> Result<()> {
    if let Some(scope) = Scope::new(&options.export_scope)
        && !names(graph).any(|(name, _)| scope.has(name))
    {
        let scopes: BTreeSet<&str> =
            names(graph).filter_map(|(name, _)| Some(name.split_once('/')?.0)).collect();
        let wanted = &options.export_scope;
        let hint = suggestion::hint(wanted.as_bytes(), scopes.into_iter());
        let kind = format!("no node has a name that begins with {}{hint}", shortened(wanted));
        return Err(ErrorKind::NotFound(kind).into());
    }
    for key in options.collection_list.iter().flatten() {
        if !parts.collections.contains_key(&**key) {
            let hint = suggestion::hint(key.as_bytes(), parts.collections.keys().copied());
            let kind = format!("there is no collection {}{hint}", shortened(key));
            return Err(ErrorKind::NotFound(kind).into());
        }
    }
    Ok(())
}

/// The names and ops of the nodes.
fn names(graph: &[u8]) -> impl Iterator<Item = (&str, &str)> {
    let nodes = records(graph).filter(|record| record.number == graph_def::NODE);
    nodes.map(|record| {
        (text_in(bytes_of(&record), node_def::NAME), text_in(bytes_of(&record), node_def::OP))
    })
}

/// Whether nodes of two names still have two names without the scope.
fn check_names(graph: &[u8], scope: Scope<'_>) -> Result<()> {
    let inside = names(graph).map(|(name, _)| name).filter(|name| scope.has(name));
    let mut names: Vec<_> = inside.map(|name| (scope.rename(name), name)).collect();
    names.sort_unstable();
    match names.array_windows().find(|[a, b]| a.0 == b.0 && a.1 != b.1) {
        Some([(name, one), (_, other)]) => {
            let (one, other) = (shortened(one), shortened(other));
            let kind =
                format!("{one} and {other} are both {} without their scope", shortened(name));
            Err(ErrorKind::Usage(kind).into())
        }
        None => Ok(()),
    }
}

/// The nodes of savers that are not the meta graph's own.
fn gone<'m>(parts: &Parts<'m>, graph: &'m [u8], options: &ExportOptions) -> BTreeSet<&'m str> {
    if !options.clear_extraneous_savers {
        return BTreeSet::new();
    }
    let own = parts.saver.map(|saver| {
        [text_in(saver, saver_def::SAVE_TENSOR_NAME), text_in(saver, saver_def::RESTORE_OP_NAME)]
    });
    let extraneous = Extraneous::new(names(graph), own.as_ref().map_or(&[], |own| own));
    names(graph).map(|(name, _)| name).filter(|name| extraneous.has(name)).collect()
}

/// Puts what the options say into `meta_info_def`, and the list of ops of the new graph.
fn set_info(
    parts: &mut Parts<'_>,
    graph: &[u8],
    ops: &OpTable<'_>,
    options: &ExportOptions,
) -> Result<()> {
    let mut new = BTreeMap::new();
    let nodes_may_go = !options.export_scope.is_empty() || options.clear_extraneous_savers;
    let has_list = fields::bytes_in(parts.info, meta_info_def::STRIPPED_OP_LIST).is_some();
    if options.stripped_op_list || nodes_may_go && has_list {
        let old = fields::bytes_in(parts.info, meta_info_def::STRIPPED_OP_LIST).unwrap_or_default();
        let mut list = op_list::of_graph(graph, ops);
        list.extend(
            records(old)
                .filter(|record| record.number != field::op_list::OP)
                .flat_map(|record| record.bytes),
        );
        new.insert(
            meta_info_def::STRIPPED_OP_LIST,
            fields::field(meta_info_def::STRIPPED_OP_LIST, &list),
        );
    }
    if options.strip_default_attrs {
        new.insert(
            meta_info_def::STRIPPED_DEFAULT_ATTRS,
            fields::number(meta_info_def::STRIPPED_DEFAULT_ATTRS, 1),
        );
    }
    if let Some(version) = &options.meta_graph_version {
        let none = version.is_empty();
        new.insert(
            meta_info_def::META_GRAPH_VERSION,
            if none {
                Vec::new()
            } else {
                fields::field(meta_info_def::META_GRAPH_VERSION, version.as_bytes())
            },
        );
    }
    if let Some(any) = &options.any_info {
        new.insert(
            meta_info_def::ANY_INFO,
            fields::field(meta_info_def::ANY_INFO, &fields::canonical("google.protobuf.Any", any)?),
        );
    }
    if let Some(tags) = &options.tags {
        new.insert(
            meta_info_def::TAGS,
            tags.iter()
                .flat_map(|tag| fields::field(meta_info_def::TAGS, tag.as_bytes()))
                .collect(),
        );
    }
    let schema = Schema::tensorflow();
    if let Some(ty) = schema.message("tensorflow.MetaGraphDef.MetaInfoDef")
        && !new.is_empty()
    {
        let info = fields::splice(schema, ty, parts.info, &new);
        parts.set(
            meta_graph_def::META_INFO_DEF,
            fields::field(meta_graph_def::META_INFO_DEF, &info),
        );
    }
    Ok(())
}

/// Puts the collections in place that are others now.
fn set_collections(
    parts: &mut Parts<'_>,
    leaving: &collections::Export<'_>,
    options: &ExportOptions,
    unbound: &[String],
) -> Result<()> {
    let kept = |key: &&str| {
        options.collection_list.as_ref().is_none_or(|list| list.iter().any(|kept| kept == key))
    };
    let unbound_key = options.unbound_inputs_col_name.as_deref().filter(|key| !key.is_empty());
    for (key, collection) in parts.collections.clone() {
        if !kept(&key) {
            parts.remove_collection(key);
            continue;
        }
        let mut def = Cow::Borrowed(collection.def);
        let is_list = matches!(list(&def), Some((Kind::BytesList, _)));
        if options.clear_extraneous_savers && key == "savers" && is_list {
            let saver = parts
                .saver
                .map(|saver| fields::field(bytes_list::VALUE, saver))
                .unwrap_or_default();
            def = Cow::Owned(fields::field(collection_def::BYTES_LIST, &saver));
            if parts.saver.is_none() {
                parts.remove_collection(key);
                continue;
            }
        }
        if leaving.scope.is_some() || !leaving.gone.is_empty() || matches!(def, Cow::Owned(_)) {
            match leaving.collection(key, &def)? {
                Some(new) if new != collection.def => parts.set_collection(key, new),
                Some(_) => {}
                None => parts.remove_collection(key),
            }
        }
    }
    // As in TensorFlow, control inputs are not among them; who imports the graph is told of those by its nodes.
    let listed: Vec<u8> = unbound
        .iter()
        .filter(|input| !input.starts_with('^'))
        .flat_map(|input| fields::field(bytes_list::VALUE, input.as_bytes()))
        .collect();
    if let Some(key) = unbound_key
        && leaving.scope.is_some()
        && options.collection_list.as_ref().is_none_or(|list| list.iter().any(|kept| kept == key))
    {
        if listed.is_empty() {
            parts.remove_collection(key);
        } else {
            parts.set_collection(key, fields::field(collection_def::BYTES_LIST, &listed));
        }
    }
    Ok(())
}

/// Strips signatures and assets of the scope; those that name what is outside are left out, and returned.
fn strip_signatures(parts: &mut Parts<'_>, scope: Scope<'_>) -> Vec<String> {
    let (mut signatures, mut assets, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    for (key, (entry, signature)) in &parts.signatures {
        match stripped(signature, &SIGNATURE, scope) {
            Some(new) => signatures.extend(fields::field(
                meta_graph_def::SIGNATURE_DEF,
                &entry_with(key, entry, &new),
            )),
            None => left_out.push(format!("signature_def[{key:?}]")),
        }
    }
    for (index, asset) in parts.assets.iter().enumerate() {
        match stripped(asset, &ASSET, scope) {
            Some(new) => assets.extend(fields::field(meta_graph_def::ASSET_FILE_DEF, &new)),
            None => left_out.push(format!("asset_file_def[{index}]")),
        }
    }
    parts.set(meta_graph_def::SIGNATURE_DEF, signatures);
    parts.set(meta_graph_def::ASSET_FILE_DEF, assets);
    left_out
}

/// A message without the scope in its names; `None` where one of them is outside.
fn stripped(message: &[u8], shape: &Shape, scope: Scope<'_>) -> Option<Vec<u8>> {
    let (strip, mut out) = (Strip { scope, is_outside: Cell::new(false) }, Writer::default());
    fields::rename(message, shape, &strip, &mut out);
    (!strip.is_outside.get()).then(|| out.finish())
}

/// Strips names of a scope, and notes whether one is outside.
struct Strip<'a> {
    scope: Scope<'a>,
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
