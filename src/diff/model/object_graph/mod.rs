//! Object graphs: objects by their key paths, whatever their numbers are.
//!
//! ```text
//! nodes["dense/kernel"].variable.trainable      an object's field        nodes[""]       the root
//! nodes["alpha"]                                came or went, with all that is reached through it alone; or renamed
//! nodes[""].children["again"]                   a further name of an object that has others
//! ```
//! A key path is written as in the keys of a checkpoint: `.` in a name is `..`, and `/` is `.S`.

mod functions;
mod matching;
mod once;
mod references;
mod structure;

use std::borrow::Cow;

use super::Model;
use crate::diff::graph::Renames;
use crate::diff::message::Found;
use crate::diff::path::Trail;
use crate::error::Result;
use crate::graph::ObjectGraph;
use crate::graph::object_graph::{Form, Way, escaped};
use crate::message::{Record, Records, Value, canonical};
use crate::schema::field::trackable_object_graph;
use crate::schema::{MessageType, Schema};

pub(super) use matching::Objects;
pub(in crate::diff) use once::leave_out_told;
pub(super) use once::tell_once;

/// What checkpoints hold.
pub(super) const TRACKABLE: &str = "tensorflow.TrackableObjectGraph";

/// The form of a message of this type, where it is an object graph.
fn form(ty: &MessageType) -> Option<Form> {
    match &*ty.full_name {
        TRACKABLE => Some(Form::Trackable),
        "tensorflow.SavedObjectGraph" => Some(Form::Saved),
        _ => None,
    }
}

impl Model<'_> {
    /// Compares two object graphs.
    pub(super) fn object_graph(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Found,
    ) -> bool {
        let is_known = || self.graphs.is_some_and(|graphs| graphs.have_objects(lhs, rhs));
        let is_saved = form(ty) == Some(Form::Saved);
        if let Some(objects) = self.objects.filter(|_| is_saved && is_known()) {
            self.objects(ty, objects, (lhs, rhs), at, out);
            return true;
        }
        let Some(form) = form(ty) else { return false };
        let objects = ObjectGraph::new(form, lhs)
            .and_then(|l| Ok(Objects::new(l, ObjectGraph::new(form, rhs)?, self.functions)));
        match objects {
            Ok(objects) => {
                let keys = objects.keys();
                // What is known of a whole model holds where it says something.
                let keys = if self.keys.is_empty() { &keys } else { self.keys };
                let model = Model { keys, ..*self };
                model.objects(ty, &objects, (lhs, rhs), at, out);
            }
            Err(error) => out.findings.push((at.path(), error.to_string())),
        }
        true
    }

    fn objects(
        &self,
        ty: &MessageType,
        objects: &Objects<'_>,
        (lhs, rhs): (&[u8], &[u8]),
        at: &Trail<'_>,
        out: &mut Found,
    ) {
        for finding in objects.lhs.findings() {
            out.findings.push((at.path(), format!("lhs: {finding}")));
        }
        for finding in objects.rhs.findings() {
            out.findings.push((at.path(), format!("rhs: {finding}")));
        }
        objects.references(self.functions, at, &mut out.changes);
        let item = match objects.rhs.form() {
            Form::Trackable => "tensorflow.TrackableObjectGraph.TrackableObject",
            Form::Saved => "tensorflow.SavedObject",
        };
        let messages = self.messages();
        if let Some(item) = self.schema.message(item) {
            let nodes = at.field("nodes");
            for &(l, r) in &objects.pairs {
                let (l, bytes) = (objects.lhs.object_bytes(l), objects.rhs.object_bytes(r));
                if l != bytes {
                    messages.fields(item, l, bytes, &nodes.key(&objects.rhs_path(r)), out);
                }
            }
        }
        self.captured(objects, at, out);
        messages.fields(ty, lhs, rhs, at, out);
    }

    /// Compares bytes that hold a `TrackableObjectGraph` on both sides; whether they do so.
    pub(in crate::diff) fn held_object_graph(
        &self,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Found,
    ) -> bool {
        let Some(ty) = self.schema.message(TRACKABLE) else { return false };
        let (Some(l), Some(r)) = (opened(self.schema, ty, lhs), opened(self.schema, ty, rhs))
        else {
            return false;
        };
        l == r || self.object_graph(ty, &l, &r, at, out)
    }
}

/// The `TrackableObjectGraph` that a string holds, in canonical form.
pub(in crate::diff) fn opened_object_graph(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let schema = Schema::tensorflow();
    opened(schema, schema.message(TRACKABLE)?, bytes)
}

/// What became of the keys of two checkpoints whose object graphs these are.
pub(in crate::diff) fn object_graph_keys(lhs: &[u8], rhs: &[u8]) -> Result<Renames> {
    let read = |bytes| ObjectGraph::new(Form::Trackable, bytes);
    Ok(Objects::new(read(lhs)?, read(rhs)?, &Renames::default()).keys())
}

/// An object graph has objects, and nothing else; other bytes may be some message by chance.
fn opened<'b>(schema: &Schema, ty: &MessageType, bytes: &'b [u8]) -> Option<Cow<'b, [u8]>> {
    let bytes = canonical(schema, ty, bytes, 0).ok()?;
    let is_object = |record: Result<Record<'_>>| {
        record.is_ok_and(|record| {
            record.number == trackable_object_graph::NODES && matches!(record.value, Value::Len(_))
        })
    };
    (!bytes.is_empty() && Records::new(&bytes, 0).all(is_object)).then_some(bytes)
}

impl<'m> Objects<'m> {
    /// Finds out which object is which of two messages that are object graphs of a SavedModel.
    ///
    /// # Errors
    /// When one is too large to be counted.
    pub(super) fn of_saved_model(
        lhs: &'m [u8],
        rhs: &'m [u8],
        functions: &Renames,
    ) -> Result<Option<Self>> {
        if lhs.is_empty() || rhs.is_empty() {
            return Ok(None);
        }
        let read = |bytes| ObjectGraph::new(Form::Saved, bytes);
        Ok(Some(Self::new(read(lhs)?, read(rhs)?, functions)))
    }

    /// What became of the keys of checkpoints: those of a renamed object, and of all beneath it.
    pub(super) fn keys(&self) -> Renames {
        let mut keys = Renames::default();
        for renamed in &self.renamed {
            let (l, r) = renamed.pair;
            keys.add(&self.lhs_path(l), &self.rhs_path(r));
            let (l, r) =
                (self.to_lhs(renamed.of).map(|l| self.lhs_path(l)), self.rhs_path(renamed.of));
            // A key may go by any of the names of an object.
            let below = |path: &str, name: &str| {
                if path.is_empty() { escaped(name) } else { format!("{path}/{}", escaped(name)) }
            };
            keys.add(&below(&l.unwrap_or_default(), renamed.from), &below(&r, renamed.to));
        }
        for &(l, r) in self.pairs.iter().filter(|_| !self.renamed.is_empty()) {
            // The state of an optimizer has the path of two objects in its own.
            let is_slot =
                |way| matches!(way, Way::From(_, crate::graph::object_graph::Label::Slot(..)));
            if is_slot(self.lhs_way(l)) && is_slot(self.rhs_way(r)) {
                let (from, to) = (self.lhs_path(l), self.rhs_path(r));
                if from != to {
                    keys.add(&from, &to);
                }
            }
        }
        keys
    }
}
