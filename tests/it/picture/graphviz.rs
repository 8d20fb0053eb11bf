//! What Graphviz itself makes of the pictures.

use std::io::Write;
use std::process::{Command, Stdio};

use ckdiff::report::Format;

use super::hostile::{NAMES, hostile};
use super::{drawn, files};
use crate::support::message_forms::opened;
use crate::support::process::skip;

/// The SVG that Graphviz makes of a text; `None` if there is no Graphviz.
fn rendered(text: &str) -> Option<String> {
    let mut command = Command::new("dot");
    command.arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        skip("there is no dot of Graphviz", "CKDIFF_REQUIRE_GRAPHVIZ");
        return None;
    };
    let mut pipe = child.stdin.take().unwrap();
    let text = text.to_owned();
    let writer = std::thread::spawn(move || drop(pipe.write_all(text.as_bytes())));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && warnings.is_empty(), "{warnings}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn graphviz_renders_every_graph_of_the_corpus() {
    for path in files() {
        let text = drawn(&opened(&path), Format::DOT, None);
        let Some(svg) = rendered(&text) else { return };
        // A line ` n0 [label=…` for each box, and one ` n0 -> n1` for each edge.
        let count = |is_edge: bool| {
            let lines = text.lines().map(str::trim_start).filter(|line| line.starts_with('n'));
            lines
                .filter(|line| !line.starts_with("node") && line.contains(" -> n") == is_edge)
                .count()
        };
        assert_eq!(svg.matches("class=\"node\"").count(), count(false), "{}", path.display());
        assert_eq!(svg.matches("class=\"edge\"").count(), count(true), "{}", path.display());
    }
}

#[test]
fn graphviz_shows_hostile_names_as_they_are() {
    let Some(svg) = rendered(&drawn(&hostile(), Format::DOT, Some(1))) else { return };
    let unescape = |text: &str| {
        let entities = [
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&quot;", "\""),
            ("&#39;", "'"),
            ("&#45;", "-"),
            ("&#160;", "\u{a0}"),
            ("&amp;", "&"),
        ];
        entities.iter().fold(text.to_owned(), |text, (entity, c)| text.replace(entity, c))
    };
    let texts: Vec<String> = svg
        .split("<text ")
        .skip(1)
        .map(|text| text.split_once('>').unwrap().1.split_once("</text>").unwrap().0)
        .map(unescape)
        .collect();
    for name in
        NAMES.iter().filter(|name| !name.contains(['/', '\n', '\u{1b}', '\u{0}', '\u{202e}']))
    {
        // With the children `x` and `y` that each of them has, it is a scope.
        let title = format!("{name}/");
        assert!(texts.contains(&title), "{title:?} is not in {texts:?}");
    }
    assert!(!svg.contains("<script"));
}
