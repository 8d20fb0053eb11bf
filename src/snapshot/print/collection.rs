//! Prints collections: a line per item.

use super::lines::Lines;
use super::proto;
use crate::error::Result;
use crate::message::canonical_tensorflow;
use crate::meta_graph::item_type;
use crate::schema::tensorflow::CollectionDef;
use crate::schema::tensorflow::collection_def::Kind;
use crate::snapshot::quote;

/// Prints a collection.
///
/// # Errors
/// If a part cannot be printed.
pub(super) fn print(key: &str, collection: &CollectionDef, out: &mut Lines) -> Result<()> {
    let kind = match &collection.kind {
        None => "",
        Some(Kind::NodeList(_)) => " names",
        Some(Kind::BytesList(_)) => " bytes",
        Some(Kind::Int64List(_)) => " integers",
        Some(Kind::FloatList(_)) => " numbers",
        Some(Kind::AnyList(_)) => " any",
    };
    out.line(1, &format!("collection {}{kind}", quote::quoted(key)));
    match &collection.kind {
        None => {}
        Some(Kind::NodeList(list)) => {
            list.value.iter().for_each(|name| out.line(2, &quote::quoted(name)));
        }
        Some(Kind::BytesList(list)) => {
            for bytes in &list.value {
                let text = item(key, bytes)?;
                out.line(2, &text);
            }
        }
        Some(Kind::Int64List(list)) => {
            list.value.iter().for_each(|number| out.line(2, &number.to_string()));
        }
        Some(Kind::FloatList(list)) => {
            list.value.iter().for_each(|number| out.line(2, &format!("{number:?}")));
        }
        Some(Kind::AnyList(list)) => {
            for any in &list.value {
                out.line(2, &proto::braced(any)?);
            }
        }
    }
    Ok(())
}

/// An item of a list of bytes: the message of the collection if it is one in canonical form, else a string.
fn item(key: &str, bytes: &[u8]) -> Result<String> {
    if let Some(item) = item_type(key)
        && canonical_tensorflow(item.message, bytes).is_ok_and(|canonical| *canonical == *bytes)
    {
        let (text, losses) = proto::braced_with_losses(item.message, bytes)?;
        if losses.is_empty() {
            return Ok(text);
        }
    }
    let mut text = String::new();
    quote::string(bytes, &mut text);
    Ok(text)
}
