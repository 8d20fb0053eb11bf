//! Checks a model against its snapshot, as two models are compared.

use std::path::Path;

use super::Snapshot;
use super::structure::Body;
use super::variable::Variable;
use crate::artifact::{Artifact, Asset, Document, Files, Form, Parts, layout};
use crate::checkpoint::Checkpoint;
use crate::diff::{Diff, DiffOptions, Status, diff};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::progress::Silent;
use crate::schema::{KnownType, Schema};

/// What changed in the structure of a model: `snapshot` is the baseline, `artifact` the model. The redactions are those of the snapshot.
///
/// Paths in the result are those of the snapshot's file, `file`, and of the artifact. The comparison has no findings: what is left
/// out of a graph is no error of it.
///
/// ```
/// use ckdiff::artifact::Artifact;
/// use ckdiff::diff::{DiffOptions, Verdict};
/// use ckdiff::snapshot;
///
/// let model = Artifact::open("tests/data/saved_models/module")?;
/// let saved = snapshot::parse(snapshot::text(&model)?)?;
/// let diff = snapshot::check(&saved, "module.snapshot".as_ref(), &model, &DiffOptions::default())?;
/// assert_eq!(diff.verdict(), Verdict::Same);
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If the model cannot be read, or has no part in common with the snapshot.
pub fn check(
    snapshot: &Snapshot,
    file: &Path,
    artifact: &Artifact<'_>,
    options: &DiffOptions,
) -> Result<Diff> {
    compare(snapshot, file, (&Snapshot::new(artifact, &snapshot.redactions)?, artifact), options)
}

/// As [`check`], for a caller who has the snapshot of the model, made with the redactions of the other.
///
/// # Errors
/// If the two have no part in common.
pub fn compare(
    snapshot: &Snapshot,
    file: &Path,
    (model, artifact): (&Snapshot, &Artifact<'_>),
    options: &DiffOptions,
) -> Result<Diff> {
    let has_files = [snapshot, model].iter().any(|side| side.has_files());
    let lhs = to_artifact(snapshot, file, has_files)?;
    let rhs = to_artifact(model, artifact.path(), has_files)?;
    let mut diff = diff(&lhs, &rhs, options, &Silent)?;
    diff.rhs = artifact.summary();
    diff.findings.clear();
    let role = |name: &crate::tensor::Name, of: &Snapshot| {
        let variables = of.variables.as_deref().unwrap_or_default();
        let at = variables.binary_search_by(|row| row.name.cmp(name)).ok()?;
        variables.get(at).map(|row| row.role)
    };
    for tensor in &mut diff.tensors {
        // A snapshot has no values.
        if tensor.status == Status::Identical {
            tensor.status = Status::Uncompared;
        }
        tensor.role = role(&tensor.name, model).or_else(|| role(&tensor.name, snapshot));
    }
    Ok(diff)
}

/// The artifact with the structure of a snapshot. A SavedModel is a directory if either side `has_files` beside its graphs.
fn to_artifact(snapshot: &Snapshot, path: &Path, has_files: bool) -> Result<Artifact<'static>> {
    let facts = |row: &Variable| (row.name.clone(), row.facts.clone());
    let variables = snapshot.variables.as_deref();
    let variables = variables.map(|all| all.iter().map(facts).collect());
    let checkpoint = variables.map(|facts| Checkpoint::of_facts(path, facts)).transpose()?;
    let mut files = Files::default();
    for (name, asset) in &snapshot.assets {
        let digest = Asset::of_digest(asset.bytes, asset.sha256.clone());
        files.assets.insert(name.clone(), digest);
    }
    let message = message(&snapshot.body)?.map(|message| {
        // The directory of a SavedModel has its graphs inside.
        let path = match message.ty().known {
            Some(KnownType::SavedModel) if has_files => path.join(layout::BINARY),
            _ => path.to_path_buf(),
        };
        Document::in_memory(path, Form::Text, message)
    });
    let kind = snapshot.kind.clone();
    let path = path.to_path_buf();
    Ok(Artifact::of_parts(Parts { path, kind, format: "snapshot", checkpoint, message, files }))
}

/// The message of a snapshot.
fn message(body: &Body) -> Result<Option<Message<'static>>> {
    Ok(Some(match body {
        Body::Nothing => return Ok(None),
        Body::Graph(graph) => Message::of(&**graph)?,
        Body::MetaGraph(meta_graph) => Message::of(&**meta_graph)?,
        Body::SavedModel(model) => Message::of(&**model)?,
        Body::Other(name, bytes) => {
            let schema = Schema::tensorflow();
            let missing = || Error::not_found(format!("the schema has no message {name}"));
            let ty = schema.message(name).ok_or_else(missing)?;
            Message::decode_partial(schema, ty, bytes.clone())?
        }
    }))
}
