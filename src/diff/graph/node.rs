//! A node against its partner.

use super::Context;
use super::attrs::Owner;
use super::inputs::{Borders, Inputs};
use super::matching::Matching;
use super::savers::Savers;
use crate::diff::path::Trail;
use crate::diff::{Change, ChangeKind, Detail, Weight};
use crate::graph::{Input, Node, NodeId, Role, is_commutative, is_same_device};

impl Context<'_> {
    /// Compares a pair of nodes; `at` is the way to that of rhs.
    pub(super) fn node<'m>(
        &self,
        matching: &Matching<'_, 'm>,
        savers: &Savers,
        (l, r): (NodeId, NodeId),
        at: &Trail<'_>,
        borders: &mut Borders,
        out: &mut Vec<Change>,
    ) {
        let (lhs, rhs) = (matching.lhs.node(l), matching.rhs.node(r));
        let op = |value: &str| Detail::Op(value.into());
        if !self.functions.is_called(lhs.op, rhs.op) {
            let (l, r) = (Some(lhs.op.to_owned()), Some(rhs.op.to_owned()));
            let path = at.field("op").path();
            let (kind, weight) = (ChangeKind::Modified, Weight::Semantic);
            out.push(Change { path, kind, weight, lhs: l, rhs: r, detail: op(rhs.op) });
        }
        let definition = self.rhs_ops.definition(rhs.op).filter(|_| lhs.op == rhs.op);
        // What one side knows of its op holds for both, whichever is lhs.
        let of_lhs = self.lhs_ops.definition(lhs.op).filter(|_| lhs.op == rhs.op);
        let is_commutative = definition.into_iter().chain(of_lhs).any(is_commutative);
        let call = self.saver_functions.call(lhs, rhs);
        Inputs { matching, savers, call, keys: self.keys, pair: (l, r), at, is_commutative }
            .compare(borders, out);
        if rhs.role != Role::Node {
            return;
        }
        self.device(lhs, rhs, at, out);
        let owner = Owner { ops: (lhs.op, rhs.op) };
        let (is_key, is_saver) = (savers.are_keys(l, r), savers.are_savers(l, r));
        let data = |inputs: &[Input<'_>]| inputs.iter().filter(|input| !input.is_control).count();
        let inputs = (matching.lhs.inputs(lhs), matching.rhs.inputs(rhs));
        // How many inputs there are follows from those that came and went.
        let is_count = |name: &str| {
            let mut args = definition.into_iter().flat_map(|definition| &definition.input_arg);
            data(inputs.0) != data(inputs.1) && args.any(|arg| arg.number_attr == name)
        };
        let is_name = self.are_texts_of_names(lhs, rhs);
        let counts = |attr: &(&str, &[u8])| {
            !((is_key || is_name) && attr.0 == "value"
                || is_count(attr.0)
                || is_saver && matches!(attr.0, "dtypes" | "T" | "dt")
                || call.is_some() && attr.0 == "Tin")
        };
        let (left, right) = (lhs.attrs().filter(counts), rhs.attrs().filter(counts));
        self.attrs(owner, left, right, at, out);
        let (l, r) = (lhs.rest(), rhs.rest());
        if l != r {
            self.held.rest_of_node(l, r, at, out);
        }
    }

    fn device(&self, lhs: &Node<'_>, rhs: &Node<'_>, at: &Trail<'_>, out: &mut Vec<Change>) {
        if lhs.device == rhs.device {
            return;
        }
        let text = |device: &str| (!device.is_empty()).then(|| device.to_owned());
        let (l, r) = (text(lhs.device), text(rhs.device));
        let kind = match (&l, &r) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
            _ => ChangeKind::Modified,
        };
        let path = at.field("device").path();
        let is_same = is_same_device(lhs.device, rhs.device);
        let weight = if is_same { Weight::Cosmetic } else { Weight::Semantic };
        let detail = Detail::Op(rhs.op.into());
        out.push(Change { path, kind, weight, lhs: l, rhs: r, detail });
    }
}
