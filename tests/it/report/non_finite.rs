//! New NaN and infinities of tensors whose values were not compared are told in every report.

use ckdiff::artifact::Artifact;
use ckdiff::diff::{Diff, DiffOptions, diff};
use ckdiff::progress::Silent;
use ckdiff::report::{Format, Report, ReportOptions, write};
use ckdiff::tensor::Tensor;

use crate::support::written::{checkpoint, floats, strings};

const NAN: f32 = f32::NAN;

fn compared(lhs: &[(&str, Tensor)], rhs: &[(&str, Tensor)]) -> Diff {
    let dir = tempfile::tempdir().unwrap();
    let open = |name: &str, tensors: &[(&str, Tensor)]| {
        let tensors: Vec<_> =
            tensors.iter().map(|(name, tensor)| ((*name).to_owned(), tensor.clone())).collect();
        Artifact::open(checkpoint(dir.path(), name, &tensors)).unwrap()
    };
    diff(&open("lhs", lhs), &open("rhs", rhs), &DiffOptions::default(), &Silent).unwrap()
}

fn written(diff: &Diff, format: Format) -> String {
    let mut out = Vec::new();
    write(&Report::Diff(diff, None), format, &ReportOptions::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn new_nan_of_tensors_without_a_counterpart_are_in_every_report() {
    let same = ("same", floats(&[1.0]));
    let lhs = [same.clone(), ("shape", floats(&[NAN, f32::INFINITY])), ("dtype", strings(&["a"]))];
    let rhs = [
        same,
        ("new", floats(&[NAN, 1.0, NAN])),
        ("shape", floats(&[NAN, NAN, f32::NEG_INFINITY])),
        ("dtype", floats(&[f32::INFINITY])),
    ];
    let diff = compared(&lhs, &rhs);
    let answer = "NEW NaN or infinity in 3 tensors";
    let lines = [
        (Format::HUMAN, ["float32  [3]  2 new NaN\n", "float32; 1 new NaN", "1 new infinite"]),
        (Format::MARKDOWN, ["float32 [3]; 2 new NaN", "[3]; 1 new NaN", "1 new infinite"]),
        (Format::GITHUB, ["float32 [3]; 2 new NaN", "[3]; 1 new NaN", "1 new infinite"]),
        (Format::JUNIT, ["float32 [3]; 2 new NaN", "[3]; 1 new NaN", "1 new infinite"]),
        (Format::HTML, ["float32 [3]; 2 new NaN", "[3]; 1 new NaN", "1 new infinite"]),
    ];
    for (format, lines) in lines {
        let text = written(&diff, format);
        // The format has no line for the answer.
        assert!(format == Format::JUNIT || text.contains(answer), "{text}");
        for line in lines {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
    assert_eq!(written(&diff, Format::HTML).matches("<b>NaN</b> ").count(), 3);
}

#[test]
fn old_nan_under_another_name_are_not_new() {
    let values = floats(&[NAN, 1.0]);
    let diff = compared(&[("before", values.clone())], &[("after", values)]);
    assert_eq!(diff.renames.len(), 1);
    let text = written(&diff, Format::HUMAN);
    assert!(!text.contains("NEW NaN"), "{text}");
}
