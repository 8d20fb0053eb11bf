//! Function libraries.

use super::ModelRules;
use crate::diff::matching::Correspondence;
use crate::diff::walk::message::{MessageDiff, MessagePair};
use crate::graph::Library;

impl ModelRules<'_> {
    /// Compares two `FunctionDefLibrary`s that are in no graph.
    pub(super) fn function_library(&self, pair: &MessagePair<'_>, out: &mut MessageDiff) {
        let MessagePair { lhs, rhs, at, .. } = *pair;
        let libraries = out.both((lhs, rhs), (Library::new(lhs), Library::new(rhs)), at);
        let Some(libraries) = libraries else { return };
        let known = Correspondence::of_libraries(self.schema, &libraries);
        let rules = self.with(&known);
        known.functions().compare(&rules.context(), at, out);
        rules.differ().fields(pair, out);
    }
}
