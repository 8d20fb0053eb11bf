//! Attributes by what they mean: those of nodes, of functions, and of functions that an attribute names.

use std::cmp::Ordering;

use super::tensor_text::{encoding, facts, values};
use super::value::{Value, spelled};
use super::{Context, Renames};
use crate::diff::constant::{self, Outcome};
use crate::diff::path::Trail;
use crate::diff::{Change, ChangeKind, Detail, Weight};
use crate::graph::{Constant, Node, OpTable, default_of};
use crate::tensor::DType;

/// Whose attributes are compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Owner<'a> {
    /// The op of the node on each side; nothing for a function.
    pub(super) ops: (&'a str, &'a str),
}

/// Whether an attribute holds names of nodes, or names made from them.
pub(super) fn names_nodes(attr: &str) -> bool {
    matches!(attr, "shared_name" | "debug_name" | "frame_name" | "_class")
}

impl Context<'_> {
    /// Whether two nodes are constants whose texts differ by names that follow a rename: the tag of a summary is the scope that
    /// it is in, and what an assertion says names what it holds for.
    pub(super) fn are_texts_of_names(&self, lhs: &Node<'_>, rhs: &Node<'_>) -> bool {
        let text = |node: &Node<'_>| {
            let value = scalar_string(Value::tensor(node.attr("value")?)?)?;
            String::from_utf8(value).ok()
        };
        if self.names().next().is_none() || lhs.op != "Const" || rhs.op != "Const" {
            return false;
        }
        let (Some(l), Some(r)) = (text(lhs), text(rhs)) else { return false };
        let is_tag = l == lhs.scope() && r == rhs.scope();
        let says = |node: &Node<'_>| node.scope().split('/').any(|part| part == "Assert");
        is_tag || says(lhs) && says(rhs) && self.names().any(|names| names.lead_in_text(&l, &r))
    }

    /// What became of names of nodes, in and around a function.
    pub(super) fn names(&self) -> impl Iterator<Item = &Renames> {
        [self.renames, self.around].into_iter().filter(|names| !names.is_empty())
    }
}

/// An attribute that only one side has.
type Attr<'m> = (&'m str, &'m [u8]);

