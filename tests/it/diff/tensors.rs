//! The pairing of tensors, and reports of unmatched ones.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use ckdiff::artifact::Artifact;
use ckdiff::checkpoint::{CheckpointBuilder, Format, IfExists};
use ckdiff::compare;
use ckdiff::diff::{self, Diff, NameFilter, Status, Verdict, diff};
use ckdiff::progress::{Progress, Silent};
use ckdiff::tensor::{DType, Scalar, Shape, Tensor};

fn open(path: &str) -> Artifact<'static> {
    Artifact::open(format!("tests/data/{path}")).unwrap()
}

fn names(include: &[&str], exclude: &[&str], rename: &[&str]) -> NameFilter {
    let owned = |list: &[&str]| list.iter().map(|&s| s.to_owned()).collect::<Vec<_>>();
    NameFilter::new(&owned(include), &owned(exclude), &owned(rename)).unwrap()
}

fn with(lhs: &str, rhs: &str, names: NameFilter) -> Diff {
    let options = diff::DiffOptions { names, ..diff::DiffOptions::default() };
    diff(&open(lhs), &open(rhs), &options, &Silent).unwrap()
}

fn plain(lhs: &str, rhs: &str) -> Diff {
    with(lhs, rhs, NameFilter::default())
}

/// One line for each tensor that is not identical.
fn changes(diff: &Diff) -> String {
    let mut lines = String::new();
    for tensor in diff.tensors.iter().filter(|tensor| tensor.status != Status::Identical) {
        writeln!(lines, "{} {}", tensor.status.name(), tensor.name).unwrap();
    }
    lines
}

const BASELINE: &str = "retrain/baseline.ckpt";
const RETRAINED: &str = "retrain/retrained.ckpt";

#[test]
fn layout_is_not_content() {
    for (lhs, rhs) in [
        ("demo/model.ckpt", "demo/v1format.ckpt"),
        ("v1/all.ckpt", "v1/v2twin.ckpt"),
        ("slices/parts.ckpt", "slices/whole.ckpt"),
        ("shards/one.ckpt", "shards/three.ckpt"),
        ("hostile/good", "hostile/good_v1"),
    ] {
        for (lhs, rhs) in [(lhs, rhs), (rhs, lhs)] {
            let diff = plain(lhs, rhs);
            assert_eq!(changes(&diff), "", "{lhs} against {rhs}");
            assert_eq!(diff.verdict(), Verdict::Same);
            assert!(!diff.tensors.is_empty());
        }
    }
}

#[test]
fn every_checkpoint_equals_itself() {
    for (path, tensors) in crate::support::known_tensors() {
        let diff = plain(&path, &path);
        assert_eq!(diff.verdict(), Verdict::Same, "{path}: {}", changes(&diff));
        assert_eq!(diff.tensors.len(), tensors.len(), "{path}");
    }
}

#[test]
fn swapping_the_sides_swaps_added_and_removed() {
    let (there, back) = (plain(BASELINE, RETRAINED), plain(RETRAINED, BASELINE));
    let swapped =
        changes(&back).replace("added", "X").replace("removed", "added").replace('X', "removed");
    assert_eq!(changes(&there), swapped);
    assert!(there.counts().of(Status::Added) > 0);
}

/// Counts what is to be done, and what is done.
#[derive(Default)]
struct Bytes {
    total: AtomicU64,
    done: AtomicU64,
}

impl Progress for Bytes {
    fn total(&self, bytes: u64) {
        self.total.fetch_add(bytes, Ordering::Relaxed);
    }

    fn advance(&self, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }
}

