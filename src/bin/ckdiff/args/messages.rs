//! The arguments of the commands that convert messages and lay them out.

use std::path::PathBuf;

use ckdiff::artifact::Form;
use clap::{Args, ValueEnum};

use super::Jobs;

/// Arguments of `convert`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ConvertArgs {
    /// The file to read, or the directory of a SavedModel; - for standard input
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The file to write, in the form of its extension; - for standard output, as text
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) form: FormArgs,
    #[command(flatten)]
    pub(crate) schema: SchemaArgs,
}

/// The forms of a message that is read and of one that is written.
#[derive(Debug, Clone, Args)]
pub(crate) struct FormArgs {
    /// The form of IN, where it is not to be found out
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) from: Option<MessageForm>,
    /// The form of OUT
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) to: Option<MessageForm>,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
    /// Go on without what the schema does not know, where JSON has no place for it
    #[arg(long)]
    pub(crate) drop_unknown: bool,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

/// How text and JSON are to look.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Layout")]
pub(crate) struct LayoutArgs {
    /// Whose text to write, byte for byte: TensorFlow's or that of `protoc --decode`
    #[arg(long, value_enum, default_value_t = Style::Tensorflow, hide_default_value = true)]
    pub(crate) style: Style,
    /// Write text in one line
    #[arg(long)]
    pub(crate) single_line: bool,
    /// Write lists of numbers in text as [1, 2, 3]
    #[arg(long)]
    pub(crate) short_repeated: bool,
    /// Write what an Any holds in text, also in the style of protoc
    #[arg(long)]
    pub(crate) expand_any: bool,
    /// Write names in JSON as they are declared, not in lowerCamel
    #[arg(long)]
    pub(crate) original_names: bool,
    /// Write enum values in JSON as numbers
    #[arg(long)]
    pub(crate) enum_numbers: bool,
    /// Write zeros, empty strings and empty lists in JSON too, where a field cannot say that it is not set
    #[arg(long)]
    pub(crate) defaults: bool,
    /// Write JSON without blanks and line breaks
    #[arg(long)]
    pub(crate) compact: bool,
}

/// Which message it is, by which schema.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Message (TensorFlow's are known, and found out)")]
pub(crate) struct SchemaArgs {
    /// The message's type, as tensorflow.GraphDef or GraphDef
    #[arg(long, value_name = "NAME")]
    pub(crate) message: Option<String>,
    /// A .proto file that defines it (repeatable)
    #[arg(long, value_name = "FILE", conflicts_with = "descriptor_set")]
    pub(crate) proto: Vec<PathBuf>,
    /// A directory in which to look for what a .proto file imports (repeatable)
    #[arg(short = 'I', long, value_name = "DIR", requires = "proto")]
    pub(crate) proto_path: Vec<PathBuf>,
    /// A compiled schema that defines it, as `protoc --include_imports -o FILE` writes
    #[arg(long, value_name = "FILE")]
    pub(crate) descriptor_set: Option<PathBuf>,
}

impl SchemaArgs {
    /// Whether any of it is given.
    pub(crate) fn is_given(&self) -> bool {
        self.message.is_some() || !self.proto.is_empty() || self.descriptor_set.is_some()
    }
}

/// Arguments of `fmt`.
#[derive(Debug, Clone, Args)]
pub(crate) struct FmtArgs {
    /// Text files, laid out in place; - lays standard input out to standard output
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing: list the files that would change; the exit code is 1 if there are any
    #[arg(long)]
    pub(crate) check: bool,
}

/// Forms of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MessageForm {
    Binary,
    Text,
    Json,
}

impl From<MessageForm> for Form {
    fn from(form: MessageForm) -> Self {
        match form {
            MessageForm::Binary => Self::Binary,
            MessageForm::Text => Self::Text,
            MessageForm::Json => Self::Json,
        }
    }
}

/// Whose text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Style {
    Tensorflow,
    Protoc,
}
