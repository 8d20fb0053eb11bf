//! Rules for the changes of graphs and other messages.

use std::collections::BTreeMap;

use globset::{GlobSet, GlobSetBuilder};
use regex::Regex;
use toml::Spanned;
use toml::de::DeTable;

use super::judgement::{Check, CheckSubject, Found, Limit, Outcome, Severity};
use super::rule::RuleOrigin;
use super::selector::globs;
use super::source::{Item, Source};
use crate::diff::{
    Change, ChangeKind, Detail, GlobTarget, GraphGlob, StatedAt, Weight, glob_names, path_glob,
};
use crate::error::{Result, shortened};
use crate::tensor::Name;

/// The rules of one `[graph]` table, or of several that were joined.
#[derive(Debug, Clone, Default)]
pub(super) struct GraphRules {
    expect: Option<Sourced<Whole>>,
    signatures: Option<Sourced<Whole>>,
    ignored: Vec<Sourced<Regex>>,
    semantic: Vec<Sourced<Regex>>,
    cosmetic: Vec<Sourced<Regex>>,
    unchanged: Vec<Sourced<GlobSet>>,
    allowed_ops: Option<Sourced<Vec<String>>>,
    denied_ops: Vec<Sourced<String>>,
    /// The globs of all keys, as the file has them.
    globs: Vec<GraphGlob>,
    /// Where the last `[graph]` table begins.
    stated: Option<RuleOrigin>,
}

/// A part of the rules, and where it comes from.
type Sourced<T> = (T, RuleOrigin);

/// Whether a part may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whole {
    Unchanged,
    Ignored,
}

/// The keys of `[graph]`.
const KEYS: [&str; 8] = [
    "expect",
    "signatures",
    "ignore",
    "semantic",
    "cosmetic",
    "unchanged",
    "allow_ops",
    "deny_ops",
];

impl GraphRules {
    /// Reads a `[graph]` table.
    ///
    /// # Errors
    /// If a key is unknown, or a value is not one of those that its key accepts.
    pub(super) fn read(
        source: &Source<'_>,
        table: &DeTable<'_>,
        origin: impl Fn(u64) -> RuleOrigin,
    ) -> Result<Self> {
        let mut rules = Self::default();
        for (key, item) in table {
            let line = source.line(&key.span());
            rules.stated.get_or_insert_with(|| origin(line));
            let origin = origin(source.line(&key.span()));
            rules.globs.extend(stated_globs(source, key, item, &origin)?);
            let with_origin = |regexes: Vec<Regex>| {
                regexes.into_iter().map(|regex| (regex, origin.clone())).collect::<Vec<_>>()
            };
            match key.get_ref().as_ref() {
                "expect" => rules.expect = Some((whole(source, item)?, origin)),
                "signatures" => rules.signatures = Some((whole(source, item)?, origin)),
                "ignore" => rules.ignored = with_origin(paths(source, item)?),
                "semantic" => rules.semantic = with_origin(paths(source, item)?),
                "cosmetic" => rules.cosmetic = with_origin(paths(source, item)?),
                "unchanged" => {
                    let mut set = GlobSetBuilder::new();
                    globs(source, item)?.into_iter().for_each(|glob| {
                        set.add(glob);
                    });
                    let set = set
                        .build()
                        .map_err(|error| source.error(item.span(), error.kind().to_string()))?;
                    rules.unchanged.push((set, origin));
                }
                "allow_ops" => rules.allowed_ops = Some((ops(source, item)?, origin)),
                "deny_ops" => {
                    let ops = ops(source, item)?.into_iter();
                    rules.denied_ops = ops.map(|op| (op, origin.clone())).collect();
                }
                _ => return Err(source.unknown_key(key, "[graph]", KEYS.into_iter())),
            }
        }
        if let Some((allowed, _)) = &rules.allowed_ops
            && let Some((op, _)) = rules.denied_ops.iter().find(|(op, _)| allowed.contains(op))
            && let Some((key, _)) = table.get_key_value("deny_ops")
        {
            let why = format!("allow_ops has {:?}, too", shortened(op));
            return Err(source.error(key.span(), why));
        }
        Ok(rules)
    }

    /// Adds later rules: single settings replace earlier ones, lists are appended.
    pub(super) fn add(&mut self, later: Self) {
        self.stated = later.stated.or(self.stated.take());
        self.expect = later.expect.or(self.expect.take());
        self.signatures = later.signatures.or(self.signatures.take());
        self.allowed_ops = later.allowed_ops.or(self.allowed_ops.take());
        self.ignored.extend(later.ignored);
        self.semantic.extend(later.semantic);
        self.cosmetic.extend(later.cosmetic);
        self.unchanged.extend(later.unchanged);
        self.denied_ops.extend(later.denied_ops);
        self.globs.extend(later.globs);
    }

