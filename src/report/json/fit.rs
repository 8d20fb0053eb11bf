//! Graphs that were verified, as a part of `ckdiff-verify/1`.

use std::borrow::Cow;

use serde::Serialize;

use crate::tensor::Name;
use crate::verify::{Fit, Kind, Misfit, SaverFit, VerifiedGraph};

use super::name::{Text, exact};

#[derive(Serialize)]
pub(super) struct Graph<'a> {
    path: Cow<'a, str>,
    tags: &'a [String],
    nodes: u64,
    problems: u64,
    findings: Vec<FindingOut<'a>>,
    fit: Option<FitOut<'a>>,
}

#[derive(Serialize)]
struct FindingOut<'a> {
    path: &'a str,
    problem: &'a str,
}

#[derive(Serialize)]
struct FitOut<'a> {
    fits: bool,
    restores: bool,
    savers: Vec<Saver<'a>>,
    not_restored: Left<'a>,
}

#[derive(Serialize)]
struct Saver<'a> {
    name: &'a str,
    default: bool,
    tensors: u64,
    unknown: u64,
    counts: CountsOut,
    misfits: Vec<MisfitOut<'a>>,
}

#[derive(Serialize)]
struct CountsOut {
    saver: u64,
    format: u64,
    missing: u64,
    shape: u64,
    dtype: u64,
    slice: u64,
}

#[derive(Serialize)]
struct MisfitOut<'a> {
    key: &'a str,
    variable: Option<&'a str>,
    kind: &'static str,
    refused: bool,
    problem: String,
}

#[derive(Serialize)]
struct Left<'a> {
    count: u64,
    names: Vec<NameOut<'a>>,
}

#[derive(Serialize)]
struct NameOut<'a> {
    name: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name_b64: Option<String>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(graph: &'a VerifiedGraph) -> Self {
        let checked = &graph.checked;
        let finding = |finding: &'a crate::graph::Finding| FindingOut {
            path: &finding.path,
            problem: &finding.problem,
        };
        Self {
            path: graph.path.to_string_lossy(),
            tags: &graph.tags,
            nodes: graph.nodes,
            problems: checked.findings.len() as u64 + checked.more,
            findings: checked.findings.iter().map(finding).collect(),
            fit: graph.fit.as_ref().map(FitOut::new),
        }
    }
}

impl<'a> FitOut<'a> {
    fn new(fit: &'a Fit) -> Self {
        let name = |name: &'a Name| NameOut { name: Text(name), name_b64: exact(name) };
        Self {
            fits: fit.fits(),
            restores: fit.restores(),
            savers: fit.savers.iter().map(Saver::new).collect(),
            not_restored: Left {
                count: fit.left_count,
                names: fit.left.iter().map(name).collect(),
            },
        }
    }
}

impl<'a> Saver<'a> {
    fn new(saver: &'a SaverFit) -> Self {
        let of = |kind| saver.counts.of(kind);
        Self {
            name: &saver.name,
            default: saver.is_default,
            tensors: saver.tensors,
            unknown: saver.unknown,
            counts: CountsOut {
                saver: of(Kind::Saver),
                format: of(Kind::Format),
                missing: of(Kind::Missing),
                shape: of(Kind::Shape),
                dtype: of(Kind::Dtype),
                slice: of(Kind::Slice),
            },
            misfits: saver.misfits.iter().map(MisfitOut::new).collect(),
        }
    }
}

impl<'a> MisfitOut<'a> {
    fn new(misfit: &'a Misfit) -> Self {
        Self {
            key: &misfit.key,
            variable: misfit.variable.as_deref(),
            kind: misfit.problem.kind().name(),
            refused: misfit.problem.is_refused(),
            problem: misfit.problem.to_string(),
        }
    }
}
