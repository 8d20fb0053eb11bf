//! Reported differences between two messages.

use ckdiff::compare::Tolerance;
use ckdiff::diff::{Change, Keyed, Lists, MessageOptions, messages};
use ckdiff::message::{Message, Writer};
use ckdiff::schema::{Schema, WireType};
use ckdiff::text::{ParseOptions, parse};

use crate::support::everything;

/// A change in one line.
fn line(change: &Change) -> String {
    let side = |side: &Option<String>| side.clone().unwrap_or_else(|| "-".to_owned());
    let (kind, weight) = (change.kind.name(), change.weight.name());
    let (lhs, rhs) = (side(&change.lhs), side(&change.rhs));
    format!("{kind} {weight} {}: {lhs} => {rhs}", change.path)
}

pub(crate) fn lines(changes: &[Change]) -> Vec<String> {
    changes.iter().map(line).collect()
}

fn schema_of(ty: &str) -> &'static Schema {
    if ty.starts_with("tensorflow.") { Schema::tensorflow() } else { everything::schema() }
}

pub(crate) fn read(ty: &str, text: &str) -> Message<'static> {
    let schema = schema_of(ty);
    let ty = schema.message(ty).unwrap_or_else(|| panic!("{ty} is not in the schema"));
    let options = ParseOptions { partial: true, ..ParseOptions::default() };
    parse(schema, ty, text.as_bytes(), &options).unwrap_or_else(|error| panic!("{error}")).0
}

#[track_caller]
fn check(ty: &str, lhs: &str, rhs: &str, options: &MessageOptions, expected: &[&str]) {
    let changes = messages(&read(ty, lhs), &read(ty, rhs), options).unwrap();
    assert_eq!(lines(&changes), expected, "{ty}: {lhs} | {rhs}");
}

#[track_caller]
pub(crate) fn by_schema(ty: &str, lhs: &str, rhs: &str, expected: &[&str]) {
    check(ty, lhs, rhs, &MessageOptions::default(), expected);
}

fn as_set(pattern: &str) -> MessageOptions {
    let lists = Lists { as_set: vec![pattern.parse().unwrap()], ..Lists::default() };
    MessageOptions { lists, ..MessageOptions::default() }
}

fn keyed(pattern: &str, keys: &[&str]) -> MessageOptions {
    let keys = keys.iter().map(|key| key.to_string().into()).collect();
    let keyed = vec![Keyed { list: pattern.parse().unwrap(), keys }];
    let lists = Lists { keyed, ..Lists::default() };
    MessageOptions { lists, ..MessageOptions::default() }
}

fn within(atol: Option<f64>, rtol: Option<f64>) -> MessageOptions {
    let tolerance = Tolerance::new(atol, rtol, None).unwrap();
    MessageOptions { tolerance, ..MessageOptions::default() }
}

