//! `ckdiff export --save-debug-info`: where the nodes of a meta graph were made, in a file beside it.

use std::path::{Path, PathBuf};

use ckdiff::artifact::{Document, ReadOptions};
use ckdiff::message::Message;
use ckdiff::meta_graph::{debug_info_file, own_debug_info};
use ckdiff::schema::Schema;
use ckdiff::{Error, ErrorKind};

const MESSAGE: &str = "tensorflow.GraphDebugInfo";

/// The file of debug information beside the output.
///
/// # Errors
/// When there is no such place, or it is that of the input.
pub(crate) fn beside_output(output: &Path, input: &Path) -> Result<PathBuf, Error> {
    if output == Path::new("-") {
        let kind = "--save-debug-info writes beside a file, and there is none".into();
        return Err(ErrorKind::Usage(kind).into());
    }
    let file = debug_info_file(output)?;
    let is_same = |lhs: &Path, rhs: &Path| match (lhs.canonicalize(), rhs.canonicalize()) {
        (Ok(lhs), Ok(rhs)) => lhs == rhs,
        _ => false,
    };
    let of_input = debug_info_file(input).is_ok_and(|known| is_same(&file, &known));
    if of_input && !is_same(output, input) {
        let kind =
            "this is the debug information of the input; an output of another name is needed"
                .into();
        return Err(Error::from(ErrorKind::Usage(kind)).in_file(&file));
    }
    Ok(file)
}

/// The debug information of a meta graph that was read from `path`: that of its graph, or else of the file beside it.
///
/// # Errors
/// When it has none, or that cannot be read.
pub(crate) fn of<'s>(meta: &Message<'s>, path: &Path) -> Result<Message<'s>, Error> {
    if let Some(inside) = own_debug_info(meta)? {
        return Ok(inside);
    }
    match debug_info_file(path) {
        Ok(file) if file.is_file() => {
            let options = ReadOptions { message: Some(MESSAGE.into()), ..ReadOptions::default() };
            Ok(Document::open(file, Schema::tensorflow(), &options)?.message().clone())
        }
        _ => {
            let kind = "nothing says where its nodes were made: its graph has no debug_info, and there is no file \
                        of its name with the extension .debug. TensorFlow writes one from the program that runs"
                .into();
            Err(Error::from(ErrorKind::NotFound(kind)).in_file(path))
        }
    }
}
