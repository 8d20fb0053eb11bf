//! Functions: how Python calls them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::Style;

use crate::report::{Callable, ConcreteFunction, MetaGraph, Parameter};

use super::super::table::{Align, Table};
use super::super::text::{plural, printable};
use super::rows::Rows;
use super::{Report, python};

/// Columns that the names of arguments keep.
const ARGUMENT: usize = 48;

impl Report<'_> {
    /// The functions that can be called; those that serve signatures are told with these.
    pub(super) fn callables(&self, graph: &MetaGraph, out: &mut dyn Write) -> io::Result<()> {
        let called = || graph.callables.iter().filter(|callable| !callable.of_signature);
        let count = called().count();
        if count == 0 {
            return Ok(());
        }
        self.title("Callable functions", count, out)?;
        // A function that several share is told in full once.
        let mut told = BTreeMap::new();
        for callable in called().take(self.view.max_diffs) {
            self.line(&head(callable), out)?;
            let mut table = Table::new(&[Align::Left]).keeping_names(ARGUMENT);
            let shown = callable.concrete_functions.iter().take(self.view.max_diffs);
            for (i, name) in shown.enumerate() {
                let option = format!("#{}", i + 1);
                let first = told.entry(name.as_str()).or_insert_with(|| title(callable, &option));
                let cells = match graph.concrete_function(name) {
                    _ if *first != title(callable, &option) => {
                        vec![vec![way(&option, ""), format!("as {first}")]]
                    }
                    Some(concrete) => self.option(&option, callable, concrete),
                    None => vec![vec![way(&option, ""), "which is missing".into()]],
                };
                cells.into_iter().for_each(|cells| table.push(Style::new(), cells));
            }
            table.write_squeezed(out)?;
            let more = callable.concrete_functions.len().saturating_sub(self.view.max_diffs);
            if more > 0 {
                writeln!(out, "    … and {}", plural(more as u64, "more option"))?;
            }
        }
        self.rest(count, out)
    }

    /// What one concrete function takes and gives.
    fn option(
        &self,
        option: &str,
        callable: &Callable,
        concrete: &ConcreteFunction,
    ) -> Vec<Vec<String>> {
        let mut rows = Rows::new(self.view.max_diffs);
        for (i, value) in concrete.positional().iter().enumerate() {
            rows.push(&positional(callable, i), value);
        }
        for (name, value) in concrete.by_name() {
            rows.push(&printable(name), value);
        }
        if !concrete.tells_arguments() {
            callable.keywords.iter().for_each(|name| rows.push_text(&printable(name), "a tensor"));
        }
        let mut cells = rows.finish(option);
        if cells.is_empty() {
            cells.push(vec![way(option, ""), "no arguments".into()]);
        }
        let mut rows = Rows::new(self.view.max_diffs);
        rows.push("", &concrete.results);
        cells.extend(rows.finish("→"));
        cells
    }
}

/// The start of a row: the option that begins there.
pub(super) fn way(option: &str, name: &str) -> String {
    format!("{option:>4}  {name}")
}

/// What a concrete function is referred to by.
fn title(callable: &Callable, option: &str) -> String {
    format!("{option} of {}", name(callable))
}

fn name(callable: &Callable) -> String {
    callable.names.first().map(|name| printable(name)).unwrap_or_default()
}

/// The function as its `def` has it, and what else is to be said of it.
fn head(callable: &Callable) -> String {
    let mut head = format!("  {}({})", name(callable), parameters(callable));
    if let [_, others @ ..] = callable.names.as_slice()
        && !others.is_empty()
    {
        let others: Vec<String> = others.iter().map(|name| printable(name)).collect();
        head += &format!("  also {}", others.join(", "));
    }
    match callable.jit_compile {
        Some(true) => head += "  compiled by XLA",
        Some(false) => head += "  not compiled by XLA",
        None => {}
    }
    if callable.concrete_functions.is_empty() {
        head += "  never called, so there is nothing to run";
    }
    head
}

fn parameters(callable: &Callable) -> String {
    let Some(parameters) = &callable.parameters else {
        let positional = usize::try_from(callable.positional).unwrap_or(usize::MAX);
        let mut names: Vec<String> = callable.keywords.iter().map(|name| printable(name)).collect();
        if positional < names.len() {
            names.insert(positional, "*".into());
        }
        return names.join(", ");
    };
    let text = |parameter: &Parameter| match &parameter.default {
        None => printable(&parameter.name),
        Some(value) => format!("{}={}", printable(&parameter.name), python::spelled(value)),
    };
    let mut texts: Vec<String> = parameters.positional.iter().map(text).collect();
    match &parameters.varargs {
        Some(name) => texts.push(format!("*{}", printable(name))),
        None if parameters.keyword_only.is_empty() => {}
        None => texts.push("*".into()),
    }
    texts.extend(parameters.keyword_only.iter().map(text));
    texts.extend(parameters.varkw.as_ref().map(|name| format!("**{}", printable(name))));
    texts.join(", ")
}

/// The name of an argument by its place.
fn positional(callable: &Callable, place: usize) -> String {
    let Some(parameters) = &callable.parameters else {
        return callable.keywords.get(place).map_or_else(|| format!("[{place}]"), |n| printable(n));
    };
    let further = place.saturating_sub(parameters.positional.len());
    match (parameters.positional.get(place), &parameters.varargs) {
        (Some(parameter), _) => printable(&parameter.name),
        (None, Some(varargs)) => format!("{}[{further}]", printable(varargs)),
        (None, None) => format!("[{place}]"),
    }
}
