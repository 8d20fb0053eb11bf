//! Reads a rules file: its tables, and the profile that is chosen.

use std::path::Path;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::graph::GraphRules;
use super::profile::Profile;
use super::rule::{Rule, RuleKind, RuleOrigin, origin_of};
use super::rule_list::Rules;
use super::selector::{Conditions, NameIndex, regex};
use super::source::{Item, Source};
use crate::bytes::File;
use crate::diff::{StatedAt, StatedRename};
use crate::error::{Error, Result, shortened};
use crate::suggestion::hint;

/// The most rules and renames that are tried for each tensor, while globs are all matched at once.
const MAX_TRIED: usize = 1000;

/// The version of the format of rules files.
const VERSION: u64 = 1;

/// The keys of the outermost table; a profile has those of [`PROFILE_KEYS`].
const KEYS: [&str; 7] = ["schema", "profile", "extends", "default", "rule", "rename", "graph"];
const PROFILE_KEYS: [&str; 5] = ["extends", "default", "rule", "rename", "graph"];

/// The largest rules file, in bytes.
const MAX_BYTES: u64 = 16 << 20;

impl Rules {
    /// Reads a rules file; `profile` chooses one of its `[profile.NAME]` tables.
    ///
    /// # Errors
    /// If the file cannot be read, and as [`parse`](Self::parse).
    pub fn open(file: &Path, profile: Option<&str>) -> Result<Self> {
        let text = text_of(file).map_err(|error| error.in_file(file))?;
        Self::parse(&text, file, profile)
    }

    /// Reads the text of a rules file; `profile` chooses one of its `[profile.NAME]` tables. The name of the file is for errors and
    /// reports.
    ///
    /// # Errors
    /// If the text is not TOML, or has an unknown key, a malformed value, or keys that contradict each other; and when there is no
    /// such profile. The error has the line and column.
    pub fn parse(text: &str, file: &Path, profile: Option<&str>) -> Result<Self> {
        read(text, file, profile)
    }

    /// The rules of a built-in profile.
    pub fn built_in(profile: Profile) -> Self {
        let parsed = read(profile.text(), Path::new(profile.name()), None);
        parsed.expect("a test parses every built-in profile")
    }
}

/// The text of a file.
fn text_of(file: &Path) -> Result<String> {
    let bytes = File::open(file)?.read(MAX_BYTES)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::malformed("rules file", "UTF-8", "a byte is not part of a character").at(at as u64)
    })
}

/// Reads the text of a rules file; see [`Rules::parse`].
fn read(text: &str, file: &Path, profile: Option<&str>) -> Result<Rules> {
    let source = Source::new(text, file)?;
    let document = source.parse()?;
    let mut reader =
        Reader { from: origin_of(file), source: &source, parts: Parts::default(), tried: 0 };
    reader.table(&document, "a rules file", &KEYS)?;
    let mut found = false;
    if let Some((_, item)) = document.get_key_value("profile") {
        for (name, item) in source.table(item)? {
            let is_chosen = profile == Some(name.get_ref().as_ref());
            found |= is_chosen;
            reader.profile(source.table(item)?, is_chosen)?;
        }
    }
    match profile {
        Some(name) if !found => Err(no_profile(&document, name).in_file(file)),
        _ => reader.finish(file, profile),
    }
}

fn no_profile(document: &DeTable<'_>, name: &str) -> Error {
    let profiles = document.get("profile").and_then(|item| item.get_ref().as_table());
    let names: Vec<&str> = profiles
        .into_iter()
        .flat_map(|table| table.keys().map(|key| key.get_ref().as_ref()))
        .collect();
    let hint = hint(name.as_bytes(), names.iter().copied());
    Error::not_found(format!("there is no [profile.{}]{hint}", shortened(name)))
}

/// The parts of a file, or of a built-in profile.
#[derive(Default)]
struct Parts {
    /// The rules of the built-in profile that comes first.
    extended: Option<Box<Parts>>,
    rules: Vec<(Rule, Conditions)>,
    graph: GraphRules,
    renames: Vec<StatedRename>,
}

impl Parts {
    /// Adds the parts of a profile, whose built-in profile replaces the one of the file.
    fn add(&mut self, later: Self) {
        self.extended = later.extended.or(self.extended.take());
        self.rules.extend(later.rules);
        self.renames.extend(later.renames);
        self.graph.add(later.graph);
    }

    /// The parts with those of the built-in profile before them.
    fn flattened(mut self) -> Self {
        match self.extended.take() {
            Some(first) => {
                let mut all = *first;
                all.add(self);
                all
            }
            None => self,
        }
    }
}

/// A text, and what was read of it.
struct Reader<'s, 't> {
    source: &'s Source<'t>,
    from: Arc<str>,
    parts: Parts,
    /// The number of rules that may match without a glob, and of renames: what is tried for each tensor.
    tried: usize,
}

impl Reader<'_, '_> {
    /// Reads a profile, and drops it unless it is chosen: each must be well formed.
    fn profile(&mut self, table: &DeTable<'_>, is_chosen: bool) -> Result<()> {
        let before = std::mem::take(&mut self.parts);
        self.table(table, "a profile", &PROFILE_KEYS)?;
        let read = std::mem::replace(&mut self.parts, before);
        if is_chosen {
            self.parts.add(read);
        }
        Ok(())
    }

