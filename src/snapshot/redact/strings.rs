//! Rewrites the strings of messages: random ids, and names of functions, nodes and scopes.

use std::collections::BTreeMap;

use prost::Name;

use super::renames::Renames;
use super::{functions, numbers};
use crate::error::{Error, Result};
use crate::graph::{is_table, without_random_ids};
use crate::message::{Message, Records, Value, Writer};
use crate::meta_graph::item_type;
use crate::schema::tensorflow::collection_def::Kind as CollectionKind;
use crate::schema::tensorflow::{FunctionDef, GraphDef, MetaGraphDef, NodeDef};
use crate::schema::{Kind, MessageType, Schema};
use crate::snapshot::{Redaction, Redactions};

/// Rewrites the strings of a meta graph.
///
/// # Errors
/// If a message is nested too deeply.
pub(super) fn of_meta_graph(
    mut meta_graph: MetaGraphDef,
    redactions: &Redactions,
) -> Result<MetaGraphDef> {
    let graph = meta_graph.graph_def.take();
    let mut aliases = BTreeMap::new();
    if let Some(described) = &mut meta_graph.meta_info_def {
        aliases = std::mem::take(&mut described.function_aliases);
    }
    let aliased: Vec<&str> = aliases.keys().map(|name| &**name).collect();
    let graph = graph.map(|graph| Rewritten::of(graph, &aliased, redactions)).transpose()?;
    let names = graph.as_ref().map(|graph| &graph.names);
    let none = Names::new(redactions);
    let names = names.unwrap_or(&none);
    let mut collections = std::mem::take(&mut meta_graph.collection_def);
    for (key, collection) in &mut collections {
        match &mut collection.kind {
            Some(CollectionKind::BytesList(list)) => {
                for bytes in &mut list.value {
                    names.item(key, bytes)?;
                }
            }
            _ => *collection = names.rewrite(collection)?,
        }
    }
    // The keys of this map are names of functions.
    let renamed = |name: String| names.functions.get(&name).map(str::to_owned).unwrap_or(name);
    let aliases = aliases.into_iter().map(|(name, alias)| (renamed(name), alias)).collect();
    let mut meta_graph = names.rewrite(&meta_graph)?;
    if let Some(described) = &mut meta_graph.meta_info_def {
        described.function_aliases = aliases;
    }
    meta_graph.collection_def = collections;
    meta_graph.graph_def = graph.map(|graph| graph.graph);
    Ok(meta_graph)
}

/// Rewrites the strings of a graph.
///
/// # Errors
/// As [`of_meta_graph`].
pub(super) fn of_graph(graph: GraphDef, redactions: &Redactions) -> Result<GraphDef> {
    Ok(Rewritten::of(graph, &[], redactions)?.graph)
}

/// A graph whose strings are rewritten, and the names that changed.
struct Rewritten {
    graph: GraphDef,
    names: Names,
}

impl Rewritten {
    /// Rewrites the graph; `aliased` are the functions that have aliases.
    fn of(mut graph: GraphDef, aliased: &[&str], redactions: &Redactions) -> Result<Self> {
        let mut names = Names::new(redactions);
        if names.masks_ids {
            super::each_node(&mut graph, drop_shared_name);
        }
        names.functions = functions::renames(&graph, aliased, redactions);
        if redactions.has(Redaction::Numbers) {
            names.nodes = numbers::renumbered(graph.node.iter().map(|node| &*node.name));
        }
        let library = graph.library.as_mut();
        let bodies = library.map(|library| std::mem::take(&mut library.function));
        // Each node by itself, so that no copy of the whole graph is made.
        for node in &mut graph.node {
            *node = names.rewrite(node)?;
        }
        let nodes = std::mem::take(&mut graph.node);
        let mut graph = names.rewrite(&graph)?;
        graph.node = nodes;
        let bodies = bodies.into_iter().flatten();
        let bodies = bodies.map(|function| names.function(function, redactions));
        let bodies: Vec<FunctionDef> = bodies.collect::<Result<_>>()?;
        if !bodies.is_empty() {
            graph.library.get_or_insert_default().function = bodies;
        }
        if redactions.has(Redaction::FunctionCounters) {
            uncount_gradients(&mut graph);
        }
        Ok(Self { graph, names })
    }
}

/// Removes the shared name of a table: a random id, or the path of its vocabulary on the machine that made it.
fn drop_shared_name(node: &mut NodeDef) {
    if is_table(&node.op) {
        node.attr.remove("shared_name");
    }
}

/// Removes the counters of registered gradients: `CustomGradient-12`.
fn uncount_gradients(graph: &mut GraphDef) {
    let gradients = graph.library.iter_mut().flat_map(|library| &mut library.registered_gradients);
    for gradient in gradients {
        let ty = &mut gradient.registered_op_type;
        ty.truncate(ty.trim_end_matches(|c: char| c.is_ascii_digit()).len());
    }
}

