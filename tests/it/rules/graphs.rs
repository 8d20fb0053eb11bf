//! Rules for changes of graphs, and what comes from the command line to the report.

use std::path::Path;

use ckdiff::diff::Verdict;
use ckdiff::rules::Found;
use ckdiff::schema::tensorflow::meta_graph_def::MetaInfoDef;
use ckdiff::schema::tensorflow::{MetaGraphDef, SavedModel, SignatureDef};
use prost::Message;

use super::saved::again;
use super::{compared, failures, rules};

const GRAPHS: &str = "tests/data/training";

/// What fails between a graph and the same with another edge.
fn failing(text: &str) -> Vec<String> {
    let rules = rules(&format!("[default]\nexpect = \"any\"\n{text}"));
    let root = Path::new(GRAPHS);
    let diff = compared(&root.join("seeds/1"), &root.join("faulty/warm/rewired"), Some(&rules));
    assert!(diff.weights().semantic > 0);
    failures(&rules.judge(&diff))
}

const CHANGE: &str = "graph_def.node[\"residual\"].input[1]";

#[test]
fn a_change_that_matters_breaks_the_rules_unless_they_accept_it() {
    let expected = [format!("{CHANGE}: expect")];
    assert_eq!(failing(""), expected);
    assert_eq!(failing("[graph]\nexpect = \"unchanged\""), expected);
    assert_eq!(failing("[graph]\nexpect = \"ignored\""), [""; 0]);
    let start = "[graph]\nignore = 'graph_def.node[\"res'";
    assert_eq!(failing(start), expected, "globs match whole paths, or whole starts");
    assert_eq!(failing("[graph]\nignore = '**.input[1]'"), [""; 0]);
    assert_eq!(failing("[graph]\ncosmetic = '**.input*'"), [""; 0]);
    assert_eq!(failing("[graph]\ncosmetic = '**'\nsemantic = '**.input[1]'"), expected);
}

#[test]
fn nodes_can_be_named_that_must_not_change() {
    let accepted = "[graph]\nexpect = \"ignored\"\n";
    assert_eq!(
        failing(&format!("{accepted}unchanged = \"res*\"")),
        [format!("{CHANGE}: unchanged")]
    );
    assert_eq!(failing(&format!("{accepted}unchanged = \"dense*/**\"")), [""; 0]);
}

#[test]
fn ops_are_allowed_and_denied() {
    let accepted = "[graph]\nexpect = \"ignored\"\n";
    assert_eq!(
        failing(&format!("{accepted}deny_ops = [\"Relu\", \"PyFunc\"]")),
        ["Relu: deny_ops"]
    );
    let others = failing(&format!("{accepted}allow_ops = [\"Relu\", \"MatMul\", \"Const\"]"));
    assert!(others.contains(&"Conv2D: allow_ops".to_owned()), "{others:?}");
    assert!(!others.contains(&"MatMul: allow_ops".to_owned()), "{others:?}");
}

#[test]
fn signatures_can_be_kept_while_the_graph_changes() {
    let root = Path::new("tests/data/saved_models");
    let judge = |text: &str, lhs: &str, rhs: &str| {
        let rules = rules(text);
        let diff = compared(&root.join(lhs), &root.join(rhs), Some(&rules));
        failures(&rules.judge(&diff))
    };
    let free = "[default]\nexpect = \"ignored\"\n[graph]\nexpect = \"ignored\"\n";
    assert_eq!(judge(free, "module", "stateless"), [""; 0]);
    let kept = judge(&format!("{free}signatures = \"unchanged\""), "module", "stateless");
    assert!(!kept.is_empty() && kept.iter().all(|line| line.ends_with(": signatures")), "{kept:?}");
}

#[test]
fn a_signature_that_goes_with_its_meta_graph_is_a_change_of_a_signature() {
    let dir = tempfile::tempdir().unwrap();
    let model = |name: &str, graphs: &[(&str, &[&str])]| {
        let graph = |(tag, signatures): &(&str, &[&str])| MetaGraphDef {
            meta_info_def: Some(MetaInfoDef {
                tags: vec![(*tag).into()],
                ..MetaInfoDef::default()
            }),
            signature_def: signatures
                .iter()
                .map(|name| ((*name).to_owned(), SignatureDef::default()))
                .collect(),
            ..MetaGraphDef::default()
        };
        let meta_graphs = graphs.iter().map(graph).collect();
        let model = SavedModel { saved_model_schema_version: 1, meta_graphs };
        let path = dir.path().join(name);
        std::fs::write(&path, model.encode_to_vec()).unwrap();
        path
    };
    let both = model("both.pb", &[("serve", &["predict"]), ("train", &["a", "b"])]);
    let plain = model("plain.pb", &[("serve", &["predict"]), ("train", &[])]);
    let one = model("one.pb", &[("serve", &["predict"])]);
    let path = "meta_graphs[\"train\"]";
    let free = "[graph]\nexpect = \"ignored\"\n";
    let kept = format!("{free}signatures = \"unchanged\"");
    let strict = "[graph]\nsignatures = \"ignored\"";
    for (text, lhs, rhs, expected) in [
        (free, &both, &one, None),
        (&*kept, &both, &one, Some(("signatures", "removed with 2 signatures"))),
        (&kept, &one, &both, Some(("signatures", "added with 2 signatures"))),
        (&kept, &plain, &one, None),
        (strict, &both, &one, Some(("expect", "removed with 2 signatures"))),
        (strict, &plain, &one, Some(("expect", "removed"))),
    ] {
        let rules = rules(text);
        let judgement = rules.judge(&compared(lhs, rhs, Some(&rules)));
        let found: Vec<_> = judgement
            .failures
            .iter()
            .map(|check| (check.subject.shown(), check.gate, check.found.clone()))
            .collect();
        let expected = expected.map(|(gate, found)| (path, gate, Found::Text(found.into())));
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{text}");
        let read = again(&compared(lhs, rhs, None));
        assert_eq!(rules.judge(&read).failures, judgement.failures, "{text}");
    }
}

#[test]
fn rules_for_graphs_that_were_not_compared_are_undecided() {
    let root = Path::new("tests/data");
    let judge = |text: &str, other: &str| {
        let rules = rules(&format!(
            "[default]\nexpect = \"any\"\nadded = \"allowed\"\nremoved = \"allowed\"\n{text}"
        ));
        let diff = compared(&root.join("demo/v1format.ckpt"), &root.join(other), Some(&rules));
        rules.judge(&diff).verdict()
    };
    let stated = "[graph]\ndeny_ops = [\"PyFunc\"]";
    assert_eq!(judge(stated, "demo/model.ckpt"), Verdict::Trouble);
    assert_eq!(judge("", "demo/model.ckpt"), Verdict::Same);
    assert_eq!(judge("[graph]\nexpect = \"ignored\"", "demo/model.ckpt"), Verdict::Same);
}
