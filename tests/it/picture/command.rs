//! `ckdiff show --format dot` and `mermaid`.

use crate::support::command::ckdiff;
use crate::support::named_snapshot;

#[test]
fn pictures_are_printed() {
    let shown: &[(&str, &[&str])] = &[
        ("frozen", &["graphs/frozen.pb"]),
        ("training_depth_1", &["graphs/training.meta", "--depth=1"]),
        ("functions", &["graphs/control_flow_v2.meta"]),
        ("saved_model", &["saved_models/module"]),
    ];
    for (name, args) in shown {
        for format in ["dot", "mermaid"] {
            let run = ckdiff(&[&["show", "--format", format], *args].concat());
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
            named_snapshot("picture", &format!("{name}_{format}"), run.text());
        }
    }
}

#[test]
fn only_graphs_have_pictures() {
    for (path, why) in [
        ("demo/model.ckpt", "dot is not a format for this; the formats are human, json"),
        ("graphs/saver_def.pb", "expected a graph to draw, found a saver, which has none"),
    ] {
        let run = ckdiff(&["show", path, "--format=dot"]);
        assert_eq!((run.code, run.stdout.len()), (2, 0), "{path}");
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
    let run = ckdiff(&["demo/model.ckpt", "demo/model.ckpt", "--format=dot"]);
    assert_eq!(run.code, 2);
}

#[test]
fn a_picture_can_be_a_further_report() {
    let run = ckdiff(&["show", "graphs/frozen.pb", "--output=mermaid=-"]);
    assert_eq!(run.code, 0);
    assert!(run.text().starts_with("flowchart TB\n"), "{}", run.text());
    let human = ckdiff(&["show", "graphs/frozen.pb"]);
    let both = ckdiff(&["show", "graphs/frozen.pb", "--output=dot=/dev/null"]);
    assert_eq!(human.text(), both.text());
}
