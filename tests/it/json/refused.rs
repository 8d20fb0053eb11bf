//! Refused JSON with the reason and the location, and damaged JSON.

use std::fs;

use ckdiff::json::{ParseOptions, parse};
use ckdiff::message::Unknown;
use ckdiff::schema::Schema;

use crate::support::json_message::{COMPACT, decoded, not_as_expected, read, written};
use crate::support::{Random, base64, oracle};

#[test]
fn hostile_json_is_refused_with_its_location_or_read_correctly() {
    let schema = Schema::tensorflow();
    let cases = oracle("hostile_messages.json");
    let json = cases.as_array().unwrap().iter().filter(|case| case["format"] == "json");
    let (mut accepted, mut refused) = (0, 0);
    for case in json {
        let is_refused = case["refused"].as_bool().unwrap();
        let path = case["path"].as_str().unwrap();
        let text = fs::read(format!("tests/data/{path}")).unwrap();
        let why = case["why"].as_str().unwrap();
        match read(schema, case["message"].as_str().unwrap(), &text) {
            Ok(_) if is_refused => panic!("{path} is read: {why}"),
            Ok(message) => {
                // Python orders map entries differently.
                let expected = base64(case["canonical_b64"].as_str().unwrap());
                let expected = decoded(schema, &message.ty().full_name, expected);
                assert_eq!(message.bytes(), expected.bytes(), "{path}: {why}");
                accepted += 1;
            }
            Err(error) => {
                assert!(is_refused, "{path}: {why}: {error}");
                assert!(error.location().is_some(), "{path}: {error}");
                refused += 1;
            }
        }
    }
    assert!(accepted >= 16 && refused >= 44, "{accepted} accepted, {refused} refused");
}

