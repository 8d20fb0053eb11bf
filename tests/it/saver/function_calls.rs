//! Function calls while a saver runs, and functions that cannot be run.

use ckdiff::checkpoint::Checkpoint;
use ckdiff::message::Message;
use ckdiff::saver::plan::restore_plan;
use ckdiff::saver::run::{MergeOptions, NamedTensor, Variables, WriteCheckpoint, restore, save};
use ckdiff::schema::tensorflow::SaverDef;
use ckdiff::schema::tensorflow::saver_def::CheckpointFormatVersion;

use crate::support::message_forms::parsed;
use crate::support::named_snapshot;

/// A graph with a placeholder for the file name, a node `all`, and these functions.
fn of_functions(functions: &str, all: &str) -> Message<'static> {
    let text = format!(
        "graph_def {{
            node {{ name: 'file' op: 'Placeholder' attr {{ key: 'dtype' value {{ type: DT_STRING }} }} }}
            node {{ name: 'all' {all} }}
            library {{ {functions} }}
        }}"
    );
    parsed("tensorflow.MetaGraphDef", &text)
}

/// The result of restoring with the node `all` defined by `call`, and these functions.
fn run(functions: &str, call: &str) -> Result<(), String> {
    let saver = SaverDef {
        filename_tensor_name: "file:0".into(),
        restore_op_name: "all".into(),
        ..SaverDef::default()
    };
    let path = "tests/data/savers/run/of_references/model.ckpt";
    let mut variables = Variables::default();
    let done = restore(&of_functions(functions, call), &saver, path, &mut variables);
    done.map_err(|error| error.to_string())
}

fn function(name: &str, arguments: &[&str], nodes: &str, results: &[(&str, &str)]) -> String {
    let arg = |name: &&str| format!("input_arg {{ name: '{name}' type: DT_STRING }} ");
    let arguments: String = arguments.iter().map(arg).collect();
    let out =
        |(name, _): &(&str, &str)| format!("output_arg {{ name: '{name}' type: DT_STRING }} ");
    let ret = |(name, from): &(&str, &str)| format!("ret {{ key: '{name}' value: '{from}' }} ");
    let (outputs, rets): (String, String) =
        (results.iter().map(out).collect(), results.iter().map(ret).collect());
    let nodes = nodes.replace("node {", "node_def {");
    format!("function {{ signature {{ name: '{name}' {arguments}{outputs} }} {nodes} {rets} }} ")
}

fn calls(name: &str, inputs: &str) -> String {
    let inputs: String = inputs.split_whitespace().map(|i| format!("input: '{i}' ")).collect();
    format!(
        "op: 'StatefulPartitionedCall' {inputs}
         attr {{ key: 'Tout' value {{ list {{ type: DT_STRING }} }} }}
         attr {{ key: 'f' value {{ func {{ name: '{name}' }} }} }}"
    )
}

/// The value of `output` in a graph whose node `all` is defined by `all`, with these functions and the file name `F`.
fn value(functions: &str, all: &str, output: &str) -> Result<String, String> {
    let graph = of_functions(functions, all);
    let saver = SaverDef {
        filename_tensor_name: "file:0".into(),
        save_tensor_name: output.into(),
        ..SaverDef::default()
    };
    struct Nothing;
    impl WriteCheckpoint for Nothing {
        fn write(
            &mut self,
            _: &str,
            _: &[NamedTensor<'_>],
            _: CheckpointFormatVersion,
        ) -> ckdiff::Result<()> {
            unreachable!()
        }
        fn merge(&mut self, _: &[&str], _: &str, _: MergeOptions) -> ckdiff::Result<()> {
            unreachable!()
        }
    }
    let saved = save(&graph, &saver, "F", &Variables::default(), &mut Nothing);
    saved.map_err(|error| error.to_string())
}

/// A constant with one string.
fn text(name: &str, text: &str) -> String {
    let tensor = format!("tensor {{ dtype: DT_STRING tensor_shape {{}} string_val: '{text}' }}");
    format!(
        "node {{ name: '{name}' op: 'Const' attr {{ key: 'dtype' value {{ type: DT_STRING }} }}
         attr {{ key: 'value' value {{ {tensor} }} }} }}"
    )
}