#[test]
fn each_of_very_many_tensors_gets_its_own_result() {
    const TENSORS: u32 = 140_000;
    let dir = tempfile::tempdir().unwrap();
    // A tensor of rhs has the value of lhs, or another one, or another shape and NaN.
    let write = |file: &str, number: &dyn Fn(u32) -> f32| {
        let tensors: Vec<Tensor> = (0..TENSORS)
            .map(|i| {
                let value = number(i);
                let shape = Shape::new(if value.is_nan() { &[1, 1] } else { &[1] }).unwrap();
                Tensor::new(DType::F32, shape, value.to_le_bytes().to_vec()).unwrap()
            })
            .collect();
        let mut builder = CheckpointBuilder::default();
        for (i, tensor) in tensors.iter().enumerate() {
            builder.add(format!("v{i:06}").as_str(), tensor).unwrap();
        }
        let format = Format::by_name("safetensors").unwrap();
        let path = dir.path().join(file);
        builder.write(&path, format, IfExists::Refuse, &Silent).unwrap();
        Artifact::open(path).unwrap()
    };
    let lhs = write("lhs.safetensors", &|i| i as f32);
    let expected = |i: u32| match i % 10_007 {
        5 => Status::Different,
        7 => Status::Shape,
        // Where the first round ends, and the second begins.
        _ if [65_535, 65_536].contains(&i) => Status::Different,
        _ => Status::Identical,
    };
    let rhs = write("rhs.safetensors", &|i| match expected(i) {
        Status::Different => i as f32 + 1.0,
        Status::Shape => f32::NAN,
        _ => i as f32,
    });
    let progress = Bytes::default();
    let diff = diff(&lhs, &rhs, &diff::DiffOptions::default(), &progress).unwrap();
    assert_eq!(diff.tensors.len(), TENSORS as usize);
    for (i, tensor) in (0..).zip(&diff.tensors) {
        let expected = expected(i);
        assert_eq!(tensor.status, expected, "{}", tensor.name);
        let worst = tensor.comparison.as_deref().map(|found| found.worst.unwrap().lhs);
        let value = (expected != Status::Shape).then_some(Scalar::Float(i.into()));
        assert_eq!(worst, value, "{}", tensor.name);
        let new_nan = tensor.non_finite.as_deref().map(|of| (of.lhs.nan, of.rhs.nan));
        assert_eq!(new_nan, (expected == Status::Shape).then_some((0, 1)), "{}", tensor.name);
    }
    assert_eq!(progress.total.into_inner(), u64::from(TENSORS) * 8);
    assert_eq!(progress.done.into_inner(), u64::from(TENSORS) * 8);
}

#[test]
fn tensors_of_the_same_bytes_are_suggested_as_renames() {
    let suggested: Vec<_> = plain(BASELINE, RETRAINED)
        .renames
        .iter()
        .map(|rename| format!("{} -> {}", rename.from, rename.to))
        .collect();
    assert_eq!(
        suggested,
        [
            "model/dense_1/bias -> model/classifier/bias",
            "model/dense_1/kernel -> model/classifier/kernel"
        ]
    );
}

#[test]
fn a_rename_matches_tensors() {
    let names = names(&["model/classifier/*"], &[], &["^model/dense_1/(.*)=model/classifier/$1"]);
    let diff = with(BASELINE, RETRAINED, names);
    assert_eq!(diff.verdict(), Verdict::Same);
    let from: Vec<_> =
        diff.tensors.iter().map(|t| t.renamed_from.as_ref().unwrap().to_string()).collect();
    assert_eq!(from, ["model/dense_1/bias", "model/dense_1/kernel"]);
}

#[test]
fn filters_match_whole_names_and_stars_stop_at_slashes() {
    let count = |include: &[&str], exclude: &[&str]| {
        with(BASELINE, BASELINE, names(include, exclude, &[])).tensors.len()
    };
    assert_eq!(count(&["model/*"], &[]), 1);
    assert_eq!(count(&["model/**"], &[]), 18);
    assert_eq!(count(&["model/**"], &["**/Adam*"]), 16);
    assert_eq!(count(&["vocab", "global_step"], &[]), 2);
}

#[test]
fn filters_that_leave_nothing_are_trouble() {
    let options = diff::DiffOptions { names: names(&["no/such"], &[], &[]), ..Default::default() };
    let error = diff(&open(BASELINE), &open(RETRAINED), &options, &Silent).unwrap_err();
    insta::assert_snapshot!(error, @"the filters leave no tensor to compare");
}

#[test]
fn a_rename_of_two_tensors_to_one_name_is_trouble() {
    let options = diff::DiffOptions { names: names(&[], &[], &["^.*$=x"]), ..Default::default() };
    let error = diff(&open(BASELINE), &open(RETRAINED), &options, &Silent).unwrap_err();
    insta::assert_snapshot!(error, @"rename: both global_step and model/attention/kernel are renamed to x");
}