    /// The globs for nodes and for paths of changes.
    pub(super) fn globs(&self) -> &[GraphGlob] {
        &self.globs
    }

    /// The keys of the rules in force. What no file says is unchanged.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'static str> {
        let is_judged = |whole: Option<&Sourced<Whole>>| {
            whole.is_none_or(|(whole, _)| *whole == Whole::Unchanged)
        };
        let signatures = self.signatures.as_ref().or(self.expect.as_ref());
        [
            ("expect", is_judged(self.expect.as_ref())),
            ("signatures", is_judged(signatures)),
            ("unchanged", !self.unchanged.is_empty()),
            ("allow_ops", self.allowed_ops.is_some()),
            ("deny_ops", !self.denied_ops.is_empty()),
        ]
        .into_iter()
        .filter_map(|(key, is_stated)| is_stated.then_some(key))
    }

    /// Whether no change breaks a rule.
    pub(super) fn ignores_all(&self) -> bool {
        let is_ignored = |(whole, _): &Sourced<Whole>| *whole == Whole::Ignored;
        self.unchanged.is_empty()
            && self.expect.as_ref().is_some_and(is_ignored)
            && self.signatures.as_ref().is_none_or(is_ignored)
    }

    /// Judges a change; `strict` says that cosmetic changes count too.
    pub(super) fn judge(
        &self,
        change: &JudgedChange<'_>,
        strict: bool,
    ) -> Option<(Outcome, Check)> {
        let of = |regexes: &[Sourced<Regex>]| {
            let found = regexes
                .iter()
                .find(|(regex, _)| change.prefixes.iter().any(|prefix| regex.is_match(prefix)));
            found.map(|(_, origin)| origin.clone())
        };
        if let Some(origin) = of(&self.ignored) {
            return Some((Outcome::Passed, change.check("ignore", origin, "ignored")));
        }
        let weight = match (of(&self.cosmetic), of(&self.semantic)) {
            (_, Some(_)) => Weight::Semantic,
            (Some(origin), None) if change.weight == Weight::Semantic && !strict => {
                return Some((Outcome::Passed, change.check("cosmetic", origin, "cosmetic")));
            }
            (Some(_), None) => Weight::Cosmetic,
            (None, None) => change.weight,
        };
        if weight == Weight::Cosmetic && !strict {
            return None;
        }
        if let Some((_, origin)) = self.unchanged.iter().find(|(set, _)| change.is_under(set)) {
            return Some((Outcome::Failed, change.check("unchanged", origin.clone(), "unchanged")));
        }
        Some(self.judge_whole(change))
    }

    /// Judges a change that matters by `expect` and `signatures`. One of a whole meta graph must keep to both.
    fn judge_whole(&self, change: &JudgedChange<'_>) -> (Outcome, Check) {
        let unchanged = || (Whole::Unchanged, RuleOrigin::without_rule());
        let of_graph = self.expect.clone().unwrap_or_else(unchanged);
        let of_signatures = self.signatures.clone().unwrap_or_else(|| of_graph.clone());
        let (gate, (whole, origin)) = match change.signatures {
            Signatures::Only => ("signatures", of_signatures),
            Signatures::Within(_) if of_graph.0 == Whole::Ignored => ("signatures", of_signatures),
            Signatures::None | Signatures::Within(_) => ("expect", of_graph),
        };
        match whole {
            Whole::Unchanged => (Outcome::Failed, change.check(gate, origin, "unchanged")),
            Whole::Ignored => (Outcome::Passed, change.check(gate, origin, "ignored")),
        }
    }

    /// The check that says that there are rules for graphs, and none was compared.
    pub(super) fn not_compared(&self) -> Option<Check> {
        let is_needed =
            !self.ignores_all() || !self.denied_ops.is_empty() || self.allowed_ops.is_some();
        let rule = self.stated.clone().filter(|_| is_needed)?;
        Some(Check {
            subject: CheckSubject::Change("graph_def".into()),
            gate: "graph",
            rule,
            limit: Limit::Word("compared"),
            found: Found::Text("no graph on both sides".into()),
            sides: None,
            severity: Severity::Graph,
        })
    }

    /// Judges the ops of the graph of rhs, by their counts.
    pub(super) fn judge_ops(&self, ops: &BTreeMap<String, u64>) -> Vec<Check> {
        let check = |op: &String, count: &u64, gate, origin: &RuleOrigin| Check {
            subject: CheckSubject::Op(op.as_str().into()),
            gate,
            rule: origin.clone(),
            limit: Limit::Word("forbidden"),
            found: Found::Text(nodes(*count).into()),
            sides: None,
            severity: Severity::Graph,
        };
        let denied = ops.iter().flat_map(|(op, count)| {
            let found = self.denied_ops.iter().find(|(denied, _)| denied == op);
            found.map(|(_, origin)| check(op, count, "deny_ops", origin))
        });
        let others = self.allowed_ops.iter().flat_map(|(allowed, origin)| {
            let others = ops.iter().filter(|(op, _)| !allowed.contains(op));
            others.map(|(op, count)| check(op, count, "allow_ops", origin))
        });
        denied.chain(others).collect()
    }
}

