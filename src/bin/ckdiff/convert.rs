//! `ckdiff convert IN OUT`: converts a message between binary, text and JSON.

use std::io::Write;
use std::path::Path;

use ckdiff::artifact::{Document, Form, ReadOptions};
use ckdiff::message::{Losses, Message, Unknown};
use ckdiff::{Error, ErrorKind, json, text};

use crate::Exit;
use crate::args::{ConvertArgs, FormArgs};
use crate::diagnostics::{self, Diagnostics};
use crate::losses;
use crate::output;
use crate::schema::Loaded;

/// Reads a message in one form and writes it in another.
///
/// # Errors
/// When the message cannot be read, has no such form, or cannot be written; then no file is changed.
pub(crate) fn run(args: &ConvertArgs) -> Result<Exit, Diagnostics> {
    let to = target(&args.output, &args.form)?;
    let loaded = Loaded::new(&args.schema)?;
    let document = loaded.read(&args.input, read_options(&args.form))?;
    write(document.message(), document.path(), to, &args.output, &args.form)?;
    warn_of(&document);
    Ok(Exit::Same)
}

/// Writes `message`, which was read from `path`, to `output` in the form `to`, and warns about the parts that this form cannot represent.
///
/// # Errors
/// When the message has no such form, or cannot be written; then no file is changed.
pub(crate) fn write(
    message: &Message<'_>,
    path: &Path,
    to: Form,
    output: &Path,
    args: &FormArgs,
) -> Result<(), Diagnostics> {
    let written = output::to_path(output, |out| {
        print(message, to, args, out).map_err(|error| match error.kind() {
            ErrorKind::Io { .. } => error,
            // The message in IN has no such form.
            _ => error.in_file(path),
        })
    })?;
    let by_number =
        to == Form::Text && text_options(args).unknown_fields == text::UnknownFields::ByNumber;
    if let Some(losses) = written {
        losses::warn(&losses, to.name(), by_number);
    }
    Ok(())
}

/// Warns about content of a file that is missing from its message.
pub(crate) fn warn_of(document: &Document<'_>) {
    if document.message().bytes().is_empty() && document.form() == Form::Binary {
        let path = document.path().display();
        diagnostics::warn(&format!("{path}: the message is empty"));
    }
    losses::warn(document.losses(), "the schema", false);
}

fn unknown(args: &FormArgs) -> Unknown {
    if args.drop_unknown { Unknown::Drop } else { Unknown::Refuse }
}

/// How to read the message.
pub(crate) fn read_options(args: &FormArgs) -> ReadOptions {
    ReadOptions {
        form: args.from,
        text: text::ParseOptions {
            unknown: unknown(args),
            threads: args.jobs.jobs.into(),
            ..text::ParseOptions::default()
        },
        json: json::ParseOptions { unknown: unknown(args) },
        ..ReadOptions::default()
    }
}

fn print(
    message: &Message<'_>,
    to: Form,
    args: &FormArgs,
    out: &mut dyn Write,
) -> Result<Losses, Error> {
    let write = |error| Error::io("write", error);
    match to {
        Form::Binary => {
            out.write_all(message.bytes()).map_err(write)?;
            Ok(Losses::default())
        }
        Form::Text => {
            let losses = text::print(message, &text_options(args), out)?;
            if args.layout.single_line {
                out.write_all(b"\n").map_err(write)?;
            }
            Ok(losses)
        }
        Form::Json => {
            let losses = json::print(message, &json_options(args), out)?;
            out.write_all(b"\n").map_err(write)?;
            Ok(losses)
        }
    }
}

fn text_options(args: &FormArgs) -> text::PrintOptions {
    let mut options = text::PrintOptions::new(args.layout.style);
    if args.drop_unknown {
        options.unknown_fields = text::UnknownFields::LeaveOut;
    }
    options.single_line = args.layout.single_line;
    options.short_repeated = args.layout.short_repeated;
    options.expand_any |= args.layout.expand_any;
    options.threads = args.jobs.jobs.into();
    options
}

fn json_options(args: &FormArgs) -> json::PrintOptions {
    json::PrintOptions {
        names: if args.layout.original_names {
            json::FieldNames::Original
        } else {
            json::FieldNames::LowerCamel
        },
        layout: if args.layout.compact { json::Layout::Compact } else { json::Layout::Indented(2) },
        enums: if args.layout.enum_numbers { json::Enums::Numbers } else { json::Enums::Names },
        defaults: args.layout.defaults,
        unknown: unknown(args),
    }
}

/// The form to write: the requested one, else that of the extension, else text on standard output.
pub(crate) fn target(output: &Path, args: &FormArgs) -> Result<Form, Error> {
    let by_name = || match Form::of_extension(output) {
        None if output == Path::new("-") => Some(Form::Text),
        form => form,
    };
    if output.is_dir() {
        let why = "this is a directory; expected a file";
        return Err(Error::usage(why).in_file(output));
    }
    args.to.or_else(by_name).ok_or_else(|| {
        let why =
            "its extension does not decide the form; give --to binary, --to text or --to json";
        Error::usage(why).in_file(output)
    })
}
