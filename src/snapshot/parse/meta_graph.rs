//! Reads meta graphs.

use super::cursor::{Cursor, Fail};
use super::reader::Reader;
use super::{collection, facts, graph, proto};
use crate::schema::tensorflow::tensor_info::Encoding;
use crate::schema::tensorflow::{MetaGraphDef, SignatureDef, TensorInfo};

/// Reads a meta graph.
pub(super) fn parse(reader: &mut Reader<'_>) -> Result<MetaGraphDef, Fail> {
    let mut cursor = reader.expect("meta graph")?;
    let mut tags = Vec::new();
    while cursor.eat(" ") {
        tags.push(cursor.name()?);
    }
    cursor.end()?;
    let mut found = MetaGraphDef::default();
    while let Some(mut cursor) = reader.eat(1, "signature ") {
        let key = cursor.name()?;
        let signature = signature(reader, &mut cursor)?;
        found.signature_def.insert(key, signature);
    }
    while let Some(mut cursor) = reader.eat(1, "asset ") {
        found.asset_file_def.push(proto::message(&mut cursor)?);
        cursor.end()?;
    }
    if let Some(mut cursor) = reader.eat(1, "saver ") {
        found.saver_def = Some(proto::message(&mut cursor)?);
        cursor.end()?;
    }
    while let Some(mut cursor) = reader.eat(1, "collection ") {
        let (key, collection) = collection::parse(reader, &mut cursor)?;
        found.collection_def.insert(key, collection);
    }
    let rest: MetaGraphDef = proto::rest(reader, 1)?;
    let mut meta_info_def = rest.meta_info_def;
    if !tags.is_empty() {
        meta_info_def.get_or_insert_default().tags = tags;
    }
    let has_graph = reader.peek_at(1).is_some();
    let graph_def = has_graph.then(|| graph::with_library(reader, 1)).transpose()?;
    Ok(MetaGraphDef { meta_info_def, graph_def, object_graph_def: rest.object_graph_def, ..found })
}

fn signature(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>) -> Result<SignatureDef, Fail> {
    cursor.expect(" ")?;
    let mut signature = SignatureDef { method_name: cursor.name()?, ..SignatureDef::default() };
    cursor.end()?;
    for what in ["input ", "output "] {
        while let Some(mut cursor) = reader.eat(2, what) {
            let key = cursor.name()?;
            cursor.expect(" = ")?;
            let info = tensor(&mut cursor)?;
            cursor.end()?;
            let tensors = match what {
                "input " => &mut signature.inputs,
                _ => &mut signature.outputs,
            };
            tensors.insert(key, info);
        }
    }
    while let Some(mut cursor) = reader.eat(2, "default ") {
        let key = cursor.name()?;
        cursor.expect(" = ")?;
        signature.defaults.insert(key, proto::message(&mut cursor)?);
        cursor.end()?;
    }
    Ok(signature)
}

fn tensor(cursor: &mut Cursor<'_>) -> Result<TensorInfo, Fail> {
    if cursor.has("{") {
        return proto::message(cursor);
    }
    let name = cursor.name()?;
    cursor.expect(" ")?;
    let dtype = facts::dtype(cursor)?;
    cursor.expect(" ")?;
    let shape = facts::shape(cursor)?;
    Ok(TensorInfo { dtype, tensor_shape: Some(shape), encoding: Some(Encoding::Name(name)) })
}
