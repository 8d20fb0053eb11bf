//! Arguments of the commands that convert and format messages.

use std::path::PathBuf;

use crate::artifact::{Form, ReadOptions};
use crate::message::Unknown;
use crate::text::Style;
use crate::{json, text};
use clap::Args;
use clap::builder::TypedValueParser;

use super::common::Jobs;
use super::values::one_of;

/// The forms of a message.
fn forms() -> impl TypedValueParser<Value = Form> {
    one_of(Form::ALL.map(|form| (form.option(), form)))
}

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

/// The forms of the message that is read and of the one that is written.
#[derive(Debug, Clone, Args)]
pub(crate) struct FormArgs {
    /// The form of IN [default: detected]
    #[arg(long, value_name = "FORM", value_parser = forms())]
    pub(crate) from: Option<Form>,
    /// The form of OUT [default: that of its extension]
    #[arg(long, value_name = "FORM", value_parser = forms())]
    pub(crate) to: Option<Form>,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
    /// Leave out unknown fields and messages that JSON cannot represent
    #[arg(long)]
    pub(crate) drop_unknown: bool,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

/// The layout of text and JSON.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Layout")]
pub(crate) struct LayoutArgs {
    /// Write text as TensorFlow does, or as `protoc --decode` does, byte for byte
    #[arg(long, default_value = "tensorflow", hide_default_value = true,
          value_parser = one_of([("tensorflow", Style::TensorFlow), ("protoc", Style::Protoc)]))]
    pub(crate) style: Style,
    /// Write text on one line
    #[arg(long)]
    pub(crate) single_line: bool,
    /// Write lists of numbers in text as [1, 2, 3]
    #[arg(long)]
    pub(crate) short_repeated: bool,
    /// Write the content of an Any in text, in the style of protoc too
    #[arg(long)]
    pub(crate) expand_any: bool,
    /// Write field names in JSON as declared, not in lowerCamelCase
    #[arg(long)]
    pub(crate) original_names: bool,
    /// Write enum values in JSON as numbers
    #[arg(long)]
    pub(crate) enum_numbers: bool,
    /// Write zeros, empty strings and empty lists in JSON too, for fields without presence
    #[arg(long)]
    pub(crate) defaults: bool,
    /// Write JSON without spaces and line breaks
    #[arg(long)]
    pub(crate) compact: bool,
}

/// The type of the message, and the schema that defines it.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Message (not needed for TensorFlow's own)")]
pub(crate) struct SchemaArgs {
    /// The type of the message, such as tensorflow.GraphDef or GraphDef
    #[arg(long, value_name = "NAME")]
    pub(crate) message: Option<String>,
    /// A .proto file that defines the message (repeatable)
    #[arg(long, value_name = "FILE", conflicts_with = "descriptor_set")]
    pub(crate) proto: Vec<PathBuf>,
    /// A directory that is searched for imports of .proto files (repeatable)
    #[arg(short = 'I', long, value_name = "DIR", requires = "proto")]
    pub(crate) proto_path: Vec<PathBuf>,
    /// A compiled schema that defines the message, as `protoc --include_imports -o FILE` writes it
    #[arg(long, value_name = "FILE")]
    pub(crate) descriptor_set: Option<PathBuf>,
}

impl SchemaArgs {
    /// Whether any of the options was given.
    pub(crate) fn is_given(&self) -> bool {
        self.message.is_some() || !self.proto.is_empty() || self.descriptor_set.is_some()
    }
}

/// Arguments of `fmt`.
#[derive(Debug, Clone, Args)]
pub(crate) struct FmtArgs {
    /// Text files, formatted in place; - formats standard input to standard output
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing; list the files that would change, and exit with 1 if there are any
    #[arg(long)]
    pub(crate) check: bool,
}

impl FormArgs {
    fn unknown(&self) -> Unknown {
        if self.drop_unknown { Unknown::Drop } else { Unknown::Refuse }
    }

    /// How to read the message.
    pub(crate) fn read_options(&self) -> ReadOptions {
        ReadOptions {
            form: self.from,
            text: text::ParseOptions {
                unknown: self.unknown(),
                threads: self.jobs.jobs.into(),
                ..text::ParseOptions::default()
            },
            json: json::ParseOptions { unknown: self.unknown() },
            ..ReadOptions::default()
        }
    }

    pub(crate) fn text_options(&self) -> text::PrintOptions {
        let mut options = text::PrintOptions::new(self.layout.style);
        if self.drop_unknown {
            options.unknown_fields = text::UnknownFields::LeaveOut;
        }
        options.single_line = self.layout.single_line;
        options.short_repeated = self.layout.short_repeated;
        options.expand_any |= self.layout.expand_any;
        options.threads = self.jobs.jobs.into();
        options
    }

    pub(crate) fn json_options(&self) -> json::PrintOptions {
        json::PrintOptions {
            names: if self.layout.original_names {
                json::FieldNames::Original
            } else {
                json::FieldNames::LowerCamel
            },
            layout: if self.layout.compact {
                json::Layout::Compact
            } else {
                json::Layout::Indented(2)
            },
            enums: if self.layout.enum_numbers { json::Enums::Numbers } else { json::Enums::Names },
            defaults: self.layout.defaults,
            unknown: self.unknown(),
        }
    }
}
