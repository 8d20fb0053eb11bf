//! The graphs in a message, each with its op list and savers.

use prost_reflect::prost::Message as _;

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::message::{Message, entry, field, fields, nested, records, strings};
use crate::meta_graph::SAVERS;
use crate::schema::KnownType;
use crate::schema::field::{
    collection_def::{self, bytes_list},
    meta_graph_def::{self, meta_info_def},
    saved_model,
};
use crate::schema::tensorflow::SaverDef;

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
    /// The error of the first saver that cannot be decoded.
    pub malformed: Option<Error>,
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
                meta_graph_def::SAVER_DEF => found.saver = found.decode("saver_def", content),
                meta_graph_def::COLLECTION_DEF => {
                    let (name, collection) = entry(content);
                    if name == SAVERS {
                        let list = nested(collection, collection_def::BYTES_LIST);
                        for (index, bytes) in fields(list, bytes_list::VALUE).enumerate() {
                            let at = format!("collection_def[{SAVERS:?}][{index}]");
                            let saver = found.decode(&at, bytes);
                            found.savers.extend(saver);
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(found)
    }

    fn decode(&mut self, at: &str, bytes: &[u8]) -> Option<SaverDef> {
        let decoded = SaverDef::decode(bytes).map_err(|error| {
            Error::malformed("saver", "a tensorflow.SaverDef", error).in_field(at)
        });
        match decoded {
            Ok(saver) => Some(saver),
            Err(error) => {
                self.malformed.get_or_insert(error);
                None
            }
        }
    }
}
