//! Which tensors a rule is for: names, role, dtype, size.

use globset::{Glob, GlobSet, GlobSetBuilder};
use regex::bytes::{Regex, RegexBuilder};
use toml::de::DeTable;

use super::setting::dtype;
use super::source::{Item, Source};
use crate::diff::{TensorDiff, TensorRole, glob_names, name_glob};
use crate::error::{Result, shortened};
use crate::tensor::{DType, Name, Shape};

/// What is known of a tensor when rules are chosen for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'a> {
    /// Its names; one that matches is enough.
    pub(super) names: &'a [&'a Name],
    pub(super) role: Option<TensorRole>,
    /// The dtype and shape in rhs; in lhs, if only lhs has the tensor.
    pub(super) dtype: Option<DType>,
    pub(super) shape: Option<&'a Shape>,
    /// Whether nothing is known but the names: conditions on the rest count as met.
    pub(super) is_unknown: bool,
}

impl<'a> Subject<'a> {
    /// A compared tensor with these names.
    pub(super) fn of(tensor: &'a TensorDiff, names: &'a [&'a Name]) -> Self {
        let facts = tensor.rhs.as_ref().or(tensor.lhs.as_ref());
        Self {
            names,
            role: tensor.role,
            dtype: facts.map(|facts| facts.dtype),
            shape: facts.map(|facts| &facts.shape),
            is_unknown: false,
        }
    }
}

/// The conditions of one rule, without its globs, which [`NameIndex`] has.
#[derive(Debug, Clone, Default)]
pub(super) struct Selector {
    /// Whether a glob or regular expression must match a name.
    pub(super) has_names: bool,
    regex: Option<Regex>,
    roles: Vec<TensorRole>,
    dtypes: Vec<DType>,
    min_elements: Option<u64>,
    max_elements: Option<u64>,
    min_rank: Option<u64>,
}

/// The conditions of a rule as they are read, with its globs.
#[derive(Debug, Clone, Default)]
pub(super) struct Conditions {
    pub(super) selector: Selector,
    pub(super) included: Vec<Glob>,
    pub(super) excluded: Vec<Glob>,
    /// The patterns of names as the file has them.
    pub(super) patterns: Vec<String>,
}

impl Conditions {
    /// The keys of conditions.
    pub(super) const KEYS: [&str; 8] =
        ["match", "except", "regex", "role", "dtype", "min_elements", "max_elements", "min_rank"];

    /// Reads the conditions of a rule.
    ///
    /// # Errors
    /// If a glob or regular expression is malformed, or a value is not one of those that its key accepts.
    pub(super) fn read(source: &Source<'_>, table: &DeTable<'_>) -> Result<Self> {
        let mut read = Self::default();
        for (key, item) in table {
            match key.get_ref().as_ref() {
                "match" => {
                    read.patterns
                        .extend(source.strings(item)?.iter().map(|(glob, _)| (*glob).to_owned()));
                    read.included.extend(globs(source, item)?);
                    read.selector.has_names = true;
                }
                "except" => read.excluded.extend(globs(source, item)?),
                "regex" => {
                    let text = source.string(item)?;
                    read.patterns.push(text.to_owned());
                    read.selector.regex = Some(regex(source, item, text)?);
                    read.selector.has_names = true;
                }
                "role" => {
                    for (name, at) in source.strings(item)? {
                        let role = role(name).ok_or_else(|| {
                            let name = shortened(name);
                            let why = format!("there is no role {name:?}; the roles are {ROLES}");
                            source.error(at, why)
                        })?;
                        read.selector.roles.push(role);
                    }
                }
                "dtype" => {
                    for (name, at) in source.strings(item)? {
                        read.selector.dtypes.push(dtype(source, name, at)?);
                    }
                }
                "min_elements" => read.selector.min_elements = Some(source.count(item)?),
                "max_elements" => {
                    let most = source.count(item)?;
                    read.selector.max_elements = Some(most);
                }
                "min_rank" => read.selector.min_rank = Some(source.count(item)?),
                _ => {}
            }
        }
        let Selector { min_elements, max_elements, .. } = &read.selector;
        if let Some((key, _)) = table.get_key_value("max_elements")
            && let Some((least, most)) = min_elements.zip(*max_elements)
            && least > most
        {
            let why = format!("max_elements is smaller than min_elements, {least}");
            return Err(source.error(key.span(), why));
        }
        Ok(read)
    }
}

impl Selector {
    /// Whether the conditions hold; `by_glob` says whether a glob matches a name.
    pub(super) fn accepts(&self, subject: &Subject<'_>, by_glob: bool) -> bool {
        let by_regex = || {
            let regex = self.regex.as_ref();
            regex.is_some_and(|regex| {
                subject.names.iter().any(|name| regex.is_match(name.as_bytes()))
            })
        };
        (!self.has_names || by_glob || by_regex())
            && (subject.is_unknown || self.accepts_facts(subject))
    }

    /// Whether there are conditions on role, dtype or size.
    pub(super) fn depends_on_facts(&self) -> bool {
        let unknown =
            Subject { names: &[], role: None, dtype: None, shape: None, is_unknown: false };
        !self.accepts_facts(&unknown)
    }

