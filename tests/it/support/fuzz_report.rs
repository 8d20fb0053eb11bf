//! Checks of reports in fuzz targets: JSON is valid and says what the exit code says, and every other form can be written.

use std::path::PathBuf;
use std::sync::LazyLock;

use ckdiff::diff::Diff;
use ckdiff::report::{self, Format, Report, ReportOptions};
use ckdiff::verify::{self, Verification};
use serde::Deserialize;
use serde_json::Value;

use super::json_schema::violations;

/// A JSON Schema of a report.
type JsonSchema = LazyLock<Value>;

static DIFF: JsonSchema =
    LazyLock::new(|| json(include_bytes!("../../../src/report/json/ckdiff-1.schema.json")));
static VERIFY: JsonSchema =
    LazyLock::new(|| json(include_bytes!("../../../src/report/json/ckdiff-verify-1.schema.json")));
static SHOW: JsonSchema =
    LazyLock::new(|| json(include_bytes!("../../../src/report/json/ckdiff-show-1.schema.json")));
static SHOW_MESSAGE: JsonSchema = LazyLock::new(|| {
    json(include_bytes!("../../../src/report/json/ckdiff-show-message-1.schema.json"))
});

/// Parses JSON of any depth.
fn json(text: &[u8]) -> Value {
    let mut reader = serde_json::Deserializer::from_slice(text);
    reader.disable_recursion_limit();
    let read = Value::deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    read.unwrap_or_else(|error| panic!("{error}\n{}", text.escape_ascii()))
}

/// Writes a report in every form. Returns its JSON, which matches its schema; `None` if a message has no JSON form.
fn written(report: &Report<'_>, schema: &Value) -> Option<Value> {
    let mut in_json = None;
    for format in Format::of(report.subject()) {
        let mut out = Vec::new();
        match report::write(report, format, &ReportOptions::default(), &mut out) {
            Ok(_) if format == Format::JSON => in_json = Some(json(&out)),
            Ok(_) => assert!(std::str::from_utf8(&out).is_ok(), "{}", out.escape_ascii()),
            Err(error) => {
                assert!(matches!(report, Report::Overview(_)), "writing to memory: {error}");
            }
        }
    }
    if let Some(value) = &in_json {
        assert_eq!(violations(schema, value), Vec::<String>::new(), "{value}");
    }
    in_json
}

/// Checks the reports of a comparison: the verdict is what follows from everything else that they say.
pub(crate) fn check_diff(diff: &Diff) {
    let said = written(&Report::Diff(diff, None), &DIFF).expect("a comparison has a JSON form");
    assert_eq!(said["verdict"], diff.verdict().name(), "{said}");
    let list = |key: &str| said[key].as_array().expect("it is a list");
    let with = |status: &str| list("tensors").iter().filter(|row| row["status"] == status).count();
    let is_trouble = !list("damage").is_empty() || with("error") > 0;
    let is_same = with("identical") + with("close") == list("tensors").len()
        && list("changes").iter().all(|change| change["weight"] != "semantic");
    let verdict = match (is_trouble, is_same) {
        (true, _) => "trouble",
        (false, true) => "same",
        (false, false) => "different",
    };
    assert_eq!(said["verdict"], verdict, "{said}");
    for status in ["identical", "close", "different", "added", "removed", "error"] {
        assert_eq!(said["summary"]["tensors"][status], with(status), "{status}: {said}");
    }
}

/// Checks the reports of a verification: the verdict is the worst of its parts.
pub(crate) fn check_verifications(results: &[(PathBuf, ckdiff::Result<Verification>)]) {
    let said = written(&Report::Verifications(results, &[]), &VERIFY)
        .expect("a verification has a JSON form");
    let verdict = verify::Verdict::of_all(results.iter().map(|(_, result)| result));
    assert_eq!(said["verdict"], verdict.name(), "{said}");
    let parts = said["artifacts"].as_array().expect("it is a list");
    assert_eq!(parts.len(), results.len());
    let any = |verdict: &str| parts.iter().any(|part| part["verdict"] == verdict);
    let worst = ["trouble", "unfit"].into_iter().find(|verdict| any(verdict));
    assert_eq!(said["verdict"], worst.unwrap_or("sound"), "{said}");
    for part in parts {
        let is_empty = |key: &str| part[key].as_array().is_some_and(Vec::is_empty);
        let is_sound = is_empty("damage") && is_empty("errors");
        assert_eq!(is_sound, part["verdict"] != "trouble", "{said}");
    }
}

/// Checks the reports of a listing or an overview.
pub(crate) fn check_shown(report: &Report<'_>) {
    let schema = if matches!(report, Report::Overview(_)) { &SHOW_MESSAGE } else { &SHOW };
    written(report, schema);
}
