//! A file with one message of any type, in any form.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::kind::ArtifactKind;
use super::message_type::message_type;
use super::recognize::UntypedMessage;
use crate::bytes::{ReadAt, read_to_end};
use crate::checkpoint::{META_GRAPH_SUFFIX, meta_graph_filename};
use crate::error::{Error, ErrorKind, Result};
use crate::json;
use crate::message::{Form, Losses, MAX_BYTES, Message};
use crate::probe::HEAD;
use crate::schema::{MessageType, Schema};
use crate::sniff::{FileKind, Sniffed};
use crate::text;

/// The size of the largest JSON, in bytes: that of the largest message with every byte of its strings as `\u00ff`.
const MAX_JSON_BYTES: u64 = 6 * MAX_BYTES;

/// Options for reading a message.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The message type: its full name, or a unique last part of it. Recognized if not given.
    pub message: Option<String>,
    /// The candidates for the message type, by full name; empty for those of TensorFlow.
    pub candidates: Vec<String>,
    /// The message form. Recognized if not given.
    pub form: Option<Form>,
    /// Options for text.
    pub text: text::ParseOptions,
    /// Options for JSON.
    pub json: json::ParseOptions,
}

/// A message with the file it was read from.
///
/// ```
/// use ckdiff::artifact::{ArtifactKind, Document, Form, ReadOptions};
/// use ckdiff::schema::{KnownType, Schema};
///
/// let file = "tests/data/demo/model.ckpt.meta";
/// let document = Document::open(file, Schema::tensorflow(), &ReadOptions::default())?;
/// assert_eq!(document.form(), Form::Binary);
/// assert_eq!(&*document.message().ty().full_name, "tensorflow.MetaGraphDef");
/// assert_eq!(document.kind(), ArtifactKind::Known(KnownType::MetaGraphDef));
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug)]
pub struct Document<'s> {
    path: PathBuf,
    form: Form,
    message: Message<'s>,
    losses: Losses,
}

impl<'s> Document<'s> {
    /// Reads the file at `path`, or the graphs of the SavedModel at `path`.
    ///
    /// # Errors
    /// If the file cannot be read, its type is not recognized, or it does not have the type and form of the options.
    pub fn open(path: impl AsRef<Path>, schema: &'s Schema, options: &ReadOptions) -> Result<Self> {
        Self::of(&Sniffed::of_path(path), schema, options)
    }

    /// Reads a file whose kind is known.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(crate) fn of(found: &Sniffed, schema: &'s Schema, options: &ReadOptions) -> Result<Self> {
        let path = found.path();
        match found.kind() {
            FileKind::SavedModel(graphs) => return Self::of(&found.at(graphs), schema, options),
            FileKind::Stream => {
                let file = std::fs::File::open(path);
                let file = file.map_err(|source| Error::io("open", source).in_file(path))?;
                return Self::read(file, path, schema, options);
            }
            _ => {}
        }
        let form = form(found, options)?;
        let (head, file) = (found.probe().head().to_vec(), found.probe().open()?);
        let rest = file.reader(head.len() as u64);
        Source { path, form, head, rest, len: file.len() }.read(schema, options)
    }

    /// Reads all of `input`. Errors call it `path`, whose file name counts where the content does not decide.
    ///
    /// Text is read in pieces, and never as a whole.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(
        mut input: impl Read + Send,
        path: &Path,
        schema: &'s Schema,
        options: &ReadOptions,
    ) -> Result<Self> {
        let mut head = Vec::new();
        let read = |error: io::Error| Error::io("read", error).in_file(path);
        input.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(read)?;
        let mut found = Sniffed::of_stream(path, &head);
        if matches!(found.kind(), FileKind::Message(Form::Binary)) {
            // Only the last bytes tell a table from a message.
            let read = read_to_end(head, &mut input, MAX_BYTES);
            head = read.map_err(|error| error.in_file(path))?;
            found = Sniffed::of_stream(path, &head);
        }
        let form = form(&found, options)?;
        Source { path, form, len: 0, head, rest: input }.read(schema, options)
    }

    /// A message in memory, as if it came from the file at `path`.
    pub(crate) fn in_memory(path: PathBuf, form: Form, message: Message<'s>) -> Self {
        Self { path, form, message, losses: Losses::default() }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The message form of the file.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The message.
    pub fn message(&self) -> &Message<'s> {
        &self.message
    }

    /// The message, without the file.
    pub(crate) fn into_message(self) -> Message<'s> {
        self.message
    }

    /// The parts of the file that the message does not have.
    pub fn losses(&self) -> &Losses {
        &self.losses
    }

    /// The kind: the common name of the type, such as `meta graph` or `saver`, or else its own.
    pub fn kind(&self) -> ArtifactKind {
        ArtifactKind::of_message(self.message.ty())
    }
}

/// Reads a message of TensorFlow.
pub(super) fn message(found: &Sniffed) -> Result<Document<'static>> {
    Document::of(found, Schema::tensorflow(), &ReadOptions::default())
}

