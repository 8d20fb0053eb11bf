//! Selects tensors by name, and maps names of lhs to names of rhs.

use std::ffi::OsStr;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use regex::bytes::Regex;

use crate::error::{Error, Result};
use crate::tensor::Name;

/// Include and exclude patterns, and rename rules.
#[derive(Debug, Clone, Default)]
pub struct NameFilter {
    /// `None` accepts every name.
    include: Option<GlobSet>,
    exclude: GlobSet,
    renames: Vec<RenameRule>,
}

/// A rule that gives a tensor of lhs another name.
#[derive(Debug, Clone)]
struct RenameRule {
    from: Regex,
    to: Vec<u8>,
}

impl NameFilter {
    /// Parses the patterns and rules of the command line.
    ///
    /// Globs match whole names, also as reports print them (`\xNN` for bytes that are not UTF-8); `*` and `?`
    /// stop at `/`, `**` does not. A rule is `FROM=TO`, split at its last `=`: a regular expression and the
    /// replacement of its first match, with `$1` and the like. The first rule that matches a name applies.
    ///
    /// # Errors
    /// If a pattern or rule is malformed.
    pub fn new(include: &[String], exclude: &[String], renames: &[String]) -> Result<Self> {
        Ok(Self {
            include: if include.is_empty() { None } else { Some(globs("include", include)?) },
            exclude: globs("exclude", exclude)?,
            renames: renames.iter().map(|rule| RenameRule::parse(rule)).collect::<Result<_>>()?,
        })
    }

    /// Whether every name is accepted.
    pub fn accepts_all(&self) -> bool {
        self.include.is_none() && self.exclude.is_empty()
    }

    /// Whether a tensor with these names is compared: at least one must be included, and none excluded.
    pub fn accepts(&self, names: &[&Name]) -> bool {
        let any = |globs: &GlobSet| {
            names.iter().any(|name| {
                globs.is_match(as_path(name.as_bytes())) || globs.is_match(name.to_string())
            })
        };
        self.include.as_ref().is_none_or(any) && !any(&self.exclude)
    }

    /// The name in rhs of a tensor of lhs; `None` if no rule matches it.
    pub fn rename(&self, name: &Name) -> Option<Name> {
        let bytes = name.as_bytes();
        let rule = self.renames.iter().find(|rule| rule.from.is_match(bytes))?;
        Some(Name::from(&*rule.from.replace(bytes, rule.to.as_slice())))
    }
}

fn globs(option: &'static str, patterns: &[String]) -> Result<GlobSet> {
    let mut set = GlobSetBuilder::new();
    let fail = |error: globset::Error| Error::usage(error.to_string()).of_option(option);
    for pattern in patterns {
        set.add(
            GlobBuilder::new(pattern)
                .literal_separator(true)
                .backslash_escape(false)
                .build()
                .map_err(fail)?,
        );
    }
    set.build().map_err(fail)
}

/// Glob sets match paths, which are arbitrary bytes on Unix.
#[cfg(unix)]
fn as_path(bytes: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt;
    Path::new(OsStr::from_bytes(bytes))
}

/// On other systems, names are matched only as they are printed.
#[cfg(not(unix))]
fn as_path(_: &[u8]) -> &Path {
    Path::new("")
}

impl RenameRule {
    fn parse(rule: &str) -> Result<Self> {
        let usage = |why: String| Error::usage(format!("{rule:?}: {why}")).of_option("rename");
        let (from, to) = rule
            .rsplit_once('=')
            .ok_or_else(|| usage("'=' is missing between FROM and TO".into()))?;
        if from.is_empty() {
            return Err(usage("FROM is empty".into()));
        }
        let from = Regex::new(from).map_err(|error| usage(error.to_string()))?;
        Ok(Self { from, to: to.as_bytes().to_vec() })
    }
}