/// The names that change.
struct Names {
    masks_ids: bool,
    functions: Renames,
    nodes: Renames,
}

impl Names {
    fn new(redactions: &Redactions) -> Self {
        let masks_ids = redactions.has(Redaction::RandomNames);
        Self { masks_ids, functions: Renames::default(), nodes: Renames::default() }
    }

    /// The new text of a string; `None` if it stays. Names in `inside` take precedence.
    fn text(&self, inside: Option<&Renames>, text: &[u8]) -> Option<Vec<u8>> {
        let masked = if self.masks_ids { without_random_ids(text) } else { None };
        let name = str::from_utf8(masked.as_deref().unwrap_or(text)).ok();
        let renamed = name.and_then(|name| {
            let function = || self.functions.get(name).map(str::to_owned);
            let inside = inside.and_then(|inside| inside.text(name));
            inside.or_else(function).or_else(|| self.nodes.text(name))
        });
        renamed.map(String::into_bytes).or(masked)
    }

    /// Rewrites the strings of a message.
    fn rewrite<T: prost::Message + Name + Default>(&self, message: &T) -> Result<T> {
        self.rewrite_inside(None, message)
    }

    fn rewrite_inside<T: prost::Message + Name + Default>(
        &self,
        inside: Option<&Renames>,
        message: &T,
    ) -> Result<T> {
        let bytes = self.bytes(inside, &T::full_name(), &message.encode_to_vec())?;
        T::decode(&*bytes).map_err(|error| Error::malformed("message", T::full_name(), error))
    }

    /// Rewrites the strings of a message in the binary format.
    fn bytes(&self, inside: Option<&Renames>, name: &str, bytes: &[u8]) -> Result<Vec<u8>> {
        let schema = Schema::tensorflow();
        let missing = || Error::not_found(format!("the schema has no message {name}"));
        let ty = schema.message(name).ok_or_else(missing)?;
        let mut out = Writer::default();
        let text = |text: &[u8]| self.text(inside, text);
        rewrite(schema, ty, bytes, &text, &mut out)?;
        Ok(out.finish())
    }

    /// Rewrites an item of a collection: a message, if it is one of the collection's, or a string.
    fn item(&self, key: &str, bytes: &mut Vec<u8>) -> Result<()> {
        let schema = Schema::tensorflow();
        let ty = item_type(key).and_then(|item| schema.message(item.message));
        let message = ty.and_then(|ty| Message::decode(schema, ty, bytes.clone()).ok());
        match message {
            Some(message) => {
                *bytes = self.bytes(None, &message.ty().full_name, message.bytes())?;
            }
            None => {
                if let Some(new) = self.text(None, bytes) {
                    *bytes = new;
                }
            }
        }
        Ok(())
    }

    /// Rewrites the strings of a function, whose nodes have names of their own.
    fn function(&self, mut function: FunctionDef, redactions: &Redactions) -> Result<FunctionDef> {
        let inside = match redactions.has(Redaction::Numbers) {
            true => functions::inside(&function),
            false => Renames::default(),
        };
        for node in &mut function.node_def {
            *node = self.rewrite_inside(Some(&inside), node)?;
        }
        for attr in function.attr.values_mut() {
            *attr = self.rewrite(attr)?;
        }
        if let Some(signature) = &mut function.signature
            && let Some(new) = self.functions.get(&signature.name)
        {
            signature.name = new.to_owned();
        }
        if redactions.has(Redaction::Numbers) {
            functions::rename_signature(&mut function, &inside);
        }
        Ok(function)
    }
}

/// Copies a message, and replaces the strings for which `text` returns another. The keys of maps stay: they name attributes, inputs
/// and outputs.
fn rewrite(
    schema: &Schema,
    ty: &MessageType,
    bytes: &[u8],
    text: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
    out: &mut Writer,
) -> Result<()> {
    for record in Records::new(bytes, 0) {
        let record = record?;
        let is_key =
            ty.is_map_entry && ty.entry().is_some_and(|(key, _)| key.number == record.number);
        let field = ty.field(record.number).filter(|_| !is_key);
        match (field.map(|field| field.kind), record.value) {
            (Some(Kind::Message(id)), Value::Len(content)) => {
                out.begin(record.number);
                rewrite(schema, &schema[id], content, text, out)?;
                out.close();
            }
            (Some(Kind::String | Kind::Bytes), Value::Len(content)) => match text(content) {
                Some(new) => out.put_bytes(record.number, &new),
                None => out.raw(record.bytes),
            },
            _ => out.raw(record.bytes),
        }
    }
    Ok(())
}
