//! Where reports go, and how they look.

use std::ffi::OsString;
use std::path::PathBuf;

use ckdiff::report::Format;
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::values::one_of;

/// Where reports go, and their format.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct ReportArgs {
    /// The format of the printed report
    #[arg(long, value_parser = one_of(Format::ALL.iter().map(|it| (it.name, *it))), default_value = "human", hide_default_value = true)]
    pub(crate) format: Format,
    /// Also write a report to a file (repeatable), as in json=report.json; to stdout, in place of the other, with -
    #[arg(long, value_name = "FORMAT=PATH", value_parser = OsStringValueParser::new().try_map(output))]
    pub(crate) output: Vec<(Format, PathBuf)>,
    /// When to use colors; auto respects NO_COLOR, CLICOLOR_FORCE and TERM=dumb
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN", hide_default_value = true)]
    pub(crate) color: Color,
}

/// When to use colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

fn output(text: OsString) -> Result<(Format, PathBuf), String> {
    let lossy = text.to_string_lossy();
    let name = lossy.split('=').next().unwrap_or_default();
    let format = Format::by_name(name).ok_or_else(|| {
        let names: Vec<_> = Format::ALL.iter().map(|format| format.name).collect();
        format!("{name:?} is not a format; the formats are {}", names.join(" and "))
    })?;
    let path = after(&text, name.len() + 1).filter(|path| !path.is_empty());
    path.map(|path| (format, path.into())).ok_or_else(|| "PATH is missing after FORMAT=".into())
}

/// The argument from byte `start` on, which follows ASCII.
#[cfg(unix)]
fn after(text: &OsString, start: usize) -> Option<OsString> {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    text.as_bytes().get(start..).map(|rest| OsString::from_vec(rest.to_vec()))
}

/// The argument from byte `start` on, which follows ASCII.
#[cfg(not(unix))]
fn after(text: &OsString, start: usize) -> Option<OsString> {
    text.to_str()?.get(start..).map(OsString::from)
}
