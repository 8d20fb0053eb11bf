//! `ckdiff rules`: explains the rules for a tensor, and writes rules to start from.

use std::io::{self, Write};

use crate::artifact::Artifact;
use crate::compare::CompareOptions;
use crate::diff::{DiffOptions, NameFilter, TensorDiff, diff};
use crate::error::Error;
use crate::files::cannot_write;
use crate::progress::Silent;
use crate::report::human::printable;
use crate::rules::{Explanation, start};
use crate::tensor::Name;

use crate::command::Exit;
use crate::command::args::{ExplainArgs, InitArgs, RulesCommand, RulesCommandArgs};
use crate::command::config;
use crate::command::diagnostics::Diagnostics;
use crate::command::output;
use crate::command::progress::Bar;

/// Runs a command about rules.
///
/// # Errors
/// If there are no rules, a file cannot be read, or the output cannot be written.
pub(crate) fn run(args: &RulesCommandArgs) -> Result<Exit, Diagnostics> {
    match &args.command {
        RulesCommand::Explain(args) => explain(args),
        RulesCommand::Init(args) => init(args),
    }
}

fn explain(args: &ExplainArgs) -> Result<Exit, Diagnostics> {
    let rules = config::rules(&args.rules)?.ok_or_else(|| Error::usage(config::MISSING))?;
    let name = Name::from(&args.name);
    let (explanation, head) = match &args.checkpoint {
        None => (rules.explain_name(&name), printable(&args.name)),
        Some(path) => {
            let artifact = Artifact::open(path)?;
            let tensor = find(&artifact, &name)?;
            (rules.explain(&tensor), described(&tensor))
        }
    };
    output::to_stdout(|out| write(&explanation, &head, out))?;
    Ok(Exit::Same)
}

/// A tensor of a checkpoint, with its role.
fn find(artifact: &Artifact<'_>, name: &Name) -> Result<TensorDiff, Error> {
    let checkpoint = artifact.tensors("explained")?;
    // All tensors are looked at, since the role of one may follow from the names of others.
    let named = |tensor: &TensorDiff| {
        tensor.names().any(|of| of == name) || *tensor.shown_name() == *name.to_string()
    };
    let options = DiffOptions {
        compare: CompareOptions::default(),
        names: NameFilter::default(),
        ..DiffOptions::default()
    };
    let diff = diff(artifact, artifact, &options, &Silent)?;
    let found = diff.tensors.into_iter().find(named);
    match found {
        Some(tensor) => Ok(tensor),
        // The error of a checkpoint suggests a name.
        None => checkpoint.get_tensor(name).and(Err(Error::not_found("it is not compared"))),
    }
}

/// The name of a tensor, its dtype, shape and role.
fn described(tensor: &TensorDiff) -> String {
    let facts = tensor.rhs.as_ref().map(|facts| format!(": {} {}", facts.dtype, facts.shape));
    let role = tensor.role.map(|role| format!(", {}", role.name()));
    format!(
        "{}{}{}",
        printable(&tensor.shown_name()),
        facts.unwrap_or_default(),
        role.unwrap_or_default()
    )
}

fn write(explanation: &Explanation, head: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{head}")?;
    if explanation.matched.is_empty() {
        writeln!(out, "  no rule matches: the tensor must be identical")?;
        return Ok(());
    }
    writeln!(out, "\nRules that match, in order; the last one wins, key by key")?;
    for rule in &explanation.matched {
        let condition = if rule.is_conditional { ", if role, dtype and size fit" } else { "" };
        writeln!(out, "  {}{condition}", printable(&rule.rule.to_string()))?;
        for (key, value, is_replaced) in &rule.settings {
            let note = if *is_replaced { "    # replaced below" } else { "" };
            writeln!(out, "    {key} = {}{note}", printable(value))?;
        }
    }
    writeln!(out, "\nWhat holds")?;
    let width =
        explanation.settings.iter().map(|(key, value, _)| key.len() + 3 + value.len()).max();
    for (key, value, rule) in &explanation.settings {
        let setting = format!("{key} = {}", printable(value));
        writeln!(
            out,
            "  {setting:<0$}  {1}",
            width.unwrap_or_default(),
            printable(&rule.to_string())
        )?;
    }
    Ok(())
}

fn init(args: &InitArgs) -> Result<Exit, Diagnostics> {
    let compare = CompareOptions {
        values: true,
        threads: args.jobs.jobs.into(),
        ..CompareOptions::default()
    };
    let options = DiffOptions { compare, ..DiffOptions::default() };
    output::refuse_existing(&args.output, args.overwrite)?;
    let (lhs, rhs) = match Artifact::open_both(&args.lhs, &args.rhs, args.jobs.jobs.into()) {
        (Ok(lhs), Ok(rhs)) => (lhs, rhs),
        (lhs, rhs) => return Err([lhs.err(), rhs.err()].into_iter().flatten().collect()),
    };
    let bar = Bar::new(false);
    let diff = diff(&lhs, &rhs, &options, &bar)?;
    drop(bar);
    if diff.errors().next().is_some() {
        return Err(diff.errors().cloned().collect());
    }
    let text = start(&diff);
    output::to_path(&args.output, |out| out.write_all(text.as_bytes()).map_err(cannot_write))?;
    Ok(Exit::Same)
}
