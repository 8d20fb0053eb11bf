//! Prints meta graphs: signatures, assets, saver and collections, then the graph.

use super::lines::Lines;
use super::{collection, facts, graph, proto};
use crate::error::Result;
use crate::schema::tensorflow::tensor_info::Encoding;
use crate::schema::tensorflow::{MetaGraphDef, SavedModel, SignatureDef, TensorInfo};
use crate::snapshot::quote::quoted;

/// Prints a SavedModel.
///
/// # Errors
/// If a part cannot be printed.
pub(super) fn saved_model(model: &SavedModel, out: &mut Lines) -> Result<()> {
    out.line(0, &format!("schema version {}", model.saved_model_schema_version));
    model.meta_graphs.iter().try_for_each(|meta_graph| print(meta_graph, out))
}

/// Prints a meta graph.
///
/// # Errors
/// If a part cannot be printed.
pub(super) fn print(meta_graph: &MetaGraphDef, out: &mut Lines) -> Result<()> {
    let mut info = meta_graph.meta_info_def.clone();
    let tags = info.as_mut().map(|info| std::mem::take(&mut info.tags)).unwrap_or_default();
    let tags: Vec<_> = tags.iter().map(|tag| quoted(tag)).collect();
    out.line(0, format!("meta graph {}", tags.join(" ")).trim_end());
    for (key, definition) in &meta_graph.signature_def {
        signature(key, definition, out)?;
    }
    for asset in &meta_graph.asset_file_def {
        out.line(1, &format!("asset {}", proto::braced(asset)?));
    }
    if let Some(saver) = &meta_graph.saver_def {
        out.line(1, &format!("saver {}", proto::braced(saver)?));
    }
    for (key, definition) in &meta_graph.collection_def {
        collection::print(key, definition, out)?;
    }
    let rest = MetaGraphDef {
        meta_info_def: info.filter(|info| *info != Default::default()),
        object_graph_def: meta_graph.object_graph_def.clone(),
        ..MetaGraphDef::default()
    };
    proto::rest(1, &rest, out)?;
    match &meta_graph.graph_def {
        Some(graph) => graph::with_library(graph, 1, out),
        None => Ok(()),
    }
}

fn signature(key: &str, signature: &SignatureDef, out: &mut Lines) -> Result<()> {
    let SignatureDef { inputs, outputs, method_name, defaults } = signature;
    out.line(1, &format!("signature {} {}", quoted(key), quoted(method_name)));
    for (what, tensors) in [("input", inputs), ("output", outputs)] {
        for (key, info) in tensors {
            out.line(2, &format!("{what} {} = {}", quoted(key), tensor(info)?));
        }
    }
    for (key, default) in defaults {
        out.line(2, &format!("default {} = {}", quoted(key), proto::braced(default)?));
    }
    Ok(())
}

/// A tensor of a signature: its name, type and shape; as a message if it is no ordinary tensor.
fn tensor(info: &TensorInfo) -> Result<String> {
    if let TensorInfo { dtype, tensor_shape: Some(shape), encoding: Some(Encoding::Name(name)) } =
        info
    {
        let mut text = format!("{} ", quoted(name));
        let is_typed = facts::dtype(*dtype, &mut text);
        text.push(' ');
        if facts::shape(shape, &mut text) && is_typed {
            return Ok(text);
        }
    }
    proto::braced(info)
}
