//! `ckdiff export --save-debug-info`: where the nodes of a meta graph were made, in a file beside it.

use std::path::{Path, PathBuf};

use ckdiff::artifact::{Document, ReadOptions};
use ckdiff::message::{Message, Records, Value};
use ckdiff::schema::Schema;
use ckdiff::{Error, ErrorKind};

const MESSAGE: &str = "tensorflow.GraphDebugInfo";
/// `MetaGraphDef.graph_def`, and `GraphDef.debug_info`.
const GRAPH_DEF: u32 = 2;
const DEBUG_INFO: u32 = 5;

/// The file of debug information beside a meta graph.
///
/// # Errors
/// When there is no such place, or the meta graph itself is in it.
pub(crate) fn beside(path: &Path) -> Result<PathBuf, Error> {
    let beside = path.with_extension("debug");
    let is_place = path != Path::new("-") && path.file_name().is_some();
    if is_place && beside != path {
        return Ok(beside);
    }
    let kind = "a file of another name is needed, beside which --save-debug-info writes".into();
    Err(Error::from(ErrorKind::Usage(kind)).in_file(path))
}

/// The debug information of a meta graph that was read from `path`: that of its graph, or else of the file beside it.
///
/// # Errors
/// When it has none, or that cannot be read.
pub(crate) fn of(meta: &Message<'_>, path: &Path) -> Result<Message<'static>, Error> {
    let schema = Schema::tensorflow();
    let inside = inner(meta.bytes(), GRAPH_DEF).and_then(|graph| inner(graph, DEBUG_INFO));
    if let (Some(info), Some(ty)) = (inside, schema.message(MESSAGE)) {
        return Message::decode(schema, ty, info.to_vec());
    }
    match beside(path) {
        Ok(file) if file.is_file() => {
            let options = ReadOptions { message: Some(MESSAGE.into()), ..ReadOptions::default() };
            Ok(Document::open(file, schema, &options)?.message().clone())
        }
        _ => {
            let kind = "nothing says where its nodes were made: its graph has no debug_info, and there is no file \
                        of its name with the extension .debug. TensorFlow writes one from the program that runs"
                .into();
            Err(Error::from(ErrorKind::NotFound(kind)).in_file(path))
        }
    }
}

/// What the last field `number` holds.
fn inner(bytes: &[u8], number: u32) -> Option<&[u8]> {
    let records = Records::new(bytes, 0).map_while(Result::ok);
    let inner = records.filter_map(|record| match record.value {
        Value::Len(inner) if record.number == number => Some(inner),
        _ => None,
    });
    inner.last()
}