#[test]
fn invalid_rules_are_trouble() {
    for (rule, why) in
        [("abc", "'=' is missing"), ("=x", "FROM is empty"), ("(=x", "unclosed group")]
    {
        let error = NameFilter::new(&[], &[], &[rule.into()]).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    let groups = |count: usize| format!("(.*)={}", "$1$$".repeat(count));
    assert!(NameFilter::new(&[], &[], &[groups(16)]).is_ok());
    let error = NameFilter::new(&[], &[], &[groups(17)]).unwrap_err().to_string();
    assert!(error.ends_with("expected at most 16 groups in TO, found 17"), "{error}");
    assert!(NameFilter::new(&["[".into()], &[], &[]).is_err());
}

#[test]
fn chunk_sizes_and_threads_do_not_change_a_diff() {
    let run = |threads, chunk_bytes| {
        let compare = compare::CompareOptions { threads, chunk_bytes, ..Default::default() };
        let options = diff::DiffOptions { compare, ..Default::default() };
        let diff = diff(&open(BASELINE), &open(RETRAINED), &options, &Silent).unwrap();
        format!("{:?} {:?}", diff.tensors, diff.renames)
    };
    let once = run(1, 256 << 10);
    for (threads, chunk_bytes) in [(2, 256 << 10), (2, 1), (1, 777), (4, 4096)] {
        assert_eq!(run(threads, chunk_bytes), once, "{threads} threads, {chunk_bytes} bytes");
    }
}

/// Compares damaged checkpoints with the intact ones: undamaged tensors are still compared.
#[test]
fn damage_to_one_tensor_leaves_the_others_compared() {
    let diff = plain("hostile/good", "hostile/bit_data");
    assert_eq!(diff.verdict(), Verdict::Trouble);
    let errors: Vec<_> = diff.tensors.iter().filter(|t| t.status == Status::Error).collect();
    assert_eq!(errors.len(), 1);
    assert!(errors[0].comparison.is_none(), "no statistics without a valid checksum");
    assert_eq!(diff.counts().of(Status::Identical), diff.tensors.len() as u64 - 1);
}

/// Blocks and data have checksums; the footer has a magic number and zeros, and its handles lead to data with
/// checksums.
#[test]
fn every_flipped_byte_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let copy = |name: &str| {
        let bytes = std::fs::read(format!("tests/data/hostile/{name}")).unwrap();
        std::fs::write(directory.path().join(name), &bytes).unwrap();
        bytes
    };
    let good = open("hostile/good");
    let data = "good.data-00000-of-00001";
    let (index, shard) = (copy("good.index"), copy(data));
    for (name, bytes) in [("good.index", index), (data, shard)] {
        let mut opened = 0;
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            std::fs::write(directory.path().join(name), &flipped).unwrap();
            let Ok(damaged) = Artifact::open(directory.path().join("good")) else { continue };
            let diff = diff(&good, &damaged, &diff::DiffOptions::default(), &Silent).unwrap();
            assert_eq!(diff.verdict(), Verdict::Trouble, "byte {at} of {name}");
            opened += 1;
        }
        // A checkpoint with a damaged index mostly cannot be opened; damaged data never prevents it.
        assert!(opened == bytes.len() || name == "good.index" && opened > 0, "{name}: {opened}");
        std::fs::write(directory.path().join(name), &bytes).unwrap();
    }
    assert_eq!(plain("hostile/good", "hostile/good").verdict(), Verdict::Same);
}

/// Damage is reported in tensors of another shape, of another name, and in unmatched ones.
#[test]
fn every_damaged_tensor_is_trouble_in_a_diff() {
    let mut seen = 0;
    for (case, facts) in crate::support::cases("hostile.json", 125) {
        if facts["broken"].as_array().unwrap().is_empty() {
            continue;
        }
        let good = if case.starts_with("v1_") { "hostile/good_v1" } else { "hostile/good" };
        let Ok(damaged) = Artifact::open(format!("tests/data/hostile/{case}")) else { continue };
        let start = std::time::Instant::now();
        for (lhs, rhs) in [(&open(good), &damaged), (&damaged, &open(good)), (&damaged, &damaged)] {
            let diff = diff(lhs, rhs, &diff::DiffOptions::default(), &Silent).unwrap();
            assert_eq!(diff.verdict(), Verdict::Trouble, "{case}");
        }
        assert!(start.elapsed().as_secs() < 3, "{case} took {:?}", start.elapsed());
        seen += 1;
    }
    assert!(seen > 40, "only {seen} cases could be opened");
}

