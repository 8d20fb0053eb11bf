//! Reads a snapshot from its text: the inverse of [`Snapshot::text`].
//!
//! Lines that are empty or begin with `#` are skipped. Every other line must be as it is printed; the layout is in
//! `print/mod.rs`. An error has the line and column, what was expected there and what was found.

mod collection;
mod cursor;
mod facts;
mod function;
mod graph;
mod head;
mod meta_graph;
mod nodes;
mod proto;
mod reader;
mod tensor;
mod value;

use super::Snapshot;
use super::structure::Body;
use crate::artifact::ArtifactKind;
use crate::error::{Error, Location, Result};
use crate::schema::tensorflow::SavedModel;
use cursor::{Cursor, Fail};
use reader::Reader;

/// Reads a snapshot from its text.
///
/// ```
/// use ckdiff::artifact::Artifact;
/// use ckdiff::snapshot::{self, Redactions, Snapshot};
///
/// let graph = Artifact::open("tests/data/demo/model.ckpt.meta")?;
/// let snapshot = Snapshot::new(&graph, &Redactions::default())?;
/// assert_eq!(snapshot::parse(snapshot.text()?)?, snapshot);
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If the text is no snapshot, or of another version; the error has line and column.
pub fn parse(text: impl AsRef<[u8]>) -> Result<Snapshot> {
    let bytes = text.as_ref();
    let text = str::from_utf8(bytes).map_err(|error| {
        let location = Location::of(bytes, error.valid_up_to());
        Error::malformed("snapshot", "text in UTF-8", error).at_location(location)
    })?;
    snapshot(&mut Reader::new(text))
        .map_err(|fail| Error::syntax(fail.message).at_location(Location::of(bytes, fail.at)))
}

/// Reads a message of a type without a notation of its own, in braces.
///
/// # Errors
/// If the text is no such message.
pub(super) fn other(name: &str, text: &str) -> Result<Vec<u8>> {
    let block = Cursor::new(text, 0).block().and_then(|block| proto::bytes(name, &block));
    block.map_err(|fail| Error::syntax(fail.message))
}

fn snapshot(reader: &mut Reader<'_>) -> Result<Snapshot, Fail> {
    let (mut snapshot, kind) = head::parse(reader)?;
    snapshot.body = body(reader)?;
    if let Some(expected) = snapshot.body.kinds()
        && !expected.contains(&snapshot.kind)
    {
        let names: Vec<_> = expected.iter().map(ArtifactKind::name).collect();
        return Err(kind.unexpected(&names.join(" or ")));
    }
    match reader.next() {
        Some(line) => Err(line.cursor().unexpected("the end of the file")),
        None => Ok(snapshot),
    }
}

fn body(reader: &mut Reader<'_>) -> Result<Body, Fail> {
    let Some(line) = reader.peek() else { return Ok(Body::Nothing) };
    let mut cursor = line.cursor();
    if cursor.eat("graph") {
        let graph = graph::with_library(reader, 0)?;
        return Ok(Body::Graph(Box::new(graph)));
    }
    if cursor.eat("meta graph") {
        return Ok(Body::MetaGraph(Box::new(meta_graph::parse(reader)?)));
    }
    if cursor.eat("schema version ") {
        let saved_model_schema_version = cursor.integer()?;
        cursor.end()?;
        reader.next();
        let mut meta_graphs = Vec::new();
        while reader.peek().is_some() {
            meta_graphs.push(meta_graph::parse(reader)?);
        }
        return Ok(Body::SavedModel(Box::new(SavedModel {
            saved_model_schema_version,
            meta_graphs,
        })));
    }
    if cursor.eat("message ") {
        let at = cursor.clone();
        let name = cursor.name()?;
        cursor.expect(" ")?;
        let block = cursor.block()?;
        cursor.end()?;
        let bytes = proto::bytes(&name, &block).map_err(|fail| match fail.at {
            0 => at.unexpected("the name of a message of TensorFlow"),
            _ => fail,
        })?;
        reader.next();
        return Ok(Body::Other(name, bytes));
    }
    Err(cursor.unexpected("variables, assets, graph, meta graph, schema version or message"))
}
