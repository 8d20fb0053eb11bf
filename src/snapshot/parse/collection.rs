//! Reads collections.

use super::cursor::{Cursor, Fail};
use super::proto;
use super::reader::Reader;
use crate::meta_graph::item_type;
use crate::schema::tensorflow::CollectionDef;
use crate::schema::tensorflow::collection_def::{
    AnyList, BytesList, FloatList, Int64List, Kind, NodeList,
};

/// Reads a collection. The cursor is at its name.
pub(super) fn parse(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
) -> Result<(String, CollectionDef), Fail> {
    let key = cursor.name()?;
    let kind = match cursor.rest() {
        "" => None,
        " names" => Some(Kind::NodeList(NodeList { value: items(reader, Cursor::name)? })),
        " bytes" => {
            let value = items(reader, |cursor| bytes(&key, cursor))?;
            Some(Kind::BytesList(BytesList { value }))
        }
        " integers" => Some(Kind::Int64List(Int64List { value: items(reader, Cursor::integer)? })),
        " numbers" => {
            let value = items(reader, |cursor| cursor.number("a number"))?;
            Some(Kind::FloatList(FloatList { value }))
        }
        " any" => Some(Kind::AnyList(AnyList { value: items(reader, proto::message)? })),
        _ => return Err(cursor.unexpected("names, bytes, integers, numbers or any")),
    };
    Ok((key, CollectionDef { kind }))
}

/// Reads one item a line.
fn items<'t, T>(
    reader: &mut Reader<'t>,
    item: impl Fn(&mut Cursor<'t>) -> Result<T, Fail>,
) -> Result<Vec<T>, Fail> {
    let mut items = Vec::new();
    while let Some(line) = reader.next_at(2) {
        let mut cursor = line.cursor();
        items.push(item(&mut cursor)?);
        cursor.end()?;
    }
    Ok(items)
}

/// An item of a list of bytes: a string, or the message of the collection.
fn bytes(key: &str, cursor: &mut Cursor<'_>) -> Result<Vec<u8>, Fail> {
    match item_type(key) {
        Some(item) if cursor.has("{") => proto::bytes(item.message, &cursor.block()?),
        _ => cursor.string(),
    }
}
