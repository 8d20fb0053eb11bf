//! Compares the functions of two graphs, whose bodies are graphs.

use super::Context;
use crate::diff::counters::{stem, unnumbered};
use crate::diff::join::join;
use crate::diff::matching::graph::{FunctionMatching, GraphPair};
use crate::diff::path::{PathBuilder, Step};
use crate::diff::walk::message::{MessageDiff, MessagePair};
use crate::diff::{Change, ChangeKind, Weight};
use crate::graph::Graph;
use crate::message::{entries, fields, nested, varint};
use crate::schema::field::{
    function_def::{self, arg_attrs},
    map_entry,
};

impl FunctionMatching<'_, '_> {
    /// Reports differences between functions; `at` is the path of the library.
    pub(in crate::diff::walk) fn compare(
        &self,
        context: &Context<'_>,
        at: &PathBuilder<'_>,
        out: &mut MessageDiff,
    ) {
        let Some(ty) = context.schema.message(function_def::MESSAGE_NAME) else { return };
        let list = at.field("function");
        for (kind, functions) in
            [(ChangeKind::Removed, &self.removed), (ChangeKind::Added, &self.added)]
        {
            for function in functions {
                let at = list.key(function.name);
                context.differ.one_sided(kind, (ty, function.bytes), &at, out);
            }
        }
        for (name, counts) in &self.repeated {
            let text = |count| (count > 1).then(|| format!("{count} functions of this name"));
            let [lhs, rhs] = counts.map(text);
            out.changes.push(Change::new(list.key(name).path(), lhs, rhs));
        }
        for (l, r) in &self.pairs {
            let at = list.key_pair(l.name, r.name);
            if l.name != r.name {
                // A counter in a name is TensorFlow's own.
                let (from, to) = (stem(l.name), stem(r.name));
                let is_scope =
                    || self.scopes.new_name_by_start(&from).is_some_and(|name| name == to);
                let is_counter = from == to || is_scope();
                let weight = if is_counter { Weight::Cosmetic } else { Weight::Semantic };
                out.changes.push(Change::renamed(at.path(), l.name, r.name).with_weight(weight));
            }
            if l.bytes == r.bytes && !self.renames.has_exchanged() {
                continue;
            }
            let savers = context.saver_functions.pair(l.name, r.name);
            // All other differences are counters, or follow from what is saved.
            let is_already_reported = savers.is_some_and(|savers| {
                savers.compare(context.keys, &at, &mut out.changes).unwrap_or(false)
            });
            if !is_already_reported {
                let pair = MessagePair { ty, lhs: l.bytes, rhs: r.bytes, at: &at };
                compare_bodies(context, &pair, out);
            }
        }
    }
}

/// Compares two `FunctionDef`s.
pub(in crate::diff::walk) fn compare_bodies(
    context: &Context<'_>,
    pair: &MessagePair<'_>,
    out: &mut MessageDiff,
) {
    let MessagePair { lhs: l, rhs: r, at, .. } = *pair;
    let start = out.changes.len();
    context.differ.fields(pair, out);
    let changes = out.changes.iter_mut().skip(start);
    // TensorFlow numbers the arguments for captured tensors anew in each export; arguments are matched by position.
    changes.filter(|change| is_renumbered_argument(change)).for_each(|change| {
        change.weight = Weight::Cosmetic;
    });
    let attrs = |bytes| entries(bytes, function_def::ATTR);
    context.attrs(("", ""), attrs(l), attrs(r), at, out);
    argument_attrs(context, (l, r), at, out);
    let graphs = out.both((l, r), (Graph::of_function(l), Graph::of_function(r)), at);
    let Some((lhs, rhs)) = graphs else { return };
    // Bodies are small and numerous, so a thread for each would cost more than it saves.
    let pair = GraphPair::new(&lhs, &rhs, context.renames, 1);
    let inner = Context { renames: &pair.renames, outer_renames: context.renames, ..*context };
    pair.compare(&inner, at, "node_def", out);
}

/// Whether a change is another number in the name of an argument or a result of a function.
fn is_renumbered_argument(change: &Change) -> bool {
    let is_name = match change.path.steps().as_slice() {
        [.., Step::Field(list), Step::Index(_), Step::Field(name)] => {
            matches!((&**list, &**name), ("input_arg" | "output_arg", "name"))
        }
        _ => false,
    };
    let names = change.lhs.as_deref().zip(change.rhs.as_deref());
    is_name && names.is_some_and(|(lhs, rhs)| unnumbered(lhs) == unnumbered(rhs))
}

/// Compares the attributes of each argument.
fn argument_attrs(
    context: &Context<'_>,
    (lhs, rhs): (&[u8], &[u8]),
    at: &PathBuilder<'_>,
    out: &mut MessageDiff,
) {
    let arguments = |bytes| {
        let mut arguments: Vec<_> = fields(bytes, function_def::ARG_ATTR).map(argument).collect();
        arguments.sort_by_key(|(number, _)| *number);
        arguments
    };
    let field = at.field("arg_attr");
    for pair in join(arguments(lhs), arguments(rhs), |(l, _), (r, _)| l.cmp(r)) {
        let ((Some((number, _)), _) | (_, Some((number, _)))) = pair else { continue };
        let attrs = |argument: Option<(u64, _)>| {
            entries(argument.map_or(&[], |(_, attrs)| attrs), arg_attrs::ATTR)
        };
        let (l, r) = (attrs(pair.0), attrs(pair.1));
        context.attrs(("", ""), l, r, &field.key(&number.to_string()), out);
    }
}

/// An entry of `arg_attr`: the number of the argument, and its attributes.
fn argument(entry: &[u8]) -> (u64, &[u8]) {
    (varint(entry, map_entry::KEY).unwrap_or_default(), nested(entry, map_entry::VALUE))
}