#[test]
fn functions_are_called_as_a_graph_calls_them() {
    let same = function("same", &["x"], "", &[("y", "x")]);
    let joined = "node { name: 'both' op: 'StringJoin' input: 'a' input: 'b:0' }";
    let join = function("join", &["a", "b"], joined, &[("y", "both:output:0")]);
    // A call by name as an op; a result that is an argument; a function that calls another.
    let inside = format!(
        "node {{ name: 'once' op: 'same' input: 'x' }} {} node {{ name: 'again' {} }}",
        text("t", "-t"),
        calls("join", "once:y t:output:0")
    );
    let nested = function("nested", &["x"], &inside, &[("y", "again:output:0")]);
    let all = same + &join + &nested;
    assert_eq!(value(&all, &calls("nested", "file"), "all:0").unwrap(), "F-t");
    assert_eq!(value(&all, "op: 'join' input: 'file' input: 'file'", "all:0").unwrap(), "FF");
}

#[test]
fn outputs_are_selected_by_name_and_number() {
    let nodes = text("t", "T");
    // Results in an order that differs from that of their names.
    let pair = function("pair", &["x"], &nodes, &[("second", "x"), ("first", "t:output:0")]);
    assert_eq!(value(&pair, "op: 'pair' input: 'file'", "all:0").unwrap(), "F");
    assert_eq!(value(&pair, "op: 'pair' input: 'file'", "all:1").unwrap(), "T");
    let from = |port: &str| {
        let nodes = "node { name: 'p' op: 'pair' input: 'x' }";
        let result = format!("p:{port}");
        let outer = function("outer", &["x"], nodes, &[("y", &result)]);
        value(&(pair.clone() + &outer), &calls("outer", "file"), "all:0")
    };
    assert_eq!(from("second:0").unwrap(), "F");
    assert_eq!(from("first:0").unwrap(), "T");
    assert_eq!(from("first").unwrap(), "T");
    for port in ["first:1", "third:0", "output:0", "0"] {
        let error = from(port).unwrap_err();
        assert!(error.contains("names no output of node p"), "{port}: {error}");
    }
}

#[test]
fn every_result_of_a_function_must_be_defined() {
    let whole = function("f", &["x"], "", &[("a", "x"), ("b", "x")]);
    assert_eq!(value(&whole, &calls("f", "file"), "all:1").unwrap(), "F");
    let ret = "ret { key: 'a' value: 'x' }";
    for bad in ["", "ret { key: 'c' value: 'x' }"] {
        let error = value(&whole.replace(ret, bad), &calls("f", "file"), "all:0").unwrap_err();
        assert!(error.contains("for each result of its signature"), "{error}");
    }
}

#[test]
fn control_results_of_a_function_are_run() {
    // A stateless node, so that only the control result requires it; it cannot be run.
    let wrong = "node { name: 'n' op: 'MatMul' input: 'x' }";
    let control = |rest: &str| {
        let plain = function("f", &["x"], wrong, &[("y", "x")]);
        plain.replacen("ret {", &format!("{rest} ret {{"), 1)
    };
    assert_eq!(value(&control(""), &calls("f", "file"), "all:0").unwrap(), "F");
    let with = control("control_ret { key: 'c' value: 'n' }");
    let error = value(&with, &calls("f", "file"), "all:0").unwrap_err();
    assert!(error.contains("the op MatMul"), "{error}");
}

