//! Reports of hand-made results.

use ckdiff::artifact::{Artifact, ArtifactKind, ArtifactSummary, UnreadFiles};
use ckdiff::compare::{Comparison, Failure, NanPolicy, PassesAt, Sides, Tolerance, Work, Worst};
use ckdiff::diff::{
    Damage, Diff, DiffOptions, NameFilter, Only, Rename, Side, Status, TensorDiff, TensorRole,
};
use ckdiff::progress::Silent;
use ckdiff::report::{Format, Palette, Report, ReportOptions, write};
use ckdiff::tensor::{DType, Facts, Name, Scalar, Shape};
use ckdiff::{Error, ErrorKind};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::support::json_schema::violations;
use crate::support::named_snapshot;

fn side(path: &str) -> ArtifactSummary {
    ArtifactSummary {
        path: path.into(),
        kind: ArtifactKind::Checkpoint,
        format: "V2".into(),
        has_data: true,
        has_checksums: true,
        not_compared: UnreadFiles::default(),
    }
}

/// The result of comparing a checkpoint with itself.
fn same() -> Diff {
    let demo = Artifact::open("tests/data/demo/model.ckpt").unwrap();
    let options = DiffOptions { only: Only::Tensors, ..DiffOptions::default() };
    ckdiff::diff::diff(&demo, &demo, &options, &Silent).unwrap()
}

fn diff(tensors: Vec<TensorDiff>) -> Diff {
    let mut diff = same();
    (diff.lhs, diff.rhs) = (side("baseline.ckpt"), side("retrained.ckpt"));
    diff.options = DiffOptions::default();
    diff.work = Work::default();
    diff.tensors = tensors;
    diff
}

fn facts(dtype: DType, dims: &[i64]) -> Facts {
    Facts { dtype, shape: Shape::new(dims).unwrap() }
}

fn tensor(name: impl AsRef<[u8]>, status: Status, dims: &[i64]) -> TensorDiff {
    let facts = facts(DType::F32, dims);
    let mut tensor = same().tensors.swap_remove(0);
    tensor.name = Name::from(&name);
    tensor.role = None;
    tensor.status = status;
    tensor.lhs = (status != Status::Added).then(|| facts.clone());
    tensor.rhs = (status != Status::Removed).then_some(facts);
    tensor.comparison = None;
    tensor
}

/// A tensor pair in which every element changed by the fraction `by`.
fn moved(name: impl AsRef<[u8]>, dims: &[i64], by: f64) -> TensorDiff {
    let mut tensor = tensor(name, Status::Different, dims);
    let elements = tensor.lhs.as_ref().unwrap().shape.elements();
    let mut moved = Comparison::default();
    moved.elements = elements;
    moved.differing = elements;
    moved.mismatched = elements;
    moved.first = Some(0);
    moved.max_abs = Some(by / 8.0);
    moved.max_rel = Some(by);
    moved.max_ulp = Some(1000);
    moved.worst = Some(Worst {
        position: elements - 1,
        lhs: Scalar::Float(0.125),
        rhs: Scalar::Float(0.125 * (1.0 + by)),
    });
    moved.rms = Some(by / 10.0);
    moved.rel_l2 = Some(by / 2.0);
    moved.diff_norm = Some(by);
    moved.norm = Some(Sides { lhs: 2.0, rhs: 2.0 + by });
    moved.cosine = Some(0.99);
    moved.mean = Some(Sides { lhs: Scalar::Float(0.0), rhs: Scalar::Float(0.001) });
    moved.std = Some(Sides { lhs: 1.0, rhs: 1.01 });
    moved.nan = Some(Sides::default());
    moved.inf = Some(Sides::default());
    moved.nan_new = Some(0);
    moved.zero_sign = Some(0);
    moved.nan_payload = Some(0);
    moved.zero_lhs = Some(0);
    moved.passes_at = PassesAt { rtol: Some(by), atol: Some(by / 8.0) };
    tensor.comparison = Some(Box::new(moved));
    tensor
}

fn unreadable(name: &str, message: &str) -> TensorDiff {
    let mut tensor = tensor(name, Status::Error, &[4]);
    let error =
        Error::from(ErrorKind::NotFound(message.into())).in_file("b.data-00000-of-00001".as_ref());
    tensor.error = Some(error.at(128).of_tensor(&tensor.name));
    tensor
}

