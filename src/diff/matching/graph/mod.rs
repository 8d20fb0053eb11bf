//! Matches the nodes of two graphs: by name, then by structure; and their functions.
//!
//! ```text
//! names ─► structure ─► neighbors ─► scopes ─► neighbors of any attributes ─► renames
//! ```

mod aligned;
mod coherence;
mod consumers;
mod cost;
mod extend;
mod functions;
mod matching;
mod node_hash;
mod numbers;
mod outer_renames;
mod pair;
mod per_node;
mod renames;
mod saver_functions;
mod savers;
mod scopes;
mod search;
mod sequence;
mod structure;

pub(in crate::diff) use functions::FunctionMatching;
pub(in crate::diff) use matching::Matching;
pub(in crate::diff) use numbers::numbers;
pub(in crate::diff) use pair::GraphPair;
pub(in crate::diff) use per_node::PerNode;
pub(in crate::diff) use renames::{Renames, common_scope, leaf, main_scope};
pub(in crate::diff) use saver_functions::{SavedArgument, SaverFunctions, SaverPair};
pub(in crate::diff) use savers::{SaverSide, Savers};
pub(in crate::diff) use scopes::MAX_SCOPES;
