//! `ckdiff convert IN OUT`: text, JSON, binary.

use std::io::Write;
use std::path::Path;

use ckdiff::artifact::{Document, Form, ReadOptions};
use ckdiff::message::{Losses, Unknown};
use ckdiff::report::human;
use ckdiff::{Error, ErrorKind, json, text};

use crate::Exit;
use crate::args::{ConvertArgs, Style};
use crate::output;
use crate::schema::Loaded;
use crate::trouble::{self, Trouble};

/// Reads a message in one form and writes it in another.
///
/// # Errors
/// When it cannot be read, has no such form, or cannot be written; then nothing is written to a file.
pub(crate) fn run(args: &ConvertArgs) -> Result<Exit, Trouble> {
    let to = target(args)?;
    let loaded = Loaded::new(&args.schema)?;
    let document = loaded.read(&args.input, read_options(args))?;
    let written = output::to_place(&args.output, |out| {
        print(&document, to, args, out).map_err(|error| match error.kind() {
            ErrorKind::Io { .. } => error,
            // It is the message that has no such form.
            _ => error.in_file(document.path()),
        })
    })?;
    if document.message().bytes().is_empty() && document.form() == Form::Binary {
        let path = document.path().display();
        trouble::warn(&format!("{path}: the message is empty"));
    }
    for warning in warnings(document.losses(), "the schema", false) {
        trouble::warn(&warning);
    }
    let by_number =
        to == Form::Text && text_options(args).unknown_fields == text::UnknownFields::ByNumber;
    for warning in written.iter().flat_map(|losses| warnings(losses, to.name(), by_number)) {
        trouble::warn(&warning);
    }
    Ok(Exit::Same)
}

fn unknown(args: &ConvertArgs) -> Unknown {
    if args.drop_unknown { Unknown::Drop } else { Unknown::Refuse }
}

fn read_options(args: &ConvertArgs) -> ReadOptions {
    ReadOptions {
        form: args.from.map(Form::from),
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
    document: &Document<'_>,
    to: Form,
    args: &ConvertArgs,
    out: &mut dyn Write,
) -> Result<Losses, Error> {
    let message = document.message();
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

fn text_options(args: &ConvertArgs) -> text::PrintOptions {
    let mut options = text::PrintOptions::new(match args.layout.style {
        Style::Tensorflow => text::Style::TensorFlow,
        Style::Protoc => text::Style::Protoc,
    });
    if args.drop_unknown {
        options.unknown_fields = text::UnknownFields::LeaveOut;
    }
    options.single_line = args.layout.single_line;
    options.short_repeated = args.layout.short_repeated;
    options.expand_any |= args.layout.expand_any;
    options.threads = args.jobs.jobs.into();
    options
}

fn json_options(args: &ConvertArgs) -> json::PrintOptions {
    json::PrintOptions {
        names: if args.layout.original_names {
            json::Names::Original
        } else {
            json::Names::LowerCamel
        },
        layout: if args.layout.compact { json::Layout::Compact } else { json::Layout::Indented(2) },
        enums: if args.layout.enum_numbers { json::Enums::Numbers } else { json::Enums::Names },
        defaults: args.layout.defaults,
        unknown: unknown(args),
    }
}

/// The form to write: as asked for, by the extension, and for whoever looks at standard output text.
fn target(args: &ConvertArgs) -> Result<Form, Error> {
    let by_name = || match Form::of_extension(&args.output) {
        None if args.output == Path::new("-") => Some(Form::Text),
        form => form,
    };
    if args.output.is_dir() {
        let kind = "this is a directory; a file is needed".into();
        return Err(Error::from(ErrorKind::Usage(kind)).in_file(&args.output));
    }
    args.to.map(Form::from).or_else(by_name).ok_or_else(|| {
        let kind = "its extension says no form; --to binary, --to text or --to json does".into();
        Error::from(ErrorKind::Usage(kind)).in_file(&args.output)
    })
}

/// What `place` has no place for, in a line; unknown fields may be shown all the same, by number.
fn warnings(losses: &Losses, place: &str, by_number: bool) -> Vec<String> {
    let counts = [
        (losses.unknown_fields, "unknown field"),
        (losses.nan_bits, "NaN payload"),
        (losses.unknown_any, "Any of an unknown type"),
    ];
    let counted = |(count, what): &(u64, &str)| match (*count, *what) {
        (1, what) => format!("1 {what}"),
        (count, "Any of an unknown type") => format!("{count} Any of unknown types"),
        (count, what) => format!("{count} {what}s"),
    };
    let (shown, lost): (Vec<&(u64, &str)>, Vec<_>) = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .partition(|(_, what)| by_number && *what == "unknown field");
    let mut said = Vec::new();
    if let [one] = shown.as_slice() {
        let are = if one.0 == 1 { "is" } else { "are" };
        said.push(format!("{} {are} shown by number and cannot be read back", counted(one)));
    }
    if !lost.is_empty() {
        let have = if matches!(lost.as_slice(), [(1, _)]) { "has" } else { "have" };
        let lost: Vec<String> = lost.into_iter().map(counted).collect();
        said.push(format!("{} {have} no place in {place}", lost.join(" and ")));
    }
    if losses.any_bytes > 0 {
        let (payloads, come) = match losses.any_bytes {
            1 => ("1 Any payload".to_owned(), "comes"),
            count => (format!("{count} Any payloads"), "come"),
        };
        said.push(format!(
            "{payloads} not in canonical form {come} back with other bytes of the same meaning"
        ));
    }
    // The losses do not say which of them is where.
    if let Some(last) = said.last_mut() {
        last.push_str(&places(losses));
    }
    said
}

/// Where the losses are, behind a colon.
fn places(losses: &Losses) -> String {
    let places: Vec<String> = losses.places().iter().map(|place| human::printable(place)).collect();
    if places.is_empty() { String::new() } else { format!(": {}", places.join(", ")) }
}
