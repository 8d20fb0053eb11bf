//! Changes that the user wants to ignore.

use std::collections::BTreeSet;

use regex::Regex;

use super::unused::UnusedPattern;
use super::{Change, ChangeKind, Diff};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::schema::Schema;
use crate::tensor::Name;

/// Selects changes that are neither reported nor counted in the verdict.
#[derive(Debug, Clone, Default)]
pub struct Ignore {
    globs: Vec<PathGlob>,
    kinds: Vec<ChangeKind>,
}

/// A glob for paths, as the user gave it and as a regular expression.
#[derive(Debug, Clone)]
struct PathGlob {
    glob: String,
    /// `None` if the glob is only shown.
    regex: Option<Regex>,
}

impl PathGlob {
    fn is_match(&self, path: &str) -> bool {
        self.regex.as_ref().is_some_and(|regex| regex.is_match(path))
    }
}

impl Ignore {
    /// Ignores changes of some kinds, and changes whose path, or the start of it, matches one of the globs.
    ///
    /// In a glob, `*` and `?` stop at `/`, and `**` does not. All other characters, brackets and quotes
    /// included, match themselves.
    ///
    /// ```
    /// use ckdiff::diff::Ignore;
    ///
    /// let globs = ["**.device".to_owned(), "graph_def.node[\"save/**".to_owned()];
    /// assert!(Ignore::new(&globs, &[]).is_ok());
    /// ```
    /// # Errors
    /// If a glob is too long.
    pub fn new(globs: &[String], kinds: &[ChangeKind]) -> Result<Self> {
        let parse = |glob: &String| match path_glob(glob) {
            Ok(regex) => Ok(PathGlob { glob: glob.clone(), regex: Some(regex) }),
            Err(error) => Err(Error::usage(format!("{glob:?}: {error}")).of_option("ignore")),
        };
        Ok(Self { globs: globs.iter().map(parse).collect::<Result<_>>()?, kinds: kinds.to_vec() })
    }

    /// The ignored changes of a saved report, which lacks them: only the texts of the globs are kept.
    pub(crate) fn of_report(globs: Vec<String>, kinds: Vec<ChangeKind>) -> Self {
        let globs = globs.into_iter().map(|glob| PathGlob { glob, regex: None });
        Self { globs: globs.collect(), kinds }
    }

    /// The globs, as they were given.
    pub fn globs(&self) -> impl Iterator<Item = &str> {
        self.globs.iter().map(|glob| &*glob.glob)
    }

    /// The kinds of ignored changes.
    pub fn kinds(&self) -> &[ChangeKind] {
        &self.kinds
    }

    /// Removes the ignored changes, and counts them. Adds the globs that cannot match any path of the messages and of the
    /// object graphs, which are given by their bytes, to the unused patterns.
    pub(super) fn apply(&self, messages: &[&Message<'_>], objects: &[&[u8]], diff: &mut Diff) {
        let before = diff.changes.len();
        let mut used = BTreeSet::new();
        diff.changes.retain(|change| !self.covers(change, &mut used));
        diff.ignored += (before - diff.changes.len()) as u64;
        let unused = self.globs.iter().enumerate().filter(|(at, _)| !used.contains(at));
        for (_, PathGlob { glob, .. }) in unused {
            diff.unused.extend(impossible("ignore", glob, messages, objects));
        }
    }

    /// Whether the change is ignored. Adds the positions of the globs that match its path to `used`.
    fn covers(&self, change: &Change, used: &mut BTreeSet<usize>) -> bool {
        let mut is_covered = self.kinds.contains(&change.kind);
        if self.globs.is_empty() {
            return is_covered;
        }
        for path in change.path.prefixes() {
            let path = path.to_string();
            for (at, _) in self.globs.iter().enumerate().filter(|(_, g)| g.is_match(&path)) {
                is_covered = true;
                used.insert(at);
            }
        }
        is_covered
    }
}

/// A glob that cannot match any path of the messages and of the object graphs, as an unused pattern.
pub(super) fn impossible(
    option: &'static str,
    glob: &str,
    messages: &[&Message<'_>],
    objects: &[&[u8]],
) -> Option<UnusedPattern> {
    let word = words(glob).find(|word| !word.is_known(messages, objects))?;
    let fields: BTreeSet<Name> = field_names(messages).map(Name::from).collect();
    Some(UnusedPattern::new(option, glob, word.text, fields.iter()))
}

/// Whether a glob matches the path of a change, or the start of it.
pub(super) fn matches_any(glob: &str, changes: &[Change]) -> bool {
    path_glob(glob).is_ok_and(|regex| {
        let matches =
            |change: &Change| change.path.starts().iter().any(|path| regex.is_match(path));
        changes.iter().any(matches)
    })
}

/// Fields of paths that no message has.
const VIRTUAL_FIELDS: [&str; 6] =
    ["files", "keras_metadata", "object_graph", "restores", "saves", "taken"];

/// Letters of a glob between wildcards and punctuation: a field, or a part of one, or of a key.
struct Word<'g> {
    text: &'g str,
    /// Whether it can only be a whole field: it has neither a wildcard nor a quote next to it.
    is_field: bool,
}

impl Word<'_> {
    /// Whether a field of the messages has this name, or the word is in a message.
    fn is_known(&self, messages: &[&Message<'_>], objects: &[&[u8]]) -> bool {
        let is_field = |name: &str| match self.is_field {
            true => name == self.text,
            false => name.contains(self.text),
        };
        let bytes = messages.iter().map(|message| message.bytes());
        field_names(messages).any(is_field)
            || bytes.chain(objects.iter().copied()).any(|bytes| self.is_within(bytes))
    }

    fn is_within(&self, bytes: &[u8]) -> bool {
        let literal = regex::bytes::Regex::new(&regex::escape(self.text));
        literal.is_ok_and(|literal| literal.is_match(bytes))
    }
}

/// The names of the fields that paths have.
fn field_names<'s>(messages: &[&Message<'s>]) -> impl Iterator<Item = &'s str> {
    let schema = messages.first().map_or(Schema::tensorflow(), |message| message.schema());
    schema.messages().flat_map(|ty| ty.field_names()).chain(VIRTUAL_FIELDS)
}

/// The words of a glob; none of a single letter.
fn words(glob: &str) -> impl Iterator<Item = Word<'_>> {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = glob;
    let mut before = None;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c| {
            let skipped = !is_letter(c);
            before = if skipped { Some(c) } else { before };
            skipped
        });
        let len = rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
        let (text, after) = rest.split_at_checked(len).filter(|(text, _)| !text.is_empty())?;
        rest = after;
        let around = [before, after.chars().next()];
        let is_field = around.iter().all(|c| matches!(c, None | Some('.' | '[')));
        Some(Word { text, is_field })
    })
    .filter(|word| word.text.len() > 1)
}

/// A glob for paths as a regular expression; see [`Ignore::new`].
///
/// # Errors
/// If the glob is too long.
pub fn path_glob(glob: &str) -> Result<Regex, regex::Error> {
    Regex::new(&pattern(glob))
}

/// The pattern of the regular expression.
fn pattern(glob: &str) -> String {
    let mut pattern = String::from("(?s)^");
    let mut rest = glob;
    while let Some(char) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix("**") {
            pattern.push_str(".*");
            rest = behind;
            continue;
        }
        match char {
            '*' => pattern.push_str("[^/]*"),
            '?' => pattern.push_str("[^/]"),
            other => pattern.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
        rest = rest.get(char.len_utf8()..).unwrap_or_default();
    }
    pattern + "$"
}
