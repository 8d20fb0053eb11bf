//! `TensorInfo`, the description of a tensor in a signature: makes one from a graph, and finds its tensor in a graph.

use crate::error::{Error, Result, shortened};
use crate::graph::{Constant, Graph, Node, OpTable, Output, attrs, is_constant};
use crate::message::Message;
use crate::meta_graph::{graph_of, name_of, op_table};
use crate::schema::tensorflow::tensor_info::{self, CompositeTensor, CooSparse};
use crate::schema::tensorflow::tensor_shape_proto::Dim;
use crate::schema::tensorflow::{TensorInfo, TensorShapeProto, TypeSpecProto};

/// The tensors of a meta graph.
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

/// The tensors that a `TensorInfo` refers to.
#[derive(Debug, Clone, PartialEq)]
pub enum Encoding {
    /// One tensor.
    Dense(String),
    /// A sparse tensor in the coordinate format.
    Sparse {
        /// The indices of the values.
        indices: String,
        /// The values.
        values: String,
        /// The shape of the tensor.
        dense_shape: String,
    },
    /// A composite tensor, such as a ragged one.
    Composite {
        /// The type.
        type_spec: Option<TypeSpecProto>,
        /// The tensors of the flattened components.
        components: Vec<String>,
    },
}

impl<'m> Tensors<'m> {
    /// The tensors of a `MetaGraphDef`.
    ///
    /// # Errors
    /// If `meta` is another message.
    pub fn of(meta: &'m Message<'_>) -> Result<Self> {
        Ok(Self { graph: Graph::new(graph_of(meta)?)?, ops: op_table(meta)? })
    }

    /// Describes the tensor `x:0`, with dtype and shape: TensorFlow's `build_tensor_info`.
    ///
    /// # Errors
    /// If the graph has no such tensor, or its op is unknown.
    pub fn info(&self, tensor: &str) -> Result<TensorInfo> {
        let Output { dtype, shape } = self.graph.output(tensor, &self.ops)?;
        let encoding = Some(tensor_info::Encoding::Name(full_name(tensor)));
        Ok(TensorInfo { dtype, tensor_shape: Some(shape), encoding })
    }

    /// Describes a sparse tensor. Its shape is the value of `dense_shape` if that is a constant or belongs to a `sparse_placeholder`;
    /// otherwise it has as many unknown dimensions as that has elements. TensorFlow also evaluates some ops that compute shapes.
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

    /// Describes a composite tensor of this type with these components.
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

    /// Finds the tensors that `info` refers to, in a graph that was imported into `import_scope` (empty for none): TensorFlow's
    /// `get_tensor_from_tensor_info`.
    ///
    /// # Errors
    /// If `info` names no tensor, or one that the graph does not have.
    pub fn find(&self, info: &TensorInfo, import_scope: &str) -> Result<Encoding> {
        let scope = import_scope.trim_end_matches('/');
        let find = |name: &str| {
            if !name.contains(':') {
                let expected = "NODE:OUTPUT, a node's name and a number";
                return Err(Error::unexpected("name of a tensor", shortened(name), expected));
            }
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
                let component = |component| name_of(component).ok_or_else(none).and_then(find);
                let components = composite.components.iter().map(component);
                Ok(Encoding::Composite {
                    type_spec: composite.type_spec.clone(),
                    components: components.collect::<Result<_>>()?,
                })
            }
            None => Err(none()),
        }
    }

    /// The shape that is the value of a tensor, as far as the graph tells: that of a constant, or the default of a
    /// `sparse_placeholder`, which has open dimensions. Any other default may be replaced by feeding another shape.
    fn dense_shape(&self, tensor: &str) -> Result<TensorShapeProto> {
        let (node, _) = self.graph.tensor(tensor)?;
        let default = self.graph.inputs(node).first().and_then(|input| input.source);
        let value = match (node.op, default) {
            ("Const", _) => dims_of(node),
            ("PlaceholderWithDefault", Some(default)) => {
                dims_of(self.graph.node(default)).filter(|dims| dims.contains(&-1))
            }
            _ => None,
        };
        let rank = self.graph.output(tensor, &self.ops)?.shape;
        Ok(match (value, rank.dim.as_slice()) {
            (Some(dims), _) => shape(dims),
            (None, [Dim { size: rank @ 0..=MAX_DIMS, .. }]) => shape((0..*rank).map(|_| -1)),
            _ => TensorShapeProto { dim: Vec::new(), unknown_rank: true },
        })
    }
}

/// The largest rank of a tensor in TensorFlow.
const MAX_DIMS: i64 = 254;

/// The dimensions that are the value of a constant.
fn dims_of(node: &Node<'_>) -> Option<Vec<i64>> {
    let value = node.attr("value").and_then(attrs::tensor).filter(|_| is_constant(node.op));
    let constant = Constant::parse(value?).ok()?;
    let most = MAX_DIMS.unsigned_abs() * 8;
    constant.tensor(most).ok()?.elements::<i64>()
}

fn shape(dims: impl IntoIterator<Item = i64>) -> TensorShapeProto {
    let dim = |size: i64| Dim { size: size.max(-1), name: String::new() };
    TensorShapeProto { dim: dims.into_iter().map(dim).collect(), unknown_rank: false }
}

/// The name of a tensor with its output number.
pub(super) fn full_name(tensor: &str) -> String {
    match tensor.contains(':') {
        true => tensor.to_owned(),
        false => format!("{tensor}:0"),
    }
}

fn none() -> Error {
    Error::usage("it names no tensor")
}
