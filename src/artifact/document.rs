//! A file that holds one message, whatever the message and whatever its form.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::message_type::message_type;
use super::recognize::{self, Untyped};
use crate::checkpoint::{foreign, is_file_of_one};
use crate::error::{Error, ErrorKind, Result};
use crate::json;
use crate::message::{Form, Losses, Message};
use crate::schema::{MessageType, Schema};
use crate::text;

/// What a text or JSON is told by.
const HEAD: usize = 64 << 10;

/// What to read, where it is not to be found out.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The message's type: its full name, or the last part of it where only one type has that.
    pub message: Option<String>,
    /// The types that come into question where none is named: full names; nothing for those of TensorFlow.
    pub candidates: Vec<String>,
    /// The form.
    pub form: Option<Form>,
    /// How text is read.
    pub text: text::ParseOptions,
    /// How JSON is read.
    pub json: json::ParseOptions,
}

/// A message and where it comes from.
///
/// ```
/// use ckdiff::artifact::{Document, Form, ReadOptions};
/// use ckdiff::schema::Schema;
///
/// let file = "tests/data/demo/model.ckpt.meta";
/// let document = Document::open(file, Schema::tensorflow(), &ReadOptions::default())?;
/// assert_eq!(document.form(), Form::Binary);
/// assert_eq!(&*document.message().ty().full_name, "tensorflow.MetaGraphDef");
/// assert_eq!(document.kind(), "meta graph");
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
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// When it cannot be read, what it holds cannot be told, or it is not what it is said to be.
    pub fn open(path: impl AsRef<Path>, schema: &'s Schema, options: &ReadOptions) -> Result<Self> {
        let path = path.as_ref();
        let fail = |source| Error::io("open", source).in_file(path);
        let file = std::fs::File::open(path).map_err(fail)?;
        let metadata = file.metadata().map_err(fail)?;
        if metadata.is_dir() {
            let kind = "this is a directory; a file is needed".into();
            return Err(Error::from(ErrorKind::Usage(kind)).in_file(path));
        }
        let is_told = options.form.is_some() || options.message.is_some();
        if !is_told && metadata.is_file() && is_file_of_one(path) {
            let kind = "this is a file of a checkpoint, which holds tensors and no message; \
                        `ckdiff show` lists them"
                .into();
            return Err(Error::from(ErrorKind::Unsupported(kind)).in_file(path));
        }
        Self::read(file, path, schema, options)
    }

    /// Reads all of `input`; errors call it `path`, and its name helps to find out what it is.
    ///
    /// Text is read as it comes, and never in memory as a whole.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(
        mut input: impl Read + Send,
        path: &Path,
        schema: &'s Schema,
        options: &ReadOptions,
    ) -> Result<Self> {
        let in_file = |error: Error| error.in_file(path);
        let mut bytes = Vec::new();
        let read = |error: io::Error| Error::io("read", error).in_file(path);
        input.by_ref().take(HEAD as u64).read_to_end(&mut bytes).map_err(read)?;
        if let (Some(what), None) = (foreign(path, &bytes), options.form) {
            return Err(Error::from(ErrorKind::Unsupported(what)).in_file(path));
        }
        let form = options.form.unwrap_or_else(|| Form::of_file(path, &bytes));
        if form != Form::Text {
            input.read_to_end(&mut bytes).map_err(read)?;
        }
        let seen = match form {
            Form::Binary => bytes.as_slice(),
            _ => bytes.get(..bytes.len().min(HEAD)).unwrap_or_default(),
        };
        let untyped = Untyped { path, form, bytes: seen, candidates: &options.candidates };
        let ty = Self::ty(schema, options, untyped)?;
        let read = match form {
            Form::Binary => {
                Message::decode(schema, ty, bytes).map(|message| (message, Losses::default()))
            }
            Form::Text => text::parse(schema, ty, bytes.as_slice().chain(input), &options.text)
                .map_err(|error| untyped.hint(schema, ty, error)),
            Form::Json => json::parse(schema, ty, &bytes, &options.json)
                .map_err(|error| untyped.hint(schema, ty, error)),
        };
        let (message, losses) = read.map_err(in_file)?;
        Ok(Self { path: path.to_path_buf(), form, message, losses })
    }

    /// The type that the options name or that is found.
    fn ty(
        schema: &'s Schema,
        options: &ReadOptions,
        untyped: Untyped<'_>,
    ) -> Result<&'s MessageType> {
        let Some(name) = &options.message else { return untyped.recognize(schema) };
        let ty = message_type(schema, name)?;
        // The parsers of text and JSON say best what does not fit; anything is a binary message of nearly any type.
        if untyped.form != Form::Binary {
            return Ok(ty);
        }
        match untyped.other_than(schema, ty) {
            None => Ok(ty),
            Some(other) => {
                let kind =
                    format!("this looks like {}, not like {}", other.full_name, ty.full_name);
                Err(Error::from(ErrorKind::Usage(kind)).in_file(untyped.path))
            }
        }
    }

    /// Where it comes from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The form it has there.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The message.
    pub fn message(&self) -> &Message<'s> {
        &self.message
    }

    /// What was in the file and is not in the message.
    pub fn losses(&self) -> &Losses {
        &self.losses
    }

    /// What people call it: `meta graph`, `graph`, `saver`; the type's name where there is no word for it.
    pub fn kind(&self) -> &'s str {
        recognize::kind(self.message.ty())
    }
}
