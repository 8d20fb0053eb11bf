//! Globs of rules for graphs that match nothing, which are usually typos.

use super::name_filter::Globs;
use super::stated_at::StatedAt;
use super::unused::UnusedPattern;
use super::walk::model::graphs;
use super::{Diff, DiffOptions, ignore};
use crate::error::Result;
use crate::message::{Message, fields, nested, string};
use crate::schema::field::{function_def, function_def_library, graph_def, node_def};
use crate::tensor::Name;

/// A glob of the rules for graphs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphGlob {
    /// The key that has it.
    pub key: &'static str,
    /// The glob.
    pub glob: String,
    /// What it is for.
    pub target: GlobTarget,
    /// Its place in the rules file.
    pub at: StatedAt,
}

/// What a glob of rules for graphs is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlobTarget {
    /// Names of nodes.
    Nodes,
    /// Paths of changes.
    Paths,
}

/// Adds the globs of the rules that match no node, or cannot match the path of any change, to the unused patterns. The changes that the
/// options ignore are still among the changes of `diff`.
///
/// # Errors
/// If a glob is malformed.
pub(super) fn check(
    options: &DiffOptions,
    messages: &[&Message<'_>],
    objects: &[&[u8]],
    diff: &mut Diff,
) -> Result<()> {
    let globs = options.rules.as_ref().map_or(&[][..], |rules| rules.graph_globs());
    if globs.is_empty() || !diff.coverage.has_graph() {
        return Ok(());
    }
    let names = match globs.iter().any(|of| of.target == GlobTarget::Nodes) {
        true => messages.iter().flat_map(|message| node_names(message)).collect(),
        false => Vec::new(),
    };
    for GraphGlob { key, glob, target, at } in globs {
        let unused = match target {
            GlobTarget::Nodes => {
                Globs::new(key, std::slice::from_ref(glob))?.unused(key, names.iter()).pop()
            }
            GlobTarget::Paths if ignore::matches_any(glob, &diff.changes) => None,
            GlobTarget::Paths => ignore::impossible(key, glob, messages, objects),
        };
        diff.unused.extend(unused.map(|of| UnusedPattern { at: Some(at.clone()), ..of }));
    }
    Ok(())
}

/// The names of the nodes of every graph in a message, those of its functions included.
fn node_names(message: &Message<'_>) -> Vec<Name> {
    let mut names = Vec::new();
    for graph in graphs(message) {
        let functions = fields(nested(graph, graph_def::LIBRARY), function_def_library::FUNCTION);
        let of_functions = functions.flat_map(|function| fields(function, function_def::NODE_DEF));
        let nodes = fields(graph, graph_def::NODE).chain(of_functions);
        names.extend(nodes.map(|node| Name::from(string(node, node_def::NAME))));
    }
    names
}