impl Context<'_> {
    /// Compares attributes, given by name in one order.
    pub(super) fn attrs<'m>(
        &self,
        owner: Owner<'_>,
        lhs: impl Iterator<Item = Attr<'m>>,
        rhs: impl Iterator<Item = Attr<'m>>,
        at: &Trail<'_>,
        out: &mut Vec<Change>,
    ) {
        let (mut lhs, mut rhs) = (lhs.peekable(), rhs.peekable());
        loop {
            let order = match (lhs.peek(), rhs.peek()) {
                (Some((l, _)), Some((r, _))) => l.cmp(r),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return,
            };
            let l = lhs.next_if(|_| order.is_le());
            let r = rhs.next_if(|_| order.is_ge());
            match (l, r) {
                (Some((name, l)), Some((_, r))) if l != r || self.names_another(l) => {
                    self.attr(owner, name, l, r, at, out);
                }
                (Some(only), None) => self.lone_attr(owner, only, ChangeKind::Removed, at, out),
                (None, Some(only)) => self.lone_attr(owner, only, ChangeKind::Added, at, out),
                _ => {}
            }
        }
    }

    /// An attribute of which both sides have other bytes.
    fn attr(
        &self,
        owner: Owner<'_>,
        name: &str,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Vec<Change>,
    ) {
        let (attr, of_name) = (at.field("attr"), name);
        let attr = attr.key(of_name);
        let tensors = Value::tensor(lhs).zip(Value::tensor(rhs));
        if tensors.is_some_and(|tensors| self.tensor(owner, name, tensors, &attr, out)) {
            return;
        }
        if self.is_same_value(names_nodes(name), lhs, rhs) {
            return;
        }
        let is_random = name == "shared_name" && is_table(owner.ops.0) && is_table(owner.ops.1);
        let weight = if is_random { Weight::Cosmetic } else { weight(name) };
        let (lhs, rhs) = (Some(spelled(self.schema, lhs)), Some(spelled(self.schema, rhs)));
        let detail = owner.detail();
        let path = if tensors.is_some() { attr.field("tensor").path() } else { attr.path() };
        out.push(Change { path, kind: ChangeKind::Modified, weight, lhs, rhs, detail });
    }

    /// An attribute that one side does not have.
    fn lone_attr(
        &self,
        owner: Owner<'_>,
        (name, value): Attr<'_>,
        kind: ChangeKind,
        at: &Trail<'_>,
        out: &mut Vec<Change>,
    ) {
        // The side that lacks it knows best what that means; it may be older than the attribute.
        let (op, tables) = match kind {
            ChangeKind::Added => (owner.ops.0, [self.lhs_ops, self.rhs_ops]),
            _ => (owner.ops.1, [self.rhs_ops, self.lhs_ops]),
        };
        let is_default = || {
            let default = tables.into_iter().find_map(|ops| default_value(ops, op, name));
            default.is_some_and(|default| self.is_same_value(false, &default, value))
        };
        let weight = if is_default() { Weight::Cosmetic } else { weight(name) };
        let text = Some(spelled(self.schema, value));
        let (lhs, rhs) = if kind == ChangeKind::Added { (None, text) } else { (text, None) };
        let path = at.field("attr").key(name).path();
        out.push(Change { path, kind, weight, lhs, rhs, detail: owner.detail() });
    }

    /// Two tensors that an attribute is.
    fn tensor(
        &self,
        owner: Owner<'_>,
        name: &str,
        (lhs, rhs): (&[u8], &[u8]),
        attr: &Trail<'_>,
        out: &mut Vec<Change>,
    ) -> bool {
        if owner.ops == ("Const", "Const")
            && let (Some(l), Some(r)) = (scalar_string(lhs), scalar_string(rhs))
            && self.held.object_graphs(&l, &r, &attr.field("tensor"), out)
        {
            return true;
        }
        let before = out.len();
        let is_read = self.tensor_proto(lhs, rhs, &attr.field("tensor"), out);
        for change in out.iter_mut().skip(before) {
            if is_note(name) {
                change.weight = Weight::Cosmetic;
            }
            if change.detail == Detail::None {
                change.detail = owner.detail();
            }
        }
        is_read
    }

    /// Two tensors that `at` leads to, wherever they are; whether both could be read as such.
    pub(in crate::diff) fn tensor_proto(
        &self,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Vec<Change>,
    ) -> bool {
        let (Ok(l), Ok(r)) = (Constant::parse(lhs), Constant::parse(rhs)) else { return false };
        let Ok(outcome) = constant::compare(&l, &r, self.compare) else { return false };
        let (weight, (lhs, rhs), detail) = match outcome {
            Outcome::Close(_) => return true,
            Outcome::Same => (Weight::Cosmetic, (encoding(&l), encoding(&r)), Detail::None),
            Outcome::Different(comparison) => {
                let is_random = is_random(&l) && is_random(&r);
                let weight = if is_random { Weight::Cosmetic } else { Weight::Semantic };
                (weight, (values(&l), values(&r)), Detail::Tensor(comparison))
            }
            Outcome::Dtype(Some(comparison)) if comparison.mismatched > 0 => {
                (Weight::Semantic, (facts(&l), facts(&r)), Detail::Tensor(comparison))
            }
            Outcome::Dtype(_) | Outcome::Shape => {
                (Weight::Semantic, (facts(&l), facts(&r)), Detail::None)
            }
        };
        let (lhs, rhs) = (Some(lhs), Some(rhs));
        let (path, kind) = (at.path(), ChangeKind::Modified);
        out.push(Change { path, kind, weight, lhs, rhs, detail });
        true
    }
}

impl Owner<'_> {
    fn detail(self) -> Detail {
        if self.ops.1.is_empty() { Detail::None } else { Detail::Op(self.ops.1.into()) }
    }
}

/// Whether an attribute is a note of TensorFlow's own; where a node is to be placed is more than that.
pub(super) fn is_note(name: &str) -> bool {
    name.starts_with('_') && name != "_class"
}

fn weight(name: &str) -> Weight {
    if is_note(name) { Weight::Cosmetic } else { Weight::Semantic }
}

/// The one string of a tensor of no dimensions.
fn scalar_string(tensor: &[u8]) -> Option<Vec<u8>> {
    let constant = Constant::parse(tensor).ok().filter(|constant| constant.shape().rank() == 0)?;
    let strings = constant.byte_elements()?;
    let [text] = strings.as_slice() else { return None };
    (constant.dtype() == DType::String).then(|| text.to_vec())
}

/// Whether the op makes a table, which TensorFlow gives a random name.
fn is_table(op: &str) -> bool {
    op.contains("HashTable")
}

/// Whether it is the name of a temporary folder that a sharded saver makes up: `_temp_…/part`.
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
