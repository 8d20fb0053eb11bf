//! What is in a message, at a glance.

mod callable;
mod constant;
mod directory;
mod graph;
mod meta_graph;
mod parameters;
mod records;
mod signature;
mod special_op;
mod structured_value;

use std::path::PathBuf;

pub use callable::{Callable, ConcreteFunction};
pub use constant::ConstantValue;
pub use directory::{Directory, DirectoryFile, Fingerprint};
pub use graph::{Function, Graph, Op, Placeholder, TensorType, Variable};
pub use meta_graph::{Asset, Collection, MetaGraph, Saver};
pub use parameters::{Parameter, Parameters};
pub use signature::{Argument, Encoding, Signature};
pub use special_op::{OpRole, SpecialOp};
pub use structured_value::{NamedTuple, Range, StructuredValue, TensorSpec, TypeSpec};

use crate::artifact::{Artifact, Document, Form};
use crate::error::{Error, ErrorKind, Result};
use crate::message::Message;
use crate::schema::Schema;
use crate::schema::field::saved_model;
use records::{content, nested};

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
    /// Of the directory of a SavedModel, what lies beside the graphs.
    pub directory: Option<Directory>,
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
                let graphs = nested(bytes, saved_model::META_GRAPHS)
                    .map(|record| MetaGraph::new(content(&record?)));
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
            directory: None,
        })
    }

    /// Looks through the message of an artifact; of a SavedModel's directory, at all that lies in it.
    ///
    /// ```
    /// use ckdiff::artifact::Artifact;
    /// use ckdiff::report::{Contents, Overview};
    ///
    /// let artifact = Artifact::open("tests/data/saved_models/module")?;
    /// let overview = Overview::of_artifact(&artifact)?;
    /// let Contents::MetaGraphs(graphs) = &overview.contents else { panic!("it is a SavedModel") };
    /// assert_eq!(graphs[0].callables[0].names, ["apply"]);
    /// assert_eq!(overview.directory.unwrap().files[0].path, "assets/vocabulary.txt");
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// As [`new`](Self::new), and when it has no message.
    pub fn of_artifact(artifact: &'a Artifact<'a>) -> Result<Self> {
        let Some(document) = artifact.message() else {
            let kind = format!("this is a {}, which has no message", artifact.kind());
            return Err(Error::from(ErrorKind::Usage(kind)).in_file(artifact.path()));
        };
        let mut overview = Self::new(document).map_err(|error| error.in_file(document.path()))?;
        let is_inside = document.path().parent() == Some(artifact.path());
        if overview.message == "tensorflow.SavedModel" && is_inside {
            let directory = Directory::new(artifact);
            if let Contents::MetaGraphs(graphs) = &mut overview.contents {
                for asset in graphs.iter_mut().flat_map(|graph| &mut graph.assets) {
                    asset.bytes = directory.asset(&asset.filename);
                    asset.is_there = Some(asset.bytes.is_some());
                }
            }
            overview.directory = Some(directory);
        }
        Ok(overview)
    }

    /// What is wrong with assets and with what lies beside the graphs: damage of the variables, assets that cannot be told or whose files are
    /// missing.
    pub fn trouble(&self) -> Vec<Error> {
        let Contents::MetaGraphs(graphs) = &self.contents else { return Vec::new() };
        let unknown = graphs.iter().filter_map(|graph| graph.assets_error.clone());
        let unknown = unknown.map(|error| error.in_file(&self.path));
        let assets = graphs.iter().flat_map(|graph| &graph.assets);
        let missing = assets.filter(|asset| asset.is_there == Some(false));
        let missing = missing.map(|asset| {
            let folder = self.path.parent().unwrap_or(&self.path).join("assets");
            let kind = "the graph needs this asset, and there is no such file".into();
            Error::from(ErrorKind::NotFound(kind)).in_file(&folder.join(&asset.filename))
        });
        let damage = self.directory.iter().flat_map(Directory::damage).cloned();
        unknown.chain(damage).chain(missing).collect()
    }
}
