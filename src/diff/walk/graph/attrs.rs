//! Compares the attributes of nodes and functions by meaning.

use super::Context;
use super::tensor_text::{encoding, facts, values};
use super::value::{COLOCATED, Names, attr_text, names_in};
use crate::diff::constant::{self, ConstantDiff};
use crate::diff::embedded::{self, TRACKABLE_OBJECT_GRAPH};
use crate::diff::join::join;
use crate::diff::matching::graph::Renames;
use crate::diff::meaning::is_internal;
use crate::diff::path::PathBuilder;
use crate::diff::walk::message::{MessageDiff, MessagePair};
use crate::diff::{Change, ChangeKind, Detail, Weight};
use crate::graph::{
    Constant, Node, OpTable, attrs, default_of, is_constant, is_table, without_random_ids,
};
use crate::tensor::DType;

/// The op of the node on each side; empty for a function.
pub(super) type Ops<'a> = (&'a str, &'a str);

impl Context<'_> {
    /// Whether two nodes are constants whose texts differ only by a rename: the tag of a summary is its
    /// scope, and the message of an assertion contains the names of nodes.
    pub(super) fn are_texts_of_names(&self, lhs: &Node<'_>, rhs: &Node<'_>) -> bool {
        let text = |node: &Node<'_>| {
            let value = scalar_string(attrs::tensor(node.attr("value")?)?)?;
            String::from_utf8(value).ok()
        };
        if self.names().next().is_none() || !is_constant(lhs.op) || !is_constant(rhs.op) {
            return false;
        }
        let (Some(l), Some(r)) = (text(lhs), text(rhs)) else { return false };
        let is_tag = l == lhs.scope() && r == rhs.scope();
        let says = |node: &Node<'_>| node.scope().split('/').any(|part| part == "Assert");
        is_tag
            || says(lhs) && says(rhs) && self.names().any(|names| names.is_rename_in_text(&l, &r))
    }

    /// The renames of nodes, in a function and around it.
    pub(super) fn names(&self) -> impl Iterator<Item = &Renames> {
        [self.renames, self.outer_renames].into_iter().filter(|names| !names.is_empty())
    }
}

/// An attribute: name and value.
type Attr<'m> = (&'m str, &'m [u8]);