#[test]
fn a_call_counts_the_steps_of_its_function() {
    // Few nodes with many inputs; each function calls the next one twice.
    let inputs = "input: 'x' ".repeat(20_000);
    let wide =
        function("f0", &["x"], &format!("node {{ name: 'n' op: 'NoOp' {inputs} }}"), &[("y", "x")]);
    let wide = wide.replacen("ret {", "control_ret { key: 'c' value: 'n' } ret {", 1);
    let mut all = wide;
    for level in 1..=17 {
        let callee = format!("f{}", level - 1);
        let nodes = format!(
            "node {{ name: 'a' {} }} node {{ name: 'b' {} }}",
            calls(&callee, "x"),
            calls(&callee, "a:output:0")
        );
        all += &function(&format!("f{level}"), &["x"], &nodes, &[("y", "b:output:0")]);
    }
    let error = value(&all, &calls("f17", "file"), "all:0").unwrap_err();
    assert!(error.contains("steps of the run"), "{error}");
}

/// A hash table, and an import of keys and values into it.
fn table(keys: &str, values: &str, inputs: &str) -> String {
    let inputs: String = inputs.split(' ').map(|input| format!("input: '{input}' ")).collect();
    format!(
        "node {{ name: 't' op: 'MutableHashTableV2'
           attr {{ key: 'key_dtype' value {{ type: {keys} }} }}
           attr {{ key: 'value_dtype' value {{ type: {values} }} }} }}
         node {{ name: 'i' op: 'LookupTableImportV2' input: 't:table_handle:0' {inputs} }}"
    )
}

#[test]
fn reasons_why_a_function_cannot_run_are_reported() {
    let of = |nodes: &str, result: &str| function("f", &["x"], nodes, &[("y", result)]);
    let same = of("", "x");
    let call = calls("f", "file");
    let cases = [
        (same.clone(), calls("g", "file")),
        (same.clone(), calls("f", "")),
        (same.clone(), calls("f", "file file")),
        (same, "op: 'StatefulPartitionedCall' input: 'file'".to_owned()),
        (of("", "gone:output:0"), call.clone()),
        (of("node { name: 'n' op: 'Identity' input: 'x' }", "n"), call.clone()),
        (of("node { name: 'n' op: 'Identity' input: 'x' }", "n:output:1"), call.clone()),
        (of("node { name: 'n' op: 'Identity' input: 'x:1' }", "n:output:0"), call.clone()),
        (of("node { name: 'n' op: 'MatMul' input: 'x' }", "n:product:0"), call.clone()),
        (of("node { name: 'n' op: 'PrintV2' input: 'x' }", "x"), call.clone()),
        (of("node { name: 'n' op: 'Identity' input: 'n:output:0' }", "n:output:0"), call.clone()),
        (of(&table("DT_STRING", "DT_STRING", "x x"), "x"), call.clone()),
        (of(&table("DT_INT64", "DT_STRING", "x x"), "x"), call.clone()),
        (of(&table("DT_STRING", "DT_FLOAT", "x x"), "x"), call.clone()),
        (of("node { name: 'n' op: 'LookupTableExportV2' input: 'x' }", "x"), call.clone()),
        (of(&table("DT_STRING", "DT_STRING", "t:table_handle:0 x"), "x"), call.clone()),
        // A function that calls itself, then two that call each other.
        (of(&format!("node {{ name: 'n' {} }}", calls("f", "x")), "n:output:0"), call.clone()),
        (
            of("node { name: 'n' op: 'g' input: 'x' }", "n:y:0")
                + &function(
                    "g",
                    &["x"],
                    "node { name: 'n' op: 'f' input: 'x' }",
                    &[("y", "n:y:0")],
                ),
            call,
        ),
    ];
    let said: String = cases
        .iter()
        .map(|(functions, call)| match run(functions, call) {
            Ok(()) => "runs\n".to_owned(),
            Err(error) => error + "\n",
        })
        .collect();
    named_snapshot("saver", "functions_refused", &said);
}

