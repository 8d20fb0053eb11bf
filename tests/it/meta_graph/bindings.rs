//! What an import binds and returns: outputs that the graph has, with the dtypes that its nodes take.
//!
//! Every refusal is one of TensorFlow 2.21's `import_graph_def`, on the same graph.

use ckdiff::meta_graph::{ImportOptions, ImportOutcome, import};
use ckdiff::schema::tensorflow::{GraphDef, MetaGraphDef};

use crate::meta_graph::tensorflow::text;
use crate::support::message_forms::parsed;

const DTYPE: &str = "attr { key: 'dtype' value { type: DT_FLOAT } }";

/// Outputs of every kind: one float (`x`), one int32 (`i`), three (`s`), two of other dtypes (`u`), none (`n`), of an unknown op (`mine`), and of a
/// function (`call`).
fn graph() -> String {
    format!(
        "node {{ name: 'x' op: 'Placeholder' {DTYPE} }}
         node {{ name: 'i' op: 'Placeholder' attr {{ key: 'dtype' value {{ type: DT_INT32 }} }} }}
         node {{ name: 'y' op: 'Identity' input: 'x' attr {{ key: 'T' value {{ type: DT_FLOAT }} }} }}
         node {{ name: 's' op: 'Split' input: 'i' input: 'x' attr {{ key: 'num_split' value {{ i: 3 }} }}
                 attr {{ key: 'T' value {{ type: DT_FLOAT }} }} }}
         node {{ name: 'z' op: 'AddV2' input: 'y' input: 's' attr {{ key: 'T' value {{ type: DT_FLOAT }} }} }}
         node {{ name: 'u' op: 'Unique' input: 'i' attr {{ key: 'T' value {{ type: DT_INT32 }} }} }}
         node {{ name: 'n' op: 'NoOp' }}
         node {{ name: 'mine' op: 'MyOwnOp' input: 'u:1' }}
         node {{ name: 'call' op: 'twice' input: 'x' }}
         node {{ name: 'v' op: 'VariableV2' {DTYPE} attr {{ key: 'shape' value {{ shape {{ }} }} }} }}
         node {{ name: 'set' op: 'Assign' input: 'v' input: 'x' attr {{ key: 'T' value {{ type: DT_FLOAT }} }} }}
         library {{ function {{ signature {{ name: 'twice' input_arg {{ name: 'a' type: DT_FLOAT }}
            output_arg {{ name: 'b' type: DT_FLOAT }} output_arg {{ name: 'c' type: DT_FLOAT }} }}
            ret {{ key: 'b' value: 'a' }} ret {{ key: 'c' value: 'a' }} }} }}"
    )
}

/// Imports the graph into one with the tensors `float`, `int`, `var` (a reference) and `two:1`.
fn imported(bound: &[(&str, &str)], returned: &[&str]) -> Result<ImportOutcome<'static>, String> {
    let into = format!(
        "graph_def {{
            node {{ name: 'float' op: 'Placeholder' {DTYPE} }}
            node {{ name: 'int' op: 'Placeholder' attr {{ key: 'dtype' value {{ type: DT_INT32 }} }} }}
            node {{ name: 'var' op: 'VariableV2' {DTYPE} attr {{ key: 'shape' value {{ shape {{ }} }} }} }}
            node {{ name: 'two' op: 'Unique' input: 'float' attr {{ key: 'T' value {{ type: DT_FLOAT }} }} }}
            node {{ name: 'odd' op: 'AnotherOfMyOps' }}
        }}"
    );
    let meta = |text: &str| parsed("tensorflow.MetaGraphDef", text);
    let options = ImportOptions {
        import_scope: "imp".into(),
        input_map: bound.iter().map(|(from, to)| ((*from).into(), (*to).into())).collect(),
        return_elements: returned.iter().map(|element| (*element).into()).collect(),
        ..ImportOptions::default()
    };
    let (graph, into) = (meta(&format!("graph_def {{ {} }}", graph())), meta(&into));
    import(&graph, Some(&into), &options).map_err(|error| error.to_string())
}

