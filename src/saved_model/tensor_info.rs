//! What is said of a tensor in a signature, made from a graph and found in one.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Constant, Graph, OpTable, Output, attrs};
use crate::message::Message;
use crate::meta_graph::{graph_of, op_table};
use crate::schema::tensorflow::tensor_info::{self, CompositeTensor, CooSparse};
use crate::schema::tensorflow::tensor_shape_proto::Dim;
use crate::schema::tensorflow::{TensorInfo, TensorShapeProto, TypeSpecProto};

/// The tensors of a meta graph's graph, to describe and to find.
///
/// ```
/// use ckdiff::artifact::Artifact;
/// use ckdiff::saved_model::{Encoding, Tensors};
///
/// let meta = Artifact::open("tests/data/demo/model.ckpt.meta")?;
/// let tensors = Tensors::of(meta.message().expect("it is a meta graph").message())?;
/// let info = tensors.info("v1/read:0")?;
/// assert_eq!(info.dtype().as_str_name(), "DT_FLOAT");
/// assert_eq!(tensors.find(&info, "")?, Encoding::Dense("v1/read:0".into()));
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug)]
pub struct Tensors<'m> {
    graph: Graph<'m>,
    ops: OpTable<'m>,
}

/// The tensors of a graph that a `TensorInfo` stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Encoding {
    /// One tensor.
    Dense(String),
    /// A sparse tensor in the coordinate format.
    Sparse {
        /// Where the values are.
        indices: String,
        /// The values.
        values: String,
        /// The shape of the whole.
        dense_shape: String,
    },
    /// A tensor of several, such as a ragged one.
    Composite {
        /// What it is.
        type_spec: Option<TypeSpecProto>,
        /// The tensors, in the order of its flattened parts.
        components: Vec<String>,
    },
}

impl<'m> Tensors<'m> {
    /// Those of `meta`, a `MetaGraphDef`.
    ///
    /// # Errors
    /// When it is another message.
    pub fn of(meta: &'m Message<'_>) -> Result<Self> {
        Ok(Self { graph: Graph::new(graph_of(meta)?)?, ops: op_table(meta)? })
    }

    /// One tensor, `x:0`, with type and shape: TensorFlow's `build_tensor_info`.
    ///
    /// # Errors
    /// When the graph has none of this name, or its op is not known.
    pub fn info(&self, tensor: &str) -> Result<TensorInfo> {
        let Output { dtype, shape } = self.graph.output(tensor, &self.ops)?;
        let encoding = Some(tensor_info::Encoding::Name(full_name(tensor)));
        Ok(TensorInfo { dtype, tensor_shape: Some(shape), encoding })
    }

    /// A sparse tensor of three. Its shape is that in the constant behind `dense_shape`, else of as many unknown dimensions as that has
    /// elements.
    ///
    /// # Errors
    /// As [`info`](Self::info).
    pub fn sparse(&self, indices: &str, values: &str, dense_shape: &str) -> Result<TensorInfo> {
        self.graph.output(indices, &self.ops)?;
        let coo = CooSparse {
            values_tensor_name: full_name(values),
            indices_tensor_name: full_name(indices),
            dense_shape_tensor_name: full_name(dense_shape),
        };
        Ok(TensorInfo {
            dtype: self.graph.output(values, &self.ops)?.dtype,
            tensor_shape: Some(self.dense_shape(dense_shape)?),
            encoding: Some(tensor_info::Encoding::CooSparse(coo)),
        })
    }

    /// A composite tensor of this type, of the tensors that it is made of.
    ///
    /// # Errors
    /// As [`info`](Self::info).
    pub fn composite(&self, type_spec: TypeSpecProto, components: &[&str]) -> Result<TensorInfo> {
        let components = components.iter().map(|component| self.info(component));
        let components = components.collect::<Result<_>>()?;
        let composite = CompositeTensor { type_spec: Some(type_spec), components };
        let encoding = Some(tensor_info::Encoding::CompositeTensor(composite));
        Ok(TensorInfo { encoding, ..TensorInfo::default() })
    }

    /// The tensors that `info` stands for, in a graph where all names are below `import_scope`; nothing for none: TensorFlow's
    /// `get_tensor_from_tensor_info`.
    ///
    /// # Errors
    /// When it names no tensor, or one that the graph has not.
    pub fn find(&self, info: &TensorInfo, import_scope: &str) -> Result<Encoding> {
        let scope = import_scope.trim_end_matches('/');
        let find = |name: &str| {
            let name = match scope {
                "" => name.to_owned(),
                scope => format!("{scope}/{name}"),
            };
            self.graph.output(&name, &self.ops).map(|_| name)
        };
        match &info.encoding {
            Some(tensor_info::Encoding::Name(name)) => find(name).map(Encoding::Dense),
            Some(tensor_info::Encoding::CooSparse(coo)) => Ok(Encoding::Sparse {
                indices: find(&coo.indices_tensor_name)?,
                values: find(&coo.values_tensor_name)?,
                dense_shape: find(&coo.dense_shape_tensor_name)?,
            }),
            Some(tensor_info::Encoding::CompositeTensor(composite)) => {
                let component = |component| name(component).ok_or_else(none).and_then(find);
                let components = composite.components.iter().map(component);
                Ok(Encoding::Composite {
                    type_spec: composite.type_spec.clone(),
                    components: components.collect::<Result<_>>()?,
                })
            }
            None => Err(none()),
        }
    }

    /// The shape that a tensor holds, as far as the graph says: in a constant, or one that is taken unless another is fed.
    fn dense_shape(&self, tensor: &str) -> Result<TensorShapeProto> {
        let (mut node, _) = self.graph.tensor(tensor)?;
        if node.op == "PlaceholderWithDefault"
            && let Some(default) = self.graph.inputs(node).first().and_then(|input| input.source)
        {
            node = self.graph.node(default);
        }
        let value = node.attr("value").and_then(attrs::tensor).filter(|_| node.op == "Const");
        let rank = self.graph.output(tensor, &self.ops)?.shape;
        Ok(match (value.and_then(dims), rank.dim.as_slice()) {
            (Some(dims), _) => shape(dims),
            (None, [Dim { size: rank @ 0..=MOST_DIMS, .. }]) => shape((0..*rank).map(|_| -1)),
            _ => TensorShapeProto { dim: Vec::new(), unknown_rank: true },
        })
    }
}

/// The most dimensions that a tensor of TensorFlow has.
const MOST_DIMS: i64 = 254;

/// The dimensions in the `TensorProto` of a constant.
fn dims(proto: &[u8]) -> Option<Vec<i64>> {
    let constant = Constant::parse(proto).ok()?;
    let most = MOST_DIMS.unsigned_abs() * 8;
    let tensor = constant.tensor(most).ok()?;
    tensor.elements::<i64>()
}

fn shape(dims: impl IntoIterator<Item = i64>) -> TensorShapeProto {
    let dim = |size: i64| Dim { size: size.max(-1), name: String::new() };
    TensorShapeProto { dim: dims.into_iter().map(dim).collect(), unknown_rank: false }
}

/// The name of the one tensor, or op, that it stands for.
pub(super) fn name(info: &TensorInfo) -> Option<&str> {
    match &info.encoding {
        Some(tensor_info::Encoding::Name(name)) => Some(name),
        _ => None,
    }
}

/// A tensor's name with the number of the output.
fn full_name(tensor: &str) -> String {
    match tensor.contains(':') {
        true => tensor.to_owned(),
        false => format!("{tensor}:0"),
    }
}

fn none() -> Error {
    ErrorKind::Usage("it names no tensor".into()).into()
}