/// The form from the options, or else the form that was recognized.
///
/// # Errors
/// If the file is not a message, unless the options say that it is.
fn form(found: &Sniffed, options: &ReadOptions) -> Result<Form> {
    let path = found.path();
    let fail = |kind: ErrorKind| Err(Error::from(kind).in_file(path));
    let by_content = || Ok(Form::of_file(path, found.probe().head()));
    match (found.kind(), options.form) {
        (FileKind::Directory | FileKind::StateDirectory, _) => {
            fail(ErrorKind::Usage("expected a file, found a directory".into()))
        }
        (_, _) if !found.probe().exists() => fail(missing(found)?),
        (FileKind::Unreadable(error), _) => Err(error.clone()),
        (_, Some(form)) => Ok(form),
        (FileKind::Message(form), None) => Ok(*form),
        (FileKind::Unsupported(_), None) => Err(found.no_checkpoint()),
        (_, None) if options.message.is_some() => by_content(),
        (
            FileKind::Checkpoint { format, .. }
            | FileKind::CheckpointFile(format)
            | FileKind::ShardFile(format)
            | FileKind::TextIndex(format),
            None,
        ) => {
            let hint = match found.probe().is_stream() {
                true => "a checkpoint cannot be read from a pipe",
                false => "`ckdiff show` lists them",
            };
            let kind = format!(
                "this is a file of a {format} checkpoint, which holds tensors and no message; {hint}"
            );
            fail(ErrorKind::Unsupported(kind))
        }
        (FileKind::PlainText, None) => {
            let kind = "this is text, but no message in the text format or JSON";
            fail(ErrorKind::Unsupported(kind.into()))
        }
        _ => by_content(),
    }
}

/// Explains that the file does not exist, and suggests its meta graph.
fn missing(found: &Sniffed) -> Result<ErrorKind> {
    let meta = meta_graph_filename(found.path(), META_GRAPH_SUFFIX);
    let is_checkpoint = matches!(found.kind(), FileKind::Checkpoint { .. });
    let what = if is_checkpoint {
        "this is a checkpoint, which holds tensors and no message"
    } else {
        "no such file"
    };
    if meta.is_file() {
        return Ok(ErrorKind::NotFound(format!("{what}; its meta graph is {}", meta.display())));
    }
    if is_checkpoint {
        let kind = format!(
            "{what}; `ckdiff show` lists the tensors, and `ckdiff save-as` writes them in another format"
        );
        return Ok(ErrorKind::Unsupported(kind));
    }
    found.probe().open()?;
    Ok(ErrorKind::NotFound("no such file".into()))
}

/// A message that is being read.
struct Source<'p, R> {
    path: &'p Path,
    form: Form,
    /// The first bytes.
    head: Vec<u8>,
    /// The other bytes.
    rest: R,
    /// The length of the file; 0 if it is not known.
    len: u64,
}

impl<R: Read + Send> Source<'_, R> {
    fn read<'s>(self, schema: &'s Schema, options: &ReadOptions) -> Result<Document<'s>> {
        let Self { path, form, head: mut bytes, mut rest, len } = self;
        let most = match form {
            Form::Text => None,
            Form::Binary => Some(MAX_BYTES),
            Form::Json => Some(MAX_JSON_BYTES),
        };
        if let Some(most) = most {
            let in_file = |error: Error| error.in_file(path);
            check_len(len, most).map_err(in_file)?;
            let more = usize::try_from(len).unwrap_or_default().saturating_sub(bytes.len());
            // Saves memory; without it, the vector grows as it is read.
            let _ = bytes.try_reserve_exact(more);
            bytes = read_to_end(bytes, &mut rest, most).map_err(in_file)?;
        }
        let seen = match form {
            Form::Binary => bytes.as_slice(),
            _ => bytes.get(..bytes.len().min(HEAD)).unwrap_or_default(),
        };
        let untyped = UntypedMessage { path, form, bytes: seen, candidates: &options.candidates };
        let ty = ty(schema, options, untyped)?;
        let read = match form {
            Form::Binary => {
                Message::decode(schema, ty, bytes).map(|message| (message, Losses::default()))
            }
            Form::Text => text::parse(schema, ty, bytes.as_slice().chain(rest), &options.text)
                .map_err(|error| untyped.hint(schema, ty, error)),
            Form::Json => json::parse(schema, ty, &bytes, &options.json)
                .map_err(|error| untyped.hint(schema, ty, error)),
        };
        let (message, losses) = read.map_err(|error| error.in_file(path))?;
        Ok(Document { path: path.to_path_buf(), form, message, losses })
    }
}

/// Checks the length of a message that is read into memory.
///
/// # Errors
/// If it is longer than `most` bytes.
fn check_len(len: u64, most: u64) -> Result<()> {
    if len <= most {
        return Ok(());
    }
    let expected = format!("at most {most}");
    Err(Error::unexpected("length", format!("{len} bytes"), expected))
}

/// The message type from the options, or else the type that was recognized.
fn ty<'s>(
    schema: &'s Schema,
    options: &ReadOptions,
    untyped: UntypedMessage<'_>,
) -> Result<&'s MessageType> {
    let Some(name) = &options.message else { return untyped.recognize(schema) };
    let ty = message_type(schema, name)?;
    // The parsers of text and JSON report a wrong type best. Binary messages fit nearly any type.
    if untyped.form != Form::Binary {
        return Ok(ty);
    }
    match untyped.other_than(schema, ty) {
        None => Ok(ty),
        Some(other) => {
            let kind = format!("this looks like {}, not like {}", other.full_name, ty.full_name);
            Err(Error::usage(kind).in_file(untyped.path))
        }
    }
}
