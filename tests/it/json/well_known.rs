//! The well-known types, which have special forms in JSON.

use crate::support::json_message::{COMPACT, decoded, not_as_expected, read, well_known, written};

#[test]
fn well_known_types_have_forms_of_their_own() {
    let schema = well_known();
    for (name, text, same) in [
        ("Timestamp", r#""1970-01-01T00:00:01.5+01:00""#, r#""1969-12-31T23:00:01.500Z""#),
        ("Duration", r#""-1.50s""#, r#""-1.500s""#),
        ("FieldMask", r#""fooBar,baz.qux""#, r#""fooBar,baz.qux""#),
        (
            "Struct",
            r#"{"b":[1,null,"x",{"c":true}],"a":{}}"#,
            r#"{"a":{},"b":[1.0,null,"x",{"c":true}]}"#,
        ),
        ("ListValue", "[[],{},-0.0]", "[[],{},-0.0]"),
        ("Value", "null", "null"),
        ("Value", "1e5", "100000.0"),
        ("Value", "18446744073709551615", "1.8446744073709552e+19"),
        ("Int64Value", "1", r#""1""#),
        ("UInt32Value", "0", "0"),
        ("BoolValue", "true", "true"),
        ("StringValue", r#""\ud83d\ude00\u0000""#, "\"😀\\u0000\""),
        ("BytesValue", r#""_-8""#, r#""/+8=""#),
        ("DoubleValue", r#""-Infinity""#, r#""-Infinity""#),
        ("FloatValue", "1e-45", "1.4013e-45"),
        ("Any", "{}", "{}"),
        (
            "Any",
            r#"{"value": "1s", "@type": "x/y/google.protobuf.Duration"}"#,
            r#"{"@type":"x/y/google.protobuf.Duration","value":"1s"}"#,
        ),
        (
            "Any",
            r#"{"@type":"a/google.protobuf.Any","value":{"paths":1,"@type":"a/google.protobuf.Empty"}}"#,
            "",
        ),
        (
            "Any",
            r#"{"@type":"a/google.protobuf.Any","value":{"@type":"a/google.protobuf.Empty"}}"#,
            r#"{"@type":"a/google.protobuf.Any","value":{"@type":"a/google.protobuf.Empty"}}"#,
        ),
    ] {
        let name = format!("google.protobuf.{name}");
        match read(&schema, &name, text.as_bytes()) {
            Ok(message) => {
                assert_eq!(written(&message, &COMPACT).unwrap().0, same, "{name} {text}");
                let again = read(&schema, &name, same.as_bytes()).unwrap();
                assert_eq!(again.bytes(), message.bytes(), "{name} {text}");
            }
            Err(error) => assert_eq!(same, "", "{name} {text}: {error}"),
        }
    }
}

#[test]
fn well_known_types_are_refused_when_they_are_out_of_range() {
    let schema = well_known();
    let cases = [
        (
            "google.protobuf.Timestamp",
            r#""1970-02-30T00:00:00Z""#,
            r#"1:1: expected a time such as "1970-01-01T00:00:00Z", in the years 1 to 9999, found the string "1970-02-30T00:00:00Z""#,
        ),
        ("google.protobuf.Duration", "5", "1:1: expected a string, found 5"),
        (
            "google.protobuf.FieldMask",
            r#""foo_bar""#,
            r#"1:1: expected comma-separated paths in lowerCamelCase, found the string "foo_bar""#,
        ),
        ("google.protobuf.Struct", r#"{"a":1,"a":2}"#, r#"1:8: ["a"]: this key is given twice"#),
        ("google.protobuf.Value", "[1e999]", "1:6: [0]: a number out of the range of a double"),
        (
            "google.protobuf.Int32Value",
            "null",
            "1:1: expected a whole number from -2147483648 to 2147483647, found null",
        ),
        ("google.protobuf.Any", r#"{"a": 1}"#, r#"1:1: expected "@type" in an Any"#),
        (
            "google.protobuf.Any",
            r#"{"@type": "Empty"}"#,
            r#"1:11: @type: expected a type URL such as "type.googleapis.com/full.Name", found the string "Empty""#,
        ),
        (
            "google.protobuf.Any",
            r#"{"@type": "a/b.C"}"#,
            r#"1:11: @type: unknown type "b.C"; only messages of the schema are read"#,
        ),
        (
            "google.protobuf.Any",
            r#"{"@type": "a/google.protobuf.Value"}"#,
            r#"1:1: expected "value" in an Any of google.protobuf.Value"#,
        ),
        (
            "google.protobuf.Any",
            r#"{"@type": "a/google.protobuf.Empty", "x": 1}"#,
            r#"1:38: x: unknown field "x" of google.protobuf.Empty"#,
        ),
    ];
    let wrong = not_as_expected(&schema, cases);
    assert!(wrong.is_empty(), "{wrong}");
    for (name, bytes, expected) in [
        (
            "Timestamp",
            &b"\x10\x80\x94\xeb\xdc\x03"[..],
            "JSON cannot represent this: nanoseconds: expected 0 to 999999999, found 1000000000",
        ),
        (
            "Duration",
            b"\x08\x01\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            "JSON cannot represent this: nanoseconds: expected the sign of the seconds, 1, or 0, found -1",
        ),
        (
            "FieldMask",
            b"\x0a\x06fooBar",
            r#"the path "fooBar" cannot be represented in JSON: it would not round-trip"#,
        ),
        (
            "FieldMask",
            b"\x0a\x00",
            r#"the path "" cannot be represented in JSON: it would not round-trip"#,
        ),
        ("Value", b"", "an empty Value cannot be represented in JSON"),
        (
            "Value",
            b"\x08\x05",
            "a Value whose null_value is 5, not 0, cannot be represented in JSON",
        ),
        // A boolean in place of the string is an unknown field.
        ("Value", b"\x18\x01", "the unknown field 3 cannot be represented in JSON"),
        ("ListValue", b"\x08\x05", "the unknown field 1 cannot be represented in JSON"),
        (
            "Value",
            b"\x11\x00\x00\x00\x00\x00\x00\xf0\x7f",
            "a Value that is not finite cannot be represented in JSON",
        ),
        (
            "ListValue",
            b"\x0a\x02\x20\x01\x0a\x00",
            "values[1]: an empty Value cannot be represented in JSON",
        ),
        (
            "Any",
            b"\x0a\x1da/google.protobuf.StringValue\x12\x01\x0a",
            "value.value: the length of a field needs 1 byte, 0 left",
        ),
    ] {
        let name = format!("google.protobuf.{name}");
        let message = decoded(&schema, &name, bytes.to_vec());
        let error = written(&message, &COMPACT).unwrap_err().to_string();
        assert!(error.ends_with(expected), "{name}: {error}");
    }
}
