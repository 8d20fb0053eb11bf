//! Reading: which meta graph is for these tags, and what there is to do to use it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use prost_reflect::prost::Message as _;

use super::{CHUNKED, assets, file_in, op, variables_path};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Graph, fields};
use crate::message::Message;
use crate::meta_graph::{self, ImportOptions};
use crate::saver::Saver;
use crate::saver::build::{self, Options};
use crate::saver::run::Variables;
use crate::schema::tensorflow::meta_graph_def::MetaInfoDef;
use crate::schema::tensorflow::{SaverDef, SignatureDef};
use crate::schema::{MessageType, Schema};
use crate::text::{self, ParseOptions};

/// A SavedModel on disk.
///
/// ```
/// use ckdiff::saved_model::SavedModel;
///
/// let model = SavedModel::open("tests/data/saved_models/builder")?;
/// assert_eq!(model.tag_sets()?, [vec!["serve", "gpu"], vec!["train"]]);
/// let plan = model.load(&["gpu", "serve"])?;
/// assert_eq!(plan.init_op.as_deref(), Some("InitializeTableFromTextFileV2"));
/// assert!(plan.assets["asset_path:0"].ends_with("assets/vocabulary.txt"));
/// let variables = plan.restore()?;
/// assert_eq!(variables.find("weights").and_then(|w| w.elements::<f32>()), Some(vec![1.0; 4]));
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug)]
pub struct SavedModel {
    dir: PathBuf,
    message: Message<'static>,
}

/// A meta graph of a SavedModel, and what there is to do to use it, in this order: the variables are restored, then the init op is run,
/// with the assets fed.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The meta graph.
    pub meta_graph: Message<'static>,
    /// The saver that restores its variables; `None` where it names none.
    pub saver: Option<SaverDef>,
    /// What the names of the files of its variables start with.
    pub variables: PathBuf,
    /// The files to be fed, by the tensors that take their paths.
    pub assets: BTreeMap<String, PathBuf>,
    /// The op, or the tensor, that is run after the variables are restored.
    pub init_op: Option<String>,
    /// The op, or the tensor, that trains.
    pub train_op: Option<String>,
    /// Its signatures, by name.
    pub signatures: BTreeMap<String, SignatureDef>,
}

impl SavedModel {
    /// Reads the SavedModel in a directory.
    ///
    /// # Errors
    /// When there is none, or its message cannot be read.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self> {
        let dir = dir.as_ref();
        let Some(path) = file_in(dir) else { return Err(nothing(dir)) };
        let message = read(&path).map_err(|error| error.in_file(&path))?;
        Ok(Self { dir: dir.to_path_buf(), message })
    }

    /// Its directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Its message, a `SavedModel`.
    pub fn message(&self) -> &Message<'static> {
        &self.message
    }

    /// What the names of the files of its variables start with.
    pub fn variables_path(&self) -> PathBuf {
        variables_path(&self.dir)
    }

    /// The tags of each of its meta graphs.
    ///
    /// # Errors
    /// When what a meta graph says of itself cannot be decoded.
    pub fn tag_sets(&self) -> Result<Vec<Vec<String>>> {
        fields(self.message.bytes(), META_GRAPHS).map(tags).collect()
    }

    /// The meta graph that has exactly these tags, in any order; of several the first.
    ///
    /// # Errors
    /// When there is none, or it cannot be used: assets are missing, or it names an op that it has not.
    pub fn load(&self, tags: &[&str]) -> Result<Plan> {
        self.load_under(tags, "")
    }

    /// As [`load`](Self::load), with all names in the meta graph below `import_scope`.
    ///
    /// # Errors
    /// As [`load`](Self::load); when the scope is none.
    pub fn load_under(&self, tags: &[&str], import_scope: &str) -> Result<Plan> {
        let in_dir = |error: Error| error.in_file(&self.dir);
        let mut meta = self.meta_graph(tags)?;
        let mut assets = assets::located(&meta, &self.dir).map_err(in_dir)?;
        if !import_scope.is_empty() {
            let options =
                ImportOptions { import_scope: import_scope.into(), ..ImportOptions::default() };
            let imported = meta_graph::import(&meta, None, &options).map_err(in_dir)?;
            // An import does not look into what an `Any` holds.
            let below = |(tensor, path)| (format!("{}/{tensor}", imported.scope), path);
            assets = assets.into_iter().map(below).collect();
            meta = imported.message;
        }
        Plan::new(meta, assets, &self.dir).map_err(in_dir)
    }

    /// The meta graph of these tags.
    fn meta_graph(&self, wanted: &[&str]) -> Result<Message<'static>> {
        let set: BTreeSet<&str> = wanted.iter().copied().collect();
        let mut known = Vec::new();
        for meta in fields(self.message.bytes(), META_GRAPHS) {
            let tags = tags(meta)?;
            if tags.iter().map(String::as_str).collect::<BTreeSet<_>>() == set {
                let schema = Schema::tensorflow();
                return Message::decode(schema, ty("tensorflow.MetaGraphDef")?, meta.to_vec());
            }
            known.push(shown(tags.iter().map(String::as_str)));
        }
        let known = match known.as_slice() {
            [] => "no meta graphs".to_owned(),
            _ => format!("those of {}", known.join(", ")),
        };
        let kind = format!("there is no meta graph of the tags {}; there are {known}", shown(set));
        Err(Error::from(ErrorKind::NotFound(kind)).in_file(&self.dir))
    }
}