#[test]
fn an_element_is_an_output_that_its_node_has() {
    for (element, new) in [
        ("x:0", "imp/x:0"),
        ("s:2", "imp/s:2"),
        ("u:1", "imp/u:1"),
        ("call:1", "imp/call:1"),
        ("n", "imp/n"),
        // Numbers are read as by Python, and -1 is the last output.
        ("x:00", "imp/x:0"),
        ("y:+0", "imp/y:0"),
        ("x:-1", "imp/x:0"),
        ("s:-1", "imp/s:2"),
        // Its op is in no list.
        ("mine:7", "imp/mine:7"),
    ] {
        let found = imported(&[], &[element]).unwrap();
        assert_eq!(found.return_elements, [new], "{element}");
    }
    for (element, says) in [
        ("x:1", "there is no output 1: x has 1 output"),
        ("x:7", "there is no output 7: x has 1 output"),
        ("x:01", "there is no output 1: x has 1 output"),
        ("s:3", "there is no output 3: s has 3 outputs"),
        ("u:2", "there is no output 2: u has 2 outputs"),
        ("n:0", "there is no output 0: n has 0 outputs"),
        ("n:-1", "n has no last output"),
        ("call:2", "there is no output 2: call has 2 outputs"),
    ] {
        let error = imported(&[], &[element]).unwrap_err();
        assert_eq!(error, format!("element to return: {says}"), "{element}");
    }
    // A replaced tensor is returned in its place.
    for (from, to) in [("y:0", "float:0"), ("y", "float"), ("y", "float:0")] {
        let found = imported(&[(from, to)], &["y:0", "y:00", "y"]).unwrap();
        assert_eq!(found.return_elements, ["float:0", "float:0", "imp/y"], "{from} {to}");
    }
}

#[test]
fn only_outputs_that_a_node_has_are_replaced() {
    for (from, says) in [
        ("x:1", "there is no output 1: x has 1 output"),
        ("x:3", "there is no output 3: x has 1 output"),
        ("s:3", "there is no output 3: s has 3 outputs"),
        ("n:0", "there is no output 0: n has 0 outputs"),
        ("n", "there is no output 0: n has 0 outputs"),
    ] {
        let error = imported(&[(from, "float:0")], &[]).unwrap_err();
        assert_eq!(error, format!("input_map: {says}"), "{from}");
    }
    assert!(imported(&[("mine:7", "float:0")], &[]).is_ok());
    let error = imported(&[("^x:0", "float")], &[]).unwrap_err();
    assert!(error.starts_with("input_map names ^x:0, which is not in the graph"), "{error}");
}

/// The nodes of a graph with these replacements, below `e`; the replacement is `src`.
fn nodes(graph: &str, bound: &[(&str, &str)]) -> Result<GraphDef, String> {
    let meta = |text: &str| parsed("tensorflow.MetaGraphDef", &format!("graph_def {{ {text} }}"));
    let options = ImportOptions {
        import_scope: "e".into(),
        input_map: bound.iter().map(|(from, to)| ((*from).into(), (*to).into())).collect(),
        ..ImportOptions::default()
    };
    let into = meta(&format!("node {{ name: 'src' op: 'Placeholder' {DTYPE} }}"));
    let outcome = import(&meta(graph), Some(&into), &options).map_err(|error| error.to_string())?;
    Ok(outcome.message.to_typed::<MetaGraphDef>().unwrap().graph_def.unwrap())
}

fn inputs<'g>(graph: &'g GraphDef, name: &str) -> &'g [String] {
    &graph.node.iter().find(|node| node.name == name).unwrap().input
}

/// What a node takes may be an output that does not exist, as in TensorFlow.
#[test]
fn an_input_that_does_not_exist_is_replaced() {
    let graph = format!(
        "node {{ name: 'x' op: 'Placeholder' {DTYPE} }}
         node {{ name: 'y' op: 'Identity' input: 'x:3' attr {{ key: 'T' value {{ type: DT_FLOAT }} }} }}"
    );
    let found = nodes(&graph, &[("x:3", "src")]).unwrap();
    assert_eq!(inputs(&found, "e/y"), ["src"]);
    assert!(nodes(&graph, &[("x:2", "src")]).is_err());
}

#[test]
fn graphs_that_tensorflow_refuses_are_refused() {
    let int = "attr { key: 'dtype' value { type: DT_INT32 } }";
    let y = |inputs: &str| {
        format!(
            "node {{ name: 'x' op: 'Placeholder' {DTYPE} }} node {{ name: 'i' op: 'Placeholder' {int} }}
             node {{ name: 'y' op: 'Identity' {inputs} attr {{ key: 'T' value {{ type: DT_FLOAT }} }} }}"
        )
    };
    let of_x = y("input: 'x' input: '^i'");
    for (graph, says) in [
        (y("input: 'x:3'"), "input 0 of y: there is no output 3: x has 1 output"),
        (y("input: 'i'"), "input 0 of y: dtype: expected float32, found int32 from i"),
        (y("input: '^i' input: 'x'"), "node y: input x is after control inputs"),
        (
            format!("{of_x} versions {{ min_consumer: 99999 }}"),
            "min_consumer of the graph: expected at most 2474, the version of TensorFlow 2.21, found 99999",
        ),
    ] {
        assert_eq!(nodes(&graph, &[]).unwrap_err(), says);
    }
    assert!(nodes(&format!("{of_x} versions {{ min_consumer: 2474 }}"), &[]).is_ok());
    // A collection names tensors that are there.
    for (item, is_there) in [("y", true), ("y:0", true), ("y:5", false), ("z", false)] {
        let graph = parsed(
            "tensorflow.MetaGraphDef",
            &format!(
                "graph_def {{ {of_x} }}
                 collection_def {{ key: 'c' value {{ node_list {{ value: '{item}' }} }} }}"
            ),
        );
        assert_eq!(import(&graph, None, &ImportOptions::default()).is_ok(), is_there, "{item}");
    }
}

