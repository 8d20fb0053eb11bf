//! The page of a graph.

use std::collections::BTreeSet;

use ckdiff::report::Format;

use super::hostile::hostile;
use super::{drawn, files};
use crate::support::message_forms::opened;

/// The values of an attribute.
fn values<'t>(page: &'t str, start: &str) -> Vec<&'t str> {
    page.split(start).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn every_link_has_its_place() {
    let mut links = 0;
    for path in files() {
        let page = drawn(&opened(&path), Format::HTML, None);
        let ids = values(&page, " id=\"");
        let different: BTreeSet<_> = ids.iter().collect();
        assert_eq!(ids.len(), different.len(), "{}", path.display());
        for link in values(&page, " href=\"") {
            let anchor = link.strip_prefix('#').unwrap();
            assert!(different.contains(&anchor), "{}: {link}", path.display());
            links += 1;
        }
    }
    assert!(links > 1_000, "{links}");
}

/// Points on a path of vertical lines and curves.
fn points(path: &str) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let starts: Vec<usize> = path.match_indices(['M', 'V', 'C']).map(|(at, _)| at).collect();
    for (at, start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(path.len());
        let part = &path[*start..end];
        let n: Vec<f64> = part[1..].split(' ').map(|number| number.parse().unwrap()).collect();
        let last = points.last().copied();
        match &part[..1] {
            "M" => points.push((n[0], n[1])),
            "V" => {
                let (x, y) = last.unwrap();
                points.extend((1..=10).map(|t| (x, y + (n[0] - y) * f64::from(t) / 10.0)));
            }
            _ => {
                let (x, y) = last.unwrap();
                let on = |t: f64, [a, b, c, d]: [f64; 4]| {
                    let s = 1.0 - t;
                    a * s * s * s + 3.0 * b * s * s * t + 3.0 * c * s * t * t + d * t * t * t
                };
                points.extend(
                    (1..=20)
                        .map(|t| f64::from(t) / 20.0)
                        .map(|t| (on(t, [x, n[0], n[2], n[4]]), on(t, [y, n[1], n[3], n[5]]))),
                );
            }
        }
    }
    points
}

/// The drawn boxes: x, y, width and height.
fn boxes(drawing: &str) -> Vec<[f64; 4]> {
    let number = |text: &str| -> f64 { text.parse().unwrap() };
    let drawn = drawing.split("<g class=\"box ").skip(1);
    let area = |of: &str| {
        let place = of.split("translate(").nth(1).unwrap().split(')').next().unwrap();
        let (x, y) = place.split_once(' ').unwrap();
        let size = |name: &str| {
            let text = of.split("<rect").nth(1).unwrap().split(&format!(" {name}=\"")).nth(1);
            number(text.unwrap().split('"').next().unwrap())
        };
        [number(x), number(y), size("width"), size("height")]
    };
    drawn.map(area).collect()
}

#[test]
fn no_edge_is_drawn_across_a_box_and_no_box_across_another() {
    let (mut edges, mut labels) = (0, 0);
    for path in files() {
        let page = drawn(&opened(&path), Format::HTML, None);
        for drawing in page.split("<svg class=\"graph\"").skip(1) {
            let drawing = drawing.split("</svg>").next().unwrap();
            let boxes = boxes(drawing);
            let mut paths = BTreeSet::new();
            for d in drawing.split("<path class=\"edge").skip(1) {
                let d = d.split(" d=\"").nth(1).unwrap().split('"').next().unwrap();
                assert!(paths.insert(d), "{}: two edges at {d}", path.display());
                for (x, y) in points(d) {
                    let is_in = |[left, top, width, height]: &&[f64; 4]| {
                        (left + 1.0..left + width - 1.0).contains(&x)
                            && (top + 1.0..top + height - 1.0).contains(&y)
                    };
                    let crossed = boxes.iter().find(is_in);
                    assert_eq!(crossed, None, "{}: {d} at {x}, {y}", path.display());
                }
                edges += 1;
            }
            for (at, [x, y, width, height]) in boxes.iter().enumerate() {
                for [left, top, w, h] in &boxes[at + 1..] {
                    let is_beside = x + width < *left || left + w < *x;
                    assert!(is_beside || y + height < *top || top + h < *y, "{}", path.display());
                }
            }
            labels += drawing.matches("<text class=\"at").count();
        }
    }
    assert!(edges > 200 && labels > 50, "{edges} edges, {labels} labels");
}

#[test]
fn ops_are_named_whole_and_the_counts_agree() {
    let page = drawn(&opened("tests/data/saved_models/module/saved_model.pb"), Format::HTML, None);
    let drawing = page.split("<svg class=\"graph\"").nth(1).unwrap();
    assert!(drawing.contains(">1 AssignVariableOp, 3 more</text>"), "{drawing}");
    assert!(page.contains("<li>129 nodes, 102 in functions · "), "{page}");
    assert!(drawing.contains("<title>hash_table → StatefulPartitionedCall_1: resource []</title>"));
}

#[test]
fn small_graphs_are_open_and_large_ones_folded() {
    let small = drawn(&opened("tests/data/graphs/frozen.pb"), Format::HTML, None);
    assert!(small.contains("<details id=\"c0\" open>"), "{small}");
    let large = drawn(&opened("tests/data/graphs/training.meta"), Format::HTML, None);
    assert!(large.contains("<details id=\"c0\">") && !large.contains(" open>"), "{large}");
}

#[test]
fn names_are_no_markup_and_nothing_runs() {
    for depth in [None, Some(1)] {
        let page = drawn(&hostile(), Format::HTML, depth);
        assert!(!page.contains("<script") && !page.contains("<b>bold"), "{page}");
        assert!(page.contains("&#60;script&#62;alert(1)"), "{page}");
        assert!(
            page.contains("default-src &#39;none&#39;") && !page.contains("script-src"),
            "{page}"
        );
        assert!(page.chars().all(|c| c == '\n' || !c.is_control()), "{page:?}");
    }
}