fn nodes(count: u64) -> String {
    format!("{count} {}", if count == 1 { "node" } else { "nodes" })
}

/// The signatures that a change affects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signatures {
    /// None.
    None,
    /// One, and nothing else changed.
    Only,
    /// Those of a whole meta graph that was added or removed; their number.
    Within(u64),
}

/// A change as rules see it.
#[derive(Debug, Clone)]
pub(super) struct JudgedChange<'c> {
    path: &'c str,
    /// The path and its starts.
    prefixes: Vec<String>,
    weight: Weight,
    kind: ChangeKind,
    signatures: Signatures,
    /// The nodes that the change is about, and those that were renamed.
    nodes: Vec<Name>,
}

impl<'c> JudgedChange<'c> {
    pub(super) fn new(change: &Change, path: &'c str) -> Self {
        let mut nodes: Vec<Name> = change.path.key_in("node").map(Name::from).into_iter().collect();
        if let Some(in_lhs) = change.path.in_lhs() {
            nodes.extend(in_lhs.key_in("node").map(Name::from));
        }
        if let Detail::Nodes(group) = &change.detail {
            nodes.extend(group.names.iter().map(Name::from));
        }
        Self {
            path,
            prefixes: change.path.starts(),
            weight: change.weight,
            kind: change.kind,
            signatures: match change.signatures().len() {
                0 if change.is_of_signature() => Signatures::Only,
                0 => Signatures::None,
                count => Signatures::Within(count as u64),
            },
            nodes,
        }
    }

    fn is_under(&self, set: &GlobSet) -> bool {
        self.nodes.iter().any(|name| glob_names(set, name).next().is_some())
    }

    /// The kind of the change, and how many signatures it takes along.
    fn found(&self) -> String {
        let kind = self.kind.name();
        match self.signatures {
            Signatures::Within(1) => format!("{kind} with 1 signature"),
            Signatures::Within(count) => format!("{kind} with {count} signatures"),
            Signatures::None | Signatures::Only => kind.to_owned(),
        }
    }

    fn check(&self, gate: &'static str, rule: RuleOrigin, limit: &'static str) -> Check {
        Check {
            subject: CheckSubject::Change(self.path.into()),
            gate,
            rule,
            limit: Limit::Word(limit),
            found: Found::Text(self.found().into()),
            sides: None,
            severity: Severity::Graph,
        }
    }
}

fn whole(source: &Source<'_>, item: Item<'_, '_>) -> Result<Whole> {
    match item.get_ref().as_str() {
        Some("unchanged") => Ok(Whole::Unchanged),
        Some("ignored") => Ok(Whole::Ignored),
        _ => Err(source.unexpected(item, "\"unchanged\" or \"ignored\"")),
    }
}

/// The globs of a key that has some. Those that are malformed are found where they are read.
fn stated_globs(
    source: &Source<'_>,
    key: &Spanned<impl AsRef<str>>,
    item: Item<'_, '_>,
    origin: &RuleOrigin,
) -> Result<Vec<GraphGlob>> {
    let key = match key.get_ref().as_ref() {
        "ignore" => ("ignore", GlobTarget::Paths),
        "semantic" => ("semantic", GlobTarget::Paths),
        "cosmetic" => ("cosmetic", GlobTarget::Paths),
        "unchanged" => ("unchanged", GlobTarget::Nodes),
        _ => return Ok(Vec::new()),
    };
    let glob = |(glob, at): (&str, std::ops::Range<usize>)| GraphGlob {
        key: key.0,
        glob: glob.to_owned(),
        target: key.1,
        at: StatedAt { source: origin.source.to_string(), line: source.line(&at) },
    };
    Ok(source.strings(item)?.into_iter().map(glob).collect())
}

fn paths(source: &Source<'_>, item: Item<'_, '_>) -> Result<Vec<Regex>> {
    let regex = |(glob, at): &(&str, std::ops::Range<usize>)| {
        path_glob(glob)
            .map_err(|error| source.error(at.clone(), format!("malformed glob: {error}")))
    };
    source.strings(item)?.iter().map(regex).collect()
}

fn ops(source: &Source<'_>, item: Item<'_, '_>) -> Result<Vec<String>> {
    Ok(source.strings(item)?.into_iter().map(|(op, _)| op.to_owned()).collect())
}
