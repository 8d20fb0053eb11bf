//! Changes of savers: graphs that save or restore different tensors differ.

use ckdiff::artifact::Form;
use ckdiff::diff::Diff;

use crate::support::graph::pairs::{artifact, compared, lines, semantic, words};

/// A node as text; `inputs` are separated by blanks.
fn node(name: &str, op: &str, inputs: &str, rest: &str) -> String {
    let inputs: String =
        inputs.split_whitespace().map(|input| format!(" input: \"{input}\"")).collect();
    format!("node {{ name: \"{name}\" op: \"{op}\"{inputs} {rest} }}\n")
}

fn ty(name: &str, value: &str) -> String {
    format!("attr {{ key: \"{name}\" value {{ type: {value} }} }} ")
}

fn strings(name: &str, texts: &[&str]) -> String {
    let values: String = texts.iter().map(|text| format!(" string_val: \"{text}\"")).collect();
    let shape = format!("tensor_shape {{ dim {{ size: {} }} }}", texts.len());
    let value = format!("tensor {{ dtype: DT_STRING {shape}{values} }}");
    let attrs = format!("attr {{ key: \"value\" value {{ {value} }} }}");
    node(name, "Const", "", &(ty("dtype", "DT_STRING") + &attrs))
}

/// A node that saves or restores, with its constants.
fn saver(name: &str, op: &str, keys: &[&str], data: &str, dtype: &str, rest: &str) -> String {
    let dtypes = format!(" type: {dtype}").repeat(keys.len());
    let attrs =
        format!("attr {{ key: \"dtypes\" value {{ list {{ {dtypes} }} }} }} device: \"{rest}\"");
    let inputs = format!("file {name}/names {name}/slices {data}");
    strings(&format!("{name}/names"), keys)
        + &strings(&format!("{name}/slices"), &vec![""; keys.len()])
        + &node(name, op, &inputs, &attrs)
}

fn restore(keys: &[&str], dtype: &str) -> String {
    saver("save/restore", "RestoreV2", keys, "", dtype, "")
}

fn variable(name: &str) -> String {
    node(name, "VariableV2", "", &ty("dtype", "DT_FLOAT"))
}

fn assign(name: &str, inputs: &str) -> String {
    node(name, "Assign", inputs, &ty("T", "DT_FLOAT"))
}

fn diff(lhs: &[String], rhs: &[String]) -> Diff {
    let graph = |nodes: &[String]| {
        let all = strings("file", &["a"]) + &strings("other", &["b"]) + &nodes.concat();
        artifact(format!("graph_def {{ {all} }}").as_bytes(), Form::Text)
    };
    let (lhs, rhs) = (graph(lhs), graph(rhs));
    assert_eq!(semantic(&compared(&lhs, &lhs)).len(), 0);
    compared(&lhs, &rhs)
}

/// Checks that one semantic change contains all of these words.
fn reports(diff: &Diff, all: &[&str]) {
    let says = |said: &str| all.iter().all(|part| said.contains(part));
    let is_told = semantic(diff).into_iter().any(|change| says(&words(change)));
    assert!(is_told, "{all:?} in {}", lines(diff));
}

#[test]
fn restoring_as_another_dtype_is_reported() {
    let cast = node("save/cast", "Cast", "save/restore", &ty("DstT", "DT_FLOAT"));
    let lhs = [variable("w"), restore(&["w"], "DT_FLOAT"), assign("save/assign", "w save/restore")];
    let rhs =
        [variable("w"), restore(&["w"], "DT_HALF"), cast, assign("save/assign", "w save/cast")];
    let diff = diff(&lhs, &rhs);
    reports(&diff, &["restores", "w", "float32", "float16"]);
    assert_eq!(semantic(&diff).len(), 1, "{}", lines(&diff));
}