#[test]
fn an_index_alone_is_compared_by_checksums() {
    let directory = tempfile::tempdir().unwrap();
    let index_of = |path: &str| {
        let name = format!("{}.index", path.replace('/', "_"));
        let to = directory.path().join(name);
        std::fs::copy(format!("tests/data/{path}.index"), &to).unwrap();
        Artifact::open(to).unwrap()
    };
    let status = |lhs: &Artifact, rhs: &Artifact, compare| {
        let options = diff::DiffOptions { compare, ..Default::default() };
        diff(lhs, rhs, &options, &Silent).unwrap().verdict()
    };
    let bits = compare::CompareOptions::default();
    let close = compare::CompareOptions {
        tolerance: compare::Tolerance::new(Some(1e9), None, None).unwrap(),
        ..bits.clone()
    };
    let (base, twin) = (index_of(BASELINE), index_of(RETRAINED));
    assert_eq!(status(&base, &base, bits.clone()), Verdict::Same);
    assert_eq!(status(&base, &twin, bits.clone()), Verdict::Different);
    assert_eq!(
        status(&base, &twin, close),
        Verdict::Trouble,
        "an index alone does not tell the distance"
    );
    let (parts, whole) = (index_of("slices/parts.ckpt"), index_of("slices/whole.ckpt"));
    assert_eq!(status(&parts, &whole, bits.clone()), Verdict::Trouble, "another layout");
    let damaged = open("hostile/bit_data");
    assert_eq!(status(&index_of("hostile/good"), &damaged, bits), Verdict::Trouble);
}

#[test]
fn an_exclusion_applies_to_both_names_of_a_renamed_tensor() {
    let diff = with(BASELINE, BASELINE, names(&[], &["model/**"], &["^model/=m/"]));
    assert_eq!(diff.tensors.len(), 2, "{}", changes(&diff));
}

#[test]
fn a_file_that_shrinks_while_being_read_is_trouble() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["good.index", "good.data-00000-of-00001"] {
        std::fs::copy(format!("tests/data/hostile/{name}"), directory.path().join(name)).unwrap();
    }
    let shrinking = Artifact::open(directory.path().join("good")).unwrap();
    let compare =
        || diff(&open("hostile/good"), &shrinking, &diff::DiffOptions::default(), &Silent).unwrap();
    assert_eq!(compare().verdict(), Verdict::Same, "the shard is open from now on");
    let shard = directory.path().join("good.data-00000-of-00001");
    std::fs::File::options().write(true).open(shard).unwrap().set_len(3).unwrap();
    let after = compare();
    assert_eq!(after.verdict(), Verdict::Trouble);
    let error = after.tensors.iter().find_map(|tensor| tensor.error.as_ref()).unwrap().to_string();
    assert!(error.contains("as when it was opened, found 3 bytes"), "{error}");
}

#[test]
fn verify_notices_every_flipped_byte_of_a_v1_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("v1");
    let good = std::fs::read("tests/data/hostile/good_v1").unwrap();
    let mut opened = 0;
    for at in 0..good.len() {
        let mut flipped = good.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(&path, &flipped).unwrap();
        let Ok(damaged) = Artifact::open(&path) else { continue };
        assert!(
            !ckdiff::verify::verify(&damaged, None, 1, &Silent).unwrap().is_sound(),
            "byte {at}"
        );
        opened += 1;
    }
    assert!(opened > good.len() / 8, "{opened} of {}", good.len());
}

#[test]
fn graphs_that_cannot_be_compared_are_not_called_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let variables = Path::new("tests/data/saved_models/builder/variables");
    for file in ["index", "data-00000-of-00001"] {
        std::fs::copy(variables.join(format!("variables.{file}")), at(&format!("m.{file}")))
            .unwrap();
    }
    std::fs::copy("tests/data/demo/model.ckpt.meta", at("m.meta")).unwrap();
    let run = crate::support::command::ckdiff(&[at("m").to_str().unwrap(), "saved_models/builder"]);
    assert_eq!(run.code, 0, "{}{}", run.text(), run.stderr);
    assert!(!run.text().contains("graph is the same"), "{}", run.text());
    assert!(run.text().contains("the graphs are not compared"), "{}", run.text());
}
