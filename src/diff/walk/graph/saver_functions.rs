//! Compares functions that save or restore, as TensorFlow 2 generates them for a SavedModel:
//! `__inference__traced_save_42`.
//!
//! They are compared by the tensors that they save and restore. If the tensors are the same, and the bodies still do something else
//! with them, the bodies are compared as graphs.

use super::saver_body::{Attributes, body_hash};
use crate::diff::matching::graph::{Renames, SavedArgument, SaverPair};
use crate::diff::path::PathBuilder;
use crate::diff::{Change, Weight};
use crate::error::Result;
use crate::graph::{Action, SavedTensor};
use crate::tensor::DType;

impl SaverPair<'_> {
    /// Reports tensors that are saved or restored differently. Returns whether that is all: if the tensors are the same, the bodies
    /// must do the same.
    ///
    /// # Errors
    /// If a body is too large.
    pub(super) fn compare(
        &self,
        keys: &Renames,
        at: &PathBuilder<'_>,
        out: &mut Vec<Change>,
    ) -> Result<bool> {
        let (saver, before) = (at.field("saver"), out.len());
        for ((action, key, _), (l, r)) in self.joined(keys) {
            let field = match action {
                Action::Save => "saves",
                Action::Restore => "restores",
            };
            if l.zip(r).is_some_and(|(l, r)| l.tensor.dtype == r.tensor.dtype) {
                continue;
            }
            // The key of a tensor that rhs lacks may mean another one there.
            let key = r.or(l).map_or(key, |saved| saved.tensor.key.clone());
            let path = saver.key("").field(field).key(&key).path();
            out.push(Change::new(path, l.map(text_of), r.map(text_of)));
        }
        if out.len() > before {
            return Ok(true);
        }
        let is_same = |attributes| -> Result<bool> {
            let lhs = body_hash(self.lhs.bytes, Some(keys), attributes)?;
            Ok(lhs == body_hash(self.rhs.bytes, None, attributes)?)
        };
        if !is_same(Attributes::OfOps)? {
            return Ok(false);
        }
        if !is_same(Attributes::All)? {
            let text = || "internal attributes".to_owned();
            let change = Change::modified(at.field("node_def").path(), text(), text());
            out.push(change.with_weight(Weight::Cosmetic));
        }
        Ok(true)
    }
}

fn text_of(saved: &SavedArgument) -> String {
    let SavedTensor { key, slice, dtype, .. } = &saved.tensor;
    let dtype = DType::name_of(*dtype);
    if slice.is_empty() { format!("{key}, {dtype}") } else { format!("{key} {slice}, {dtype}") }
}
