//! Compares the messages beside the graphs of two models: object graphs of checkpoints, and the metadata of Keras.

use super::ModelRules;
use crate::diff::DiffOptions;
use crate::diff::embedded::TRACKABLE_OBJECT_GRAPH;
use crate::diff::matching::Correspondence;
use crate::diff::path::PathBuilder;
use crate::diff::walk::message::{ListRules, MessageDiff, MessagePair};
use crate::schema::{KnownType, Schema};

/// The field with which the paths in the object graph of a checkpoint start.
pub(super) const OBJECT_GRAPH: &str = "object_graph";

/// The field with which the paths in the metadata of Keras start.
pub(in crate::diff) const KERAS_METADATA: &str = "keras_metadata";

/// Compares the object graphs of two checkpoints, given as wire bytes; `known` has their objects, if they were read.
pub(in crate::diff) fn compare_object_graphs(
    (lhs, rhs): (&[u8], &[u8]),
    known: Option<&Correspondence<'_>>,
    options: &DiffOptions,
    lists: &ListRules<'_>,
) -> Option<MessageDiff> {
    let ty = (TRACKABLE_OBJECT_GRAPH, OBJECT_GRAPH);
    compare_part(ty, (lhs, rhs), known, options, lists)
}

/// Compares the Keras metadata of two SavedModels, given as wire bytes.
pub(in crate::diff) fn compare_keras_metadata(
    lhs: &[u8],
    rhs: &[u8],
    options: &DiffOptions,
    lists: &ListRules<'_>,
) -> Option<MessageDiff> {
    let ty = (KnownType::SavedMetadata.full_name(), KERAS_METADATA);
    compare_part(ty, (lhs, rhs), None, options, lists)
}

/// Compares two messages of the type `ty` that are beside the graphs; paths start with `field`.
fn compare_part(
    (ty, field): (&str, &str),
    (lhs, rhs): (&[u8], &[u8]),
    known: Option<&Correspondence<'_>>,
    options: &DiffOptions,
    lists: &ListRules<'_>,
) -> Option<MessageDiff> {
    let schema = Schema::tensorflow();
    let ty = schema.message(ty)?;
    let mut diff = MessageDiff::default();
    let root = PathBuilder::root();
    let at = &root.field(field);
    let nothing = Correspondence::default();
    let objects = known.map(|_| at);
    let known = known.unwrap_or(&nothing);
    let rules = ModelRules { objects, ..ModelRules::new(schema, options, lists, known) };
    rules.differ().compare(&MessagePair { ty, lhs, rhs, at }, &mut diff);
    Some(diff)
}
