//! The pages of HTML reports, read as far as tests look into them.

use std::collections::BTreeMap;

/// Elements that have no end.
const VOID: &[&str] = &["meta", "col", "input"];

/// An element as a page states it.
#[derive(Debug)]
pub struct Element {
    pub name: String,
    pub attributes: BTreeMap<String, String>,
    /// The text in it, of a script or style only.
    pub content: String,
}

/// The elements of a page, in their order.
///
/// Fails if an element is not closed, or closed in another order, or an attribute is not quoted.
#[track_caller]
pub fn elements(page: &str) -> Vec<Element> {
    let mut found = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut rest = page.strip_prefix("<!doctype html>").expect("a doctype");
    while let Some((_, tag)) = rest.split_once('<') {
        let end = tag.find('>').expect("the end of a tag");
        let (inside, after) = (&tag[..end], &tag[end + 1..]);
        rest = after;
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "<{inside}> in {open:?}");
            continue;
        }
        let is_closed = inside.ends_with('/');
        let (name, attributes) = tag_of(inside.trim_end_matches('/'));
        let mut element = Element { name: name.clone(), attributes, content: String::new() };
        if name == "script" || name == "style" {
            let end = format!("</{name}>");
            let (content, after) = rest.split_once(&end).expect("the end of a script or style");
            element.content = content.to_owned();
            rest = after;
        } else if !is_closed && !VOID.contains(&&*name) {
            open.push(name);
        }
        found.push(element);
    }
    assert!(open.is_empty(), "not closed: {open:?}");
    found
}

fn tag_of(inside: &str) -> (String, BTreeMap<String, String>) {
    let (name, mut rest) = inside.split_once(' ').unwrap_or((inside, ""));
    assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric()), "<{inside}>");
    let mut attributes = BTreeMap::new();
    while !rest.trim().is_empty() {
        rest = rest.trim_start();
        let word = rest.find(['=', ' ']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(word);
        let (value, after) = match after.strip_prefix("=\"") {
            Some(quoted) => quoted.split_once('"').expect("the end of a value"),
            None => ("", after),
        };
        assert!(!after.starts_with('='), "an attribute without quotes: <{inside}>");
        attributes.insert(name.to_owned(), unescaped(value));
        rest = after;
    }
    (name.to_owned(), attributes)
}

/// Text without its escapes.
pub fn unescaped(text: &str) -> String {
    let text = text.replace("&#60;", "<").replace("&#62;", ">").replace("&#34;", "\"");
    text.replace("&#39;", "'").replace("&#38;", "&")
}

/// The text of the element with this id, which has no element in it.
#[track_caller]
pub fn text_of(page: &str, id: &str) -> String {
    let (_, after) = page.split_once(&format!("id=\"{id}\"")).expect("the id");
    let (_, after) = after.split_once('>').expect("the end of a tag");
    unescaped(after.split_once('<').expect("the end of a text").0)
}
