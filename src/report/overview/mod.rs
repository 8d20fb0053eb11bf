//! What is in a message, at a glance.

mod graph;

use std::path::PathBuf;

use prost::Message as _;

pub use graph::{Function, Graph, Op, Placeholder, TensorType, Variable};

use crate::artifact::{Document, Form};
use crate::error::{Error, Result};
use crate::message::{Message, Record, Records, Value};
use crate::schema::{Schema, tensorflow};

/// A message: its graphs at a glance, or all of it.
///
/// ```
/// use ckdiff::artifact::{Document, ReadOptions};
/// use ckdiff::report::{Contents, Overview};
/// use ckdiff::schema::Schema;
///
/// let file = "tests/data/demo/model.ckpt.meta";
/// let document = Document::open(file, Schema::tensorflow(), &ReadOptions::default())?;
/// let overview = Overview::new(&document)?;
/// let Contents::MetaGraphs(graphs) = overview.contents else { panic!("it is a meta graph") };
/// assert_eq!(graphs[0].graph.variables[0].name, "v1");
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug)]
pub struct Overview<'a> {
    /// Where the message comes from.
    pub path: PathBuf,
    /// What people call it, as in `meta graph`.
    pub kind: &'a str,
    /// The full name of its type.
    pub message: &'a str,
    /// The form it has in its file.
    pub form: Form,
    /// How many bytes it has in binary.
    pub bytes: u64,
    /// What is in it.
    pub contents: Contents<'a>,
}

/// What is in a message.
#[derive(Debug)]
pub enum Contents<'a> {
    /// Of a meta graph itself, of a SavedModel each of its meta graphs.
    MetaGraphs(Vec<MetaGraph>),
    /// Of a graph.
    Graph(Graph),
    /// Of anything else, all.
    Other(&'a Message<'a>),
}

/// A meta graph at a glance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MetaGraph {
    /// What it is for, as `serve`.
    pub tags: Vec<String>,
    /// The version that its user gave it.
    pub meta_graph_version: String,
    /// The TensorFlow that wrote it.
    pub tensorflow_version: String,
    /// The commit of that.
    pub tensorflow_git_version: String,
    /// Whether attributes with default values were left out.
    pub stripped_default_attrs: bool,
    /// Its graph.
    pub graph: Graph,
    /// Its signatures, by name.
    pub signatures: Vec<Signature>,
    /// Its collections, by name.
    pub collections: Vec<Collection>,
    /// What saves and restores it.
    pub saver: Option<Saver>,
    /// Its assets.
    pub assets: Vec<Asset>,
    /// Objects in the object graph; `None` where there is none.
    pub objects: Option<u64>,
}

/// A signature.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// The method it is for, as `tensorflow/serving/predict`.
    pub method: String,
    /// What goes in, by name.
    pub inputs: Vec<Argument>,
    /// What comes out, by name.
    pub outputs: Vec<Argument>,
}

/// An input or output of a signature.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// Its name in the signature.
    pub name: String,
    /// What it holds.
    pub ty: TensorType,
    /// The tensors in the graph: one, or the parts of a sparse or composite one.
    pub tensors: Vec<String>,
}

/// A collection.
#[derive(Debug, Clone, PartialEq)]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// What it lists, as `node_list`; `None` for one that lists nothing.
    pub kind: Option<&'static str>,
    /// How many.
    pub items: u64,
}

/// A saver.
#[derive(Debug, Clone, PartialEq)]
pub struct Saver {
    /// The format it writes, as `V2`.
    pub format: &'static str,
    /// How many checkpoints it keeps; 0 for all.
    pub max_to_keep: i32,
    /// Whether it writes a shard for each device.
    pub sharded: bool,
    /// Hours after which it keeps one more for good.
    pub keep_checkpoint_every_n_hours: f32,
    /// The tensor that takes the file's name.
    pub filename_tensor: String,
    /// The tensor that saves.
    pub save_tensor: String,
    /// The op that restores.
    pub restore_op: String,
}

/// An asset.
#[derive(Debug, Clone, PartialEq)]
pub struct Asset {
    /// Its name in the folder `assets`.
    pub filename: String,
    /// The tensor that takes its path.
    pub tensor: String,
}

