//! `ckdiff export --save-debug-info`: writes where the nodes of a meta graph were made, to a sibling of the output.

use std::path::{Path, PathBuf};

use crate::artifact::{Document, ReadOptions};
use crate::error::Error;
use crate::message::Message;
use crate::meta_graph::{debug_info_file, own_debug_info};
use crate::schema::{KnownType, Schema};

use crate::command::output;

const MESSAGE: &str = KnownType::GraphDebugInfo.full_name();

/// The file of debug information that belongs to the output.
///
/// # Errors
/// If the output is not a file, or the file would be that of the input.
pub(crate) fn sibling_of(output: &Path, input: &Path) -> Result<PathBuf, Error> {
    if output::is_stdout(output) {
        let why = "--save-debug-info needs an output file, not standard output";
        return Err(Error::usage(why));
    }
    let file = debug_info_file(output)?;
    let is_same = |lhs: &Path, rhs: &Path| match (lhs.canonicalize(), rhs.canonicalize()) {
        (Ok(lhs), Ok(rhs)) => lhs == rhs,
        _ => false,
    };
    let of_input = debug_info_file(input).is_ok_and(|known| is_same(&file, &known));
    if of_input && !is_same(output, input) {
        let why = "this is the debug information of the input; choose an output with another name";
        return Err(Error::usage(why).in_file(&file));
    }
    Ok(file)
}

/// The debug information of a meta graph that was read from `path`: from its graph, or else from its sibling file.
///
/// # Errors
/// If there is none, or it cannot be read.
pub(crate) fn of<'s>(meta: &Message<'s>, path: &Path) -> Result<Message<'s>, Error> {
    if let Some(inside) = own_debug_info(meta)? {
        return Ok(inside);
    }
    match debug_info_file(path) {
        Ok(file) if file.symlink_metadata().is_ok() => {
            let options = ReadOptions { message: Some(MESSAGE.into()), ..ReadOptions::default() };
            Ok(Document::open(file, Schema::tensorflow(), &options)?.message().clone())
        }
        _ => {
            let why = "no debug information: its graph has no debug_info, and there is no file of its name with \
                        the extension .debug (TensorFlow writes one while the program runs)";
            Err(Error::not_found(why).in_file(path))
        }
    }
}
