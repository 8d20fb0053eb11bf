//! Function libraries, and functions by themselves.

use super::Model;
use crate::diff::graph::{Functions, Renames, SaverFunctions, compare_bodies};
use crate::diff::message::Found;
use crate::diff::path::Trail;
use crate::graph::Library;
use crate::schema::MessageType;

impl Model<'_> {
    /// Compares two `FunctionDefLibrary`s.
    pub(super) fn function_library(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Found,
    ) -> bool {
        if self.graphs.is_some_and(|graphs| graphs.have_libraries(lhs, rhs)) {
            // Their functions are told with the graphs.
            self.messages().fields(ty, lhs, rhs, at, out);
            return true;
        }
        let Some((left, right)) = out.both(Library::new(lhs), Library::new(rhs), at) else {
            return true;
        };
        let nodes = Renames::default();
        let functions = Functions::new(self.schema, &left, &right, &nodes);
        let saver_functions = SaverFunctions::new(&functions, &nodes);
        let model = Model {
            graphs: None,
            renames: &nodes,
            functions: &functions.renames,
            saver_functions: &saver_functions,
            ..*self
        };
        functions.compare(&model.context(), &model.messages(), at, out);
        model.messages().fields(ty, lhs, rhs, at, out);
        true
    }

    /// Compares two `FunctionDef`s that are in no library.
    pub(super) fn function(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Found,
    ) -> bool {
        compare_bodies(&self.context(), &self.messages(), ty, (lhs, rhs), at, out);
        true
    }
}
