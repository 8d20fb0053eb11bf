//! Phase 1 of a comparison: finds what corresponds to what in two models.
//!
//! ```text
//! bytes of both sides ─read─► ModelSides ─graph, objects─► Correspondence
//! ```
//! Nothing is compared here, and nothing is reported. The next phase, [`walk`](super::walk), gets the [`Correspondence`].

mod correspondence;
pub(super) mod graph;
pub(super) mod objects;
mod sides;

pub(super) use correspondence::Correspondence;
pub(super) use sides::{ModelSides, ObjectGraphPair, object_graphs};
