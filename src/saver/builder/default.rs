//! The saver of a meta graph, and the one that is built if it has none.

use prost::Message as _;

use super::{BuilderOptions, BuiltSaver, build};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::meta_graph::{Collections, Item, Replacements, SAVERS, add_to_collection};
use crate::schema::KnownType;
use crate::schema::field::meta_graph_def;
use crate::schema::tensorflow::SaverDef;

/// The result of [`saver_or_default`].
#[derive(Debug, Clone)]
pub enum DefaultSaver<'s> {
    /// The only saver of the collection.
    Known(SaverDef),
    /// A saver that was built and added to the collection.
    Built(BuiltSaver<'s>),
    /// There is nothing to save.
    Empty,
}

/// The saver in the collection `savers`. If there is none, a sharded one is built and added.
///
/// # Errors
/// If the collection has several savers, or other items; as [`build`].
pub fn saver_or_default<'s>(meta_graph: &Message<'s>) -> Result<DefaultSaver<'s>> {
    let mut savers: Vec<SaverDef> = Collections::of(meta_graph)?.read(SAVERS)?;
    if savers.len() > 1 {
        let found = format!("{}; pass the saver to use", savers.len());
        return Err(Error::unexpected("number of savers", found, 1).in_field(SAVERS));
    }
    if let Some(saver) = savers.pop() {
        return Ok(DefaultSaver::Known(saver));
    }
    let options = BuilderOptions { sharded: true, allow_empty: true, ..BuilderOptions::default() };
    match build(meta_graph, &options)? {
        Some(BuiltSaver { message, saver_def }) => {
            let message = add_to_savers(&message, &saver_def)?;
            Ok(DefaultSaver::Built(BuiltSaver { message, saver_def }))
        }
        None => Ok(DefaultSaver::Empty),
    }
}

/// The meta graph with `saver` as its `saver_def`.
///
/// # Errors
/// If the message is not a meta graph.
pub fn with_saver<'s>(meta_graph: &Message<'s>, saver: &SaverDef) -> Result<Message<'s>> {
    replaced(meta_graph, Some(saver))
}

/// The meta graph without `saver_def`.
pub(in crate::saver) fn without_saver<'s>(meta_graph: &Message<'s>) -> Result<Message<'s>> {
    replaced(meta_graph, None)
}

fn replaced<'s>(meta_graph: &Message<'s>, saver: Option<&SaverDef>) -> Result<Message<'s>> {
    if meta_graph.ty().known != Some(KnownType::MetaGraphDef) {
        let expected = meta_graph_def::MESSAGE_NAME;
        return Err(Error::unexpected("message", &meta_graph.ty().full_name, expected));
    }
    let mut new = Replacements::default();
    new.set_list(meta_graph_def::SAVER_DEF, saver.map(SaverDef::encode_to_vec));
    let bytes = new.apply(meta_graph.schema(), meta_graph.ty(), meta_graph.bytes());
    Message::decode(meta_graph.schema(), meta_graph.ty(), bytes)
}

/// Adds `saver` to the end of the collection `savers`.
///
/// # Errors
/// If the message is not a meta graph, or the collection has other items.
pub fn add_to_savers<'s>(meta_graph: &Message<'s>, saver: &SaverDef) -> Result<Message<'s>> {
    // The items of the collection must be savers.
    Collections::of(meta_graph)?.read::<SaverDef>(SAVERS)?;
    add_to_collection(meta_graph, SAVERS, &[Item::Bytes(&saver.encode_to_vec())])
}