impl<'a> Overview<'a> {
    /// Looks through a message, node by node.
    ///
    /// # Errors
    /// When a part of it is not what its type says; that cannot be where the message was decoded by TensorFlow's schema.
    pub fn new(document: &'a Document<'a>) -> Result<Self> {
        let message = document.message();
        let bytes = message.bytes();
        // A schema of the user's may have other fields under these names.
        let own = std::ptr::eq(message.schema(), Schema::tensorflow());
        let contents = match &*message.ty().full_name {
            "tensorflow.MetaGraphDef" if own => Contents::MetaGraphs(vec![MetaGraph::new(bytes)?]),
            "tensorflow.SavedModel" if own => {
                let graphs = nested(bytes, 2).map(|record| MetaGraph::new(content(&record?)));
                Contents::MetaGraphs(graphs.collect::<Result<_>>()?)
            }
            "tensorflow.GraphDef" if own => Contents::Graph(Graph::new(bytes)?),
            _ => Contents::Other(message),
        };
        Ok(Self {
            path: document.path().to_path_buf(),
            kind: document.kind(),
            message: &message.ty().full_name,
            form: document.form(),
            bytes: bytes.len() as u64,
            contents,
        })
    }
}

impl MetaGraph {
    fn new(bytes: &[u8]) -> Result<Self> {
        let mut found = Self::default();
        for record in Records::new(bytes, 0) {
            let record = record?;
            let content = content(&record);
            match record.number {
                1 => found.describe(decode(content)?),
                2 => found.graph = Graph::new(content)?,
                3 => found.saver = Some(Saver::new(decode(content)?)),
                4 => found.collections.push(Collection::new(content)?),
                5 => found.signatures.push(Signature::new(content)?),
                6 => found.assets.push(Asset::new(decode(content)?)),
                7 => found.objects = Some(nested(content, 1).count() as u64),
                _ => {}
            }
        }
        let trainable = trainable(bytes)?;
        if let Some(trainable) = trainable {
            for variable in &mut found.graph.variables {
                variable.trainable = Some(trainable.binary_search(&variable.name).is_ok());
            }
        }
        Ok(found)
    }

    fn describe(&mut self, described: tensorflow::meta_graph_def::MetaInfoDef) {
        self.tags = described.tags;
        self.meta_graph_version = described.meta_graph_version;
        self.tensorflow_version = described.tensorflow_version;
        self.tensorflow_git_version = described.tensorflow_git_version;
        self.stripped_default_attrs = described.stripped_default_attrs;
    }
}

/// The nodes of the variables in the collection of trainable ones, sorted; `None` without that collection.
fn trainable(meta_graph: &[u8]) -> Result<Option<Vec<String>>> {
    for record in nested(meta_graph, 4) {
        let record = record?;
        let entry = content(&record);
        let is_it = nested(entry, 1)
            .any(|key| key.is_ok_and(|key| content(&key) == b"trainable_variables"));
        if !is_it {
            continue;
        }
        let mut names = Vec::new();
        for value in nested(entry, 2) {
            let collection: tensorflow::CollectionDef = decode(content(&value?))?;
            let Some(tensorflow::collection_def::Kind::BytesList(list)) = collection.kind else {
                continue;
            };
            for bytes in list.value {
                // Whoever puts something else there has no variable in it.
                let variable = tensorflow::VariableDef::decode(bytes.as_slice());
                names.extend(variable.map(|variable| node_of(&variable.variable_name).to_owned()));
            }
        }
        names.sort_unstable();
        return Ok(Some(names));
    }
    Ok(None)
}

impl Saver {
    fn new(saver: tensorflow::SaverDef) -> Self {
        Self {
            format: match saver.version() {
                tensorflow::saver_def::CheckpointFormatVersion::Legacy => "legacy",
                tensorflow::saver_def::CheckpointFormatVersion::V1 => "V1",
                tensorflow::saver_def::CheckpointFormatVersion::V2 => "V2",
            },
            max_to_keep: saver.max_to_keep,
            sharded: saver.sharded,
            keep_checkpoint_every_n_hours: saver.keep_checkpoint_every_n_hours,
            filename_tensor: saver.filename_tensor_name,
            save_tensor: saver.save_tensor_name,
            restore_op: saver.restore_op_name,
        }
    }
}

