//! The page of a graph: each main graph and function as a drawing of its outermost scopes, the edges between these as a table, and
//! all scopes one in another.

mod contents;
mod layers;
mod outline;
mod plan;

pub(super) use contents::write;
