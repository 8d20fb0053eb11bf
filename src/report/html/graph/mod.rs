//! The page of a graph: each main graph and function as a drawing of its outermost scopes, the edges between these as a table, and
//! all scopes one in another.

mod contents;
mod lanes;
mod layers;
mod outline;
mod places;
mod plan;
mod routes;

pub(super) use contents::write;
