//! Which tensors take part, and which names stand for each other.

use std::ffi::OsStr;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use regex::bytes::Regex;

use crate::error::{Error, ErrorKind, Result};
use crate::tensor::Name;

/// Include and exclude patterns, and rename rules.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// `None` takes every name.
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

impl Names {
    /// Patterns and rules as the command line gives them.
    ///
    /// Globs match whole names, also as reports print them (`\xNN` for what is not UTF-8); `*` and `?` stop at `/`, `**`
    /// does not. A rule is `FROM=TO`, split at its last `=`: a
    /// regular expression and what takes the place of its first match, with `$1` and the like. The first rule that matches
    /// a name counts.
    ///
    /// # Errors
    /// When a pattern or rule cannot be read.
    pub fn new(include: &[String], exclude: &[String], renames: &[String]) -> Result<Self> {
        Ok(Self {
            include: if include.is_empty() { None } else { Some(globs("--include", include)?) },
            exclude: globs("--exclude", exclude)?,
            renames: renames.iter().map(|rule| RenameRule::parse(rule)).collect::<Result<_>>()?,
        })
    }

    /// Whether nothing is left out.
    pub fn takes_all(&self) -> bool {
        self.include.is_none() && self.exclude.is_empty()
    }

    /// Whether a tensor that goes by these names takes part: any may be included, none may be excluded.
    pub fn takes(&self, names: &[&Name]) -> bool {
        let any = |globs: &GlobSet| {
            names.iter().any(|name| {
                globs.is_match(as_path(name.as_bytes())) || globs.is_match(name.to_string())
            })
        };
        self.include.as_ref().is_none_or(any) && !any(&self.exclude)
    }

    /// The name that a tensor of lhs goes by in rhs; `None` when no rule matches it.
    pub fn rename(&self, name: &Name) -> Option<Name> {
        let bytes = name.as_bytes();
        let rule = self.renames.iter().find(|rule| rule.from.is_match(bytes))?;
        Some(Name::from(&*rule.from.replace(bytes, rule.to.as_slice())))
    }
}

fn globs(option: &'static str, patterns: &[String]) -> Result<GlobSet> {
    let mut set = GlobSetBuilder::new();
    let fail = |error: globset::Error| Error::from(ErrorKind::Usage(format!("{option}: {error}")));
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

/// Glob sets match paths, and paths are any bytes on Unix.
#[cfg(unix)]
fn as_path(bytes: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt;
    Path::new(OsStr::from_bytes(bytes))
}

/// Elsewhere names are matched as they are printed.
#[cfg(not(unix))]
fn as_path(_: &[u8]) -> &Path {
    Path::new("")
}

impl RenameRule {
    fn parse(rule: &str) -> Result<Self> {
        let usage =
            |why: String| Error::from(ErrorKind::Usage(format!("--rename {rule:?}: {why}")));
        let (from, to) = rule
            .rsplit_once('=')
            .ok_or_else(|| usage("there is no '=' between FROM and TO".into()))?;
        if from.is_empty() {
            return Err(usage("FROM is empty".into()));
        }
        let from = Regex::new(from).map_err(|error| usage(error.to_string()))?;
        Ok(Self { from, to: to.as_bytes().to_vec() })
    }
}
