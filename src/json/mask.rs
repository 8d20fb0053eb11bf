//! The paths of a `FieldMask`: `fooBar,baz.qux` in JSON, `foo_bar` and `baz.qux` in the message.
//!
//! Only paths that come back as they were have a form on the other side.

/// A path of JSON as the message has it; `None` when no path is written like this.
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

/// A path of the message as JSON has it; `None` when it would not come back.
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
