//! The parts of a meta graph, and their replacements; the meta graphs of a message.

use std::collections::BTreeMap;

use super::replace::Replacements;
use crate::error::{Error, Result};
use crate::message::{Message, Value, Writer, entry, fields, records};
use crate::schema::KnownType;
use crate::schema::field::{map_entry, meta_graph_def, saved_model};

/// The type of a meta graph.
pub(super) const META_GRAPH: &str = KnownType::MetaGraphDef.full_name();

/// The parts of a meta graph, and their replacements.
#[derive(Debug, Default)]
pub(crate) struct Parts<'m> {
    /// The `MetaInfoDef`; empty if there is none.
    pub(crate) info: &'m [u8],
    /// The `GraphDef`.
    pub(crate) graph: Option<&'m [u8]>,
    /// The `SaverDef`.
    pub(crate) saver: Option<&'m [u8]>,
    /// The collections by name.
    pub(crate) collections: BTreeMap<&'m str, Collection<'m>>,
    /// The signatures by name: map entries, and their `SignatureDef`s.
    pub(crate) signatures: BTreeMap<&'m str, (&'m [u8], &'m [u8])>,
    /// The `AssetFileDef`s.
    pub(crate) assets: Vec<&'m [u8]>,
    /// The `SavedObjectGraph`.
    pub(crate) objects: Option<&'m [u8]>,
    /// The fields that are replaced.
    pub(super) new: Replacements,
    /// Collections that are added, replaced, or removed (`None`).
    new_collections: BTreeMap<String, Option<Vec<u8>>>,
}

/// A collection of the message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Collection<'m> {
    /// The map entry.
    entry: &'m [u8],
    /// The `CollectionDef` in it.
    pub(crate) def: &'m [u8],
}

/// The meta graphs of a message: all of a SavedModel; a `MetaGraphDef` itself; none of another message.
pub(crate) fn meta_graphs_in<'m>(message: &'m Message<'_>) -> Vec<&'m [u8]> {
    match message.ty().known {
        Some(KnownType::SavedModel) => fields(message.bytes(), saved_model::META_GRAPHS).collect(),
        Some(KnownType::MetaGraphDef) => vec![message.bytes()],
        _ => Vec::new(),
    }
}

impl<'m> Parts<'m> {
    /// The parts of `meta`.
    ///
    /// # Errors
    /// If `meta` is not a `MetaGraphDef`.
    pub(super) fn of(meta: &'m Message<'_>) -> Result<Self> {
        if meta.ty().known != Some(KnownType::MetaGraphDef) {
            let (found, expected) = (&meta.ty().full_name, META_GRAPH);
            return Err(Error::unexpected("message", found, expected));
        }
        Ok(Self::of_bytes(meta.bytes()))
    }

    /// The parts of the bytes of a `MetaGraphDef`.
    pub(crate) fn of_bytes(meta: &'m [u8]) -> Self {
        let mut parts = Self::default();
        for record in records(meta) {
            let Value::Len(content) = record.value else { continue };
            match record.number {
                meta_graph_def::META_INFO_DEF => parts.info = content,
                meta_graph_def::GRAPH_DEF => parts.graph = Some(content),
                meta_graph_def::SAVER_DEF => parts.saver = Some(content),
                meta_graph_def::COLLECTION_DEF => {
                    let (key, def) = entry(content);
                    parts.collections.insert(key, Collection { entry: content, def });
                }
                meta_graph_def::SIGNATURE_DEF => {
                    let (key, signature) = entry(content);
                    parts.signatures.insert(key, (content, signature));
                }
                meta_graph_def::ASSET_FILE_DEF => parts.assets.push(content),
                meta_graph_def::OBJECT_GRAPH_DEF => parts.objects = Some(content),
                _ => {}
            }
        }
        parts
    }

    /// The graph.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn need_graph(&self) -> Result<&'m [u8]> {
        self.graph.ok_or_else(|| Error::not_found("the meta graph has no graph_def"))
    }

    /// Adds or replaces a collection.
    pub(super) fn set_collection(&mut self, key: &str, def: Vec<u8>) {
        self.new_collections.insert(key.to_owned(), Some(def));
    }

    /// Replaces the collection `key`, whose definition is `old`, or removes it.
    pub(super) fn replace_collection(&mut self, key: &str, old: &[u8], new: Option<Vec<u8>>) {
        match new {
            Some(new) if new != old => self.set_collection(key, new),
            Some(_) => {}
            None => self.remove_collection(key),
        }
    }

    /// Removes a collection.
    pub(super) fn remove_collection(&mut self, key: &str) {
        self.new_collections.insert(key.to_owned(), None);
    }

    /// The meta graph with the replacements.
    pub(super) fn message<'s>(mut self, meta: &Message<'s>) -> Message<'s> {
        if !self.new_collections.is_empty() {
            let collections = self.collection_entries();
            self.new.set_list(meta_graph_def::COLLECTION_DEF, collections.values());
        }
        let bytes = self.new.apply(meta.schema(), meta.ty(), meta.bytes());
        Message::from_canonical(meta.schema(), meta.ty(), bytes)
    }

    fn collection_entries(&mut self) -> BTreeMap<String, Vec<u8>> {
        let new = std::mem::take(&mut self.new_collections);
        let mut entries = BTreeMap::new();
        for (key, collection) in &self.collections {
            if !new.contains_key(*key) {
                entries.insert((*key).to_owned(), collection.entry.to_vec());
            }
        }
        for (key, def) in &new {
            let entry = self.collections.get(&**key).map(|collection| collection.entry);
            if let Some(def) = def {
                entries.insert(key.clone(), entry_with(key, entry.unwrap_or_default(), def));
            }
        }
        entries
    }
}

/// Replaces the value in an entry of a map of messages, and keeps unknown fields.
pub(super) fn entry_with(key: &str, entry: &[u8], value: &[u8]) -> Vec<u8> {
    let mut out = Writer::default();
    out.put_bytes(map_entry::KEY, key.as_bytes());
    out.put_bytes(map_entry::VALUE, value);
    let is_other = |number| !matches!(number, map_entry::KEY | map_entry::VALUE);
    let others = records(entry).filter(|record| is_other(record.number));
    others.for_each(|record| out.raw(record.bytes));
    out.finish()
}
