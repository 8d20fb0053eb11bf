//! The graphs in a message, each with its op list and savers.

use prost_reflect::prost::Message as _;

use crate::error::Result;
use crate::graph::Graph;
use crate::message::{Message, entry, field, fields, records, strings};
use crate::schema::KnownType;
use crate::schema::field::{
    meta_graph_def::{self, meta_info_def},
    saved_model,
};
use crate::schema::tensorflow::{CollectionDef, SaverDef, collection_def};

/// A graph, with the parts of its meta graph if it has one.
#[derive(Debug, Clone, Default)]
pub struct MetaGraph<'m> {
    /// Its tags in a SavedModel.
    pub tags: Vec<&'m str>,
    /// The graph.
    pub graph: Graph<'m>,
    /// The `OpList` of the meta graph.
    pub ops: Option<&'m [u8]>,
    /// The saver of the meta graph.
    pub saver: Option<SaverDef>,
    /// The savers in the collection `savers`.
    pub savers: Vec<SaverDef>,
}

impl<'m> MetaGraph<'m> {
    /// The graphs in `message`: all of a SavedModel, none of a message without graphs.
    ///
    /// # Errors
    /// If a graph is too large.
    pub fn all_in(message: &'m Message<'_>) -> Result<Vec<Self>> {
        let bytes = message.bytes();
        match message.ty().known {
            Some(KnownType::SavedModel) => {
                fields(bytes, saved_model::META_GRAPHS).map(Self::new).collect()
            }
            Some(KnownType::MetaGraphDef) => Ok(vec![Self::new(bytes)?]),
            Some(KnownType::GraphDef) => {
                Ok(vec![Self { graph: Graph::new(bytes)?, ..Self::default() }])
            }
            _ => Ok(Vec::new()),
        }
    }

    fn new(bytes: &'m [u8]) -> Result<Self> {
        let mut found = Self::default();
        for record in records(bytes) {
            let content = record.payload();
            match record.number {
                meta_graph_def::META_INFO_DEF => {
                    found.ops = field(content, meta_info_def::STRIPPED_OP_LIST);
                    found.tags = strings(content, meta_info_def::TAGS).collect();
                }
                meta_graph_def::GRAPH_DEF => found.graph = Graph::new(content)?,
                meta_graph_def::SAVER_DEF => found.saver = SaverDef::decode(content).ok(),
                meta_graph_def::COLLECTION_DEF => {
                    let (name, collection) = entry(content);
                    if name == "savers" {
                        found.savers = savers(collection);
                    }
                }
                _ => {}
            }
        }
        Ok(found)
    }
}

/// The savers in a collection.
fn savers(collection: &[u8]) -> Vec<SaverDef> {
    match CollectionDef::decode(collection).ok().and_then(|collection| collection.kind) {
        Some(collection_def::Kind::BytesList(list)) => {
            list.value.iter().filter_map(|bytes| SaverDef::decode(&**bytes).ok()).collect()
        }
        _ => Vec::new(),
    }
}