#[test]
fn values_are_shown_as_in_text() {
    for (lhs, rhs, expected) in [
        ("max_to_keep: 5", "max_to_keep: -3", "modified semantic max_to_keep: 5 => -3"),
        ("max_to_keep: 5", "", "modified semantic max_to_keep: 5 => 0"),
        ("", "version: V2", "modified semantic version: LEGACY => V2"),
        ("version: 9", "version: V1", "modified semantic version: 9 => V1"),
        ("sharded: true", "", "modified semantic sharded: true => false"),
        (
            "",
            "save_tensor_name: 'a\"é\\n'",
            r#"modified semantic save_tensor_name: "" => "a\"é\n""#,
        ),
        (
            "keep_checkpoint_every_n_hours: 10000",
            "keep_checkpoint_every_n_hours: 0.1",
            "modified semantic keep_checkpoint_every_n_hours: 10000.0 => 0.1",
        ),
    ] {
        by_schema("tensorflow.SaverDef", lhs, rhs, &[expected]);
    }
    by_schema(
        "tensorflow.TensorProto",
        r"tensor_content: '\000\377'",
        "tensor_content: 'a'",
        &[r#"modified semantic tensor_content: "\000\377" => "a""#],
    );
}

#[test]
fn a_field_with_presence_is_added_and_removed() {
    let ty = "everything.Numbers";
    by_schema(ty, "", "int32: 0", &["added semantic int32: - => 0"]);
    by_schema(ty, "color: BLUE", "", &["removed semantic color: BLUE => -"]);
    by_schema(
        ty,
        "float: 1.5 bool: false",
        "float: 2 bool: false",
        &["modified semantic float: 1.5 => 2.0"],
    );
    by_schema(
        "everything.All",
        "",
        "numbers { int32: 1 bool: true } lists {}",
        &["added semantic numbers: - => int32: 1 bool: true", "added semantic lists: - => {}"],
    );
}

#[test]
fn another_member_of_a_oneof_is_one_removed_and_one_added() {
    by_schema(
        "tensorflow.AttrValue",
        "i: 0",
        "s: 'x'",
        &[r#"added semantic s: - => "x""#, "removed semantic i: 0 => -"],
    );
    by_schema("tensorflow.AttrValue", "i: 1", "i: 2", &["modified semantic i: 1 => 2"]);
}

#[test]
fn nested_messages_are_compared_by_field() {
    by_schema(
        "tensorflow.MetaGraphDef",
        "graph_def { versions { producer: 1 } library { function { signature { name: 'f' } } } }",
        "graph_def { versions { producer: 2 } library { function { signature { name: 'g' } } } }",
        &[
            r#"modified semantic graph_def.library.function[0].signature.name: "f" => "g""#,
            "modified semantic graph_def.versions.producer: 1 => 2",
        ],
    );
    by_schema(
        "everything.All",
        "Single { text: 'a' Inner { } }",
        "Single { text: 'b' Inner { all { } } }",
        &[
            r#"modified semantic Single.text: "a" => "b""#,
            "added semantic Single.Inner[0].all: - => {}",
        ],
    );
}

#[test]
fn extensions_and_message_sets_are_named_as_in_text() {
    by_schema(
        "everything.All",
        "[everything.number]: 1",
        "[everything.number]: 2",
        &["modified semantic [everything.number]: 1 => 2"],
    );
    by_schema(
        "everything.All",
        "[everything.all] {}",
        "[everything.all] { number: 1 }",
        &["added semantic [everything.all][0].number: - => 1"],
    );
    by_schema(
        "everything.Item",
        "set { [everything.Item] { number: 1 } }",
        "set { [everything.Item] { number: 2 } }",
        &["modified semantic set.[everything.Item].number: 1 => 2"],
    );
    by_schema(
        "everything.Item",
        "set { [everything.Item] { number: 1 } }",
        "set { }",
        &["removed semantic set.[everything.Item]: number: 1 => -"],
    );
}

#[test]
fn a_list_keeps_its_order() {
    let list = |items: &str| items.chars().map(|c| format!("input: '{c}' ")).collect::<String>();
    for (lhs, rhs, expected) in [
        ("abc", "xabc", &[r#"added semantic input[0]: - => "x""#][..]),
        ("abc", "ac", &[r#"removed semantic input[1]: "b" => -"#]),
        ("abc", "axc", &[r#"modified semantic input[1]: "b" => "x""#]),
        (
            "",
            "ab",
            &[r#"added semantic input[0]: - => "a""#, r#"added semantic input[1]: - => "b""#],
        ),
        (
            "abcd",
            "xbyzd",
            &[
                r#"modified semantic input[0]: "a" => "x""#,
                r#"modified semantic input[2]: "c" => "y""#,
                r#"added semantic input[3]: - => "z""#,
            ],
        ),
        ("aaaa", "aaa", &[r#"removed semantic input[3]: "a" => -"#]),
        (
            "ab",
            "ba",
            &[r#"added semantic input[0]: - => "b""#, r#"removed semantic input[1]: "b" => -"#],
        ),
    ] {
        by_schema("tensorflow.NodeDef", &list(lhs), &list(rhs), expected);
    }
}

#[test]
fn matched_messages_of_a_list_are_compared_by_field() {
    by_schema(
        "tensorflow.TensorShapeProto",
        "dim { size: 1 } dim { size: 2 name: 'n' } dim { size: 3 }",
        "dim { size: 9 } dim { size: 1 } dim { size: 4 name: 'n' } dim { size: 3 }",
        &["added semantic dim[0]: - => size: 9", "modified semantic dim[2].size: 2 => 4"],
    );
}

#[test]
fn a_list_of_numbers_is_one_change() {
    let ty = "tensorflow.TensorProto";
    by_schema(
        ty,
        "int_val: [1, 2, 3]",
        "int_val: [1, -2, 3, 4]",
        &["modified semantic int_val: [1, 2, 3] => [1, -2, 3, 4]"],
    );
    by_schema(ty, "", "float_val: [1, 0.5]", &["added semantic float_val: - => [1.0, 0.5]"]);
    by_schema(
        "everything.Lists",
        "color: [RED, BLUE]",
        "",
        &["removed semantic color: [RED, BLUE] => -"],
    );
}

#[test]
fn long_values_are_cut_at_a_character() {
    for text in ["é".repeat(50_000), "x".repeat(3_000)] {
        let lhs = format!("name: '{text}'");
        let changes = messages(
            &read("tensorflow.NodeDef", &lhs),
            &read("tensorflow.NodeDef", ""),
            &MessageOptions::default(),
        );
        let shown = changes.unwrap()[0].lhs.clone().unwrap();
        let expected: String = format!("\"{text}").chars().take(2_000).collect();
        assert_eq!(shown, format!("{expected}…"));
    }
    let numbers = format!("int_val: [{}7]", "1, ".repeat(100_000));
    by_schema(
        "tensorflow.TensorProto",
        &numbers,
        "int_val: 7",
        &[&format!("modified semantic int_val: [{}1… => [7]", "1, ".repeat(666))],
    );
}

#[test]
fn map_entries_are_matched_by_key() {
    by_schema(
        "tensorflow.NodeDef",
        "attr { key: 'T' value { type: DT_FLOAT } } attr { key: 'a' value { i: 1 } }",
        "attr { key: 'T' value { type: DT_INT32 } } attr { key: 'b' value { i: 1 } }",
        &[
            r#"modified semantic attr["T"].type: DT_FLOAT => DT_INT32"#,
            r#"removed semantic attr["a"]: i: 1 => -"#,
            r#"added semantic attr["b"]: - => i: 1"#,
        ],
    );
    by_schema(
        "everything.Maps",
        "int32 { key: -1 value: RED } bool { key: true value: 1 } sint64 { key: 5 value: 'x' }",
        "int32 { key: -1 value: BLUE } bool { key: true value: 2 } sint64 { key: 5 value: 'y' }",
        &[
            r#"modified semantic int32["-1"]: RED => BLUE"#,
            r#"modified semantic sint64["5"]: "x" => "y""#,
            r#"modified semantic bool["true"]: 1 => 2"#,
        ],
    );
}

#[test]
fn a_set_has_no_order_and_counts_its_items() {
    let set = as_set("input");
    check("tensorflow.NodeDef", "input: 'a' input: 'b'", "input: 'b' input: 'a'", &set, &[]);
    check(
        "tensorflow.NodeDef",
        "input: 'a' input: 'a' input: 'b'",
        "input: 'b' input: 'c' input: 'a'",
        &set,
        &[r#"removed semantic input[1]: "a" => -"#, r#"added semantic input[1]: - => "c""#],
    );
    check(
        "tensorflow.TensorProto",
        "int_val: [1, 2, 2]",
        "int_val: [2, 3, 1]",
        &as_set("*"),
        &["removed semantic int_val[2]: 2 => -", "added semantic int_val[1]: - => 3"],
    );
}

#[test]
fn keyed_items_are_matched_by_key() {
    let nodes = keyed("**.node", &["name"]);
    check(
        "tensorflow.MetaGraphDef",
        "graph_def { node { name: 'a' op: 'X' } node { name: 'b' } node { name: 'c' } }",
        "graph_def { node { name: 'b' } node { name: 'a' op: 'Y' } node { name: 'd' } }",
        &nodes,
        &[
            r#"modified semantic graph_def.node["a"].op: "X" => "Y""#,
            r#"removed semantic graph_def.node["c"]: name: "c" => -"#,
            r#"added semantic graph_def.node["d"]: - => name: "d""#,
            "modified cosmetic graph_def.node: order of 2 => order of 2",
        ],
    );
    // Nodes with the same name are matched in order.
    check(
        "tensorflow.GraphDef",
        "node { name: 'a' op: 'X' } node { name: 'a' op: 'Y' }",
        "node { name: 'a' op: 'X' } node { name: 'a' op: 'Z' } node { name: 'a' }",
        &nodes,
        &[
            r#"modified semantic node["a"].op: "Y" => "Z""#,
            r#"added semantic node["a"]: - => name: "a""#,
        ],
    );
    let inside = keyed("function", &["signature.name", "signature.is_stateful"]);
    check(
        "tensorflow.FunctionDefLibrary",
        "function { signature { name: 'f' } } function { signature { name: 'g' is_stateful: true } }",
        "function { signature { name: 'g' is_stateful: true description: 'x' } } function { signature { name: 'f' } }",
        &inside,
        &[
            r#"modified semantic function["g, true"].signature.description: "" => "x""#,
            "modified cosmetic function: order of 2 => order of 2",
        ],
    );
}

#[test]
fn floats_within_the_tolerance_are_unchanged() {
    let ty = "everything.Numbers";
    for (lhs, rhs, options, is_close) in [
        ("float: 1", "float: 1.01", within(Some(0.02), None), true),
        ("float: 1", "float: 1.03", within(Some(0.02), None), false),
        ("double: 100", "double: 101", within(None, Some(0.01)), true),
        ("double: 101", "double: 100", within(None, Some(0.001)), false),
        ("double: inf", "double: 1", within(Some(1e300), None), false),
        ("double: inf", "double: -inf", within(Some(1e300), None), false),
        ("double: -0.0", "double: 0", within(Some(0.0), None), true),
        ("double: -0.0", "double: 0", MessageOptions::default(), false),
        ("int32: 1", "int32: 2", within(Some(9.0), None), false),
    ] {
        let changes = messages(&read(ty, lhs), &read(ty, rhs), &options).unwrap();
        assert_eq!(changes.is_empty(), is_close, "{lhs} {rhs} {changes:?}");
    }
    let close = within(Some(0.1), None);
    check("tensorflow.TensorProto", "float_val: [1, 2]", "float_val: [1.05, 1.95]", &close, &[]);
    check(
        "tensorflow.AttrValue",
        "list { f: 1 f: 2 }",
        "list { f: 1 f: 2.5 }",
        &close,
        &["modified semantic list.f: [1.0, 2.0] => [1.0, 2.5]"],
    );
    // NaNs with other bits than the only NaN of text.
    let nan = |bits: u32| {
        let mut out = Writer::default();
        out.tag(2, WireType::Fixed32);
        out.raw(&bits.to_le_bytes());
        let ty = everything::schema().message("everything.Numbers").unwrap();
        Message::decode(everything::schema(), ty, out.finish()).unwrap()
    };
    let (lhs, rhs) = (nan(0x7fc0_0000), nan(0xffc0_0001));
    assert!(messages(&lhs, &rhs, &close).unwrap().is_empty());
    assert_eq!(messages(&lhs, &rhs, &MessageOptions::default()).unwrap().len(), 1);
}

#[test]
fn an_any_is_decoded_where_both_sides_have_the_same_type() {
    let numbers = |text| format!("any {{ [type.googleapis.com/everything.Numbers] {{ {text} }} }}");
    by_schema(
        "everything.WellKnown",
        &numbers("int32: 1"),
        &numbers("int32: 2"),
        &["modified semantic any.[type.googleapis.com/everything.Numbers].int32: 1 => 2"],
    );
    by_schema(
        "everything.WellKnown",
        &numbers(""),
        "any { [type.googleapis.com/everything.Item] { number: 3 } }",
        &[
            r#"modified semantic any.type_url: "type.googleapis.com/everything.Numbers" => "type.googleapis.com/everything.Item""#,
            r#"modified semantic any.value: "" => "\010\003""#,
        ],
    );
    by_schema(
        "everything.WellKnown",
        "any { type_url: 'x.com/none' value: 'a' }",
        "any { type_url: 'x.com/none' value: 'b' }",
        &[r#"modified semantic any.value: "a" => "b""#],
    );
    // The payloads are equal except for the order of fields.
    by_schema(
        "everything.WellKnown",
        r"any { type_url: 'x.com/everything.Numbers' value: '\030\001\040\002' }",
        r"any { type_url: 'x.com/everything.Numbers' value: '\040\002\030\001' }",
        &[],
    );
}

#[test]
fn unknown_fields_are_matched_by_number_wire_type_and_occurrence() {
    let message = |records: &[(u32, u64)], text: &[u8]| {
        let mut out = Writer::default();
        for (number, value) in records {
            out.tag(*number, WireType::Varint);
            out.varint(*value);
        }
        out.tag(90, WireType::Len);
        out.len_prefixed(text);
        out.tag(91, WireType::Fixed32);
        out.raw(&[1, 0, 0, text.len() as u8]);
        let ty = Schema::tensorflow().message("tensorflow.VersionDef").unwrap();
        Message::decode(Schema::tensorflow(), ty, out.finish()).unwrap()
    };
    let lhs = message(&[(1, 5), (80, 1), (81, 1), (81, 2)], b"\x08\x01");
    let rhs = message(&[(1, 5), (80, 2), (81, 1), (81, 3), (81, 4)], b"\xff");
    let changes = messages(&lhs, &rhs, &MessageOptions::default()).unwrap();
    assert_eq!(
        lines(&changes),
        [
            "modified semantic 80: 1 => 2",
            "modified semantic 81: [1, 2] => [1, 3, 4]",
            r#"modified semantic 90: { 1: 1 } => "\377""#,
            "modified semantic 91: 0x02000001 => 0x01000001",
        ]
    );
}

#[test]
fn patterns_select_fields() {
    let text = |a: &str, b: &str| {
        format!(
            "graph_def {{ node {{ name: 'n' input: '{a}' input: '{b}' }} }} meta_info_def {{ tags: '{a}' tags: '{b}' }}"
        )
    };
    let (lhs, rhs) = (text("a", "b"), text("b", "a"));
    let ty = "tensorflow.MetaGraphDef";
    for (pattern, changes) in [
        ("graph_def.node.input", 2),
        ("graph_def.*.input", 2),
        ("**.input", 2),
        ("**.node.**.input", 2),
        ("meta_info_def.tags", 2),
        ("**", 2),
        ("*.*", 2),
        ("*", 4),
        ("node.input", 4),
        ("graph_def.node.input.x", 4),
    ] {
        let found = messages(&read(ty, &lhs), &read(ty, &rhs), &as_set(pattern)).unwrap();
        assert_eq!(found.len(), changes, "{pattern}: {:?}", lines(&found));
    }
    for refused in ["", "a..b", ".a", "a[b"] {
        assert!(refused.parse::<ckdiff::diff::PathPattern>().is_err(), "{refused}");
    }
}

#[test]
fn only_messages_of_one_type_are_compared() {
    let (lhs, rhs) = (read("tensorflow.NodeDef", ""), read("tensorflow.SaverDef", ""));
    let error = messages(&lhs, &rhs, &MessageOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "lhs is a tensorflow.NodeDef, rhs is a tensorflow.SaverDef: only messages of one type are compared"
    );
}
