//! `ckdiff convert IN OUT`: converts a message between binary, text and JSON.

use crate::command::Exit;
use crate::command::args::ConvertArgs;
use crate::command::diagnostics::Diagnostics;
use crate::command::message_file::{target, warn_of, write};
use crate::command::schema::Loaded;

/// Reads a message in one form and writes it in another.
///
/// # Errors
/// If the message cannot be read, has no such form, or cannot be written; then no file is changed.
pub(crate) fn run(args: &ConvertArgs) -> Result<Exit, Diagnostics> {
    let to = target(&args.output, &args.form)?;
    let loaded = Loaded::new(&args.schema)?;
    let document = loaded.read(&args.input, args.form.read_options())?;
    write([(&*args.output, document.message())], document.path(), to, &args.form)?;
    warn_of(&document);
    Ok(Exit::Same)
}
