//! Reading: which meta graph is for these tags, and what there is to do to use it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use prost_reflect::prost::Message as _;

use super::op::Ops;
use super::{CHUNKED, assets, file_in, variables_path};
use crate::error::{Error, ErrorKind, Result, shortened};
use crate::message::{Message, fields, nested};
use crate::meta_graph::{self, ImportOptions};
use crate::saver::Saver;
use crate::saver::builder::Options;
use crate::saver::run::Variables;
use crate::schema::field::{meta_graph_def, saved_model};
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
    pub variables_path: PathBuf,
    /// The files to be fed, by the tensors that take their paths. They are in the SavedModel by their names; a link there may
    /// lead elsewhere.
    pub assets: BTreeMap<String, PathBuf>,
    /// The op, or the tensor, that is run after the variables are restored.
    pub init_op: Option<String>,
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
        fields(self.message.bytes(), saved_model::META_GRAPHS).map(tags).collect()
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
        for meta in fields(self.message.bytes(), saved_model::META_GRAPHS) {
            let tags = tags(meta)?;
            if tags.iter().map(String::as_str).collect::<BTreeSet<_>>() == set {
                let schema = Schema::tensorflow();
                return Message::decode(schema, ty("tensorflow.MetaGraphDef")?, meta.to_vec());
            }
            known.push(tags);
        }
        let told: Vec<_> =
            known.iter().take(TOLD).map(|tags| shown(tags.iter().map(String::as_str))).collect();
        let known = match known.len().saturating_sub(TOLD) {
            _ if known.is_empty() => "no meta graphs".to_owned(),
            0 => format!("those of {}", told.join(", ")),
            more => format!("those of {}, and {more} more", told.join(", ")),
        };
        let kind = format!(
            "there is no meta graph of the tags {}; there are {known}",
            shown(set.into_iter())
        );
        Err(Error::from(ErrorKind::NotFound(kind)).in_file(&self.dir))
    }
}

impl Plan {
    fn new(
        meta_graph: Message<'static>,
        assets: BTreeMap<String, PathBuf>,
        dir: &Path,
    ) -> Result<Self> {
        let ops = Ops::of(&meta_graph)?;
        let init_op = ops.init_op()?;
        let signatures = ops.into_signatures();
        let saver = meta_graph::saver_def(&meta_graph)?;
        let variables_path = variables_path(dir);
        Ok(Self { saver, variables_path, assets, init_op, signatures, meta_graph })
    }

    /// The op, or the tensor, that trains.
    ///
    /// # Errors
    /// When the meta graph names several, or one that it has not.
    pub fn train_op(&self) -> Result<Option<String>> {
        Ops::of(&self.meta_graph)?.train_op()
    }

    /// What its variables hold, restored by the nodes of its saver; of a meta graph without one, by those of the saver that TensorFlow
    /// would build. Those that it does not restore, such as local ones, hold nothing.
    ///
    /// # Errors
    /// As [`Saver::restore`].
    pub fn restore(&self) -> Result<Variables> {
        let mut variables = Variables::of(&self.meta_graph)?;
        let (saver, graph) = match &self.saver {
            Some(def) => (Saver::new(def.clone()), Cow::Borrowed(&self.meta_graph)),
            None => {
                let options = Options { allow_empty: true, ..Options::default() };
                let (saver, graph) = Saver::build(&self.meta_graph, &options)?;
                (saver, Cow::Owned(graph))
            }
        };
        saver.restore(&graph, &self.variables_path, &mut variables)?;
        Ok(variables)
    }
}
/// Meta graphs that an error tells of, and tags of each.
const TOLD: usize = 8;
/// The most bytes that a message of protobuf may have.
pub(super) const MOST: usize = i32::MAX as usize;

/// Reads the message in a file.
fn read(path: &Path) -> Result<Message<'static>> {
    let (schema, ty) = (Schema::tensorflow(), ty("tensorflow.SavedModel")?);
    let file = File::open(path).map_err(|error| Error::io("open", error))?;
    if path.extension().is_some_and(|extension| extension == "pbtxt") {
        return text::parse(schema, ty, file, &ParseOptions::default()).map(|(message, _)| message);
    }
    let mut bytes = Vec::new();
    let read = file.take(MOST as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::io("read", error))?;
    if bytes.len() > MOST {
        let allowed = format!("{MOST} bytes are the most that a message may have");
        return Err(Error::unexpected("length", "more", allowed));
    }
    Message::decode(schema, ty, bytes)
}

/// A type of TensorFlow's schema.
pub(super) fn ty(name: &str) -> Result<&'static MessageType> {
    let missing = || ErrorKind::NotFound(format!("there is no message {name}")).into();
    Schema::tensorflow().message(name).ok_or_else(missing)
}

/// The tags of a meta graph.
fn tags(meta: &[u8]) -> Result<Vec<String>> {
    let info = MetaInfoDef::decode(nested(meta, meta_graph_def::META_INFO_DEF))
        .map_err(|error| Error::unexpected("meta_info_def", error, "it must be a MetaInfoDef"))?;
    Ok(info.tags)
}

/// Tags as people write them.
pub(super) fn shown<'a>(tags: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = tags.len().saturating_sub(TOLD);
    let mut told: Vec<_> = tags.take(TOLD).map(shortened).collect();
    if more > 0 {
        told.push(format!("and {more} more").into());
    }
    format!("[{}]", told.join(", "))
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