#[test]
fn calls_that_double_are_refused() {
    // The last function is called 2^40 times, and creates nothing.
    let mut functions = function("f40", &["x"], "", &[("y", "x")]);
    for at in 0..40 {
        let next = format!("f{}", at + 1);
        let nodes = format!(
            "node {{ name: 'a' {} }} node {{ name: 'b' {} }}",
            calls(&next, "x"),
            calls(&next, "a:output:0")
        );
        functions += &function(&format!("f{at}"), &["x"], &nodes, &[("y", "b:output:0")]);
    }
    let error = run(&functions, &calls("f0", "file")).unwrap_err();
    assert!(error.contains("steps of the run: expected"), "{error}");
}

/// The value of a condition in a function: the branches return `F` and constants.
fn branch(op: &str, condition: &str, dtype: &str, branches: &[&str]) -> Result<String, String> {
    let same = function("same", &["x"], "", &[("y", "x")]);
    let constant = |name: &str| {
        let nodes = text("t", name);
        function(name, &["x"], &nodes, &[("y", "t:output:0")])
    };
    let named = |name: &&str| format!("func {{ name: '{name}' }} ");
    let attrs = match op.ends_with("Case") {
        true => {
            let all: String = branches.iter().map(named).collect();
            format!("attr {{ key: 'branches' value {{ list {{ {all} }} }} }}")
        }
        false => ["then_branch", "else_branch"]
            .iter()
            .zip(branches)
            .map(|(key, name)| format!("attr {{ key: '{key}' value {{ {} }} }}", named(name)))
            .collect(),
    };
    let nodes = format!(
        "node {{ name: 'c' op: 'Const' attr {{ key: 'dtype' value {{ type: {dtype} }} }}
         attr {{ key: 'value' value {{ tensor {{ dtype: {dtype} {condition} }} }} }} }}
         node {{ name: 'if' op: '{op}' input: 'c:output:0' input: 'x' {attrs}
         attr {{ key: 'Tout' value {{ list {{ type: DT_STRING }} }} }} }}"
    );
    let outer = function("outer", &["x"], &nodes, &[("y", "if:output:0")]);
    value(&(same + &constant("one") + &constant("two") + &outer), &calls("outer", "file"), "all:0")
}

/// The truth of conditions is that of TensorFlow's kernels.
#[test]
fn a_condition_calls_one_of_its_branches() {
    for op in ["If", "StatelessIf"] {
        let branch = |condition: &str, dtype: &str| branch(op, condition, dtype, &["same", "one"]);
        for (condition, dtype, is_true) in [
            ("tensor_shape {} bool_val: true", "DT_BOOL", true),
            ("tensor_shape {} bool_val: false", "DT_BOOL", false),
            ("tensor_shape {} int_val: -1", "DT_INT32", true),
            ("tensor_shape {} int_val: 0", "DT_INT32", false),
            ("tensor_shape {} float_val: -0.0", "DT_FLOAT", false),
            ("tensor_shape {} float_val: nan", "DT_FLOAT", true),
            ("tensor_shape {} string_val: ''", "DT_STRING", false),
            ("tensor_shape {} string_val: 'x'", "DT_STRING", true),
            ("tensor_shape { dim { size: 1 } } int_val: 0", "DT_INT32", true),
            ("tensor_shape { dim { size: 0 } }", "DT_INT32", false),
        ] {
            let expected = if is_true { "F" } else { "one" };
            assert_eq!(branch(condition, dtype).as_deref(), Ok(expected), "{op}: {condition}");
        }
    }
    for op in ["Case", "StatelessCase"] {
        for (number, expected) in [(0, "F"), (1, "one"), (2, "two"), (3, "two"), (-1, "two")] {
            let condition = format!("tensor_shape {{}} int_val: {number}");
            let found = branch(op, &condition, "DT_INT32", &["same", "one", "two"]);
            assert_eq!(found.as_deref(), Ok(expected), "{op}: {number}");
        }
        let one = "tensor_shape { dim { size: 1 } } int_val: 1";
        let error = branch(op, one, "DT_INT32", &["same", "one"]).unwrap_err();
        assert!(error.contains("branch_index"), "{error}");
    }
    let number = "tensor_shape {} int_val: 1";
    for (op, branches, says) in [
        ("If", &["gone", "one"][..], "the library has no function \"gone\""),
        ("If", &["outer", "one"], "depth of calls"),
        ("Case", &[], "expected one that the node has"),
    ] {
        let error = branch(op, number, "DT_INT32", branches).unwrap_err();
        assert!(error.contains(says), "{op} {branches:?}: {error}");
    }
}

