//! Function libraries.

use super::ModelRules;
use crate::diff::graph::{FunctionMatching, Renames, SaverFunctions};
use crate::diff::message::{MessageDiff, MessagePair};
use crate::graph::Library;

impl ModelRules<'_> {
    /// Compares two `FunctionDefLibrary`s.
    pub(super) fn function_library(&self, pair: &MessagePair<'_>, out: &mut MessageDiff) {
        let MessagePair { lhs, rhs, at, .. } = *pair;
        if self.graphs.is_some_and(|graphs| graphs.have_libraries(lhs, rhs)) {
            // The comparison of the graphs reports the functions.
            return self.differ().fields(pair, out);
        }
        let libraries = out.both((lhs, rhs), (Library::new(lhs), Library::new(rhs)), at);
        let Some((lhs, rhs)) = libraries else { return };
        let nodes = Renames::default();
        let functions = FunctionMatching::new(self.schema, &lhs, &rhs, &nodes);
        let saver_functions = SaverFunctions::new(&functions, &nodes);
        let rules = ModelRules {
            graphs: None,
            renames: &nodes,
            functions: &functions.renames,
            saver_functions: &saver_functions,
            ..*self
        };
        functions.compare(&rules.context(), at, out);
        rules.differ().fields(pair, out);
    }
}