impl Plan {
    fn new(
        meta_graph: Message<'static>,
        assets: BTreeMap<String, PathBuf>,
        dir: &Path,
    ) -> Result<Self> {
        let graph = Graph::new(meta_graph::graph_of(&meta_graph)?)?;
        let init_op = op::init_op(&meta_graph, &graph)?;
        let train_op = op::train_op(&meta_graph, &graph)?;
        let saver = fields(meta_graph.bytes(), SAVER_DEF).last().map(SaverDef::decode);
        let saver = saver
            .transpose()
            .map_err(|error| Error::unexpected("saver_def", error, "it must be a SaverDef"))?;
        let signatures = meta_graph::signatures(&meta_graph)?;
        let variables = variables_path(dir);
        Ok(Self { saver, variables, assets, init_op, train_op, signatures, meta_graph })
    }

    /// What its variables hold, restored by the nodes of its saver; of a meta graph without one, by those of the saver that TensorFlow
    /// would build. Those that it does not restore, such as local ones, hold nothing.
    ///
    /// # Errors
    /// As [`Saver::restore`].
    pub fn restore(&self) -> Result<Variables> {
        let mut variables = Variables::of(&self.meta_graph)?;
        if let Some(saver) = &self.saver {
            let saver = Saver::new(saver.clone());
            saver.restore(&self.meta_graph, &self.variables, &mut variables)?;
            return Ok(variables);
        }
        let options = Options { allow_empty: true, ..Options::default() };
        if let Some(built) = build::build(&self.meta_graph, &options)? {
            let saver = Saver::new(built.saver_def);
            saver.restore(&built.message, &self.variables, &mut variables)?;
        }
        Ok(variables)
    }
}

/// The field of a `SavedModel` with its meta graphs.
const META_GRAPHS: u32 = 2;
/// The fields of a `MetaGraphDef` with what it says of itself, and with its saver.
const META_INFO_DEF: u32 = 1;
const SAVER_DEF: u32 = 3;

/// Reads the message in a file.
fn read(path: &Path) -> Result<Message<'static>> {
    let (schema, ty) = (Schema::tensorflow(), ty("tensorflow.SavedModel")?);
    let mut file = File::open(path).map_err(|error| Error::io("open", error))?;
    if path.extension().is_some_and(|extension| extension == "pbtxt") {
        return text::parse(schema, ty, file, &ParseOptions::default()).map(|(message, _)| message);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|error| Error::io("read", error))?;
    Message::decode(schema, ty, bytes)
}

/// A type of TensorFlow's schema.
pub(super) fn ty(name: &str) -> Result<&'static MessageType> {
    let missing = || ErrorKind::NotFound(format!("there is no message {name}")).into();
    Schema::tensorflow().message(name).ok_or_else(missing)
}

/// The tags of a meta graph.
fn tags(meta: &[u8]) -> Result<Vec<String>> {
    let info = fields(meta, META_INFO_DEF).last().unwrap_or_default();
    let info = MetaInfoDef::decode(info);
    let info = info
        .map_err(|error| Error::unexpected("meta_info_def", error, "it must be a MetaInfoDef"))?;
    Ok(info.tags)
}

/// Tags as people write them.
fn shown<'a>(tags: impl IntoIterator<Item = &'a str>) -> String {
    let tags: Vec<_> = tags.into_iter().map(|tag| crate::error::shortened(tag)).collect();
    format!("[{}]", tags.join(", "))
}

/// Why there is no SavedModel.
fn nothing(dir: &Path) -> Error {
    if dir.join(CHUNKED).is_file() {
        let kind =
            format!("this is a SavedModel in chunks ({CHUNKED}); ckdiff does not read those yet");
        return Error::from(ErrorKind::Unsupported(kind)).in_file(dir);
    }
    let kind = match dir.is_dir() {
        true => "no SavedModel is there: neither saved_model.pb nor saved_model.pbtxt",
        false => "there is no such directory",
    };
    Error::from(ErrorKind::NotFound(kind.into())).in_file(dir)
}