/// The arguments of a branch are the inputs after the condition.
#[test]
fn a_branch_restores_the_variables_that_it_is_given() {
    let strings = |name: &str, text: &str| {
        let tensor = format!(
            "tensor {{ dtype: DT_STRING tensor_shape {{ dim {{ size: 1 }} }} string_val: '{text}' }}"
        );
        format!(
            "node_def {{ name: '{name}' op: 'Const' attr {{ key: 'dtype' value {{ type: DT_STRING }} }}
             attr {{ key: 'value' value {{ {tensor} }} }} }}"
        )
    };
    let arguments =
        "input_arg { name: 'path' type: DT_STRING } input_arg { name: 'var' type: DT_RESOURCE }";
    let load = format!(
        "function {{ signature {{ name: 'load' {arguments} }} {} {}
         node_def {{ name: 'read' op: 'RestoreV2' input: 'path' input: 'n:output:0' input: 's:output:0'
             attr {{ key: 'dtypes' value {{ list {{ type: DT_FLOAT }} }} }} }}
         node_def {{ name: 'set' op: 'AssignVariableOp' input: 'var' input: 'read:tensors:0'
             attr {{ key: 'dtype' value {{ type: DT_FLOAT }} }} }} }}
         function {{ signature {{ name: 'nothing' {arguments} }} }}",
        strings("n", "b"),
        strings("s", "")
    );
    let saver = SaverDef {
        filename_tensor_name: "file:0".into(),
        restore_op_name: "all".into(),
        ..SaverDef::default()
    };
    let path = "tests/data/savers/run/of_references/model.ckpt";
    for condition in [true, false] {
        let graph = parsed(
            "tensorflow.MetaGraphDef",
            &format!(
                "graph_def {{
                    node {{ name: 'file' op: 'Placeholder' attr {{ key: 'dtype' value {{ type: DT_STRING }} }} }}
                    node {{ name: 'c' op: 'Const' attr {{ key: 'dtype' value {{ type: DT_BOOL }} }}
                        attr {{ key: 'value' value {{ tensor {{ dtype: DT_BOOL tensor_shape {{}} bool_val: {condition} }} }} }} }}
                    node {{ name: 'v' op: 'VarHandleOp' attr {{ key: 'dtype' value {{ type: DT_FLOAT }} }}
                        attr {{ key: 'shape' value {{ shape {{ dim {{ size: 2 }} dim {{ size: 3 }} }} }} }}
                        attr {{ key: 'shared_name' value {{ s: 'v' }} }} }}
                    node {{ name: 'all' op: 'If' input: 'c' input: 'file' input: 'v'
                        attr {{ key: 'then_branch' value {{ func {{ name: 'load' }} }} }}
                        attr {{ key: 'else_branch' value {{ func {{ name: 'nothing' }} }} }} }}
                    library {{ {load} }}
                }}"
            ),
        );
        let mut variables = Variables::of(&graph).unwrap();
        restore(&graph, &saver, path, &mut variables).unwrap();
        let checkpoint = Checkpoint::open(path).unwrap();
        let known = checkpoint.get_tensor("b").unwrap();
        assert_eq!(variables.find("v").map(|v| &**v), Some(&known).filter(|_| condition));
        // A plan has the tensors of every branch.
        let plan = restore_plan(&graph, &saver, &checkpoint).unwrap();
        let reads: Vec<_> = plan.reads.iter().map(|read| (&*read.name, &read.variables)).collect();
        assert_eq!(reads, [("b", &vec!["v".to_owned()])]);
        assert!(plan.restores());
    }
}
