//! Pictures of graphs: for Graphviz ([`dot`]) and for Mermaid ([`mermaid`]).

mod dot;
pub(in crate::report) mod label;
mod mermaid;

pub(super) use dot::write as dot;
pub(super) use mermaid::write as mermaid;

use std::io;

use super::{Report, ReportOptions};
use crate::picture::{Cluster, Drawing, Fold, Item, Picture};

/// The picture in a report.
///
/// # Errors
/// If the report has none.
fn picture<'a>(report: &Report<'a>) -> io::Result<&'a Picture<'a>> {
    match *report {
        Report::Picture(_, picture) => Ok(picture),
        _ => Err(io::Error::new(io::ErrorKind::Unsupported, "the report has no picture")),
    }
}

/// How far a drawing is folded by the options.
fn fold(options: &ReportOptions) -> Fold {
    options.depth.map_or_else(Fold::default, Fold::Depth)
}

/// The first box in a cluster.
fn first_block(cluster: &Cluster, drawing: &Drawing) -> Option<usize> {
    cluster.items.iter().find_map(|item| match *item {
        Item::Block(at) => Some(at),
        Item::Cluster(at) => first_block(drawing.clusters.get(at)?, drawing),
    })
}

/// The outermost cluster around each box.
fn outermost(drawing: &Drawing) -> Vec<Option<usize>> {
    let mut of_block = vec![None; drawing.blocks.len()];
    for item in &drawing.items {
        let Item::Cluster(outermost) = *item else { continue };
        let mut open = vec![outermost];
        while let Some(cluster) = open.pop().and_then(|at| drawing.clusters.get(at)) {
            for item in &cluster.items {
                match *item {
                    Item::Cluster(at) => open.push(at),
                    Item::Block(at) => {
                        if let Some(of) = of_block.get_mut(at) {
                            *of = Some(outermost);
                        }
                    }
                }
            }
        }
    }
    of_block
}
