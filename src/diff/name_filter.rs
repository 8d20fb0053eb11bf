//! Selects tensors by name, and maps names of lhs to names of rhs.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use regex::bytes::Regex;

use super::rename_rule::{RenameRule, StatedRename};
use super::unused::UnusedPattern;
use crate::error::{Error, Result, cause};
use crate::tensor::Name;

/// Include and exclude patterns, and rename rules.
#[derive(Debug, Clone, Default)]
pub struct NameFilter {
    /// `None` selects every name.
    include: Option<Globs>,
    exclude: Globs,
    renames: Vec<RenameRule>,
}

/// Globs as the user gave them, and what matches any of them.
#[derive(Debug, Clone, Default)]
pub struct Globs {
    patterns: Vec<String>,
    set: GlobSet,
}

/// Whether a tensor is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Selection {
    Selected,
    NotIncluded,
    Excluded,
}

impl NameFilter {
    /// Parses the patterns and rules of the command line.
    ///
    /// Globs match whole names, also as reports print them (`\xNN` for bytes that are not UTF-8); `*` and `?`
    /// stop at `/`, `**` does not. A rule is `FROM=TO`, split at its last `=`: a regular expression and the
    /// replacement of its first match, with `$1` and the like (at most 16). The first rule that matches a name applies.
    ///
    /// # Errors
    /// If a pattern or rule is malformed.
    pub fn new(include: &[String], exclude: &[String], renames: &[String]) -> Result<Self> {
        Ok(Self {
            include: match include {
                [] => None,
                globs => Some(Globs::new("include", globs)?),
            },
            exclude: Globs::new("exclude", exclude)?,
            renames: renames
                .iter()
                .map(|rule| RenameRule::parse(rule, None))
                .collect::<Result<_>>()?,
        })
    }

    /// The filter with the renames of a rules file after its own.
    ///
    /// # Errors
    /// If one is malformed; the error has its place in the file.
    pub fn with_renames(mut self, renames: &[StatedRename]) -> Result<Self> {
        for StatedRename { rule, at } in renames {
            self.renames.push(RenameRule::parse(rule, Some(at.clone()))?);
        }
        Ok(self)
    }

    /// The filter of a saved report, which has the texts of its patterns and rules, but matches nothing: the tensors were selected
    /// when it was made.
    pub(crate) fn of_report(
        include: Vec<String>,
        exclude: Vec<String>,
        rules: Vec<String>,
    ) -> Self {
        let include = Some(include).filter(|include| !include.is_empty());
        Self {
            include: include.map(Globs::of_report),
            exclude: Globs::of_report(exclude),
            renames: rules.into_iter().map(RenameRule::of_report).collect(),
        }
    }

    /// Whether every name is accepted.
    pub fn accepts_all(&self) -> bool {
        self.include.is_none() && self.exclude.patterns.is_empty()
    }

    /// Whether a tensor with these names is compared: at least one must be included, and none excluded.
    pub fn accepts(&self, names: &[&Name]) -> bool {
        self.select(names) == Selection::Selected
    }

    pub(super) fn select(&self, names: &[&Name]) -> Selection {
        let any = |globs: &Globs| names.iter().any(|name| globs.is_match(name));
        if any(&self.exclude) {
            Selection::Excluded
        } else if self.include.as_ref().is_none_or(any) {
            Selection::Selected
        } else {
            Selection::NotIncluded
        }
    }

    /// The patterns that select tensors, as they were given.
    pub fn included(&self) -> &[String] {
        self.include.as_ref().map_or(&[], |globs| &globs.patterns)
    }

    /// The patterns that leave tensors out, as they were given.
    pub fn excluded(&self) -> &[String] {
        &self.exclude.patterns
    }

    /// The rename rules, as they were given.
    pub fn rename_rules(&self) -> impl Iterator<Item = &str> {
        self.renames.iter().map(|rename| &*rename.rule)
    }

