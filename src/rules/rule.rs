//! A rule: conditions and settings.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use toml::de::DeTable;

use super::selector::{Conditions, Selector};
use super::setting::{Expect, Key, Value};
use super::source::Source;
use crate::error::Result;
use crate::serial::object;

/// Where a rule comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleOrigin {
    /// The file, the built-in profile, or the option of the command; empty for what holds without a rule.
    pub source: Arc<str>,
    /// The line, from 1; `None` outside of files and profiles.
    pub line: Option<u64>,
    /// The `name` that the rule gives itself.
    pub name: Option<Box<str>>,
}

impl RuleOrigin {
    /// The origin of what holds without a rule.
    pub(super) fn without_rule() -> Self {
        Self { source: Arc::from(""), line: None, name: None }
    }
}

/// For example `ckdiff.toml:12`, with the name of the rule if it has one.
impl fmt::Display for RuleOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.source.is_empty() { "no rule" } else { &self.source })?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        match &self.name {
            Some(name) => write!(f, " ({name})"),
            None => Ok(()),
        }
    }
}

impl Serialize for RuleOrigin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.source.is_empty() {
            return serializer.serialize_none();
        }
        let report = object! { source: &*self.source, line: self.line, name: &self.name };
        report.serialize(serializer)
    }
}

/// A setting, and its text in the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Setting {
    pub(super) value: Value,
    pub(super) text: Box<str>,
}

/// One rule.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) origin: RuleOrigin,
    pub(super) selector: Selector,
    /// The patterns of names, as the file has them.
    pub(super) patterns: Vec<String>,
    /// The globs for names that the rule is not for.
    pub(super) excluded: Vec<String>,
    /// Its settings, by key. There may be a hundred thousand rules, so they are stored compactly.
    pub(super) settings: Box<[(Key, Setting)]>,
}

/// Where the rules of a text come from.
pub(super) fn origin_of(file: &Path) -> Arc<str> {
    Arc::from(file.display().to_string())
}

impl Rule {
    /// Reads a rule; one of `[default]` has no conditions.
    ///
    /// # Errors
    /// If a key is unknown, or a value is not one of those that its key accepts.
    pub(super) fn read(
        source: &Source<'_>,
        from: &Arc<str>,
        line: u64,
        table: &DeTable<'_>,
        kind: RuleKind,
    ) -> Result<(Self, Conditions)> {
        let (mut settings, mut name) = (BTreeMap::new(), None);
        for (key, item) in table {
            let text = key.get_ref().as_ref();
            if let Some(key) = Key::by_name(text) {
                let value = Value::read(key, source, item)?;
                settings.insert(key, Setting { value, text: source.excerpt(item).into() });
            } else if kind == RuleKind::Rule && text == "name" {
                name = Some(source.string(item)?.into());
            } else if !(kind == RuleKind::Rule && Conditions::KEYS.contains(&text)) {
                return Err(source.unknown_key(key, kind.table(), kind.keys()));
            }
        }
        check_contradictions(source, table, &settings)?;
        let conditions = match kind {
            RuleKind::Rule => Conditions::read(source, table)?,
            RuleKind::Default => Conditions::default(),
        };
        let origin = RuleOrigin { source: from.clone(), line: Some(line), name };
        let settings = settings.into_iter().collect();
        let (selector, patterns) = (conditions.selector.clone(), conditions.patterns.clone());
        let excluded = conditions.excluded.iter().map(|glob| glob.glob().to_owned()).collect();
        Ok((Self { origin, selector, patterns, excluded, settings }, conditions))
    }
}

/// Whether a table is `[default]` or a `[[rule]]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleKind {
    Default,
    Rule,
}

impl RuleKind {
    fn table(self) -> &'static str {
        match self {
            Self::Default => "[default]",
            Self::Rule => "[[rule]]",
        }
    }

    fn keys(self) -> impl Iterator<Item = &'static str> {
        let of_rules: &[&str] = if self == Self::Rule { &Conditions::KEYS } else { &[] };
        let name = (self == Self::Rule).then_some("name");
        Key::all().map(Key::name).chain(of_rules.iter().copied()).chain(name)
    }
}

/// Refuses a rule that limits values and says that they must not change, or are not judged.
fn check_contradictions(
    source: &Source<'_>,
    table: &DeTable<'_>,
    settings: &BTreeMap<Key, Setting>,
) -> Result<()> {
    let expect = match settings.get(&Key::Expect).map(|setting| &setting.value) {
        Some(Value::Expect(Expect::Unchanged)) => "unchanged",
        Some(Value::Expect(Expect::Ignored)) => "ignored",
        _ => return Ok(()),
    };
    let contradicts = |key: &&Key| {
        let may = settings.get(key).is_some_and(|setting| setting.value != Value::Off);
        may && (key.limits_values() || expect == "ignored" && **key != Key::Expect)
    };
    match settings.keys().find(contradicts) {
        Some(key) => {
            let place = table.get_key_value(key.name()).map(|(key, _)| key.span());
            let why = format!("contradicts expect = {expect:?} of the same rule");
            Err(source.error(place.unwrap_or_default(), why))
        }
        None => Ok(()),
    }
}
