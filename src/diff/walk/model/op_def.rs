//! Compares op definitions. A definition that was only extended still accepts every graph that it accepted
//! before.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message as _;

use super::ModelRules;
use crate::diff::walk::message::{MessageDiff, MessagePair};
use crate::diff::{ChangeKind, Weight};
use crate::schema::tensorflow::{AttrValue, OpDef, attr_value};

impl ModelRules<'_> {
    /// Compares two `OpDef`s.
    pub(super) fn op_def(&self, pair: &MessagePair<'_>, out: &mut MessageDiff) {
        let start = out.changes.len();
        self.differ().fields(pair, out);
        if let (Ok(l), Ok(r)) = (OpDef::decode(pair.lhs), OpDef::decode(pair.rhs))
            && is_compatible(&l, &r)
        {
            out.make_cosmetic(start);
        }
    }

    /// Compares two `OpList`s. The op list of a graph has the ops that its nodes use, so added and removed ops follow from
    /// added and removed nodes.
    pub(super) fn op_list(&self, pair: &MessagePair<'_>, out: &mut MessageDiff) {
        let start = out.changes.len();
        self.differ().fields(pair, out);
        let depth = pair.at.path().len() + 2;
        let is_of_graph = pair.at.fields().next() == Some("stripped_op_list");
        for change in out.changes.iter_mut().skip(start).filter(|_| is_of_graph) {
            let is_whole = change.path.len() == depth;
            if is_whole && matches!(change.kind, ChangeKind::Added | ChangeKind::Removed) {
                change.weight = Weight::Cosmetic;
            }
        }
    }
}

/// Whether `later` extends `earlier` at most by attributes with a default and by allowed values.
fn is_compatible(earlier: &OpDef, later: &OpDef) -> bool {
    let (mut earlier, mut later) = (without_docs(earlier), without_docs(later));
    let mut known_attrs = BTreeMap::new();
    for attr in &earlier.attr {
        known_attrs.entry(&*attr.name).or_insert(attr);
    }
    later.attr.retain(|attr| attr.default_value.is_none() || known_attrs.contains_key(&*attr.name));
    for attr in &mut later.attr {
        let Some(known) = known_attrs.get(&*attr.name) else { return false };
        if known.allowed_values != attr.allowed_values
            && allows_all(attr.allowed_values.as_ref(), known.allowed_values.as_ref())
        {
            attr.allowed_values.clone_from(&known.allowed_values);
        }
    }
    later.attr.sort_by(|a, b| a.name.cmp(&b.name));
    earlier.attr.sort_by(|a, b| a.name.cmp(&b.name));
    earlier == later
}

/// Whether `later` allows all values that `earlier` allows; without a list, all values are allowed.
fn allows_all(later: Option<&AttrValue>, earlier: Option<&AttrValue>) -> bool {
    let list = |value: Option<&AttrValue>| match value.and_then(|value| value.value.clone()) {
        Some(attr_value::Value::List(list)) => Some(list),
        _ => None,
    };
    match (list(later), list(earlier)) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(later), Some(earlier)) => {
            let (texts, types): (BTreeSet<_>, BTreeSet<_>) =
                (later.s.iter().collect(), later.r#type.iter().collect());
            earlier.s.iter().all(|value| texts.contains(value))
                && earlier.r#type.iter().all(|value| types.contains(value))
        }
    }
}

fn without_docs(op: &OpDef) -> OpDef {
    let mut op = op.clone();
    op.summary.clear();
    op.description.clear();
    op.attr.iter_mut().for_each(|attr| attr.description.clear());
    op.input_arg.iter_mut().for_each(|arg| arg.description.clear());
    op.output_arg.iter_mut().for_each(|arg| arg.description.clear());
    op.deprecation.iter_mut().for_each(|deprecation| deprecation.explanation.clear());
    op
}
