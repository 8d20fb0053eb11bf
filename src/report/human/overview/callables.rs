//! Callable functions, with the arguments that Python passes.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::Style;

use crate::overview::{Callable, ConcreteFunction, MetaGraph, Parameter};

use super::super::WIDTH;
use super::super::lines;
use super::super::number;
use super::super::table::{Align, Table};
use super::super::terminal_text::{cut_middle, ends, printable, width_of, wrapped};
use super::rows::{Row, Rows, aligned};
use super::{Page, python};

/// The maximum number of columns of a name or a parameter.
const PART: usize = 48;

/// Names of the functions that TensorFlow runs for objects with a resource, such as tables.
const OF_RESOURCES: [&str; 3] = ["_create_resource", "_initialize", "_destroy_resource"];

/// The space between a function and its notes, on the same line and on the next.
const GAP: &str = "  ";
const NOTES: &str = "      ";

impl Page<'_> {
    /// Writes the functions that can be called, except those of signatures.
    pub(super) fn callables(&self, graph: &MetaGraph, out: &mut dyn Write) -> io::Result<()> {
        let called = graph.callables.iter().filter(|callable| !callable.of_signature);
        let (inner, called): (Vec<_>, Vec<_>) = called.partition(|callable| is_inner(callable));
        if inner.len() + called.len() == 0 {
            return Ok(());
        }
        self.title("Callable functions", inner.len() + called.len(), out)?;
        // A concrete function that several share is written once, and referred to by function and option.
        let mut written = BTreeMap::new();
        for (position, callable) in called.iter().take(self.options.max_rows).enumerate() {
            self.head(callable, out)?;
            let mut rows = Vec::new();
            let shown = callable.concrete_functions.iter().take(self.options.max_rows);
            for (i, name) in shown.enumerate() {
                let option = format!("#{}", i + 1);
                let (first, of, at) =
                    *written.entry(name.as_str()).or_insert((callable, position, i));
                rows.extend(match graph.concrete_function(name) {
                    _ if (of, at) != (position, i) => text(&option, &as_of(first, at)),
                    Some(concrete) => self.option(&option, callable, concrete),
                    None => text(&option, "missing"),
                });
            }
            let mut table = Table::new(&[Align::Left]);
            aligned(&rows).into_iter().for_each(|cells| table.push(Style::new(), cells));
            table.write_squeezed(self.options.columns, out)?;
            let all = callable.concrete_functions.len();
            let hidden = all.saturating_sub(self.options.max_rows) as u64;
            lines::more(hidden, "option", "    ", Style::new(), out)?;
        }
        self.rest(called.len(), out)?;
        match (inner.len() as u64, called.len()) {
            (0, _) => Ok(()),
            (inner, 0) => writeln!(out, "  {} of tables and savers", number::count(inner)),
            (inner, _) => writeln!(out, "  and {} of tables and savers", number::count(inner)),
        }
    }

    /// Writes the function as in its `def`, and notes.
    fn head(&self, callable: &Callable, out: &mut dyn Write) -> io::Result<()> {
        let mut parameters = parameters(callable);
        if parameters.len() > self.options.max_rows {
            parameters.truncate(self.options.max_rows);
            parameters.push("…".into());
        }
        let parameters: Vec<_> = parameters.iter().map(|text| cut_middle(text, PART)).collect();
        let start = format!("  {}(", cut_middle(&name(callable), PART));
        let mut lines = wrapped(&start, &parameters);
        let notes = cut_middle(&notes(callable), WIDTH - NOTES.len());
        if let Some(last) = lines.last_mut() {
            last.push(')');
            if !notes.is_empty() && width_of(last) + GAP.len() + width_of(&notes) <= WIDTH {
                *last += &format!("{GAP}{notes}");
            } else if !notes.is_empty() {
                lines.push(format!("{NOTES}{notes}"));
            }
        }
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    }

    /// The arguments and results of a concrete function.
    fn option(&self, option: &str, callable: &Callable, concrete: &ConcreteFunction) -> Vec<Row> {
        let mut rows = Rows::of_arguments(self.options.max_rows);
        for (i, value) in concrete.arguments.iter().flatten().enumerate() {
            rows.push(&positional(callable, i), value);
        }
        for (name, value) in concrete.arguments_by_name.iter().flatten() {
            rows.push(&short(name), value);
        }
        if concrete.arguments.is_none() {
            callable.keywords.iter().for_each(|name| rows.push_text(&short(name), "a tensor"));
        }
        let mut found = rows.finish(option);
        let arrow = if found.is_empty() { format!("{option:>4} →") } else { "→".into() };
        let mut rows = Rows::of_results(self.options.max_rows);
        rows.push("", &concrete.results);
        found.extend(rows.finish(&arrow));
        found
    }
}

