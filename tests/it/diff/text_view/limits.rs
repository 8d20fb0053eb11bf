//! The text of large and hostile messages is cut, and the report says so.

use std::time::Instant;

use ckdiff::artifact::Artifact;
use ckdiff::diff::{
    Diff, DiffOptions, Grouping, LineTag, MessageOptions, TextDiff, TextView, diff, messages,
};
use ckdiff::progress::Silent;
use ckdiff::report::{Format, Report, ReportOptions, write};
use ckdiff::schema::tensorflow::{AttrValue, GraphDef, MetaGraphDef, NodeDef, TensorProto};
use ckdiff::schema::tensorflow::{TensorShapeProto, attr_value, tensor_shape_proto};

use crate::support::encoding::bytes;
use crate::support::graph::pairs::opened;
use crate::support::message_forms::{decoded, parsed};

fn graph(nodes: Vec<NodeDef>) -> MetaGraphDef {
    MetaGraphDef {
        graph_def: Some(GraphDef { node: nodes, ..GraphDef::default() }),
        ..MetaGraphDef::default()
    }
}

fn node(name: &str, op: &str, inputs: &[String]) -> NodeDef {
    NodeDef { name: name.into(), op: op.into(), input: inputs.to_vec(), ..NodeDef::default() }
}

fn constant(name: &str, tensor: TensorProto) -> NodeDef {
    let mut node = node(name, "Const", &[]);
    let mut attr = |name: &str, value| {
        node.attr.insert(name.into(), AttrValue { value: Some(value) });
    };
    attr("dtype", attr_value::Value::Type(1));
    attr("value", attr_value::Value::Tensor(tensor.into()));
    attr("zone", attr_value::Value::I(7));
    node
}

fn shape(len: usize) -> Option<TensorShapeProto> {
    let dim = tensor_shape_proto::Dim { size: len as i64, ..Default::default() };
    Some(TensorShapeProto { dim: vec![dim], ..TensorShapeProto::default() })
}

/// A constant in one of its two encodings.
fn floats(values: Vec<f32>, is_content: bool) -> TensorProto {
    let mut tensor =
        TensorProto { dtype: 1, tensor_shape: shape(values.len()), ..TensorProto::default() };
    if is_content {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        tensor.tensor_content = bytes;
    } else {
        tensor.float_val = values;
    }
    tensor
}

fn compared(
    lhs: &MetaGraphDef,
    rhs: &MetaGraphDef,
) -> (Artifact<'static>, Artifact<'static>, Diff) {
    let (lhs, rhs) = (opened(lhs), opened(rhs));
    let alone = DiffOptions { grouping: Grouping::Off, ..DiffOptions::default() };
    let diff = diff(&lhs, &rhs, &alone, &Silent).unwrap();
    (lhs, rhs, diff)
}