    /// The patterns and rules that match no tensor: rules none of `lhs`, patterns none of either side. Rules apply to `lhs`.
    pub fn unused(&self, lhs: &[&Name], rhs: &[&Name]) -> Vec<UnusedPattern> {
        let renamed: Vec<Name> = lhs.iter().filter_map(|name| self.rename(name)).collect();
        let all = || lhs.iter().chain(rhs).copied().chain(&renamed);
        let include = self.include.as_ref();
        let mut unused = include.map(|globs| globs.unused("include", all())).unwrap_or_default();
        unused.extend(self.exclude.unused("exclude", all()));
        let is_unused = |rename: &&RenameRule| !lhs.iter().any(|name| rename.apply(name).is_some());
        unused.extend(self.renames.iter().filter(is_unused).map(|rename| {
            let text = rename.from.as_ref().map_or("", Regex::as_str);
            let unused = UnusedPattern::new("rename", &rename.rule, text, lhs.iter().copied());
            UnusedPattern { at: rename.at.clone(), ..unused }
        }));
        unused
    }

    /// The name in rhs of a tensor of lhs; `None` if no rule matches it.
    pub fn rename(&self, name: &Name) -> Option<Name> {
        self.renames.iter().find_map(|rule| rule.apply(name))
    }

    /// The error that two tensors of lhs get one name, `to`.
    pub(super) fn clash(&self, to: &Name, both: [&Name; 2]) -> Error {
        let [a, b] = both.map(Name::printable);
        let why = format!("both {a} and {b} are renamed to {}", to.printable());
        let rule_of = |name| self.renames.iter().find(|rule| rule.apply(name).is_some());
        // A rule of a file has a place, which says more than the name of the option.
        let rules = both.into_iter().filter_map(rule_of);
        match rules.max_by_key(|rule| rule.at.is_some()) {
            Some(rule) => rule.error(&why),
            None => Error::usage(why).of_option("rename"),
        }
    }
}

impl Globs {
    /// Globs that are only shown.
    pub(super) fn of_report(patterns: Vec<String>) -> Self {
        Self { patterns, set: GlobSet::empty() }
    }

    /// Parses globs that match whole names.
    pub(super) fn new(option: &'static str, patterns: &[String]) -> Result<Self> {
        let mut set = GlobSetBuilder::new();
        let fail = |error: globset::Error| {
            let message = error.to_string();
            let glob = error.glob().unwrap_or_default();
            let message = if glob.is_empty() { message } else { cause(&message, glob) };
            Error::usage(message).of_option(option)
        };
        for pattern in patterns {
            set.add(name_glob(pattern).map_err(fail)?);
        }
        Ok(Self { patterns: patterns.to_vec(), set: set.build().map_err(fail)? })
    }

    /// The globs, as they were given.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().map(String::as_str)
    }

    pub(super) fn is_match(&self, name: &Name) -> bool {
        self.set.is_match(as_path(name.as_bytes())) || self.set.is_match(name.to_string())
    }

    /// The globs that match none of the names.
    pub(super) fn unused<'n>(
        &self,
        option: &'static str,
        names: impl Iterator<Item = &'n Name> + Clone,
    ) -> Vec<UnusedPattern> {
        let mut used = BTreeSet::new();
        for name in names.clone().filter(|_| !self.patterns.is_empty()) {
            used.extend(glob_names(&self.set, name));
        }
        let unused = self.patterns.iter().enumerate().filter(|(at, _)| !used.contains(at));
        unused.map(|(_, glob)| UnusedPattern::new(option, glob, glob, names.clone())).collect()
    }
}

/// A glob for whole names, in which `*` and `?` stop at `/`, `**` does not, and a backslash is an ordinary character.
///
/// # Errors
/// If it is malformed.
pub fn name_glob(pattern: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(pattern).literal_separator(true).backslash_escape(false).build()
}

/// A name as a glob that matches nothing else.
pub fn escaped_glob(name: &str) -> String {
    let mut glob = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '*' | '?' | '[' | ']' | '{' | '}' => glob.extend(['[', c, ']']),
            c => glob.push(c),
        }
    }
    glob
}

/// The globs of a set that match a name: as it is stored, or as reports print it.
pub fn glob_names(set: &GlobSet, name: &Name) -> impl Iterator<Item = usize> + use<> {
    let mut found = set.matches(as_path(name.as_bytes()));
    if name.as_str().is_none() {
        found.extend(set.matches(name.to_string()));
    }
    found.into_iter()
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
