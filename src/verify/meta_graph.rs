//! The graphs in a message, each with its op list and savers.

use prost::Message as _;

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::message::{Message, field, fields, nested, strings};
use crate::meta_graph::{Parts, SAVERS, meta_graphs_in};
use crate::schema::KnownType;
use crate::schema::field::{
    collection_def::{self, bytes_list},
    meta_graph_def::meta_info_def,
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
    /// The `SavedObjectGraph` of the meta graph.
    pub objects: Option<&'m [u8]>,
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
        if message.ty().known == Some(KnownType::GraphDef) {
            return Ok(vec![Self { graph: Graph::new(message.bytes())?, ..Self::default() }]);
        }
        meta_graphs_in(message).into_iter().map(Self::new).collect()
    }

    fn new(bytes: &'m [u8]) -> Result<Self> {
        let parts = Parts::of_bytes(bytes);
        let mut found = Self {
            tags: strings(parts.info, meta_info_def::TAGS).collect(),
            graph: Graph::new(parts.graph.unwrap_or_default())?,
            ops: field(parts.info, meta_info_def::STRIPPED_OP_LIST),
            objects: parts.objects,
            ..Self::default()
        };
        found.saver = parts.saver.and_then(|saver| found.decode("saver_def", saver));
        let savers = parts.collections.get(SAVERS).map(|savers| savers.def).unwrap_or_default();
        let list = nested(savers, collection_def::BYTES_LIST);
        for (index, saver) in fields(list, bytes_list::VALUE).enumerate() {
            let at = format!("collection_def[{SAVERS:?}][{index}]");
            let saver = found.decode(&at, saver);
            found.savers.extend(saver);
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