fn report(diff: &Diff, view: &TextView<'_>) -> String {
    let mut out = Vec::new();
    let looks = ReportOptions { max_rows: usize::MAX, ..ReportOptions::default() };
    write(&Report::Diff(diff, Some(view)), Format::HUMAN, &looks, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn size(text: &TextDiff) -> usize {
    text.hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| line.text.len()).sum()
}

#[test]
fn a_constant_of_a_million_elements_is_cut_and_summarized() {
    const LEN: usize = 1_000_000;
    for is_content in [false, true] {
        let values: Vec<f32> = (0..LEN).map(|at| at as f32).collect();
        let mut others = values.clone();
        for at in [LEN / 2, LEN / 2 + 1, LEN - 1] {
            others[at] += 1.0;
        }
        let sides = [values, others].map(|v| graph(vec![constant("c", floats(v, is_content))]));
        let (lhs, rhs, diff) = compared(&sides[0], &sides[1]);
        let view = TextView::new(&diff, &lhs, &rhs).unwrap();
        let [place] = view.parts() else { panic!("{view:?}") };
        let text = place.text(3);
        assert_eq!(text.is_cut, !is_content);
        assert!(size(&text) < 1 << 20, "{}", size(&text));
        let report = report(&diff, &view);
        let words = if is_content { "c.value: 3 of 1,000,000" } else { "c.value  3 of 1,000,000" };
        assert!(report.contains(words), "{report}");
        assert!(report.len() < 4_000, "{report}");
        if is_content {
            // The line is compared as a whole, and the following lines are compared too.
            let lines: Vec<_> = text.hunks.iter().flat_map(|hunk| &hunk.lines).collect();
            let [removed, added] = [LineTag::Removed, LineTag::Added]
                .map(|of| lines.iter().find(|line| line.tag == of));
            let (removed, added) = (removed.unwrap(), added.unwrap());
            assert_eq!(removed.text, added.text);
            assert!(removed.more > 4 * LEN as u64);
            assert!(report.contains("bytes, which differ further on"), "{report}");
        }
    }
}

#[test]
fn the_first_of_many_nodes_are_shown_and_the_others_counted() {
    let chain = |len: usize| -> Vec<NodeDef> {
        let input = |at: usize| if at == 0 { "x".to_owned() } else { format!("n/{}", at - 1) };
        let first = [node("x", "Placeholder", &[])].into_iter();
        first.chain((0..len).map(|at| node(&format!("n/{at}"), "Softsign", &[input(at)]))).collect()
    };
    for (l, r, sign) in [(0, 500, '+'), (500, 0, '-')] {
        let (lhs, rhs, diff) = compared(&graph(chain(l)), &graph(chain(r)));
        let view = TextView::new(&diff, &lhs, &rhs).unwrap();
        let [place] = view.parts() else { panic!("{view:?}") };
        assert_eq!(place.more(), 492);
        let report = report(&diff, &view);
        for at in 0..8 {
            assert!(report.contains(&format!("\n  {sign}   name: \"n/{at}\"\n")), "{report}");
        }
        assert!(!report.contains("\"n/8\"\n"), "{report}");
        assert!(report.contains("\n    … and 492 more nodes\n"), "{report}");
    }
}

#[test]
fn a_text_of_many_lines_is_cut() {
    let sides = [0, 30_000].map(|start| {
        let inputs: Vec<String> = (start..start + 30_000).map(|at| format!("x:{at}")).collect();
        graph(vec![node("x", "Split", &[]), node("y", "Pack", &inputs)])
    });
    let (lhs, rhs, diff) = compared(&sides[0], &sides[1]);
    let view = TextView::new(&diff, &lhs, &rhs).unwrap();
    let text = view.parts()[0].text(3);
    assert!(text.is_cut);
    assert!(text.hunks[0].lines.len() <= 20_000);
    let report = report(&diff, &view);
    assert!(report.lines().count() < 150, "{}", report.lines().count());
    assert!(report.contains(" more lines\n") && report.contains("the text is long"), "{report}");
}

#[test]
fn deep_indentation_is_cut() {
    // Each level takes two bytes, and its line has two thousand characters.
    let mut value = Vec::new();
    for _ in 0..300 {
        value = bytes(10, &bytes(2, &[bytes(1, b"k"), bytes(2, &value)].concat()));
    }
    let many = |op: &str| -> Vec<u8> {
        let attrs = (0..200).map(|at| {
            let entry = [bytes(1, format!("a{at:03}").as_bytes()), bytes(2, &value)].concat();
            bytes(5, &entry)
        });
        let node: Vec<u8> = bytes(1, b"n").into_iter().chain(bytes(2, op.as_bytes())).collect();
        bytes(1, &[node, attrs.flatten().collect()].concat())
    };
    let [lhs, rhs] = ["A", "B"].map(|op| decoded("tensorflow.GraphDef", many(op)));
    let changes = messages(&lhs, &rhs, &MessageOptions::default()).unwrap();
    let view = TextView::of_messages(&changes, &lhs, &rhs).unwrap();
    let text = view.parts()[0].text(3);
    assert!(text.is_cut);
    assert!(size(&text) < 1 << 20, "{}", size(&text));
}

#[test]
fn the_parts_of_many_nodes_are_found_in_one_walk() {
    let nodes = |device: &str, len: usize| -> MetaGraphDef {
        let nodes = (0..len).map(|at| {
            let mut node = node(&format!("scope/node_{at}"), "NoOp", &[]);
            node.device = if at % 10 == 0 { device.into() } else { String::new() };
            node
        });
        graph(nodes.collect())
    };
    let took = |len: usize| {
        let (lhs, rhs, diff) = compared(&nodes("/cpu:0", len), &nodes("/cpu:1", len));
        let start = Instant::now();
        let view = TextView::new(&diff, &lhs, &rhs).unwrap();
        assert_eq!(view.parts().len(), len / 10);
        assert!(view.parts().iter().all(|place| place.text(3).hunks.len() == 1));
        start.elapsed().as_secs_f64()
    };
    // The minimum of three runs, since the machine may be busy.
    let least = |len: usize| (0..3).map(|_| took(len)).fold(f64::MAX, f64::min);
    let (few, many) = (least(2_000), least(20_000));
    // Linear time would be ten times as much, quadratic a hundred times; the limit allows for a busy machine.
    assert!(many < 40.0 * few + 0.5, "{few} s, {many} s");
}

/// The differences between the texts of two messages, each line with its sign.
fn signed(lhs: &str, rhs: &str, ty: &str, context: usize) -> Vec<String> {
    let (lhs, rhs) = (parsed(ty, lhs), parsed(ty, rhs));
    let changes = messages(&lhs, &rhs, &MessageOptions::default()).unwrap();
    let view = TextView::of_messages(&changes, &lhs, &rhs).unwrap();
    let reported: usize = view.parts().iter().map(|place| place.changes().len()).sum();
    assert_eq!(reported, changes.len());
    let mut lines = Vec::new();
    for place in view.parts() {
        lines.push(format!("{}:", place.path()));
        for line in place.text(context).hunks.iter().flat_map(|hunk| &hunk.lines) {
            let sign = match line.tag {
                LineTag::Same => ' ',
                LineTag::Removed => '-',
                LineTag::Added => '+',
            };
            lines.push(format!("{sign}{}", line.text));
        }
    }
    lines
}

#[test]
fn a_small_message_is_one_part() {
    assert_eq!(
        signed(
            "model_checkpoint_path: 'a' all_model_checkpoint_paths: 'a'",
            "model_checkpoint_path: 'b' all_model_checkpoint_paths: ['a', 'b']",
            "tensorflow.CheckpointState",
            3,
        ),
        [
            ":",
            "-model_checkpoint_path: \"a\"",
            "+model_checkpoint_path: \"b\"",
            " all_model_checkpoint_paths: \"a\"",
            "+all_model_checkpoint_paths: \"b\"",
        ]
    );
}

#[test]
fn a_large_message_is_shown_by_its_parts() {
    let ops = |summary: &str| {
        let op = |at: usize| format!("attr {{ name: 'a{at}' description: '{}' }}", "d".repeat(99));
        let attrs: Vec<String> = (0..1_000).map(op).collect();
        format!("name: 'Big' {} summary: '{summary}' is_stateful: true", attrs.join(" "))
    };
    assert_eq!(
        signed(&ops("one"), &ops("two"), "tensorflow.OpDef", 3),
        ["summary:", "-summary: \"one\"", "+summary: \"two\""]
    );
    let with = |at: &str| {
        ops("one").replace(
            &format!("name: '{at}' description: 'd"),
            &format!("name: '{at}' description: 'e"),
        )
    };
    let found = signed(&ops("one"), &with("a500"), "tensorflow.OpDef", 0);
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(found[0], "attr[500]:");
}

#[test]
fn an_item_that_moved_is_compared_with_itself() {
    let op = |name: &str, text: &str| format!("attr {{ name: '{name}' description: '{}' }}", text);
    let many = |first: &str, text: &str| {
        let attrs: Vec<String> =
            (0..1_000).map(|at| op(&format!("a{at}"), &"d".repeat(99))).collect();
        format!("{first} {} {}", attrs.join(" "), op("last", text))
    };
    let found = signed(&many("", "one"), &many(&op("new", ""), "two"), "tensorflow.OpDef", 3);
    assert_eq!(
        found,
        [
            "attr[0]:",
            "+name: \"new\"",
            "attr[1001]:",
            " name: \"last\"",
            "-description: \"one\"",
            "+description: \"two\"",
        ]
    );
}

#[test]
fn long_lines_that_differ_at_the_end_are_distinguished() {
    let sides = ["a", "b"].map(|end| {
        let mut node = node("n", "NoOp", &[]);
        node.device = "d".repeat(100_000) + end;
        graph(vec![node])
    });
    let (lhs, rhs, diff) = compared(&sides[0], &sides[1]);
    let view = TextView::new(&diff, &lhs, &rhs).unwrap();
    let text = view.parts()[0].text(0);
    let lines: Vec<_> = text.hunks.iter().flat_map(|hunk| &hunk.lines).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0].text, lines[1].text);
    let report = report(&diff, &view);
    let report = report.split("\nFindings").next().unwrap();
    assert_eq!(report.matches("… 100,011 bytes, which differ further on\n").count(), 2, "{report}");
    assert!(report.contains("\n      n.device: …"), "{report}");
    assert!(report.lines().all(|line| line.chars().count() <= 100), "{report}");
}
