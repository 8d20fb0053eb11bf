//! The report of a diff: schema `ckdiff/1`.

use std::io::{self, Write};

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::compare::NanPolicy;
use crate::diff::{Counts, Damage, Diff, Keyed, Rename, Side, Status, Weights};

use super::change::{ChangeOut, FindingOut};
use super::layout;
use super::name::{Text, exact};
use super::number::Float;
use super::tensor::Tensor;

/// Tells a program what a diff found: every tensor, in name order.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    let tensors = List(|| diff.tensors.iter().map(Tensor::new));
    let report = Report {
        schema: "ckdiff/1",
        verdict: diff.verdict().name(),
        lhs: SideOut::new(&diff.lhs),
        rhs: SideOut::new(&diff.rhs),
        options: OptionsOut::new(diff),
        summary: Summary {
            tensors: CountsOut(diff.counts()),
            not_frozen: diff.not_frozen,
            graph: Graph::new(diff),
        },
        tensors,
        changes: List(|| diff.changes.iter().map(ChangeOut::new)),
        findings: diff.findings.iter().map(FindingOut::new).collect(),
        damage: diff.damage.iter().map(DamageOut::new).collect(),
        renames: diff.renames.iter().map(RenameOut::new).collect(),
    };
    layout::write(&report, out)
}

#[derive(Serialize)]
struct Report<'a, T: Serialize, C: Serialize> {
    schema: &'static str,
    verdict: &'static str,
    lhs: SideOut<'a>,
    rhs: SideOut<'a>,
    options: OptionsOut<'a>,
    summary: Summary,
    tensors: T,
    changes: C,
    findings: Vec<FindingOut<'a>>,
    damage: Vec<DamageOut>,
    renames: Vec<RenameOut<'a>>,
}

/// A list whose items are made as they are written.
struct List<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

#[derive(Serialize)]
struct SideOut<'a> {
    path: std::borrow::Cow<'a, str>,
    kind: &'a str,
    format: &'static str,
    has_data: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<&'static str>,
}

impl<'a> SideOut<'a> {
    fn new(side: &'a Side) -> Self {
        Self {
            path: side.path.to_string_lossy(),
            kind: &side.kind,
            format: side.format,
            has_data: side.has_data,
            checksum: (!side.has_checksums).then_some("none"),
        }
    }
}

#[derive(Serialize)]
struct OptionsOut<'a> {
    atol: Option<Float>,
    rtol: Option<Float>,
    ulp: Option<u64>,
    nan: &'static str,
    device: String,
    config: Option<&'static str>,
    as_set: Vec<String>,
    key: Vec<KeyedOut<'a>>,
}

#[derive(Serialize)]
struct KeyedOut<'a> {
    list: String,
    fields: &'a [std::borrow::Cow<'static, str>],
}

impl<'a> OptionsOut<'a> {
    fn new(diff: &'a Diff) -> Self {
        let (options, lists) = (&diff.options, &diff.lists);
        let keyed =
            |keyed: &'a Keyed| KeyedOut { list: keyed.list.to_string(), fields: &keyed.keys };
        Self {
            atol: options.tolerance.atol.map(Float),
            rtol: options.tolerance.rtol.map(Float),
            ulp: options.tolerance.ulp,
            nan: match options.nan {
                NanPolicy::Equal => "equal",
                NanPolicy::Differ => "differ",
            },
            device: diff.work.to_string(),
            config: None,
            as_set: lists.as_set.iter().map(ToString::to_string).collect(),
            key: lists.keyed.iter().map(keyed).collect(),
        }
    }
}

#[derive(Serialize)]
struct Summary {
    tensors: CountsOut,
    not_frozen: u64,
    graph: Graph,
}

#[derive(Serialize)]
struct Graph {
    semantic: u64,
    cosmetic: u64,
    ignored: u64,
}

impl Graph {
    fn new(diff: &Diff) -> Self {
        let Weights { semantic, cosmetic } = diff.weights();
        Self { semantic, cosmetic, ignored: diff.ignored }
    }
}

struct CountsOut(Counts);

impl Serialize for CountsOut {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(Status::ALL.len()))?;
        for status in Status::ALL {
            map.serialize_entry(status.name(), &self.0.of(status))?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct DamageOut {
    side: &'static str,
    error: String,
}

impl DamageOut {
    fn new(damage: &Damage) -> Self {
        Self { side: damage.side.name(), error: damage.error.to_string() }
    }
}

#[derive(Serialize)]
struct RenameOut<'a> {
    from: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_b64: Option<String>,
    to: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_b64: Option<String>,
}

impl<'a> RenameOut<'a> {
    fn new(rename: &'a Rename) -> Self {
        Self {
            from: Text(&rename.from),
            from_b64: exact(&rename.from),
            to: Text(&rename.to),
            to_b64: exact(&rename.to),
        }
    }
}
