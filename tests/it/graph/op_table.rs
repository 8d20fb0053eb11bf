//! Op definitions of TensorFlow's registry, and of a graph's op list, which takes precedence.

use ckdiff::graph::{OpTable, default_of, is_commutative, is_stateful};
use ckdiff::schema::tensorflow::attr_value::Value;
use ckdiff::schema::tensorflow::{OpDef, OpList};
use prost::Message as _;

use crate::support::graph::files::{fields, graph_files};

fn builtin(op: &str) -> &'static OpDef {
    OpTable::builtin().definition(op).unwrap_or_else(|| panic!("{op} is not in the registry"))
}

fn names<'a>(args: impl IntoIterator<Item = &'a String>) -> Vec<&'a str> {
    args.into_iter().map(String::as_str).collect()
}

#[test]
fn well_known_ops_are_as_tensorflow_has_them() {
    for op in ["AddV2", "AddN", "Mul", "Equal", "LogicalAnd", "SquaredDifference"] {
        assert!(is_commutative(builtin(op)), "{op}");
    }
    for op in ["Add", "Sub", "Maximum", "MatMul", "Identity"] {
        assert!(!is_commutative(builtin(op)), "{op}");
    }
    for op in ["VariableV2", "VarHandleOp", "RandomUniform", "SaveV2", "Placeholder"] {
        assert_eq!(is_stateful(builtin(op)), op != "Placeholder", "{op}");
    }
    let matmul = builtin("MatMul");
    assert_eq!(default_of(matmul, "transpose_b").unwrap().value, Some(Value::B(false)));
    assert_eq!(default_of(matmul, "T"), None);
    assert_eq!(default_of(matmul, "no such attribute"), None);
    let save = builtin("SaveV2");
    let args = names(save.input_arg.iter().map(|arg| &arg.name));
    assert_eq!(args, ["prefix", "tensor_names", "shape_and_slices", "tensors"]);
    assert_eq!(save.input_arg[3].type_list_attr, "dtypes");
    assert!(save.attr[0].has_minimum && save.attr[0].minimum == 1);
    assert!(builtin("VariableV2").output_arg[0].is_ref);
    assert!(builtin("Assign").allows_uninitialized_input);
    assert_eq!(builtin("TensorArray").deprecation.as_ref().unwrap().version, 16);
    assert!(builtin("AddN").is_aggregate);
    assert!(OpTable::builtin().definition("NoSuchOp").is_none());
    assert!(OpTable::builtin().definition("").is_none());
}

#[test]
fn every_builtin_definition_is_sorted_and_without_documentation() {
    let table = OpTable::builtin();
    let names: Vec<_> = table.names().collect();
    assert!(names.is_sorted());
    assert_eq!((names.len(), table.len(), table.is_empty()), (1908, 1908, false));
    for name in names {
        let op = builtin(name);
        assert_eq!(op.name, name);
        assert!(op.summary.is_empty() && op.description.is_empty(), "{name}");
        assert!(op.deprecation.iter().all(|since| since.explanation.is_empty()), "{name}");
        assert!(op.attr.iter().all(|attr| attr.description.is_empty()), "{name}");
        let mut args = op.input_arg.iter().chain(&op.output_arg);
        assert!(args.all(|arg| arg.description.is_empty()), "{name}");
    }
}

/// The saver's op list lacks the ops of branch functions; the registry has them.
#[test]
fn every_op_of_the_corpus_is_known() {
    let (mut nodes, mut only_builtin) = (0, 0);
    for file in graph_files() {
        let own = OpTable::decode(&file.ops[..]).unwrap();
        let own_only = OpTable::decode(&file.ops[..]).unwrap();
        let table = own.over(OpTable::builtin());
        let library: Vec<_> =
            fields(&file.graph, 2).flat_map(|library| fields(library, 1)).collect();
        let functions: Vec<_> = library
            .iter()
            .map(|f| fields(fields(f, 1).next().unwrap(), 1).next().unwrap())
            .collect();
        let bodies = library.iter().flat_map(|function| fields(function, 3));
        for node in fields(&file.graph, 1).chain(bodies) {
            let op = fields(node, 2).next().unwrap();
            if functions.contains(&op) {
                continue;
            }
            let op = std::str::from_utf8(op).unwrap();
            nodes += 1;
            assert!(table.definition(op).is_some(), "{}: {op}", file.path);
            only_builtin += usize::from(!file.ops.is_empty() && own_only.definition(op).is_none());
        }
    }
    assert!(nodes > 1_000 && only_builtin > 0, "{nodes} nodes, {only_builtin} in no list");
}

fn list(ops: &[(&str, &str)]) -> Vec<u8> {
    let op = |(name, summary): &(&str, &str)| OpDef {
        name: (*name).into(),
        summary: (*summary).into(),
        ..Default::default()
    };
    OpList { op: ops.iter().map(op).collect() }.encode_to_vec()
}

#[test]
fn the_definitions_of_a_graph_go_before_the_builtin_ones() {
    let own = OpTable::decode(list(&[("MatMul", "own"), ("A", "own"), ("A", "again")])).unwrap();
    assert_eq!(own.len(), 2);
    assert!(own.definition("AddV2").is_none());
    let table = own.over(OpTable::builtin());
    assert_eq!(table.definition("MatMul").unwrap().summary, "own");
    assert_eq!(table.definition("A").unwrap().summary, "own");
    assert_eq!(table.definition("AddV2"), Some(builtin("AddV2")));
    assert_eq!(table.names().take(2).collect::<Vec<_>>(), ["A", "MatMul"]);
    assert_eq!(table.names().count(), 1910);
}

#[test]
fn a_broken_list_is_refused() {
    let error = |bytes: &[u8]| OpTable::decode(bytes).unwrap_err().to_string();
    assert_eq!(error(&[0x0a, 9, 1]), "byte 2: a field needs 9 bytes, 1 left");
    assert_eq!(error(&list(&[("A", ""), ("", "")])), "byte 5: an op definition has no name");
    let large = "x".repeat(1 << 20);
    let expected = "byte 0: op definition: expected at most 1048576 bytes, found 1048583 bytes";
    assert_eq!(error(&list(&[("A", &large)])), expected);
    // An input argument that is a number instead of a message.
    let message = error(&[0x0a, 5, 0x0a, 1, b'A', 0x10, 1]);
    assert!(message.starts_with("byte 2: op definition is "), "{message}");
    assert!(OpTable::decode(Vec::new()).unwrap().is_empty());
}