    /// Reads the rules of the outermost table, or of a profile: those that it extends, the default, the others.
    fn table(&mut self, table: &DeTable<'_>, what: &str, keys: &[&'static str]) -> Result<()> {
        if let Some(key) = table.keys().find(|key| !keys.contains(&key.get_ref().as_ref())) {
            return Err(self.source.unknown_key(key, what, keys.iter().copied()));
        }
        if let Some(item) = table.get("schema") {
            self.version(item)?;
        }
        if let Some(item) = table.get("extends") {
            self.extend(item)?;
        }
        if let Some((key, item)) = table.get_key_value("default") {
            let line = self.source.line(&key.span());
            self.rule(line, self.source.table(item)?, RuleKind::Default)?;
        }
        if let Some(item) = table.get("rule") {
            for item in self.source.tables(item, "rule")? {
                let rule = self.source.table(item)?;
                // The line of a rule is that of its first key.
                let first = rule.keys().map(Spanned::span).min_by_key(|span| span.start);
                let line = self.source.line(&first.unwrap_or_else(|| item.span()));
                self.rule(line, rule, RuleKind::Rule)?;
            }
        }
        if let Some(item) = table.get("rename") {
            for item in self.source.tables(item, "rename")? {
                let rename = self.rename(self.source.table(item)?, item)?;
                self.parts.renames.push(rename);
            }
        }
        if let Some(item) = table.get("graph") {
            let origin =
                |line| RuleOrigin { source: self.from.clone(), line: Some(line), name: None };
            let graph = GraphRules::read(self.source, self.source.table(item)?, origin)?;
            self.parts.graph.add(graph);
        }
        Ok(())
    }

    fn version(&self, item: Item<'_, '_>) -> Result<()> {
        match self.source.count(item)? {
            VERSION => Ok(()),
            _ => Err(self.source.unexpected(item, "schema = 1, the only version")),
        }
    }

    fn extend(&mut self, item: Item<'_, '_>) -> Result<()> {
        let name = self.source.string(item)?;
        let profile = Profile::by_name(name).ok_or_else(|| {
            let names: Vec<_> = Profile::ALL.iter().map(|profile| profile.name()).collect();
            let hint = hint(name.as_bytes(), names.iter().copied());
            let name = shortened(name);
            let all = format!("; the profiles are {}", names.join(", "));
            let more = if hint.is_empty() { all } else { hint };
            let why = format!("there is no built-in profile {name:?}{more}");
            self.source.error(item.span(), why)
        })?;
        self.parts.extended = Some(Box::new(parts(profile)));
        Ok(())
    }

    fn rule(&mut self, line: u64, table: &DeTable<'_>, kind: RuleKind) -> Result<()> {
        if kind == RuleKind::Rule && (table.contains_key("regex") || !table.contains_key("match")) {
            self.count_tried(line)?;
        }
        let read = Rule::read(self.source, &self.from, line, table, kind)?;
        self.parts.rules.push(read);
        Ok(())
    }

    /// Counts a rule that is tried for each tensor.
    ///
    /// # Errors
    /// If there are so many that matching takes long.
    fn count_tried(&mut self, line: u64) -> Result<()> {
        self.tried += 1;
        match self.tried <= MAX_TRIED {
            true => Ok(()),
            false => {
                let place = self.source.start_of(line);
                let why = format!(
                    "more than {MAX_TRIED} rules without `match`, or with `regex`, and renames; globs under `match` have no such limit"
                );
                Err(self.source.error(place, why))
            }
        }
    }

    /// A rename, as the command has it; its line is that of its key `from`.
    fn rename(&mut self, table: &DeTable<'_>, item: Item<'_, '_>) -> Result<StatedRename> {
        const KEYS: [&str; 2] = ["from", "to"];
        if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.get_ref().as_ref())) {
            return Err(self.source.unknown_key(key, "[[rename]]", KEYS.into_iter()));
        }
        self.count_tried(self.source.line(&item.span()))?;
        let part = |name: &str| -> Result<(&Spanned<DeValue<'_>>, &str)> {
            let missing =
                || self.source.error(item.span(), format!("[[rename]] lacks the key {name}"));
            let item = table.get(name).ok_or_else(missing)?;
            Ok((
                item,
                item.get_ref().as_str().ok_or_else(|| self.source.unexpected(item, "a string"))?,
            ))
        };
        let ((at, from), (to_at, to)) = (part("from")?, part("to")?);
        if to.contains('=') {
            return Err(self.source.error(to_at.span(), "a new name cannot have a ="));
        }
        regex(self.source, at, from)?;
        let at = StatedAt { source: self.from.to_string(), line: self.source.line(&at.span()) };
        Ok(StatedRename { rule: format!("{from}={to}"), at })
    }

    fn finish(self, file: &Path, profile: Option<&str>) -> Result<Rules> {
        let Parts { rules, graph, renames, .. } = self.parts.flattened();
        let (rules, conditions): (Vec<_>, Vec<_>) = rules.into_iter().unzip();
        let mut names = NameIndex::default();
        names.add(0, &conditions).map_err(|error| {
            let why = format!("the globs are too large together: {}", error.kind());
            Error::unsupported(why).in_file(file)
        })?;
        let (source, profile) = (file.display().to_string(), profile.map(str::to_owned));
        Ok(Rules { rules, names, graph, renames, source, profile })
    }
}

/// The parts of a built-in profile.
fn parts(profile: Profile) -> Parts {
    let name = Path::new(profile.name());
    let read = || {
        let source = Source::new(profile.text(), name)?;
        let document = source.parse()?;
        let mut reader =
            Reader { from: origin_of(name), source: &source, parts: Parts::default(), tried: 0 };
        reader.table(&document, "a rules file", &KEYS)?;
        Ok::<_, Error>(reader.parts)
    };
    read().expect("a test parses every built-in profile")
}
