//! Finds and reads the rules file, and judges by its rules.

use std::env;
use std::path::{Path, PathBuf};

use crate::diff::Diff;
use crate::error::{Error, ErrorKind};
use crate::rules::{Judgement, Rules};

use crate::command::args::RulesArgs;
use crate::command::diagnostics::check_unused_rules;

/// The name of the file that is searched for.
const NAME: &str = "ckdiff.toml";

/// The error where rules are needed and there are none.
pub(crate) const MISSING: &str =
    "there is no ckdiff.toml here or above; --config names a file, --rules a built-in profile";

/// The environment variable that names a file.
const VARIABLE: &str = "CKDIFF_CONFIG";

/// The rules that the arguments choose; `None` without any.
///
/// # Errors
/// If the file cannot be read, is malformed, or lacks the profile.
pub(crate) fn rules(args: &RulesArgs) -> Result<Option<Rules>, Error> {
    if let Some(profile) = args.rules {
        return Ok(Some(Rules::built_in(profile)));
    }
    let Some(path) = path(args)? else {
        return match &args.profile {
            Some(_) => Err(Error::usage(format!("there is no {NAME} to take a profile from"))),
            None => Ok(None),
        };
    };
    Rules::open(&path, args.profile.as_deref()).map(Some)
}

/// The file that the arguments name, else that of the environment, else the nearest one upward from the working directory.
fn path(args: &RulesArgs) -> Result<Option<PathBuf>, Error> {
    if args.no_config {
        return Ok(None);
    }
    if let Some(path) = &args.config {
        return Ok(Some(path.clone()));
    }
    if let Some(path) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return Ok(Some(path.into()));
    }
    let io = |source| ErrorKind::Io { action: "find the working directory", source };
    let directory = env::current_dir().map_err(|error| Error::from(io(error)))?;
    let mut found =
        directory.ancestors().map(|above| above.join(NAME)).filter(|path| path.is_file());
    let Some(path) = found.next() else { return Ok(None) };
    // In the working directory and below it, the short name says enough.
    Ok(Some(path.strip_prefix(&directory).map(Path::to_path_buf).unwrap_or(path)))
}

/// Judges a comparison, and warns of rules that match nothing.
///
/// # Errors
/// If a rule matches nothing, and `deny_unused` is set.
pub(crate) fn judge(
    rules: &Rules,
    diff: &Diff,
    show_passed: bool,
    deny_unused: bool,
) -> Result<Judgement, Error> {
    let judgement = match show_passed {
        true => rules.judge_with_passed(diff),
        false => rules.judge(diff),
    };
    check_unused_rules(&judgement, deny_unused)?;
    Ok(judgement)
}
