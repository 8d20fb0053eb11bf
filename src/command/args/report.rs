//! Where reports go, and how they look.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::error::Error;
use crate::report::{Format, Subject};
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Command, ValueEnum};

use super::values::one_of;

/// Where reports go, and their format.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct ReportArgs {
    /// The format of the printed report
    #[arg(long, value_parser = one_of(all()), default_value = "human", hide_default_value = true)]
    pub(crate) format: Format,
    /// Also write a report to a file (repeatable), as in json=report.json; to stdout, in place of the other, with -
    #[arg(long, value_name = "FORMAT=PATH", value_parser = OsStringValueParser::new().try_map(|text| output(text, Format::ALL)))]
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

// A command replaces the parsers of both options by those of its own formats.
fn all() -> impl Iterator<Item = (&'static str, Format)> {
    Format::ALL.iter().map(|format| (format.name, *format))
}

/// What each command reports. The command without a name compares.
const SUBJECTS: &[(&str, &[Subject])] = &[
    ("diff", COMPARISON),
    ("judge", COMPARISON),
    ("show", &[Subject::Checkpoint, Subject::Message, Subject::Picture]),
    ("verify", &[Subject::Verification]),
    ("series", &[Subject::Series]),
    ("devices", &[Subject::Devices]),
];

const COMPARISON: &[Subject] = &[Subject::Comparison];

/// The command whose subcommands accept the formats of what they report, and no others.
pub(super) fn with_formats(command: Command) -> Command {
    let check = |check| restrict(check, COMPARISON);
    let command = command.mut_subcommand("snapshot", |all| all.mut_subcommand("check", check));
    SUBJECTS.iter().fold(restrict(command, COMPARISON), |command, (name, subjects)| {
        command.mut_subcommand(name, |subcommand| restrict(subcommand, subjects))
    })
}

fn restrict(command: Command, subjects: &'static [Subject]) -> Command {
    let has_any = |format: &Format| subjects.iter().any(|subject| format.has(*subject));
    let formats = || Format::ALL.iter().copied().filter(has_any);
    let by_name: Vec<_> = formats().map(|format| (format.name, format)).collect();
    let of_output: Vec<_> = formats().collect();
    command.mut_arg("format", |arg| arg.value_parser(one_of(by_name))).mut_arg("output", |arg| {
        let parser = move |text| output(text, &of_output);
        arg.value_parser(OsStringValueParser::new().try_map(parser))
    })
}

impl ReportArgs {
    /// Checks that each requested format has a report of this subject.
    ///
    /// # Errors
    /// If one has not.
    pub(crate) fn check(&self, subject: Subject) -> Result<(), Error> {
        let mut formats = self.output.iter().map(|(format, _)| format).chain([&self.format]);
        match formats.find(|format| !format.has(subject)) {
            Some(format) => {
                let names: Vec<_> = Format::of(subject).map(|format| format.name).collect();
                let (name, names) = (format.name, names.join(", "));
                Err(Error::usage(format!(
                    "{name} is not a format for this; the formats are {names}"
                )))
            }
            None => Ok(()),
        }
    }
}

fn output(text: OsString, formats: &[Format]) -> Result<(Format, PathBuf), String> {
    let lossy = text.to_string_lossy();
    let name = lossy.split('=').next().unwrap_or_default();
    let format = formats.iter().copied().find(|format| format.name == name).ok_or_else(|| {
        let names: Vec<_> = formats.iter().map(|format| format.name).collect();
        format!("{name:?} is not a format; the formats are {}", names.join(", "))
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
