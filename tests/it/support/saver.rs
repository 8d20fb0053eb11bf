//! Graphs with savers, and the tensors that TensorFlow restores with them.

use std::path::Path;

use ckdiff::message::{Message, Records, Value};
use ckdiff::schema::tensorflow::SaverDef;
use ckdiff::tensor::{DType, Shape, Tensor};
use prost::Message as _;
use serde::Deserialize;

use crate::support::base64;
use crate::support::message_forms::{decoded, opened};

/// A meta graph in `tests/data/savers`.
pub fn meta_graph(path: &str) -> Message<'static> {
    opened(Path::new("tests/data/savers").join(path)).message().clone()
}

/// The first meta graph of the SavedModel in a directory.
pub fn meta_graph_of(model: &Path) -> Message<'static> {
    let model = opened(model.join("saved_model.pb"));
    decoded("tensorflow.MetaGraphDef", field(model.message(), 2).to_vec())
}

/// The bytes of a field; empty if the message does not have it.
pub fn field<'m>(message: &'m Message<'_>, number: u32) -> &'m [u8] {
    let mut found = Records::new(message.bytes(), 0).map(Result::unwrap);
    match found.find(|record| record.number == number).map(|record| record.value) {
        Some(Value::Len(bytes)) => bytes,
        Some(value) => panic!("{number}: {value:?}"),
        None => &[],
    }
}

/// The graph in a meta graph.
pub fn graph(meta_graph: &Message<'static>) -> Message<'static> {
    decoded("tensorflow.GraphDef", field(meta_graph, 2).to_vec())
}

/// The saver of a meta graph.
pub fn saver_def(meta_graph: &Message<'_>) -> SaverDef {
    SaverDef::decode(field(meta_graph, 3)).unwrap()
}

/// A tensor in TensorFlow after a restore.
#[derive(Debug, Deserialize)]
pub struct KnownTensor {
    pub dtype: String,
    pub shape: Vec<u64>,
    /// The content in base64.
    pub content: String,
}

impl KnownTensor {
    #[track_caller]
    pub fn assert_is(&self, found: &Tensor, what: &str) {
        let content = base64(&self.content);
        let known = (&*self.dtype, &*self.shape, &*content);
        assert_eq!((found.dtype().name(), found.shape().dims(), found.content()), known, "{what}");
    }

    pub fn tensor(&self) -> Tensor {
        let dtype = DType::ALL.iter().find(|dtype| dtype.name() == self.dtype).unwrap();
        let dims: Vec<_> = self.shape.iter().map(|dim| dim.cast_signed()).collect();
        Tensor::new(*dtype, Shape::new(&dims).unwrap(), base64(&self.content)).unwrap()
    }
}
