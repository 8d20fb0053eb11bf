//! The functions of two graphs, each with its body as a graph.

use super::attrs::Owner;
use super::functions::{Functions, stem};
use super::{Context, Pair};
use crate::diff::message::{Found, Messages};
use crate::diff::path::Trail;
use crate::diff::{Change, ChangeKind, Detail, Weight};
use crate::graph::{Function, Graph};
use crate::message::{entries, fields, nested, varint};
use crate::schema::MessageType;
use crate::schema::field::{
    function_def::{self, arg_attrs},
    map_entry,
};

impl Functions<'_, '_> {
    /// Tells what differs; `at` leads to the library.
    pub(in crate::diff) fn compare(
        &self,
        context: &Context<'_>,
        messages: &Messages<'_>,
        at: &Trail<'_>,
        out: &mut Found,
    ) {
        let Some(ty) = context.schema.message("tensorflow.FunctionDef") else { return };
        let list = at.field("function");
        for function in &self.removed {
            messages.removed(ty, function.bytes, &list.key(function.name), out);
        }
        for function in &self.added {
            messages.added(ty, function.bytes, &list.key(function.name), out);
        }
        for (l, r) in &self.pairs {
            let at = list.keys(l.name, r.name);
            if l.name != r.name {
                // What TensorFlow counts is no name that anyone gave.
                let (from, to) = (stem(l.name), stem(r.name));
                let is_scope = || self.scopes.follow_start(&from).is_some_and(|name| name == to);
                let is_counter = from == to || is_scope();
                out.changes.push(Change {
                    path: at.path(),
                    kind: ChangeKind::Renamed,
                    weight: if is_counter { Weight::Cosmetic } else { Weight::Semantic },
                    lhs: Some(l.name.to_owned()),
                    rhs: Some(r.name.to_owned()),
                    detail: Detail::None,
                });
            }
            if l.bytes != r.bytes || self.renames.has_exchanged() {
                function(context, messages, ty, (l, r), &at, out);
            }
        }
    }
}

/// Compares two functions that are the same one.
fn function(
    context: &Context<'_>,
    messages: &Messages<'_>,
    ty: &MessageType,
    (l, r): (&Function<'_>, &Function<'_>),
    at: &Trail<'_>,
    out: &mut Found,
) {
    if let Some(savers) = context.saver_functions.pair(l.name, r.name) {
        // All else in it is counted, or follows from what it saves.
        return savers.compare(context.keys, at, &mut out.changes);
    }
    compare_bodies(context, messages, ty, (l.bytes, r.bytes), at, out);
}

/// Compares two `FunctionDef`s by what they say.
pub(in crate::diff) fn compare_bodies(
    context: &Context<'_>,
    messages: &Messages<'_>,
    ty: &MessageType,
    (l, r): (&[u8], &[u8]),
    at: &Trail<'_>,
    out: &mut Found,
) {
    messages.fields(ty, l, r, at, out);
    let owner = Owner { ops: ("", "") };
    let attrs = |bytes| entries(bytes, function_def::ATTR);
    context.attrs(owner, attrs(l), attrs(r), at, &mut out.changes);
    argument_attrs(context, (l, r), at, out);
    match Graph::of_function(l).and_then(|left| Ok((left, Graph::of_function(r)?))) {
        Ok((left, right)) => {
            // Bodies are small, and many: a thread for each would take longer.
            let pair = Pair::new(&left, &right, 1);
            let inner = Context { renames: &pair.renames, around: context.renames, ..*context };
            pair.compare(&inner, at, "node_def", &mut out.changes);
        }
        Err(error) => out.findings.push((at.path(), error.to_string())),
    }
}

/// Compares the attributes of each argument.
fn argument_attrs(
    context: &Context<'_>,
    (lhs, rhs): (&[u8], &[u8]),
    at: &Trail<'_>,
    out: &mut Found,
) {
    let arguments = |bytes| -> Vec<(u64, &[u8])> {
        fields(bytes, function_def::ARG_ATTR).map(argument).collect()
    };
    let (left, right) = (arguments(lhs), arguments(rhs));
    let field = at.field("arg_attr");
    let mut numbers: Vec<u64> = left.iter().chain(&right).map(|(number, _)| *number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    for number in numbers {
        let of = |arguments: &[(u64, &'_ [u8])]| {
            let found = arguments.iter().find(|(known, _)| *known == number);
            found.map(|&(_, attrs)| attrs.to_vec()).unwrap_or_default()
        };
        let (l, r) = (of(&left), of(&right));
        let key = number.to_string();
        let attrs = |bytes| entries(bytes, arg_attrs::ATTR);
        let owner = Owner { ops: ("", "") };
        context.attrs(owner, attrs(&l), attrs(&r), &field.key(&key), &mut out.changes);
    }
}

/// An entry of `arg_attr`: the number of the argument, and its attributes.
fn argument(entry: &[u8]) -> (u64, &[u8]) {
    (varint(entry, map_entry::KEY).unwrap_or_default(), nested(entry, map_entry::VALUE))
}
