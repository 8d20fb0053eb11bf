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
