//! Files with a message: the form to write, writing, and warnings.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use crate::artifact::{Document, Form};
use crate::error::{Error, ErrorKind};
use crate::message::{Losses, Message};
use crate::{json, text};

use crate::command::args::FormArgs;
use crate::command::diagnostics::{self, Diagnostics};
use crate::command::losses;
use crate::command::output;

/// Writes messages, which were made from the file `input`, to their paths in the form `to`, and warns about the parts that this
/// form cannot represent.
///
/// # Errors
/// If a message has no such form, or cannot be written; then no file is changed.
pub(crate) fn write<'a, 's: 'a>(
    messages: impl IntoIterator<Item = (&'a Path, &'a Message<'s>)>,
    input: &Path,
    to: Form,
    args: &FormArgs,
) -> Result<(), Diagnostics> {
    let outputs = messages.into_iter().map(|(path, message)| {
        let is_terminal = output::is_stdout(path) && io::stdout().is_terminal();
        let write = move |out: &mut dyn Write| {
            print(message, to, args, is_terminal, out).map_err(|error| match error.kind() {
                ErrorKind::Io { .. } => error,
                // The message in the input has no such form.
                _ => error.in_file(input),
            })
        };
        (path, write)
    });
    let by_number =
        to == Form::Text && args.text_options().unknown_fields == text::UnknownFields::ByNumber;
    for losses in output::to_paths(outputs)? {
        losses::warn(&losses, to.name(), by_number);
    }
    Ok(())
}

/// Warns about content of a file that its message lacks.
pub(crate) fn warn_of(document: &Document<'_>) {
    if document.message().bytes().is_empty() && document.form() == Form::Binary {
        let path = document.path().display();
        diagnostics::warn(&format!("{path}: the message is empty"));
    }
    losses::warn(document.losses(), "the schema", false);
}

fn print(
    message: &Message<'_>,
    to: Form,
    args: &FormArgs,
    is_terminal: bool,
    out: &mut dyn Write,
) -> Result<Losses, Error> {
    let write = |error| Error::io("write", error);
    match to {
        Form::Binary => {
            out.write_all(message.bytes()).map_err(write)?;
            Ok(Losses::default())
        }
        Form::Text => {
            let options = text::PrintOptions { printable: is_terminal, ..args.text_options() };
            let losses = text::print(message, &options, out)?;
            if args.layout.single_line {
                out.write_all(b"\n").map_err(write)?;
            }
            Ok(losses)
        }
        Form::Json => {
            let losses = json::print(message, &args.json_options(), out)?;
            out.write_all(b"\n").map_err(write)?;
            Ok(losses)
        }
    }
}

/// The form to write: the requested one, else that of the extension, else text on standard output.
pub(crate) fn target(output: &Path, args: &FormArgs) -> Result<Form, Error> {
    let by_name = || match Form::of_extension(output) {
        None if output::is_stdout(output) => Some(Form::Text),
        form => form,
    };
    if output.is_dir() {
        let why = "expected a file, found a directory";
        return Err(Error::usage(why).in_file(output));
    }
    args.to.or_else(by_name).ok_or_else(|| {
        let why =
            "its extension does not decide the form; give --to binary, --to text or --to json";
        Error::usage(why).in_file(output)
    })
}
