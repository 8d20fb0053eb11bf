//! The variables that a graph declares, which a snapshot lists for readers.

use std::fs;

use ckdiff::artifact::Artifact;
use ckdiff::snapshot;

const GRAPH: &str = r#"
node { name: "w/Adam" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } dim { size: 3 } } } } }
node { name: "w" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } dim { size: 3 } } } } }
node { name: "step/global_step" op: "VarHandleOp" attr { key: "dtype" value { type: DT_INT64 } } attr { key: "shape" value { shape { } } } }
node { name: "rows" op: "VarHandleOp" attr { key: "dtype" value { type: DT_HALF } } attr { key: "shape" value { shape { dim { size: -1 } dim { size: 2 } } } } }
node { name: "any" op: "VarHandleOp" attr { key: "dtype" value { type: DT_HALF } } attr { key: "shape" value { shape { unknown_rank: true } } } }
node { name: "bare\n# 9 variables" op: "VarHandleOp" }
node { name: "odd" op: "VarHandleOp" attr { key: "dtype" value { i: 1 } } attr { key: "shape" value { s: "x" } } }
node { name: "future" op: "VarHandleOp" attr { key: "dtype" value { type: 9999 } } attr { key: "shape" value { shape { dim { size: 9223372036854775807 } dim { size: 4 } } } } }
node { name: "w" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } dim { size: 3 } } } } }
node { name: "Const" op: "Const" }
"#;

#[test]
fn a_graph_lists_the_variables_that_its_nodes_declare_each_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("graph.pbtxt");
    fs::write(&path, GRAPH).unwrap();
    let text = snapshot::text(&Artifact::open(&path).unwrap()).unwrap();
    let table = text.lines().skip_while(|line| !line.contains("variables;"));
    let table: Vec<_> = table.take_while(|line| line.starts_with('#')).collect();
    let expected = [
        "# 8 variables; 6 weight, 6 elements; 1 optimizer, 6 elements; 1 counter, 1 element, as declared by nodes:",
        "#   any float16 [...] weight",
        r#"#   "bare\n# 9 variables" ? [...] weight"#,
        "#   future ? [9223372036854775807, 4] weight",
        "#   odd ? [...] weight",
        "#   rows float16 [?, 2] weight",
        "#   step/global_step int64 [] counter",
        "#   w float32 [2, 3] weight",
        "#   w/Adam float32 [2, 3] optimizer",
    ];
    assert_eq!(table, expected, "{text}");
}
