//! The savers of a graph and their restore nodes.

use std::collections::BTreeMap;

use crate::graph::node_of;
use crate::saver::plan::{Bodies, RequestedTensor, Restore};
use crate::verify::MetaGraph;

/// The number of savers that are considered; a graph usually has one or two.
const SAVERS: usize = 64;

/// A saver, or restore nodes that no saver names and that seem to belong together.
pub(super) struct Saver {
    /// The restore node; for nodes that no saver names, their scope or function.
    pub(super) name: String,
    pub(super) is_default: bool,
    /// Whether the graph has that node.
    pub(super) is_there: bool,
    /// The positions of its restore nodes in the list of all.
    pub(super) restores: Vec<usize>,
}

impl Saver {
    /// The known tensors that it restores.
    pub(super) fn requested<'r>(
        &'r self,
        restores: &'r [Restore<'_>],
    ) -> impl Iterator<Item = &'r RequestedTensor> {
        let mine = self.restores.iter().filter_map(|at| restores.get(*at));
        mine.flat_map(|restore| restore.requested().map(|(_, requested)| requested))
    }
}

/// The savers of a graph, the default one first.
///
/// The default is the saver of the meta graph, or the only one in its collection. Restore nodes that no saver reaches are grouped
/// by scope.
pub(super) fn savers(
    meta: &MetaGraph<'_>,
    bodies: &Bodies<'_>,
    restores: &[Restore<'_>],
) -> Vec<Saver> {
    let own = meta.saver.as_ref().map(|saver| &*saver.restore_op_name);
    let own = own.filter(|name| !name.is_empty());
    let mut names: Vec<&str> = own.into_iter().collect();
    for saver in meta.savers.iter().take(SAVERS) {
        if !names.contains(&&*saver.restore_op_name) && !saver.restore_op_name.is_empty() {
            names.push(&saver.restore_op_name);
        }
    }
    let has_default = own.is_some() || names.len() == 1;
    let mut reached = vec![false; restores.len()];
    let mut savers = Vec::new();
    for (position, name) in names.into_iter().enumerate() {
        let found = bodies.all.first().and_then(|body| body.graph.find(node_of(name)));
        let mine = found.map(|node| bodies.reach(restores, node)).unwrap_or_default();
        mine.iter().filter_map(|at| reached.get_mut(*at).map(|is| *is = true)).count();
        savers.push(Saver {
            name: name.to_owned(),
            is_default: has_default && position == 0,
            is_there: found.is_some(),
            restores: mine,
        });
    }
    let rest = (0..restores.len()).filter(|at| reached.get(*at) == Some(&false));
    savers.extend(by_scope(bodies, restores, rest));
    savers
}

/// Groups the restore nodes that no saver reaches by scope or function.
fn by_scope(
    bodies: &Bodies<'_>,
    restores: &[Restore<'_>],
    rest: impl Iterator<Item = usize>,
) -> Vec<Saver> {
    let mut groups = BTreeMap::<(usize, &str), Vec<usize>>::new();
    for at in rest {
        let Some(restore) = restores.get(at) else { continue };
        let Some(body) = bodies.all.get(restore.body) else { continue };
        let scope = if restore.body == 0 { body.graph.node(restore.node).scope() } else { "" };
        groups.entry((restore.body, scope)).or_default().push(at);
    }
    let name = |body: usize, scope: &str| match bodies.all.get(body).filter(|_| body > 0) {
        Some(function) => function.name.to_owned(),
        None => scope.to_owned(),
    };
    let saver = |((body, scope), restores): ((usize, &str), Vec<usize>)| Saver {
        name: name(body, scope),
        is_default: false,
        is_there: true,
        restores,
    };
    groups.into_iter().map(saver).collect()
}
