//! Prints a snapshot. [`parse`](super::parse) is the inverse.
//!
//! ```text
//! ckdiff snapshot 1
//! kind meta graph
//! redact versions: the versions of TensorFlow and of its graphs
//! # a line for readers, which is not read back
//! variables
//!   dense/kernel float32 [3, 2] weight
//! assets
//!   assets/words.txt 12 bytes sha256:…
//! meta graph serve
//!   signature serving_default tensorflow/serving/predict
//!     input x = serving_default_x:0 DT_FLOAT [?, 3]
//!   saver {…}
//!   collection variables
//!     message {…}
//!   graph
//!     dense/
//!       MatMul = MatMul(x, dense/kernel) T=DT_FLOAT
//!   function f
//!     arg x DT_FLOAT
//!     …
//!     return y = dense/MatMul:product:0
//! ```

mod collection;
mod facts;
mod function;
mod graph;
mod head;
mod lines;
mod meta_graph;
mod nodes;
mod proto;
mod tensor;
mod value;

use super::Snapshot;
use super::structure::Body;
use crate::error::Result;
use lines::Lines;
pub(super) use proto::braced_bytes as other;

impl Snapshot {
    /// The text.
    ///
    /// # Errors
    /// If a part of the message cannot be printed.
    pub fn text(&self) -> Result<String> {
        let mut out = Lines::default();
        head::print(self, &mut out)?;
        match &self.body {
            Body::Nothing => {}
            Body::Graph(graph) => graph::with_library(graph, 0, &mut out)?,
            Body::MetaGraph(meta_graph) => meta_graph::print(meta_graph, &mut out)?,
            Body::SavedModel(saved_model) => meta_graph::saved_model(saved_model, &mut out)?,
            Body::Other(name, bytes) => proto::line(name, bytes, &mut out)?,
        }
        Ok(out.finish())
    }
}