/// Whether a function is called by TensorFlow itself: to create, initialize and destroy a resource, or to save and restore an
/// object.
fn is_inner(callable: &Callable) -> bool {
    let path = callable.names.first().map_or("", String::as_str);
    let last = path.rsplit('/').next().unwrap_or_default();
    let is_saver = || path.split('/').any(|part| [".SAVE", ".RESTORE"].contains(&part));
    !callable.of_root && (OF_RESOURCES.contains(&last) || is_saver())
}

/// A row with a text.
fn text(option: &str, text: &str) -> Vec<Row> {
    let mut rows = Rows::of_results(1);
    rows.push_text("", text);
    rows.finish(option)
}

/// A reference to an option of another function.
fn as_of(callable: &Callable, option: usize) -> String {
    format!("as #{} of {}", option + 1, cut_middle(&name(callable), PART))
}

fn name(callable: &Callable) -> String {
    callable.names.first().map(|name| short(name)).unwrap_or_default()
}

/// A name that occurs in each option.
fn short(name: &str) -> String {
    printable(&ends(name))
}

/// Notes on a function.
fn notes(callable: &Callable) -> String {
    let mut notes = Vec::new();
    if let [_, others @ ..] = callable.names.as_slice()
        && !others.is_empty()
    {
        let others: Vec<String> = others.iter().map(|name| printable(name)).collect();
        notes.push(format!("also {}", others.join(", ")));
    }
    match callable.jit_compile {
        Some(true) => notes.push("compiled by XLA".into()),
        Some(false) => notes.push("not compiled by XLA".into()),
        None => {}
    }
    if callable.concrete_functions.is_empty() {
        notes.push("no concrete function, so it cannot be called".into());
    }
    notes.join(GAP)
}

/// The parameters as in a `def`.
fn parameters(callable: &Callable) -> Vec<String> {
    let Some(parameters) = &callable.parameters else {
        let positional = usize::try_from(callable.positional).unwrap_or(usize::MAX);
        let mut names: Vec<String> = callable.keywords.iter().map(|name| printable(name)).collect();
        if positional < names.len() {
            names.insert(positional, "*".into());
        }
        return names;
    };
    let text = |parameter: &Parameter| match &parameter.default {
        None => printable(&parameter.name),
        Some(value) => format!("{}={}", printable(&parameter.name), python::value(value)),
    };
    let mut texts: Vec<String> = parameters.positional.iter().map(text).collect();
    match &parameters.varargs {
        Some(name) => texts.push(format!("*{}", printable(name))),
        None if parameters.keyword_only.is_empty() => {}
        None => texts.push("*".into()),
    }
    texts.extend(parameters.keyword_only.iter().map(text));
    texts.extend(parameters.varkw.as_ref().map(|name| format!("**{}", printable(name))));
    texts
}

/// The name of an argument by its position.
fn positional(callable: &Callable, position: usize) -> String {
    let Some(parameters) = &callable.parameters else {
        return callable
            .keywords
            .get(position)
            .map_or_else(|| format!("[{position}]"), |n| short(n));
    };
    let further = position.saturating_sub(parameters.positional.len());
    match (parameters.positional.get(position), &parameters.varargs) {
        (Some(parameter), _) => short(&parameter.name),
        (None, Some(varargs)) => format!("{}[{further}]", short(varargs)),
        (None, None) => format!("[{position}]"),
    }
}
