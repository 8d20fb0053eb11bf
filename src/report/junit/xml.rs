//! Text in XML 1.0.

use std::borrow::Cow;

/// Text between tags.
pub(super) fn text(text: &str) -> Cow<'_, str> {
    escaped(text, |c| match c {
        // Readers turn a CR into LF.
        '\r' => Some("&#13;"),
        _ => None,
    })
}

/// The value of an attribute, without its quotes. Readers turn tabs and line ends in it into spaces, unless they are references.
pub(super) fn attribute(text: &str) -> Cow<'_, str> {
    escaped(text, |c| match c {
        '\t' => Some("&#9;"),
        '\n' => Some("&#10;"),
        '\r' => Some("&#13;"),
        _ => None,
    })
}

fn escaped(text: &str, reference: impl Fn(char) -> Option<&'static str>) -> Cow<'_, str> {
    let known = |c: char| match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        // `]]>` must not occur in text.
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        c => reference(c),
    };
    if !text.chars().any(|c| known(c).is_some() || is_forbidden(c)) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match known(c) {
            Some(reference) => out.push_str(reference),
            None if is_forbidden(c) => out.extend(c.escape_unicode()),
            None => out.push(c),
        }
    }
    out.into()
}

/// Whether XML 1.0 has no such character, not even as a reference.
fn is_forbidden(c: char) -> bool {
    let is_space = matches!(c, '\t' | '\n' | '\r');
    (c < ' ' && !is_space) || matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_text_or_escaped() {
        for c in (0..=0xffff).filter_map(char::from_u32) {
            for written in [text(&c.to_string()), attribute(&c.to_string())] {
                assert!(!written.contains(is_forbidden), "{c:?}: {written:?}");
                assert!(!written.contains(['<', '>', '"']), "{c:?}: {written:?}");
            }
        }
        assert_eq!(text("a\u{1b}[31m]]><script>"), "a\\u{1b}[31m]]&gt;&lt;script&gt;");
        assert_eq!(attribute("a\n\"b\"\t&"), "a&#10;&quot;b&quot;&#9;&amp;");
    }
}