impl Context<'_> {
    /// Compares attributes, which are sorted by name.
    pub(super) fn attrs<'m>(
        &self,
        ops: Ops<'_>,
        lhs: impl Iterator<Item = Attr<'m>>,
        rhs: impl Iterator<Item = Attr<'m>>,
        at: &PathBuilder<'_>,
        out: &mut MessageDiff,
    ) {
        for pair in join(lhs, rhs, |(l, _), (r, _)| l.cmp(r)) {
            match pair {
                (Some((name, l)), Some((_, r)))
                    if l != r
                        || self.may_name_exchanged(l)
                        || name == COLOCATED && self.renames.has_exchanged() =>
                {
                    self.attr(ops, name, (l, r), at, out);
                }
                (Some(attr), None) => {
                    out.changes.push(self.unmatched_attr(ops, attr, ChangeKind::Removed, at))
                }
                (None, Some(attr)) => {
                    out.changes.push(self.unmatched_attr(ops, attr, ChangeKind::Added, at))
                }
                _ => {}
            }
        }
    }

    /// Compares the two values of an attribute.
    fn attr(
        &self,
        ops: Ops<'_>,
        name: &str,
        (lhs, rhs): (&[u8], &[u8]),
        at: &PathBuilder<'_>,
        out: &mut MessageDiff,
    ) {
        let (attr, key) = (at.field("attr"), name);
        let attr = attr.key(key);
        let tensors = attrs::tensor(lhs).zip(attrs::tensor(rhs));
        if tensors.is_some_and(|tensors| self.tensor(ops, name, tensors, &attr, out)) {
            return;
        }
        if self.is_same_value(names_in(name), lhs, rhs) {
            return;
        }
        let is_random = name == "shared_name" && is_table(ops.0) && is_table(ops.1);
        let weight = if is_random || differ_in_random_ids(lhs, rhs) {
            Weight::Cosmetic
        } else {
            weight(name)
        };
        let (lhs, rhs) = (attr_text(self.schema, lhs), attr_text(self.schema, rhs));
        let path = if tensors.is_some() { attr.field("tensor").path() } else { attr.path() };
        let change = Change::modified(path, lhs, rhs);
        out.changes.push(change.with_weight(weight).with_detail(detail(ops)));
    }

    /// The change of an attribute that one side lacks.
    fn unmatched_attr(
        &self,
        ops: Ops<'_>,
        (name, value): Attr<'_>,
        kind: ChangeKind,
        at: &PathBuilder<'_>,
    ) -> Change {
        // The side without the attribute defines its default, unless that side is older than the attribute.
        let (op, tables) = match kind {
            ChangeKind::Added => (ops.0, [self.lhs_ops, self.rhs_ops]),
            _ => (ops.1, [self.rhs_ops, self.lhs_ops]),
        };
        let is_default = || {
            let default = tables.into_iter().find_map(|ops| default_value(ops, op, name));
            default.is_some_and(|default| self.is_same_value(Names::None, &default, value))
        };
        let weight = if is_default() { Weight::Cosmetic } else { weight(name) };
        let path = at.field("attr").key(name).path();
        let change = Change::one_sided(path, kind, attr_text(self.schema, value));
        change.with_weight(weight).with_detail(detail(ops))
    }

    /// Compares an attribute that is a tensor on both sides; `false` if one cannot be parsed.
    fn tensor(
        &self,
        ops: Ops<'_>,
        name: &str,
        (lhs, rhs): (&[u8], &[u8]),
        attr: &PathBuilder<'_>,
        out: &mut MessageDiff,
    ) -> bool {
        let at = &attr.field("tensor");
        if is_constant(ops.0)
            && is_constant(ops.1)
            && let (Some(l), Some(r)) = (scalar_string(lhs), scalar_string(rhs))
            && self.object_graphs(&l, &r, at, out)
        {
            return true;
        }
        let start = out.changes.len();
        let is_compared = self.tensor_proto(lhs, rhs, at, &mut out.changes);
        for change in out.changes.iter_mut().skip(start) {
            if is_internal(name) {
                change.weight = Weight::Cosmetic;
            }
            if change.detail == Detail::None {
                change.detail = detail(ops);
            }
        }
        is_compared
    }

    /// Compares the object graphs in two strings; `false` if they have none.
    fn object_graphs(
        &self,
        lhs: &[u8],
        rhs: &[u8],
        at: &PathBuilder<'_>,
        out: &mut MessageDiff,
    ) -> bool {
        let graph = |bytes| embedded::object_graph(self.schema, bytes);
        let (Some(lhs), Some(rhs)) = (graph(lhs), graph(rhs)) else { return false };
        let Some(ty) = self.schema.message(TRACKABLE_OBJECT_GRAPH) else { return false };
        self.differ.compare(&MessagePair { ty, lhs: &lhs, rhs: &rhs, at }, out);
        true
    }

    /// Compares two tensors; `false` if one cannot be parsed.
    pub(in crate::diff) fn tensor_proto(
        &self,
        lhs: &[u8],
        rhs: &[u8],
        at: &PathBuilder<'_>,
        out: &mut Vec<Change>,
    ) -> bool {
        let (Ok(l), Ok(r)) = (Constant::parse(lhs), Constant::parse(rhs)) else { return false };
        let Ok(outcome) = constant::compare(&l, &r, self.compare) else { return false };
        let (weight, (lhs, rhs), detail) = match outcome {
            ConstantDiff::Close(_) => return true,
            ConstantDiff::Same => (Weight::Cosmetic, (encoding(&l), encoding(&r)), Detail::None),
            ConstantDiff::Different(comparison) => {
                let is_random = is_random(&l) && is_random(&r);
                let weight = if is_random { Weight::Cosmetic } else { Weight::Semantic };
                (weight, (values(&l), values(&r)), Detail::Tensor(comparison))
            }
            ConstantDiff::Dtype(Some(comparison)) if comparison.mismatched > 0 => {
                (Weight::Semantic, (facts(&l), facts(&r)), Detail::Tensor(comparison))
            }
            ConstantDiff::Dtype(_) | ConstantDiff::Shape => {
                (Weight::Semantic, (facts(&l), facts(&r)), Detail::None)
            }
        };
        let change = Change::modified(at.path(), lhs, rhs);
        out.push(change.with_weight(weight).with_detail(detail));
        true
    }
}

fn detail((_, op): Ops<'_>) -> Detail {
    if op.is_empty() { Detail::None } else { Detail::Op(op.into()) }
}

fn weight(name: &str) -> Weight {
    if is_internal(name) { Weight::Cosmetic } else { Weight::Semantic }
}

/// Whether two texts differ only in ids that are drawn at random, as in `api_implements` of Keras: `lstm_da93e0a5-…`.
fn differ_in_random_ids(lhs: &[u8], rhs: &[u8]) -> bool {
    let without_ids = |value| without_random_ids(attrs::bytes(value));
    without_ids(lhs).is_some_and(|text| Some(text) == without_ids(rhs))
}

/// The string in a scalar tensor.
fn scalar_string(tensor: &[u8]) -> Option<Vec<u8>> {
    let constant = Constant::parse(tensor).ok().filter(|constant| constant.shape().rank() == 0)?;
    let strings = constant.byte_elements()?;
    let [text] = strings.as_slice() else { return None };
    (constant.dtype() == DType::String).then(|| text.to_vec())
}

/// Whether a constant is the random name of the temporary directory of a sharded saver: `_temp_…/part`.
fn is_random(constant: &Constant) -> bool {
    let is_temporary = |text: &[u8]| {
        let middle = text.strip_prefix(b"_temp_").and_then(|rest| rest.strip_suffix(b"/part"));
        middle.is_some_and(|middle| middle.len() == 32 && middle.iter().all(u8::is_ascii_hexdigit))
    };
    let strings = constant.byte_elements();
    strings.is_some_and(|strings| matches!(&*strings, [text] if is_temporary(text)))
}

/// The default of an attribute, as wire bytes.
fn default_value(ops: &OpTable<'_>, op: &str, attr: &str) -> Option<Vec<u8>> {
    default_of(ops.definition(op)?, attr).map(prost::Message::encode_to_vec)
}