impl Collection {
    fn new(entry: &[u8]) -> Result<Self> {
        let mut found = Self { name: key(entry)?, kind: None, items: 0 };
        for value in nested(entry, 2) {
            let collection: tensorflow::CollectionDef = decode(content(&value?))?;
            let (kind, items) = match collection.kind {
                Some(tensorflow::collection_def::Kind::NodeList(list)) => {
                    ("node_list", list.value.len())
                }
                Some(tensorflow::collection_def::Kind::BytesList(list)) => {
                    ("bytes_list", list.value.len())
                }
                Some(tensorflow::collection_def::Kind::Int64List(list)) => {
                    ("int64_list", list.value.len())
                }
                Some(tensorflow::collection_def::Kind::FloatList(list)) => {
                    ("float_list", list.value.len())
                }
                Some(tensorflow::collection_def::Kind::AnyList(list)) => {
                    ("any_list", list.value.len())
                }
                None => continue,
            };
            (found.kind, found.items) = (Some(kind), items as u64);
        }
        Ok(found)
    }
}

impl Signature {
    fn new(entry: &[u8]) -> Result<Self> {
        let name = key(entry)?;
        let mut signature = tensorflow::SignatureDef::default();
        for value in nested(entry, 2) {
            signature = decode(content(&value?))?;
        }
        let arguments = |map: std::collections::BTreeMap<String, tensorflow::TensorInfo>| {
            map.into_iter().map(|(name, tensor)| Argument::new(name, tensor)).collect()
        };
        Ok(Self {
            name,
            method: signature.method_name,
            inputs: arguments(signature.inputs),
            outputs: arguments(signature.outputs),
        })
    }
}

impl Argument {
    fn new(name: String, tensor: tensorflow::TensorInfo) -> Self {
        let tensors = match tensor.encoding {
            Some(tensorflow::tensor_info::Encoding::Name(name)) => vec![name],
            Some(tensorflow::tensor_info::Encoding::CooSparse(parts)) => vec![
                parts.values_tensor_name,
                parts.indices_tensor_name,
                parts.dense_shape_tensor_name,
            ],
            Some(tensorflow::tensor_info::Encoding::CompositeTensor(parts)) => {
                let parts = parts.components.into_iter();
                let names = parts.filter_map(|part| match part.encoding {
                    Some(tensorflow::tensor_info::Encoding::Name(name)) => Some(name),
                    _ => None,
                });
                names.collect()
            }
            None => Vec::new(),
        };
        let ty = TensorType::new(tensor.dtype, tensor.tensor_shape.as_ref());
        Self { name, ty, tensors: tensors.into_iter().filter(|name| !name.is_empty()).collect() }
    }
}

impl Asset {
    fn new(asset: tensorflow::AssetFileDef) -> Self {
        let tensor = match asset.tensor_info.and_then(|tensor| tensor.encoding) {
            Some(tensorflow::tensor_info::Encoding::Name(name)) => name,
            _ => String::new(),
        };
        Self { filename: asset.filename, tensor }
    }
}

/// The node of a tensor's name.
fn node_of(tensor: &str) -> &str {
    tensor.rsplit_once(':').map_or(tensor, |(node, _)| node)
}

/// The key of an entry of a map.
fn key(entry: &[u8]) -> Result<String> {
    let key = nested(entry, 1).last().transpose()?;
    Ok(key.map(|key| String::from_utf8_lossy(content(&key)).into_owned()).unwrap_or_default())
}

/// The records of one field.
fn nested(bytes: &[u8], number: u32) -> impl Iterator<Item = Result<Record<'_>>> {
    let wanted = move |record: &Result<Record<'_>>| match record {
        Ok(record) => record.number == number,
        Err(_) => true,
    };
    Records::new(bytes, 0).filter(wanted)
}

/// What a record holds, if that is of any length.
fn content<'a>(record: &Record<'a>) -> &'a [u8] {
    match record.value {
        Value::Len(bytes) | Value::Group(bytes) => bytes,
        _ => &[],
    }
}

fn decode<T: prost::Message + Default + prost::Name>(bytes: &[u8]) -> Result<T> {
    T::decode(bytes)
        .map_err(|error| Error::unexpected("message", error, format!("it must be a {}", T::NAME)))
}
