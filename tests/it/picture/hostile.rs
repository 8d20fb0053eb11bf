//! Names that would be markup, if they were not escaped.

use ckdiff::artifact::{Document, Form, ReadOptions};
use ckdiff::overview::Overview;
use ckdiff::picture::Picture;
use ckdiff::report::Format;
use ckdiff::schema::Schema;
use std::path::Path;

use super::{Node, drawn, graph};
use crate::support::encoding::bytes;

/// Names that mean something in HTML, Markdown, XML, Graphviz, Mermaid, or to a terminal.
pub(super) const NAMES: &[&str] = &[
    "<script>alert(1)</script>",
    "]]>",
    "|",
    "`code`",
    "\u{1b}[31mred",
    "a\nb",
    "\"]; evil [label=\"",
    "\"]\nend\nclick n0 href \"javascript:alert(1)\"",
    "\\",
    "\\N\\G\\\"",
    "<b>bold</b>",
    "&lt;&#60;&amp;",
    "#quot;#35;",
    "%%{init: {\"theme\": \"dark\"}}%%",
    "end",
    "__bold__",
    "1. list",
    "- list",
    "---",
    "",
    "/",
    "//",
    "a//b",
    "\u{202e}gnp.exe",
    "\u{0}",
    "語/名",
    "${HOME} $(id) {{ 7 * 7 }} {% raw %}",
];

/// A graph whose nodes, ops and inputs have these names.
pub(super) fn hostile() -> Document<'static> {
    let long = "long/".repeat(2_000);
    let mut nodes: Vec<Node<'_>> = NAMES.iter().map(|name| (*name, *name, &[][..])).collect();
    let inputs: Vec<&str> = NAMES.iter().chain([&long.as_str()]).copied().collect();
    nodes.push((&long, "<i>Op</i>", &[]));
    nodes.push(("sum", "AddN", &inputs));
    let nested: Vec<_> =
        NAMES.iter().flat_map(|name| ["x", "y"].map(|x| format!("{name}/{x}"))).collect();
    nodes.extend(nested.iter().map(|name| (name.as_str(), "Const", &[][..])));
    graph(&nodes)
}

/// The text outside of double quotes, and the strings between them, in which a backslash escapes if `escapes` is set.
fn split(text: &str, escapes: bool) -> (String, Vec<String>) {
    let (mut outside, mut strings) = (String::new(), Vec::new());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '"' {
            outside.push(c);
            continue;
        }
        let mut string = String::new();
        loop {
            match chars.next().unwrap() {
                '"' => break,
                '\\' if escapes => string.extend(['\\', chars.next().unwrap()]),
                c => string.push(c),
            }
        }
        strings.push(string);
    }
    (outside, strings)
}

fn only_allowed(text: &str, allowed: &str) {
    let other: String =
        text.chars().filter(|c| !c.is_alphanumeric() && !allowed.contains(*c)).collect();
    assert!(other.is_empty(), "{other:?} in {text}");
}

#[test]
fn no_name_ends_its_string_in_dot() {
    for depth in [None, Some(0), Some(1), Some(60)] {
        let text = drawn(&hostile(), Format::DOT, depth);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        let (outside, strings) = split(&text, true);
        only_allowed(&outside, " \n_->;=,[]{}");
        for string in strings {
            // Only escapes of this module, and no entity but that of the ampersand.
            let escapes = string.replace("\\\\", "").replace("\\\"", "").replace("\\n", "");
            assert!(!escapes.contains('\\'), "{string}");
            assert!(!string.replace("&amp;", "").contains('&'), "{string}");
        }
    }
}

#[test]
fn no_name_is_markup_in_mermaid() {
    for depth in [None, Some(0), Some(1), Some(60)] {
        let text = drawn(&hostile(), Format::MERMAID, depth);
        let (outside, strings) = split(&text, false);
        only_allowed(&outside, " \n->|[](),:#.%");
        assert!(strings.len() > 2 || depth == Some(0), "{text}");
        for string in strings {
            only_allowed(&string.replace("<br/>", ""), " /,#;_.-");
        }
    }
}

#[test]
fn names_are_shown_and_cut() {
    let text = drawn(&hostile(), Format::DOT, None);
    for shown in ["<script>alert(1)</script>", "`code`", "\\\\u{1b}[31mred", "語/", "…"] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() < 400), "{text}");
}

#[test]
fn names_that_are_not_utf8_are_no_problem() {
    let node = [bytes(1, b"\xff\xfe/x"), bytes(2, b"\xff"), bytes(3, b"\xff:0")].concat();
    let options = ReadOptions {
        message: Some("tensorflow.GraphDef".into()),
        form: Some(Form::Binary),
        ..ReadOptions::default()
    };
    let content = bytes(1, &node);
    let read = Document::read(&content[..], Path::new("a"), Schema::tensorflow(), &options);
    // It is refused, or it is drawn.
    if let Ok(document) = read {
        let _ = Overview::new(&document).unwrap();
        assert!(Picture::new(&document).is_ok());
        assert!(!drawn(&document, Format::DOT, None).is_empty());
    }
}

#[test]
fn mermaid_gets_no_more_than_it_draws() {
    let names: Vec<_> = (0..400).map(|at| format!("scope{}/node{at}", at % 20)).collect();
    let inputs: Vec<Vec<&str>> = (0..400)
        .map(|at| {
            (1..4)
                .filter_map(|back| names.get(at - (at.min(back * 7))))
                .map(String::as_str)
                .collect()
        })
        .collect();
    let nodes: Vec<Node<'_>> = names
        .iter()
        .zip(&inputs)
        .map(|(name, inputs)| (name.as_str(), "AddN", inputs.as_slice()))
        .collect();
    let document = graph(&nodes);
    let all = drawn(&document, Format::DOT, Some(10));
    assert!(all.matches(" -> ").count() > 500);
    let text = drawn(&document, Format::MERMAID, Some(10));
    assert!(
        text.starts_with("%% folded to at most 200 boxes, since Mermaid does not draw 400\n"),
        "{text}"
    );
    assert!(text.contains("-->") && text.matches("-->").count() <= 500);
    assert!(text.encode_utf16().count() <= 50_000);
}
