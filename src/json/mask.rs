//! `FieldMask` paths: `fooBar,baz.qux` in JSON, `foo_bar` and `baz.qux` in the message.
//!
//! Only paths that round-trip are converted.

/// Converts a JSON path to the message's form; `None` if it is not a JSON path.
pub(super) fn to_snake(path: &str) -> Option<String> {
    let mut out = String::with_capacity(path.len() + 8);
    for c in path.chars() {
        match c {
            '_' => return None,
            'A'..='Z' => out.extend(['_', c.to_ascii_lowercase()]),
            c => out.push(c),
        }
    }
    Some(out)
}

/// Converts a message's path to JSON; `None` if it would not round-trip.
pub(super) fn to_camel(path: &str) -> Option<String> {
    let mut out = String::with_capacity(path.len());
    let mut rest = path.chars();
    while let Some(c) = rest.next() {
        match c {
            'A'..='Z' => return None,
            '_' => match rest.next() {
                Some(next @ 'a'..='z') => out.push(next.to_ascii_uppercase()),
                _ => return None,
            },
            c => out.push(c),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_both_ways_or_not_at_all() {
        for (snake, camel) in [("foo_bar", "fooBar"), ("a.b_c.d", "a.bC.d"), ("_a", "A"), ("", "")]
        {
            assert_eq!(to_camel(snake).as_deref(), Some(camel));
            assert_eq!(to_snake(camel).as_deref(), Some(snake));
        }
        for snake in ["fooBar", "foo__bar", "foo_3", "foo_", "foo_._a"] {
            assert_eq!(to_camel(snake), None, "{snake}");
        }
        assert_eq!(to_snake("foo_bar"), None);
    }
}
