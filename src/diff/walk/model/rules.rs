//! The rules for messages of models, by type and field.

use super::ModelRules;
use super::treatment::{is_standalone_object, treatment};
use crate::diff::matching::graph::GraphPair;
use crate::diff::matching::objects::name_stem;
use crate::diff::meaning::meaning;
use crate::diff::path::PathBuilder;
use crate::diff::walk::graph::compare_bodies;
use crate::diff::walk::message::{MessageDiff, MessagePair, Rules, Treatment};
use crate::graph::is_same_device;
use crate::graph::object_graph::ObjectGraphKind;
use crate::schema::{Field, KnownType, MessageType};

impl Rules for ModelRules<'_> {
    fn treatment(&self, ty: &MessageType, field: &Field, at: &PathBuilder<'_>) -> Treatment<'_> {
        let mut known = treatment(ty, field, at.key_in("collection_def"));
        known.skip &= !is_standalone_object(ty, at);
        self.lists.treatment(self.schema, field, at, known)
    }

    fn are_equivalent(&self, ty: &MessageType, field: &Field, lhs: &[u8], rhs: &[u8]) -> bool {
        if meaning(ty, field).is_for_users {
            return false;
        }
        if meaning(ty, field).is_counted && is_counted(lhs) && is_counted(rhs) {
            return true;
        }
        let names = std::str::from_utf8(lhs).ok().zip(std::str::from_utf8(rhs).ok());
        let (known, functions) = (self.known, &self.known.functions().renames);
        names.is_some_and(|(l, r)| {
            [known.renames(), functions, known.keys()].iter().any(|names| names.is_rename(l, r))
                || functions.is_rename_within(l, r)
        })
    }

    fn is_cosmetic(&self, ty: &MessageType, field: &Field, lhs: &[u8], rhs: &[u8]) -> bool {
        let text = std::str::from_utf8(lhs).ok().zip(std::str::from_utf8(rhs).ok());
        let meaning = meaning(ty, field);
        text.is_some_and(|(lhs, rhs)| {
            meaning.is_device && is_same_device(lhs, rhs)
                || meaning.is_numbered && name_stem(lhs).0 == name_stem(rhs).0
        })
    }

    fn renamed_key(&self, ty: &MessageType, field: &Field, lhs: &str) -> Option<String> {
        if meaning(ty, field).is_for_users {
            return None;
        }
        let functions = &self.known.functions().renames;
        self.known.renames().new_name(lhs).or_else(|| functions.new_name(lhs))
    }

    fn compare_by_meaning(&self, pair: &MessagePair<'_>, out: &mut MessageDiff) -> bool {
        let Some(known) = pair.ty.known else { return false };
        match known {
            KnownType::MetaGraphDef => self.meta_graph(pair, out),
            KnownType::GraphDef => match self.own_nodes(pair.at) {
                Some(nodes) => self.matched_graph(nodes, pair, out),
                None => self.graph(pair, out),
            },
            // The comparison of the graphs reports the functions.
            KnownType::FunctionDefLibrary if self.is_own_library(pair.at) => {
                self.differ().fields(pair, out)
            }
            KnownType::FunctionDefLibrary => self.function_library(pair, out),
            KnownType::FunctionDef => compare_bodies(&self.context(), pair, out),
            KnownType::SavedModel => self.saved_model(pair, out),
            KnownType::TrackableObjectGraph => {
                self.object_graph(ObjectGraphKind::Trackable, pair, out)
            }
            KnownType::SavedObjectGraph => self.object_graph(ObjectGraphKind::Saved, pair, out),
            KnownType::OpList => self.op_list(pair, out),
            KnownType::OpDef => self.op_def(pair, out),
            // A tensor that cannot be parsed is compared field by field.
            KnownType::TensorProto => {
                return self.context().tensor_proto(pair.lhs, pair.rhs, pair.at, &mut out.changes);
            }
            _ => return false,
        }
        true
    }
}

impl ModelRules<'_> {
    /// The matched nodes, if `at` is the path of their graphs.
    fn own_nodes(&self, at: &PathBuilder<'_>) -> Option<&GraphPair<'_, '_>> {
        let is_own = self.graph.is_some_and(|own| own.path() == at.path());
        self.known.nodes.as_ref().filter(|_| is_own)
    }

    /// Whether `at` is the path of the libraries of the matched graphs.
    fn is_own_library(&self, at: &PathBuilder<'_>) -> bool {
        self.graph.is_some_and(|own| own.field("library").path() == at.path())
    }
}

/// Whether a gradient has a name of TensorFlow's own, with a number drawn from a counter.
fn is_counted(gradient: &[u8]) -> bool {
    let counter = gradient.strip_prefix(b"CustomGradient-");
    counter.is_some_and(|counter| counter.iter().all(u8::is_ascii_digit))
}