#[test]
fn an_error_names_location_field_and_what_was_found_and_allowed() {
    let schema = Schema::tensorflow();
    let cases = [
        ("", "1:1: expected a value, found the end"),
        ("null", "1:1: expected an object, found null"),
        ("[1]", "1:1: expected an object, found a list"),
        ("{} {}", "1:4: expected the end, found `{`"),
        (r#"{"name": "a",}"#, "1:14: a trailing comma"),
        (r#"{"name" "a"}"#, "1:9: name: expected `:`, found `\"`"),
        (r#"{"name": "a" "op": "b"}"#, "1:14: expected `,` or `}`, found `\"`"),
        (r#"{name: 1}"#, "1:2: expected a name in double quotes, found `n`"),
        (r#"{"name": 'a'}"#, "1:10: name: expected a value, found `'`"),
        (r#"{"name": "a"#, "1:11: name: the text ends inside a string"),
        (
            "{\"name\": \"a\nb\"}",
            "1:12: name: found `\\n` in a string, where control characters need an escape",
        ),
        (
            r#"{"name": "\ud83d"}"#,
            "1:17: name: expected both escapes of a surrogate pair, the leading one first",
        ),
        (
            r#"{"name": "\q"}"#,
            r#"1:12: name: an escape that JSON does not have; it allows \" \\ \/ \b \f \n \r \t \uXXXX"#,
        ),
        (r#"{"name": 5}"#, "1:10: name: expected a string, found 5"),
        (r#"{"name": ["a"]}"#, "1:10: name: expected a string, found a list"),
        (
            r#"{"nme": "a"}"#,
            r#"1:2: nme: unknown field "nme" of tensorflow.NodeDef; did you mean name?"#,
        ),
        (
            r#"{"x\n\u001b[2J": 1}"#,
            r#"1:2: x\n\u001b[2J: unknown field "x\n\u{1b}[2J" of tensorflow.NodeDef"#,
        ),
        (r#"{"name": "a", "name": "b"}"#, "1:15: name: name is given twice"),
        (r#"{"input": "a"}"#, "1:11: input: expected a list, found the string \"a\""),
        (r#"{"input": ["a", null]}"#, "1:17: input[1]: expected a string, found null"),
        (r#"{"attr": {"T": null}}"#, r#"1:16: attr["T"]: expected an object, found null"#),
        (r#"{"attr": {"a": {}, "b": {}, "a": {}}}"#, r#"1:29: attr["a"]: this key is given twice"#),
        (
            "{\n  \"attr\": {\n    \"é\": {\"type\": \"DT_FLOT\"}\n  }\n}",
            r#"3:19: attr["é"].type: unknown value "DT_FLOT" of tensorflow.DataType; did you mean DT_FLOAT?"#,
        ),
        (
            r#"{"attr": {"T": {"i": "9223372036854775808"}}}"#,
            r#"1:22: attr["T"].i: expected a whole number from -9223372036854775808 to 9223372036854775807, found the string "9223372036854775808""#,
        ),
        (
            r#"{"attr": {"T": {"b": "true"}}}"#,
            r#"1:22: attr["T"].b: expected true or false, found the string "true""#,
        ),
        (
            r#"{"attr": {"T": {"s": "%%"}}}"#,
            r#"1:22: attr["T"].s: expected base64, found `%`, which is not a base64 digit"#,
        ),
        (
            r#"{"attr": {"T": {"i": 1, "b": true}}}"#,
            r#"1:25: attr["T"].b: i and b are both given, but at most one field of value may be"#,
        ),
        (
            r#"{"attr": {"T": {"shape": {"dim": [{"size": 1.5}]}}}}"#,
            r#"1:44: attr["T"].shape.dim[0].size: expected a whole number from -9223372036854775808 to 9223372036854775807, found 1.5"#,
        ),
        (
            r#"{"attr": {"T": {"f": 1e39}}}"#,
            r#"1:22: attr["T"].f: expected a number in the range of a float, "NaN", "Infinity" or "-Infinity", found 1e39"#,
        ),
    ];
    let cases = cases.map(|(text, expected)| ("tensorflow.NodeDef", text, expected));
    let wrong = not_as_expected(schema, cases);
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn long_values_in_errors_are_shortened() {
    let schema = Schema::tensorflow();
    let long = format!(r#"{{"input": ["{}", 5{}]}}"#, "é".repeat(1_000_000), "0".repeat(200));
    let error = read(schema, "tensorflow.NodeDef", long.as_bytes()).unwrap_err();
    let place = error.location().unwrap();
    assert_eq!((place.line, place.column), (1, 1_000_016));
    assert_eq!(place.excerpt.chars().nth(place.caret), Some('5'));
    assert!(place.excerpt.chars().count() <= 80, "{}", place.excerpt);
    assert!(error.to_string().len() < 200, "{error}");
    for (text, expected) in [
        (&b"{\"name\":\n \"a\xffb\"}"[..], "2:4: expected UTF-8, found the byte 0xff"),
        (b"\xef\xbb\xbf{}", "1:1: expected JSON, found a byte order mark"),
    ] {
        let error = read(schema, "tensorflow.NodeDef", text).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

/// A damaged text is either read as a message or refused with a location.
#[test]
fn damaged_texts_are_read_or_refused() {
    let schema = Schema::tensorflow();
    let text = fs::read("tests/data/graphs/collections.meta.json").unwrap();
    let pieces: &[&[u8]] = &[
        b"{", b"}", b"[", b"]", b",", b":", b"\"", b"\\", b"null", b"-", b"1e9", b"\xff",
        b"\\ud800",
    ];
    let mut random = Random::new(7);
    let mut place = |len: usize| usize::try_from(random.below(len as u64)).unwrap();
    for options in [Unknown::Refuse, Unknown::Drop].map(|unknown| ParseOptions { unknown }) {
        let mut accepted = 0;
        for _ in 0..1_500 {
            let mut damaged = text.clone();
            for _ in 0..=place(3) {
                let (from, len) = (place(damaged.len()), place(12));
                let to = (from + len).min(damaged.len());
                damaged.splice(from..to, pieces[place(pieces.len())].iter().copied());
            }
            let ty = schema.message("tensorflow.MetaGraphDef").unwrap();
            match parse(schema, ty, &damaged, &options) {
                Ok((message, _)) => {
                    let (text, _) = written(&message, &COMPACT).unwrap();
                    let back = read(schema, "tensorflow.MetaGraphDef", text.as_bytes()).unwrap();
                    assert_eq!(back.bytes(), message.bytes());
                    accepted += 1;
                }
                Err(error) => assert!(error.location().is_some(), "{error}"),
            }
        }
        assert!((15..1_485).contains(&accepted), "{accepted} of 1500 are accepted");
    }
}
