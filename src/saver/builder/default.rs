//! The saver that a meta graph names, and the one that it gets where it names none.

use prost_reflect::prost::Message as _;

use super::variable::collection;
use super::{Built, Options, build};
use crate::error::{Error, Result};
use crate::message::{Message, Writer, entry, records};
use crate::meta_graph::Replacements;
use crate::schema::field::{map_entry, meta_graph_def};
use crate::schema::tensorflow::collection_def::{BytesList, Kind};
use crate::schema::tensorflow::{CollectionDef, SaverDef};

/// The collection of savers.
const SAVERS: &str = "savers";

/// What [`saver_or_default`] finds.
#[derive(Debug, Clone)]
pub enum DefaultSaver<'s> {
    /// The one saver of the collection.
    Known(SaverDef),
    /// A saver that was built; the message has it in its collection.
    Built(Built<'s>),
    /// There is nothing to save.
    Empty,
}

/// The saver of the collection `savers`; where that has none, one is built that is sharded, and put there.
///
/// # Errors
/// When the collection has several, or something else; as [`build`].
pub fn saver_or_default<'s>(meta_graph: &Message<'s>) -> Result<DefaultSaver<'s>> {
    let mut savers = savers(meta_graph)?;
    if savers.len() > 1 {
        let allowed = "where there are several, one of them must be given";
        return Err(Error::unexpected("number of savers", savers.len(), allowed).in_field(SAVERS));
    }
    if let Some(saver) = savers.pop() {
        return Ok(DefaultSaver::Known(saver));
    }
    let options = Options { sharded: true, allow_empty: true, ..Options::default() };
    match build(meta_graph, &options)? {
        Some(Built { message, saver_def }) => {
            let message = add_to_savers(&message, &saver_def)?;
            Ok(DefaultSaver::Built(Built { message, saver_def }))
        }
        None => Ok(DefaultSaver::Empty),
    }
}

/// The savers of the collection.
fn savers(meta_graph: &Message<'_>) -> Result<Vec<SaverDef>> {
    let what = "collection of savers";
    match collection(meta_graph, SAVERS)? {
        Some(Kind::BytesList(list)) => {
            let saver = |bytes: &Vec<u8>| {
                SaverDef::decode(&**bytes)
                    .map_err(|error| Error::unexpected(what, error, "it must hold SaverDefs"))
            };
            list.value.iter().map(saver).collect()
        }
        Some(_) => Err(Error::unexpected(what, "a list of another kind", "it must hold SaverDefs")),
        None => Ok(Vec::new()),
    }
}

/// The meta graph with `saver` as its own.
///
/// # Errors
/// When the message is no meta graph.
pub fn with_saver<'s>(meta_graph: &Message<'s>, saver: &SaverDef) -> Result<Message<'s>> {
    replaced(meta_graph, Some(saver))
}

/// The meta graph without a saver of its own.
pub(in crate::saver) fn without_saver<'s>(meta_graph: &Message<'s>) -> Result<Message<'s>> {
    replaced(meta_graph, None)
}

fn replaced<'s>(meta_graph: &Message<'s>, saver: Option<&SaverDef>) -> Result<Message<'s>> {
    check(meta_graph)?;
    let mut new = Replacements::default();
    new.set_list(meta_graph_def::SAVER_DEF, saver.map(SaverDef::encode_to_vec));
    let bytes = new.apply(meta_graph.schema(), meta_graph.ty(), meta_graph.bytes());
    Message::decode(meta_graph.schema(), meta_graph.ty(), bytes)
}

/// The meta graph with `saver` at the end of its collection `savers`.
///
/// # Errors
/// When the message is no meta graph, or the collection holds something else.
pub fn add_to_savers<'s>(meta_graph: &Message<'s>, saver: &SaverDef) -> Result<Message<'s>> {
    check(meta_graph)?;
    savers(meta_graph)?;
    let mut out = Writer::default();
    let mut known = Vec::new();
    for record in records(meta_graph.bytes()) {
        let is_collection = record.number == meta_graph_def::COLLECTION_DEF;
        match Some(entry(record.payload())).filter(|_| is_collection) {
            Some((SAVERS, collection)) => known.extend_from_slice(collection),
            _ => out.raw(record.bytes),
        }
    }
    // Protobuf joins the lists of a collection that is given twice.
    let list = BytesList { value: vec![saver.encode_to_vec()] };
    known.extend(CollectionDef { kind: Some(Kind::BytesList(list)) }.encode_to_vec());
    out.put_message(meta_graph_def::COLLECTION_DEF, |out| {
        out.put_bytes(map_entry::KEY, SAVERS.as_bytes());
        out.put_bytes(map_entry::VALUE, &known);
    });
    Message::decode(meta_graph.schema(), meta_graph.ty(), out.finish())
}

fn check(message: &Message<'_>) -> Result<()> {
    match &*message.ty().full_name {
        "tensorflow.MetaGraphDef" => Ok(()),
        other => Err(Error::unexpected("message", other, "a saver belongs into a MetaGraphDef")),
    }
}
