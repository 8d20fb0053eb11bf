//! Op definitions: one that only grew reads every graph that it read before.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message as _;

use super::Model;
use crate::diff::message::Found;
use crate::diff::path::Trail;
use crate::diff::{ChangeKind, Weight};
use crate::schema::MessageType;
use crate::schema::tensorflow::{AttrValue, OpDef, attr_value};

impl Model<'_> {
    /// Compares two `OpDef`s.
    pub(super) fn op_def(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Found,
    ) -> bool {
        let before = out.changes.len();
        self.messages().fields(ty, lhs, rhs, at, out);
        if let (Ok(l), Ok(r)) = (OpDef::decode(lhs), OpDef::decode(rhs))
            && grew(&l, &r)
        {
            let new = out.changes.iter_mut().skip(before);
            new.for_each(|change| change.weight = Weight::Cosmetic);
        }
        true
    }
}

impl Model<'_> {
    /// Compares two `OpList`s. The one that a graph brings along lists the ops that it uses: what came and went there says no
    /// more than its nodes do.
    pub(super) fn op_list(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Found,
    ) -> bool {
        let before = out.changes.len();
        self.messages().fields(ty, lhs, rhs, at, out);
        let depth = at.path().steps().len() + 2;
        let is_own = at.fields().next() == Some("stripped_op_list");
        for change in out.changes.iter_mut().skip(before).filter(|_| is_own) {
            let is_whole = change.path.steps().len() == depth;
            if is_whole && matches!(change.kind, ChangeKind::Added | ChangeKind::Removed) {
                change.weight = Weight::Cosmetic;
            }
        }
        true
    }
}

/// Whether `later` has all that `earlier` has, and beyond it only attributes with a default and more allowed values.
fn grew(earlier: &OpDef, later: &OpDef) -> bool {
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

/// Whether what `earlier` allows is allowed by `later`; without a list, all is.
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