#[test]
fn saving_another_output_is_reported() {
    let graph = |data: &str| {
        let split = node("split", "Split", "w w", &ty("T", "DT_FLOAT"));
        [variable("w"), split, saver("save/save", "SaveV2", &["a", "b"], data, "DT_FLOAT", "")]
    };
    let swapped = diff(&graph("split:0 split:1"), &graph("split:1 split:0"));
    reports(&swapped, &["saves", "a", "split:0", "split:1"]);
    reports(&swapped, &["saves", "b", "split:1", "split:0"]);
    assert_eq!(semantic(&swapped).len(), 2, "{}", lines(&swapped));
    reports(&diff(&graph("split:0 w"), &graph("split:1 w")), &["saves", "a", "split:1"]);
}

#[test]
fn saving_from_another_device_is_reported() {
    let graph = |[first, second]: [&[&str]; 2]| {
        let save = |name: &str, keys: &[&str], device: &str| {
            saver(name, "SaveV2", keys, &keys.join(" "), "DT_FLOAT", device)
        };
        let variables: String = ["a", "b", "c"].map(variable).concat();
        let first = save("save/one", first, "/device:CPU:0");
        [variables, first, save("save/two", second, "/device:CPU:1")]
    };
    let (lhs, rhs) = (graph([&["a", "b"], &["c"]]), graph([&["a"], &["b", "c"]]));
    let diff = diff(&lhs, &rhs);
    reports(&diff, &["saves", "b", "/device:CPU:0", "/device:CPU:1"]);
    assert_eq!(semantic(&diff).len(), 1, "{}", lines(&diff));
}

#[test]
fn consuming_another_restored_tensor_is_reported() {
    let keys = ["a", "b", "c"];
    let graph = |keys: &[&str], input: &str| {
        let neg = node("neg", "Neg", input, &ty("T", "DT_FLOAT"));
        [restore(keys, "DT_FLOAT"), neg]
    };
    let lhs = graph(&keys, "save/restore:1");
    reports(&diff(&lhs, &graph(&keys, "save/restore:2")), &["neg", "save/restore:2"]);
    // The same input, which is now another key.
    reports(&diff(&lhs, &graph(&["b", "a", "c"], "save/restore:1")), &["neg"]);
    // Another input with the same key.
    let moved = diff(&lhs, &graph(&["0", "a", "b", "c"], "save/restore:2"));
    assert!(!semantic(&moved).iter().any(|change| words(change).contains("neg")));
    assert_eq!(semantic(&moved).len(), 1, "{}", lines(&moved));
}

#[test]
fn consuming_a_tensor_of_another_file_is_reported() {
    let graph = |from: &str| {
        let other = saver("save/second", "RestoreV2", &["a"], "", "DT_FLOAT", "")
            .replace("\"file\"", "\"other\"");
        let neg = node("neg", "Neg", from, &ty("T", "DT_FLOAT"));
        [restore(&["a"], "DT_FLOAT"), other, neg]
    };
    reports(&diff(&graph("save/restore"), &graph("save/second")), &["neg", "save/second"]);
}

#[test]
fn restoring_one_tensor_into_two_variables_is_reported_for_both() {
    let graph = |input: &str| {
        let assigns =
            assign("save/one", "a save/restore") + &assign("save/two", "b save/restore:1");
        let third = assign("save/three", &format!("c {input}"));
        [["a", "b", "c"].map(variable).concat(), restore(&["a", "b"], "DT_FLOAT"), assigns, third]
    };
    let (lhs, rhs) = (graph("save/restore"), graph("save/restore:1"));
    reports(&diff(&lhs, &rhs), &["save/three", "save/restore:1"]);
}

#[test]
fn savers_with_too_many_names_are_compared_as_constants() {
    let graph = |keys: &[&str], dtypes: usize| {
        let save = saver("save/save", "SaveV2", keys, "w", "DT_FLOAT", "");
        let types = " type: DT_FLOAT".repeat(keys.len());
        [variable("w"), save.replace(&types, &" type: DT_FLOAT".repeat(dtypes))]
    };
    let (lhs, rhs) = (graph(&["a", "b"], 1), graph(&["a", "c"], 1));
    reports(&diff(&lhs, &rhs), &["save/save/names", "value"]);
    assert!(!semantic(&diff(&graph(&["a", "b"], 1), &graph(&["a", "b"], 2))).is_empty());
}
