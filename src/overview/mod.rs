//! The overview of a message.

mod callable;
mod constant;
mod directory;
mod errors;
mod graph;
mod meta_graph;
mod parameters;
mod records;
mod signature;
mod special_op;
mod structured_value;

use std::path::PathBuf;

pub use crate::meta_graph::OpPurpose;
pub use callable::{Callable, ConcreteFunction};
pub use constant::ConstantValue;
pub use directory::{Directory, DirectoryFile, Fingerprint};
pub use graph::{Function, Graph, Op, Placeholder, TensorType, Variable};
pub use meta_graph::{Asset, Collection, MetaGraph, Saver};
pub use parameters::{Parameter, Parameters};
pub use signature::{Argument, Encoding, Signature};
pub use special_op::SpecialOp;
pub use structured_value::{NamedTuple, Range, StructuredValue, TensorSpec, TypeSpec};

use crate::artifact::{Artifact, ArtifactKind, Document, Form, asset_file};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::meta_graph::meta_graphs_in;
use crate::schema::{KnownType, Schema};

/// The overview of a message: summaries of its graphs, or the whole message.
///
/// ```
/// use ckdiff::artifact::{Document, ReadOptions};
/// use ckdiff::overview::{Contents, Overview};
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
    /// The path of the message.
    pub path: PathBuf,
    /// Its kind.
    pub kind: ArtifactKind,
    /// The full name of its type.
    pub message: &'a str,
    /// Its form in the file.
    pub form: Form,
    /// Its size in binary form.
    pub bytes: u64,
    /// Its contents.
    pub contents: Contents<'a>,
    /// The other files of a SavedModel, if it was opened as a directory.
    pub directory: Option<Directory>,
}

/// The contents of a message.
#[derive(Debug)]
pub enum Contents<'a> {
    /// The meta graph, or each meta graph of a SavedModel.
    MetaGraphs(Vec<MetaGraph>),
    /// The graph.
    Graph(Graph),
    /// Any other message, whole.
    Other(&'a Message<'a>),
}

impl<'a> Overview<'a> {
    /// Summarizes a message.
    ///
    /// # Errors
    /// If a part of the message does not have its declared type, which cannot happen if it was decoded by TensorFlow's schema.
    pub fn new(document: &'a Document<'a>) -> Result<Self> {
        let message = document.message();
        let bytes = message.bytes();
        // A user's schema may define these messages differently.
        let own = std::ptr::eq(message.schema(), Schema::tensorflow());
        let contents = match message.ty().known.filter(|_| own) {
            Some(KnownType::MetaGraphDef | KnownType::SavedModel) => {
                let graphs = meta_graphs_in(message).into_iter().map(MetaGraph::new);
                Contents::MetaGraphs(graphs.collect::<Result<_>>()?)
            }
            Some(KnownType::GraphDef) => Contents::Graph(Graph::new(bytes)?),
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

    /// Summarizes the message of an artifact, and the other files in the directory of a SavedModel.
    ///
    /// ```
    /// use ckdiff::artifact::Artifact;
    /// use ckdiff::overview::{Contents, Overview};
    ///
    /// let artifact = Artifact::open("tests/data/saved_models/module")?;
    /// let overview = Overview::of_artifact(&artifact)?;
    /// let Contents::MetaGraphs(graphs) = &overview.contents else { panic!("it is a SavedModel") };
    /// assert_eq!(graphs[0].callables[0].names, ["apply"]);
    /// assert_eq!(overview.directory.unwrap().files[0].path, "assets/vocabulary.txt");
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// As [`new`](Self::new), and if the artifact has no message.
    pub fn of_artifact(artifact: &'a Artifact<'a>) -> Result<Self> {
        let Some(document) = artifact.message() else {
            let why = format!("this is {}, which has no message", artifact.kind().with_article());
            return Err(Error::usage(why).in_file(artifact.path()));
        };
        let mut overview = Self::new(document).map_err(|error| error.in_file(document.path()))?;
        if let Some(model) = artifact.model_directory() {
            let directory = Directory::new(artifact);
            if let Contents::MetaGraphs(graphs) = &mut overview.contents {
                for asset in graphs.iter_mut().flat_map(|graph| &mut graph.assets) {
                    asset.bytes = directory.asset(&asset.filename);
                    asset.is_there = Some(asset_file(model, &asset.filename).is_ok());
                }
            }
            overview.directory = Some(directory);
        }
        Ok(overview)
    }
}