    /// Whether the conditions on role, dtype and size hold.
    fn accepts_facts(&self, subject: &Subject<'_>) -> bool {
        let elements = || subject.shape.map(Shape::elements);
        let at_least = |least: Option<u64>, found: Option<u64>| {
            least.is_none_or(|least| found.is_some_and(|found| found >= least))
        };
        (self.roles.is_empty() || subject.role.is_some_and(|role| self.roles.contains(&role)))
            && (self.dtypes.is_empty()
                || subject.dtype.is_some_and(|dtype| self.dtypes.contains(&dtype)))
            && at_least(self.min_elements, elements())
            && self.max_elements.is_none_or(|most| elements().is_some_and(|found| found <= most))
            && at_least(self.min_rank, subject.shape.map(|shape| shape.rank() as u64))
    }
}

/// The globs of all rules, matched against a name at once.
#[derive(Debug, Clone, Default)]
pub(super) struct NameIndex {
    /// Sets of globs; for each glob its rule, and whether the rule includes what it matches.
    sets: Vec<(GlobSet, Vec<(usize, bool)>)>,
    /// The rules that may match without a glob that does: those without any, and those with regular expressions.
    without_globs: Vec<usize>,
}

/// The globs in a set. The automaton of more may exceed the limits of its library.
const SET: usize = 1000;

impl NameIndex {
    /// Adds the globs of rules, the first of which has the number `first`.
    ///
    /// # Errors
    /// If the globs are too large together.
    pub(super) fn add(&mut self, first: usize, rules: &[Conditions]) -> Result<(), globset::Error> {
        let mut globs = Vec::new();
        for (rule, conditions) in (first..).zip(rules) {
            let Selector { has_names, regex, .. } = &conditions.selector;
            if !has_names || regex.is_some() {
                self.without_globs.push(rule);
            }
            globs.extend(conditions.included.iter().map(|glob| (glob, (rule, true))));
            globs.extend(conditions.excluded.iter().map(|glob| (glob, (rule, false))));
        }
        for chunk in globs.chunks(SET) {
            let mut set = GlobSetBuilder::new();
            for (glob, _) in chunk {
                set.add((*glob).clone());
            }
            self.sets.push((set.build()?, chunk.iter().map(|(_, rule)| *rule).collect()));
        }
        Ok(())
    }

    /// The rules that may match a tensor, in order: the number of each, and whether a glob of it matches.
    pub(super) fn candidates(&self, names: &[&Name]) -> Vec<(usize, bool)> {
        let matches = self.matches(names);
        let is = |rule: usize, includes: bool| matches.binary_search(&(rule, includes)).is_ok();
        let by_glob = matches.iter().filter(|(_, includes)| *includes).map(|(rule, _)| *rule);
        let mut rules: Vec<usize> = by_glob.chain(self.without_globs.iter().copied()).collect();
        rules.sort_unstable();
        rules.dedup();
        let kept = rules.into_iter().filter(|rule| !is(*rule, false));
        kept.map(|rule| (rule, is(rule, true))).collect()
    }

    /// The rules with a glob that matches one of the names, each with whether it includes it; sorted.
    fn matches(&self, names: &[&Name]) -> Vec<(usize, bool)> {
        let mut rules = Vec::new();
        for (set, of) in &self.sets {
            let found = names.iter().flat_map(|name| glob_names(set, name));
            rules.extend(found.filter_map(|glob| of.get(glob).copied()));
        }
        rules.sort_unstable();
        rules.dedup();
        rules
    }
}

const ROLES: &str = "\"weights\", \"optimizer\" and \"counters\"";

fn role(name: &str) -> Option<TensorRole> {
    match name {
        "weights" => Some(TensorRole::Weight),
        "optimizer" => Some(TensorRole::Optimizer),
        "counters" => Some(TensorRole::Counter),
        _ => None,
    }
}

/// Globs for whole names, as those of `--include`.
pub(super) fn globs(source: &Source<'_>, item: Item<'_, '_>) -> Result<Vec<Glob>> {
    let glob = |(text, at): &(&str, std::ops::Range<usize>)| {
        name_glob(text)
            .map_err(|error| source.error(at.clone(), format!("malformed glob: {}", error.kind())))
    };
    let globs = source.strings(item)?;
    if globs.is_empty() {
        return Err(source.unexpected(item, "at least one glob"));
    }
    globs.iter().map(glob).collect()
}

pub(super) fn regex(source: &Source<'_>, item: Item<'_, '_>, text: &str) -> Result<Regex> {
    // The limit of each bounds the memory that a file of many takes.
    const MAX_COMPILED: usize = 1 << 18;
    let regex = RegexBuilder::new(text).size_limit(MAX_COMPILED).build();
    regex.map_err(|error| {
        let why = error.to_string();
        let last = why.lines().next_back().unwrap_or_default();
        let reason = last.trim_start_matches("error: ");
        source.error(item.span(), format!("malformed regular expression: {reason}"))
    })
}