fn human_with(diff: &Diff, palette: Palette, max_diffs: usize) -> String {
    let looks = ReportOptions { palette, max_rows: max_diffs, ..ReportOptions::default() };
    let mut out = Vec::new();
    write(&Report::Diff(diff, None), Format::HUMAN, &looks, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn human(diff: &Diff) -> String {
    human_with(diff, Palette::PLAIN, 20)
}

fn json_text(diff: &Diff) -> String {
    let mut out = Vec::new();
    write(&Report::Diff(diff, None), Format::JSON, &ReportOptions::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn json(diff: &Diff) -> Value {
    let value: Value = serde_json::from_str(&json_text(diff)).unwrap();
    let schema = include_str!("../../../src/report/json/ckdiff-1.schema.json");
    let schema = serde_json::from_str(schema).unwrap();
    assert_eq!(violations(&schema, &value), Vec::<String>::new());
    value
}

/// The first line of a report, which is the answer.
fn answer(diff: &Diff) -> String {
    human(diff).lines().next().unwrap().to_owned()
}

/// A diff that uses every part of a report.
fn everything() -> Diff {
    let mut other_dtype = tensor("step", Status::Dtype, &[]);
    other_dtype.lhs = Some(facts(DType::I32, &[]));
    other_dtype.rhs = Some(facts(DType::I64, &[]));
    let mut one = Comparison::default();
    one.elements = 1;
    other_dtype.comparison = Some(Box::new(one));
    let mut other_shape = tensor("embedding", Status::Shape, &[1000, 64]);
    other_shape.rhs = Some(facts(DType::F32, &[1200, 64]));
    let mut with_nan = moved("norm/variance", &[32], 0.1);
    let comparison = with_nan.comparison.as_mut().unwrap();
    comparison.nan = Some(Sides { lhs: 0, rhs: 2 });
    comparison.nan_new = Some(2);
    comparison.passes_at = PassesAt::default();
    let mut close = moved("dense/bias", &[10], 1e-7);
    close.status = Status::Close;
    let mut diff = diff(vec![
        tensor("conv/bias", Status::Identical, &[8]),
        moved("conv/kernel", &[3, 3, 1, 8], 0.25),
        close,
        moved("dense/kernel", &[784, 128], 1.5),
        tensor("dropout/rate", Status::Removed, &[]),
        other_shape,
        tensor("ema/decay", Status::Added, &[]),
        unreadable("lost/bias", "no such shard"),
        unreadable("lost/kernel", "no such shard"),
        with_nan,
        tensor("old/bias", Status::Removed, &[10]),
        tensor("old/kernel", Status::Removed, &[128, 10]),
        tensor("new/bias", Status::Added, &[10]),
        tensor("new/kernel", Status::Added, &[128, 10]),
        other_dtype,
    ]);
    diff.tensors.sort_by(|a, b| a.name.cmp(&b.name));
    diff.damage.push(Damage {
        side: Side::Rhs,
        error: Error::unexpected("block type", 7, "0 or 1").in_file("b.index".as_ref()).at(40),
    });
    let rename = |part| Rename {
        from: Name::from(&format!("old/{part}")),
        to: Name::from(&format!("new/{part}")),
    };
    diff.renames = vec![rename("bias"), rename("kernel")];
    diff.options.compare.tolerance = Tolerance::new(None, Some(1e-5), None).unwrap();
    diff
}

#[test]
fn a_person_reads_the_answer_first_and_the_worst_next() {
    named_snapshot("report", "everything", &human(&everything()));
}

#[test]
fn a_program_reads_all_of_it() {
    json(&everything());
    named_snapshot("report", "everything_json", &json_text(&everything()));
}

#[test]
fn the_answer_is_a_sentence() {
    let same =
        |n: usize| diff((0..n).map(|i| tensor(i.to_string(), Status::Identical, &[])).collect());
    assert_eq!(answer(&same(0)), "Same: neither side has a tensor.");
    assert_eq!(answer(&same(1)), "Same: the one tensor is identical.");
    assert_eq!(answer(&same(1234)), "Same: all 1,234 tensors are identical.");
    let mut close = same(2);
    close.tensors[0].status = Status::Close;
    assert_eq!(answer(&close), "Same within the tolerance: 1 tensor close, 1 identical.");
    let one = diff(vec![moved("w", &[3], 0.5)]);
    assert_eq!(
        answer(&one),
        "Different: 1 of 1 tensor changed; the tensor moved by 25% (rel l2: ‖rhs − lhs‖ / ‖lhs‖)."
    );
    let mut lost = same(3);
    lost.tensors[1] = unreadable("1", "gone");
    assert_eq!(
        answer(&lost),
        "Error: 1 of 3 tensors cannot be compared; the other 2 are the same."
    );
    lost.tensors.truncate(2);
    assert_eq!(
        answer(&lost),
        "Error: 1 of 2 tensors cannot be compared; the other one is the same."
    );
    lost.tensors[0].status = Status::Different;
    assert_eq!(answer(&lost), "Error: 1 of 2 tensors cannot be compared; the other one changed.");
    let mut damaged = same(2);
    damaged.damage = everything().damage;
    assert_eq!(answer(&damaged), "Error: not everything can be read; 2 tensors are the same.");
}

#[test]
fn tensors_without_a_role_are_counted_where_others_have_one() {
    let mut optimizer = moved("w/m", &[3], 0.5);
    optimizer.role = Some(TensorRole::Optimizer);
    let mut weight = tensor("w", Status::Identical, &[3]);
    weight.role = Some(TensorRole::Weight);
    let table = moved("table", &[3], 0.5);
    let found = diff(vec![table.clone(), weight.clone(), optimizer.clone()]);
    assert_eq!(
        answer(&found),
        "Different: the weight is identical; 1 of 1 optimizer tensor changed and 1 of 1 other tensor changed."
    );
    let line = "  weights: 0 of 1 changed · optimizer: 1 of 1, 25% · other: 1 of 1, 25%\n";
    assert!(human(&found).contains(line), "{}", human(&found));

    optimizer.status = Status::Identical;
    let found = diff(vec![table, weight, optimizer]);
    assert_eq!(answer(&found), "Different: the weight is identical; 1 of 1 other tensor changed.");
}

#[test]
fn the_answer_and_the_table_measure_one_tensor_alike() {
    // The norms of extreme values leave the range of f64, and their quotient does not.
    let mut extreme = moved("w", &[3], 0.5);
    let comparison = extreme.comparison.as_mut().unwrap();
    comparison.diff_norm = Some(f64::INFINITY);
    comparison.norm = Some(Sides { lhs: f64::INFINITY, rhs: f64::INFINITY });
    let found = diff(vec![extreme.clone()]);
    assert!(answer(&found).contains(" moved by 25% "), "{}", answer(&found));
    // Of several, no quotient is known.
    let found = diff(vec![extreme.clone(), extreme]);
    assert_eq!(answer(&found), "Different: 2 of 2 tensors changed.");
}

#[test]
fn a_report_of_nothing_is_whole() {
    let nothing = diff(Vec::new());
    assert_eq!(json(&nothing)["tensors"], Value::Array(Vec::new()));
    assert!(human(&nothing).contains("0 tensors"));
}

#[test]
fn a_long_report_is_cut_and_says_so() {
    let many = |n: usize| {
        let name = |i: usize| format!("layer_{i:04}/kernel");
        diff((0..n).map(|i| moved(name(i), &[64, 64], 0.001 * i as f64)).collect())
    };
    let text = human(&many(1000));
    assert!(text.contains("\n980 tensors not listed: -n all lists every one\n"), "{text}");
    let listed: Vec<&str> = text.lines().filter(|line| line.contains("/kernel ")).collect();
    assert_eq!(listed.len(), 20);
    assert!(listed[0].starts_with("  layer_0999/"), "the worst is first: {}", listed[0]);
    let all = human_with(&many(1000), Palette::PLAIN, 1000);
    assert_eq!(all.matches("/kernel ").count(), 1000);
    assert!(!human(&many(20)).contains("not listed"));
    assert!(human(&many(21)).contains("1 tensor not listed"));
    let none = human_with(&many(3), Palette::PLAIN, 0);
    assert!(none.contains("3 tensors not listed"), "{none}");
}

#[test]
fn every_line_fits_the_terminal_and_every_name_is_whole() {
    let long = "a_scope_with_a_long_name/".repeat(8) + "kernel";
    let mut huge = moved(format!("{long}/huge"), &[9, 99, 999, 9999, 9, 9], 1e300);
    huge.lhs.as_mut().unwrap().dtype = DType::I64;
    let worst = huge.comparison.as_mut().unwrap().worst.as_mut().unwrap();
    worst.lhs = Scalar::Integer(i64::MIN.into());
    worst.rhs = Scalar::Integer(i64::MAX.into());
    let mut complex = moved(format!("{long}/complex"), &[1; 6], 1.0);
    let worst = complex.comparison.as_mut().unwrap().worst.as_mut().unwrap();
    worst.lhs = Scalar::Complex(-1.234e-200, 5.678e200);
    worst.rhs = Scalar::Complex(-1.234e-200, 5.679e200);
    let mut shape = tensor(format!("{long}/shape"), Status::Shape, &[1; 6]);
    shape.rhs = Some(facts(DType::F8E4M3B11Fnuz, &[2; 6]));
    let mut diff = diff(vec![
        huge,
        complex,
        shape,
        tensor(format!("{long}/added"), Status::Added, &[1; 8]),
        tensor(format!("{long}/removed"), Status::Removed, &[2]),
        tensor("語".repeat(90), Status::Added, &[2]),
    ]);
    diff.tensors.extend(everything().tensors);
    diff.lhs.path = format!("/home/{long}").into();
    for columns in [100, 200] {
        let looks = ReportOptions {
            columns: Some(columns),
            max_rows: usize::MAX,
            ..ReportOptions::default()
        };
        let mut out = Vec::new();
        write(&Report::Diff(&diff, None), Format::HUMAN, &looks, &mut out).unwrap();
        let report = String::from_utf8(out).unwrap();
        // Below its name, a row fits; paths, errors and options to paste are whole.
        let is_row = |line: &&str| {
            let cells = line.trim_start();
            let is_side = cells.starts_with("lhs ") || cells.starts_with("rhs ");
            !is_side
                && cells.contains("  ")
                && !cells.contains("b.data-")
                && !cells.starts_with("--rename")
        };
        for line in report.lines().filter(is_row) {
            assert!(line.width() <= columns, "{} columns: {line}", line.width());
        }
        for name in ["huge", "complex", "shape", "added", "removed"] {
            let whole = format!("{long}/{name}");
            assert!(report.contains(&whole), "{whole} in {columns} columns:\n{report}");
        }
    }
}

#[test]
fn control_characters_in_a_file_do_not_reach_the_terminal() {
    let name = b"red\x1b[31m\nbell\x07\x9b\xff\xc2\x9b".as_slice();
    let mut diff = diff(vec![
        moved(name, &[2], 0.5),
        tensor([name, b"2"].concat(), Status::Removed, &[2]),
        tensor([name, b"3"].concat(), Status::Added, &[2]),
        unreadable("a\x1b[2J", "gone\x1b[2J"),
    ]);
    diff.lhs.path = "evil\x1b]0;title\x07.ckpt".into();
    diff.renames
        .push(Rename { from: diff.tensors[1].name.clone(), to: diff.tensors[2].name.clone() });
    for max_diffs in [0, 100] {
        let text = human_with(&diff, Palette::PLAIN, max_diffs);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        assert!(!text.contains("--rename"), "a name that cannot be typed is not suggested");
    }
}

#[test]
fn colors_are_optional_and_change_no_word() {
    let plain = human(&everything());
    let colored = human_with(&everything(), Palette::COLOR, 20);
    assert!(!plain.contains('\x1b'));
    assert!(colored.contains('\x1b'));
    let style = regex::Regex::new("\x1b\\[[0-9;]*m").unwrap();
    assert_eq!(style.replace_all(&colored, ""), plain);
}

#[test]
fn differences_in_bits_alone_suggest_an_atol_of_zero() {
    let mut zeros = diff(vec![moved("w", &[8], 0.0), tensor("x", Status::Added, &[])]);
    let comparison = zeros.tensors[0].comparison.as_mut().unwrap();
    comparison.zero_sign = Some(5);
    comparison.nan_payload = Some(3);
    assert!(human(&zeros).contains("with --atol 0 they compare equal"));
    zeros.tensors[0].comparison.as_mut().unwrap().nan_payload = Some(2);
    assert!(!human(&zeros).contains("--atol 0"));
    zeros.tensors[0].comparison.as_mut().unwrap().nan_payload = Some(3);
    zeros.options.compare.nan = NanPolicy::Differ;
    assert!(!human(&zeros).contains("--atol 0"));
}

#[test]
fn a_tolerance_that_would_pass_is_suggested_where_it_helps() {
    let suggestion = |diff: &Diff| {
        let is_one = |line: &&str| line.contains("would pass") || line.contains("would not pass");
        human(diff).lines().find(is_one).map(str::to_owned)
    };
    let mut noise = diff(vec![moved("a", &[8], 1.234e-6), moved("b", &[8], 1e-7)]);
    let reported = Some("It would pass with --rtol 1.3e-6 or with --atol 1.6e-7.".into());
    assert_eq!(suggestion(&noise), reported);
    let retrained = diff(vec![moved("a", &[8], 0.5)]);
    assert_eq!(suggestion(&retrained), None, "a retrained model is not numerical noise");
    noise.tensors.push(tensor("c", Status::Added, &[]));
    assert_eq!(suggestion(&noise), None, "no tolerance accepts an added tensor");
    let mut asked = retrained;
    asked.options.compare.tolerance = Tolerance::new(None, None, Some(4)).unwrap();
    let reported = "It would pass with --rtol 0.5 or with --atol 0.063 or with --ulp 1000.";
    assert_eq!(suggestion(&asked), Some(reported.into()));
    asked.tensors[0].comparison.as_mut().unwrap().passes_at = PassesAt::default();
    assert_eq!(
        suggestion(&asked),
        Some("The comparison would not pass under any tolerance.".into())
    );
}

/// The rules that a report suggests, parsed like a shell would.
fn suggested(diff: &Diff) -> Vec<String> {
    let text = human(diff);
    let rules = text.lines().filter_map(|line| line.strip_prefix("  --rename '"));
    rules.map(|rule| rule.rsplit_once('\'').unwrap().0.replace(r"'\''", "'")).collect()
}

fn renamed(pairs: &[(&str, &str)], others: &[&str]) -> Diff {
    let mut tensors = Vec::new();
    let mut renames = Vec::new();
    for (from, to) in pairs {
        tensors.push(tensor(from, Status::Removed, &[3]));
        tensors.push(tensor(to, Status::Added, &[3]));
        renames.push(Rename { from: Name::from(from), to: Name::from(to) });
    }
    tensors.extend(others.iter().map(|name| tensor(name, Status::Identical, &[3])));
    tensors.sort_by(|a, b| a.name.cmp(&b.name));
    let mut diff = diff(tensors);
    diff.renames = renames;
    diff
}

#[test]
fn suggested_renames_rename_exactly_those() {
    /// Renamed pairs, other names of lhs, and the number of suggested rules.
    type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], usize);
    let cases: &[Case<'_>] = &[
        (&[("old/a", "new/a"), ("old/b", "new/b")], &["older/a", "new/c"], 1),
        (&[("old/a", "new/a"), ("old/b", "new/b")], &["old/c"], 2),
        (&[("old/a", "new/a")], &[], 1),
        (&[("a", "scope/a"), ("b", "scope/b")], &[], 1),
        (&[("a", "scope/a"), ("b", "scope/b")], &["c"], 2),
        (&[("scope/a", "a"), ("scope/b", "b")], &["scoped"], 1),
        (&[("x/old/a", "x/new/a"), ("x/old/d/b", "x/new/d/b")], &["x/old_2/a"], 1),
        (&[("it's/a.b[0]", "$1/a$b"), ("w+", "w*")], &["w", "ww", "it's/aXb[0]"], 2),
        (&[("a=b/k", "c/k"), ("a=b/l", "c/l")], &[], 1),
    ];
    for (pairs, others, rules) in cases {
        let diff = renamed(pairs, others);
        let suggested = suggested(&diff);
        assert_eq!(suggested.len(), *rules, "{pairs:?}: {suggested:?}");
        let names = NameFilter::new(&[], &[], &suggested).unwrap();
        for (from, to) in *pairs {
            assert_eq!(names.rename(&Name::from(from)), Some(Name::from(to)), "{suggested:?}");
        }
        for other in *others {
            assert_eq!(names.rename(&Name::from(other)), None, "{suggested:?}");
        }
    }
    assert_eq!(
        suggested(&renamed(&[("a", "b=c")], &[])),
        [""; 0],
        "the command splits at the last ="
    );
}

#[test]
fn renamed_tensors_are_not_listed_twice() {
    let text = human(&renamed(&[("old/a", "new/a")], &["w"]));
    assert!(!text.contains("Removed"), "{text}");
    assert!(text.contains("1 tensor seems renamed"), "{text}");
}

#[test]
fn an_answer_from_checksums_says_so() {
    let mut by_index = diff(vec![tensor("w", Status::Different, &[3])]);
    by_index.rhs.has_data = false;
    let text = human(&by_index);
    assert!(text.contains("rhs is only an index, without data"), "{text}");
    assert!(text.contains("checksum"), "{text}");
    assert!(json(&by_index)["tensors"][0]["elements"].is_null());
}

#[test]
fn json_has_the_numbers_of_each_type() {
    let with = |dtype, lhs, rhs| {
        let mut tensor = moved("w", &[2], 0.5);
        tensor.lhs = Some(facts(dtype, &[2]));
        tensor.rhs = Some(facts(dtype, &[2]));
        let comparison = tensor.comparison.as_mut().unwrap();
        comparison.worst = Some(Worst { position: 1, lhs, rhs });
        let value = json(&diff(vec![tensor]));
        value["tensors"][0]["worst"].to_string()
    };
    let float = |value: f64| Scalar::Float(value);
    assert_eq!(
        with(DType::F32, float(0.1f32.into()), float(1.0)),
        r#"{"index":[1],"lhs":0.1,"rhs":1.0}"#
    );
    assert_eq!(
        with(DType::BF16, float(0.333_984_375), float(f64::INFINITY)),
        r#"{"index":[1],"lhs":0.334,"rhs":"Infinity"}"#
    );
    assert_eq!(
        with(DType::F64, float(f64::NAN), float(-0.0)),
        r#"{"index":[1],"lhs":"NaN","rhs":-0.0}"#
    );
    assert_eq!(
        with(DType::I64, Scalar::Integer(i64::MIN.into()), Scalar::Integer((1 << 53) + 1)),
        r#"{"index":[1],"lhs":-9223372036854775808,"rhs":9007199254740993}"#
    );
    assert_eq!(
        with(DType::U64, Scalar::Integer(u64::MAX.into()), Scalar::Integer(0)),
        r#"{"index":[1],"lhs":18446744073709551615,"rhs":0}"#
    );
    assert_eq!(
        with(
            DType::Complex64,
            Scalar::Complex(0.1f32.into(), f64::NEG_INFINITY),
            Scalar::Complex(0.0, 1.0)
        ),
        r#"{"index":[1],"lhs":[0.1,"-Infinity"],"rhs":[0.0,1.0]}"#
    );
}

#[test]
fn json_names_are_text_with_base64_for_other_bytes() {
    let odd = diff(vec![
        tensor(b"\xff\xfe", Status::Identical, &[]),
        tensor("naïve\n", Status::Identical, &[]),
    ]);
    let value = json(&odd);
    assert_eq!(value["tensors"][0]["name"], "\\xff\\xfe");
    assert_eq!(value["tensors"][0]["name_b64"], "//4=");
    assert_eq!(value["tensors"][1]["name"], "naïve\n");
    assert_eq!(value["tensors"][1].get("name_b64"), None);
}

#[test]
fn the_schema_notices_what_is_wrong() {
    let schema = include_str!("../../../src/report/json/ckdiff-1.schema.json");
    let schema = serde_json::from_str(schema).unwrap();
    let mut value = json(&everything());
    value["tensors"][0]["rms"] = "big".into();
    value["verdict"] = "maybe".into();
    value["extra"] = 1.into();
    value["options"].as_object_mut().unwrap().remove("ulp");
    assert_eq!(violations(&schema, &value).len(), 4);
}

#[test]
fn the_device_is_reported_unless_it_is_the_cpu_alone() {
    let mut diff = diff(vec![tensor("a", Status::Identical, &[])]);
    let reported = |diff: &Diff| {
        let json: Value = serde_json::from_str(&json_text(diff)).unwrap();
        (human(diff), json["options"]["device"].clone())
    };
    let (human, json) = reported(&diff);
    assert!(!human.contains("device"), "{human}");
    assert_eq!(json, "cpu");
    let accelerator = Some(("Radeon \u{1b}[31m".into(), 3));
    diff.work = Work { tensors: 4, accelerator, failure: Some(Failure::Lost("unplugged".into())) };
    let (human, json) = reported(&diff);
    let line = "  device: gpu:Radeon \\u{1b}[31m for 3 tensors, cpu for 1 tensor, since the device is lost: unplugged\n";
    assert!(human.contains(line), "{human}");
    assert!(json.as_str().unwrap().starts_with("gpu:Radeon "), "{json}");
}
