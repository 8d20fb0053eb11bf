//! The errors of serde_json in plain words, and their offsets.
//!
//! serde_json tells its errors apart by their text alone, so a test provokes each of them: a release with other words fails it.

use serde_json::error::Category;

use crate::error::shortened;

/// The offset of the error in `text`, in bytes.
pub(crate) fn offset_of(error: &serde_json::Error, text: &str) -> usize {
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
    let start = std::iter::once(0).chain(breaks).nth(error.line().saturating_sub(1)).unwrap_or(0);
    // Column 0 is the preceding line break.
    (start + error.column()).saturating_sub(1)
}

/// What was expected and what was found, for an error in `text`.
pub(crate) fn explain(error: &serde_json::Error, text: &str) -> String {
    let said = without_location(error);
    match error.classify() {
        Category::Data => mismatch(&said),
        _ => syntax(&said, text.get(offset_of(error, text)..).unwrap_or_default()),
    }
}

/// What a value of another type should have been: `a string`.
pub(crate) fn expected_by(error: &serde_json::Error) -> String {
    let said = without_location(error);
    in_json(said.rsplit_once(", expected ").map_or(&*said, |(_, expected)| expected)).to_owned()
}

/// The text of the error, without its line and column.
fn without_location(error: &serde_json::Error) -> String {
    let mut said = error.to_string();
    said.truncate(said.rfind(" at line ").unwrap_or(said.len()));
    said
}

/// A syntax error; `rest` is the text from its offset on.
fn syntax(said: &str, rest: &str) -> String {
    let found = match rest.chars().next() {
        Some(c @ ('"' | '\'')) => format!("`{c}`"),
        Some(c) => format!("`{}`", c.escape_debug()),
        None => "the end".to_owned(),
    };
    match said {
        "EOF while parsing a list" => "the text ends inside a list".to_owned(),
        "EOF while parsing an object" => "the text ends inside an object".to_owned(),
        "EOF while parsing a string" => "the text ends inside a string".to_owned(),
        "EOF while parsing a value" => "expected a value, found the end".to_owned(),
        "expected value" | "expected ident" => format!("expected a value, found {found}"),
        "key must be a string" => format!("expected a name in double quotes, found {found}"),
        "trailing comma" => "a trailing comma".to_owned(),
        "trailing characters" => format!("expected the end, found {found}"),
        "invalid number" => {
            format!("found {found} in a number, which is not in the notation of JSON")
        }
        "number out of range" => "a number out of the range of a double".to_owned(),
        "invalid escape" => {
            r#"an escape that JSON does not have; it allows \" \\ \/ \b \f \n \r \t \uXXXX"#
                .to_owned()
        }
        "lone leading surrogate in hex escape" | "unexpected end of hex escape" => {
            "expected both escapes of a surrogate pair, the leading one first".to_owned()
        }
        said if said.starts_with("control character") => {
            format!("found {found} in a string, where control characters need an escape")
        }
        said => match said.strip_prefix("expected ") {
            Some(expected) => format!("expected {expected}, found {found}"),
            None => shortened(said).into_owned(),
        },
    }
}

/// A value of another type or length, or a missing or repeated field.
fn mismatch(said: &str) -> String {
    if let Some(field) = said.strip_prefix("missing field ") {
        return format!("expected the field {}, found none", field.replace('`', ""));
    }
    if let Some(field) = said.strip_prefix("duplicate field ") {
        return format!("{} is given twice", field.replace('`', ""));
    }
    let Some((found, expected)) = said.rsplit_once(", expected ") else {
        return shortened(said).into_owned();
    };
    let (kind, value) = found.split_once(' ').unwrap_or((found, ""));
    let found = match (kind, value.split_once(' ')) {
        ("invalid", Some(("length", length))) => format!("a list of length {length}"),
        ("invalid", Some((_, value))) => described(value),
        _ => found.to_owned(),
    };
    format!("expected {}, found {}", in_json(expected), shortened(&found))
}

/// A value as serde describes it: "integer `7`", `string "a"`, `map`.
fn described(value: &str) -> String {
    match value.split_once(' ') {
        Some(("integer" | "boolean" | "point", literal)) => literal.replace('`', ""),
        Some(("floating", literal)) => described(literal),
        Some(("string", _)) => format!("the {value}"),
        _ => in_json(value).to_owned(),
    }
}

/// Serde's name of a type in the terms of JSON.
fn in_json(name: &str) -> &str {
    match name {
        "map" => "an object",
        "sequence" | "a sequence" => "a list",
        "u64" => "a non-negative integer",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde::de::DeserializeOwned;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(expecting = "an object with `a`")]
    struct Fields {
        #[expect(dead_code, reason = "only errors are looked at")]
        a: Vec<u64>,
    }

    fn explained<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> (usize, String) {
        let error = serde_json::from_str::<T>(text).unwrap_err();
        (offset_of(&error, text), explain(&error, text))
    }

    #[test]
    fn every_syntax_error_has_its_own_words() {
        let surrogates = "expected both escapes of a surrogate pair, the leading one first";
        let cases = [
            ("[1", 1, "the text ends inside a list"),
            ("{\"a\":1", 5, "the text ends inside an object"),
            ("\"a", 1, "the text ends inside a string"),
            ("", 0, "expected a value, found the end"),
            ("[x]", 1, "expected a value, found `x`"),
            ("nul!", 3, "expected a value, found `!`"),
            ("{a:1}", 1, "expected a name in double quotes, found `a`"),
            ("[1,]", 3, "a trailing comma"),
            ("1\n 2", 3, "expected the end, found `2`"),
            ("01", 1, "found `1` in a number, which is not in the notation of JSON"),
            ("1e999", 4, "a number out of the range of a double"),
            (
                r#""\q""#,
                2,
                r#"an escape that JSON does not have; it allows \" \\ \/ \b \f \n \r \t \uXXXX"#,
            ),
            (r#""\ud800""#, 7, surrogates),
            (r#""\ud800\n""#, 8, surrogates),
            (r#""\udc00""#, 6, surrogates),
            ("\"\n\"", 1, "found `\\n` in a string, where control characters need an escape"),
            ("{\"a\" 1}", 5, "expected `:`, found `1`"),
            ("[1 2]", 3, "expected `,` or `]`, found `2`"),
        ];
        for (text, offset, message) in cases {
            assert_eq!(
                explained::<serde_json::Value>(text),
                (offset, message.to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn every_mismatch_has_its_own_words() {
        let cases = [
            ("{}", "expected the field a, found none"),
            (r#"{"a":[],"a":[]}"#, "a is given twice"),
            ("null", "expected an object with `a`, found null"),
            ("[]", "expected an object with `a`, found a list of length 0"),
            (r#"{"a":{}}"#, "expected a list, found an object"),
            (r#"{"a":[[]]}"#, "expected a non-negative integer, found a list"),
            (r#"{"a":[-1]}"#, "expected a non-negative integer, found -1"),
            (r#"{"a":[1.5]}"#, "expected a non-negative integer, found 1.5"),
            (r#"{"a":[true]}"#, "expected a non-negative integer, found true"),
            (r#"{"a":["b"]}"#, "expected a non-negative integer, found the string \"b\""),
        ];
        for (text, message) in cases {
            assert_eq!(explained::<Fields>(text).1, message, "{text}");
        }
        assert_eq!(
            expected_by(&serde_json::from_str::<u64>("{}").unwrap_err()),
            "a non-negative integer"
        );
    }
}
