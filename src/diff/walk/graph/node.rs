//! Compares a pair of nodes.

use super::Context;
use super::groups::ChangedGroups;
use super::inputs::InputComparison;
use crate::diff::matching::graph::{Matching, Savers};
use crate::diff::path::PathBuilder;
use crate::diff::walk::message::{MessageDiff, MessagePair};
use crate::diff::{Change, Detail, Weight};
use crate::graph::{Node, NodeId, NodeKind, data_count, is_commutative, is_same_device};
use crate::schema::field::node_def;
use crate::schema::tensorflow::OpDef;

impl Context<'_> {
    /// Compares a pair of nodes; `at` is the path of the node in rhs.
    pub(super) fn node<'m>(
        &self,
        matching: &Matching<'_, 'm>,
        savers: &Savers,
        (l, r): (NodeId, NodeId),
        at: &PathBuilder<'_>,
        groups: &mut ChangedGroups,
        out: &mut MessageDiff,
    ) {
        let (lhs, rhs) = (matching.lhs.node(l), matching.rhs.node(r));
        let detail = || Detail::Op(rhs.op.into());
        if !self.functions.is_same_name(lhs.op, rhs.op) {
            let change = Change::modified(at.field("op").path(), lhs.op.into(), rhs.op.into());
            out.changes.push(change.with_detail(detail()));
        }
        let definition = self.rhs_ops.definition(rhs.op).filter(|_| lhs.op == rhs.op);
        // The definition of either side counts, so that swapping the sides changes nothing.
        let of_lhs = self.lhs_ops.definition(lhs.op).filter(|_| lhs.op == rhs.op);
        let is_commutative = definition.into_iter().chain(of_lhs).any(is_commutative);
        let call = self.saver_functions.call(lhs, rhs);
        InputComparison {
            matching,
            savers,
            call,
            keys: self.keys,
            pair: (l, r),
            at,
            is_commutative,
            groups,
            out: &mut out.changes,
        }
        .compare();
        if rhs.kind != NodeKind::Node {
            return;
        }
        if lhs.device != rhs.device {
            out.changes.push(device(lhs, rhs, at).with_detail(detail()));
        }
        self.node_attrs(matching, savers, (l, r), definition, at, out);
        if let Some(ty) = self.schema.message(node_def::MESSAGE_NAME) {
            let pair = MessagePair { ty, lhs: lhs.rest(), rhs: rhs.rest(), at };
            self.differ.fields(&pair, out);
        }
    }

    /// Compares the attributes, except those that follow from other changes.
    fn node_attrs<'m>(
        &self,
        matching: &Matching<'_, 'm>,
        savers: &Savers,
        (l, r): (NodeId, NodeId),
        definition: Option<&OpDef>,
        at: &PathBuilder<'_>,
        out: &mut MessageDiff,
    ) {
        let (lhs, rhs) = (matching.lhs.node(l), matching.rhs.node(r));
        let (is_key, is_saver) = (savers.are_keys(l, r), savers.are_savers(l, r));
        let is_name = self.are_texts_of_names(lhs, rhs);
        let is_call = self.saver_functions.call(lhs, rhs).is_some();
        let inputs = matching.inputs(l, r);
        let is_resized = data_count(inputs.0) != data_count(inputs.1);
        // The number of inputs follows from added and removed inputs.
        let is_count = |name: &str| {
            let mut args = definition.into_iter().flat_map(|definition| &definition.input_arg);
            is_resized && args.any(|arg| arg.number_attr == name)
        };
        let is_compared = |attr: &(&str, &[u8])| match attr.0 {
            "value" if is_key || is_name => false,
            "dtypes" | "T" | "dt" if is_saver => false,
            "Tin" if is_call => false,
            name => !is_count(name),
        };
        let ops = (lhs.op, rhs.op);
        let attrs = (lhs.attrs().filter(is_compared), rhs.attrs().filter(is_compared));
        self.attrs(ops, attrs.0, attrs.1, at, out);
    }
}

/// The change of the device of a node.
fn device(lhs: &Node<'_>, rhs: &Node<'_>, at: &PathBuilder<'_>) -> Change {
    let text = |device: &str| (!device.is_empty()).then(|| device.to_owned());
    let is_same = is_same_device(lhs.device, rhs.device);
    let weight = if is_same { Weight::Cosmetic } else { Weight::Semantic };
    let path = at.field("device").path();
    Change::new(path, text(lhs.device), text(rhs.device)).with_weight(weight)
}
