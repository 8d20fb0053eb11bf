//! What must be compared again, if a saved report cannot decide every rule.

use std::io::{self, Write};

use crate::compare::NanPolicy;
use crate::diff::{DiffOptions, Status, TensorDiff, escaped_glob};
use crate::report::Judged;
use crate::rules::{Again, Profile, Rules};
use crate::tensor::Name;

use super::terminal_text::{plural, printable, shell_quoted, short_of};

/// The maximum number of tensors that are named, each also as an option of the command. With more, all are compared again.
const NAMED: usize = 8;

/// Writes what must be compared again, and the command that does it; nothing if everything is decided.
pub(in crate::report) fn write(judged: &Judged<'_>, out: &mut dyn Write) -> io::Result<()> {
    let again = judged.judgement.again();
    if again.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    if judged.diff.counts().of(Status::Uncompared) > 0 {
        return writeln!(out, "A snapshot has no values: compare the model with another one.");
    }
    if again.values {
        let what = "the distribution of values";
        writeln!(out, "A report made with --histogram tells what the rules ask about {what}.")?;
    }
    if again.graph {
        writeln!(
            out,
            "The graph must be compared again: the tolerance of the report hides changes in it."
        )?;
    }
    if !again.tensors.is_empty() {
        writeln!(out, "{}", tensors(judged, &again))?;
    }
    writeln!(out, "  {}", command(judged, &again))
}

/// For example `2 tensors must be read again: dense/bias, dense/kernel`.
fn tensors(judged: &Judged<'_>, again: &Again) -> String {
    let count = again.tensors.len();
    let mut names: Vec<String> = again
        .tensors
        .iter()
        .take(NAMED)
        .map(|name| printable(&short_of(&shown(judged, name))))
        .collect();
    if count > NAMED {
        names.push(format!("… and {} more", super::number::count((count - NAMED) as u64)));
    }
    format!("{} must be read again: {}", plural(count as u64, "tensor"), names.join(", "))
}

/// The name of a tensor in reports.
fn shown(judged: &Judged<'_>, name: &Name) -> String {
    let mut tensors = judged.diff.tensors.iter();
    let found = tensors.find(|tensor| tensor.name == *name);
    found.map_or_else(|| name.printable(), TensorDiff::shown_name)
}

/// The command that compares what is undecided, by the same rules.
fn command(judged: &Judged<'_>, again: &Again) -> String {
    let Judged { diff, rules, .. } = judged;
    let path = |path: &std::path::Path| shell_quoted(&printable(&path.display().to_string()));
    let mut words = vec!["ckdiff".to_owned(), path(&diff.lhs.path), path(&diff.rhs.path)];
    let mut option = |name: &str, value: &str| {
        words.push(format!("--{name} {}", shell_quoted(&printable(value))));
    };
    if !again.graph {
        option("only", "tensors");
        if again.tensors.len() <= NAMED {
            again
                .tensors
                .iter()
                .for_each(|name| option("include", &escaped_glob(&name.to_string())));
        }
    }
    options(&diff.options, rules, &mut option);
    match Profile::by_name(rules.source()) {
        Some(profile) => option("rules", profile.name()),
        None => option("config", rules.source()),
    }
    if let Some(profile) = rules.profile() {
        option("profile", profile);
    }
    if diff.options.strict {
        words.push("--strict".into());
    }
    words.join(" ")
}

/// The options of the report that decide what is compared.
fn options(given: &DiffOptions, rules: &Rules, option: &mut impl FnMut(&str, &str)) {
    let of_rules = |rename: &&str| rules.renames().iter().any(|of_rules| of_rules.rule == *rename);
    given.names.rename_rules().filter(|rename| !of_rules(rename)).for_each(|rename| {
        option("rename", rename);
    });
    given.names.excluded().iter().for_each(|glob| option("exclude", glob));
    given.ignore.globs().for_each(|glob| option("ignore", glob));
    given.ignore.kinds().iter().for_each(|kind| option("ignore-kind", kind.name()));
    if given.compare.nan == NanPolicy::Differ {
        option("nan", "differ");
    }
}
