//! The structure of a model in memory: what is left of it after the redactions.

use std::collections::BTreeMap;

use super::Redactions;
use super::variable::Variable;
use crate::artifact::ArtifactKind;
use crate::schema::KnownType;
use crate::schema::tensorflow::{GraphDef, MetaGraphDef, SavedModel};

/// The structure of a model: its graphs, variables and assets, without what is volatile.
///
/// [`print`](super::text) and [`parse`](super::parse) are inverse: a snapshot is its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// What was left out.
    pub redactions: Redactions,
    /// The kind of the artifact.
    pub(super) kind: ArtifactKind,
    /// The variables of a checkpoint or SavedModel, by name; `None` for an artifact without.
    pub(super) variables: Option<Vec<Variable>>,
    /// The assets of a SavedModel, by path.
    pub(super) assets: BTreeMap<String, AssetDigest>,
    pub(super) body: Body,
}

/// The message of a model.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Body {
    /// There is none: a checkpoint without a meta graph.
    Nothing,
    Graph(Box<GraphDef>),
    MetaGraph(Box<MetaGraphDef>),
    SavedModel(Box<SavedModel>),
    /// A message of another type: its full name, and its bytes in canonical form.
    Other(String, Vec<u8>),
}

impl Body {
    /// The kinds of the artifacts that have such a message; `None` for all.
    pub(super) fn kinds(&self) -> Option<&'static [ArtifactKind]> {
        const CHECKPOINT: ArtifactKind = ArtifactKind::Checkpoint;
        const GRAPH: ArtifactKind = ArtifactKind::Known(KnownType::GraphDef);
        const META_GRAPH: ArtifactKind = ArtifactKind::Known(KnownType::MetaGraphDef);
        const SAVED_MODEL: ArtifactKind = ArtifactKind::Known(KnownType::SavedModel);
        match self {
            Self::Nothing => Some(&[CHECKPOINT]),
            Self::Graph(_) => Some(&[GRAPH]),
            Self::MetaGraph(_) => Some(&[META_GRAPH, CHECKPOINT]),
            Self::SavedModel(_) => Some(&[SAVED_MODEL]),
            Self::Other(..) => None,
        }
    }
}

/// The size and the SHA-256 of an asset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AssetDigest {
    pub(super) bytes: u64,
    /// In hexadecimal.
    pub(super) sha256: String,
}

impl Snapshot {
    /// The kind of the artifact that it is of.
    pub fn kind(&self) -> &ArtifactKind {
        &self.kind
    }

    /// Whether there are files beside the graphs: variables or assets.
    pub(super) fn has_files(&self) -> bool {
        self.variables.is_some() || !self.assets.is_empty()
    }

    /// The graphs, in the order of the SavedModel.
    pub(super) fn graphs(&self) -> impl Iterator<Item = &GraphDef> {
        let (graph, meta_graphs): (Option<&GraphDef>, &[MetaGraphDef]) = match &self.body {
            Body::Graph(graph) => (Some(graph), &[]),
            Body::MetaGraph(meta_graph) => (None, std::slice::from_ref(meta_graph)),
            Body::SavedModel(saved_model) => (None, &saved_model.meta_graphs),
            Body::Nothing | Body::Other(..) => (None, &[]),
        };
        graph.into_iter().chain(meta_graphs.iter().filter_map(|it| it.graph_def.as_ref()))
    }

    /// The meta graphs, in the order of the SavedModel.
    pub(super) fn meta_graphs_mut(&mut self) -> &mut [MetaGraphDef] {
        match &mut self.body {
            Body::MetaGraph(meta_graph) => std::slice::from_mut(meta_graph),
            Body::SavedModel(saved_model) => &mut saved_model.meta_graphs,
            _ => &mut [],
        }
    }
}