#[test]
fn control_inputs_are_sorted_if_one_is_replaced() {
    let graph = |controls: &str| {
        format!(
            "node {{ name: 'c' op: 'NoOp' }} node {{ name: 'b' op: 'NoOp' }}
             node {{ name: 'x' op: 'Placeholder' {DTYPE} }}
             node {{ name: 'y' op: 'Identity' input: 'x' {controls}
                 attr {{ key: 'T' value {{ type: DT_FLOAT }} }} }}"
        )
    };
    let both = graph("input: '^c' input: '^b'");
    let found = nodes(&both, &[("^c", "src")]).unwrap();
    assert_eq!(inputs(&found, "e/y"), ["e/x", "^e/b", "^src"]);
    let found = nodes(&both, &[("^c", "src"), ("^b", "src"), ("x", "src")]).unwrap();
    assert_eq!(inputs(&found, "e/y"), ["src", "^src"]);
    // Otherwise they are as they were.
    assert_eq!(inputs(&nodes(&both, &[]).unwrap(), "e/y"), ["e/x", "^e/c", "^e/b"]);
}

/// As in TensorFlow: the first input of a loop may come from outside the imported graph.
#[test]
fn a_loop_begins_with_a_replacement() {
    let t = "attr { key: 'T' value { type: DT_FLOAT } }";
    let graph = format!(
        "node {{ name: 'x' op: 'Placeholder' {DTYPE} }} node {{ name: 'c' op: 'NoOp' }}
         node {{ name: 'enter' op: 'Enter' input: 'x' {t}
             attr {{ key: 'frame_name' value {{ s: 'w' }} }} }}
         node {{ name: 'merge' op: 'Merge' input: 'enter' input: 'next' input: '^c' {t}
             attr {{ key: 'N' value {{ i: 2 }} }} }}
         node {{ name: 'next' op: 'NextIteration' input: 'merge' {t} }}"
    );
    let found = nodes(&graph, &[("enter", "src")]).unwrap();
    assert_eq!(inputs(&found, "e/merge"), ["src", "e/next", "^e/c"]);
    let found = nodes(&graph, &[("enter", "src"), ("^c", "src")]).unwrap();
    assert_eq!(inputs(&found, "e/merge"), ["src", "e/next", "^src"]);
    let order: Vec<_> = found.node.iter().map(|node| &*node.name).collect();
    assert_eq!(order, ["src", "e/x", "e/c", "e/enter", "e/merge", "e/next"]);
}

#[test]
fn a_replacement_has_the_dtype_that_its_consumers_take() {
    for (from, to) in [
        ("x:0", "float:0"),
        ("x", "float"),
        ("i:0", "int:0"),
        ("u:1", "int:0"),
        ("u:1", "two:1"),
        // As an input, a reference to a variable is its value.
        ("y:0", "var:0"),
        ("v:0", "var:0"),
        // Nothing takes these.
        ("z:0", "int:0"),
        ("s:1", "int:0"),
        ("u:0", "float:0"),
        // The dtype is unknown.
        ("x:0", "odd:0"),
        // What the consumer takes is unknown.
        ("u:1", "float:0"),
    ] {
        assert!(imported(&[(from, to)], &[]).is_ok(), "{from} {to}");
    }
    for (from, to, says) in [
        ("x:0", "int:0", "input 0 of y: dtype: expected float32, found int32 from int:0"),
        ("x", "two:1", "input 0 of y: dtype: expected float32, found int32 from two:1"),
        ("y:0", "int:0", "input 0 of z: dtype: expected float32, found int32 from int:0"),
        ("s:0", "int:0", "input 1 of z: dtype: expected float32, found int32 from int:0"),
        ("i:0", "float:0", "input 0 of s: dtype: expected int32, found float32 from float:0"),
        (
            "v:0",
            "float:0",
            "input 0 of set: dtype: expected a reference to float32, found float32 from float:0",
        ),
        (
            "v:0",
            "int:0",
            "input 0 of set: dtype: expected a reference to float32, found int32 from int:0",
        ),
    ] {
        let error = imported(&[(from, to)], &[]).unwrap_err();
        assert_eq!(error, format!("input_map: {says}"), "{from} {to}");
    }
    // The replacement itself must be there.
    for (to, says) in [
        ("float:1", "there is no output 1: float has 1 output"),
        ("two:2", "there is no output 2: two has 2 outputs"),
    ] {
        let error = imported(&[("x:0", to)], &[]).unwrap_err();
        assert_eq!(error, format!("input_map: {says}"), "{to}");
    }
    let moved = imported(&[("x:0", "var:0")], &[]).unwrap();
    assert!(text(&moved.message).contains("input: \"var\""));
}
