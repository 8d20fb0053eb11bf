//! Pictures of graphs: boxes for nodes and folded scopes, and the edges between them.
//!
//! A [`Picture`] has the graphs of a message: the main graph of each meta graph, and the functions that it calls. Its
//! [`fold`](Picture::fold) gives a [`Drawing`] of a size that can be read: scopes whose nodes do not all fit are one box each.
//!
//! ```text
//! sorted names:  dense/MatMul  dense/bias/read  dense/kernel/read  x
//! level 1:       [dense ······································]  x       a scope is a range of the sorted names
//! level 2:        dense/MatMul  dense/bias/read  …                        opened: a cluster around its boxes
//! ```
//!
//! This module knows no format; [`report`](crate::report) writes drawings.

mod boxes;
mod content;
mod drawing;
mod edges;
mod fold;
mod names;
mod output_types;
mod parts;
mod reach;
mod scopes;

pub use drawing::{
    Block, BlockKind, Call, Callee, Cluster, ClusterKind, Drawing, Edge, Item, OpCount,
};
pub use fold::Fold;
pub use parts::Picture;
