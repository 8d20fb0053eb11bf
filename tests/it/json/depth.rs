//! Deeply nested JSON.

use std::thread;

use ckdiff::json::{ParseOptions, parse};
use ckdiff::message::Unknown;
use ckdiff::schema::Schema;

use crate::support::json_message::{COMPACT, decoded, read, well_known, written};

/// Runs `f` on a thread with the default stack size.
fn on_a_thread<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(2 << 20).spawn_scoped(scope, f);
        thread.unwrap().join().unwrap()
    })
}

#[test]
fn messages_may_be_nested_a_thousand_deep_and_no_deeper() {
    let schema = Schema::tensorflow();
    let nested = |levels: usize| {
        let (open, close) = (r#"{"listValue":{"values":["#, "]}}");
        format!("{}{{}}{}", open.repeat(levels), close.repeat(levels))
    };
    on_a_thread(|| {
        // Each level has two messages.
        let text = nested(500);
        let message = read(schema, "tensorflow.StructuredValue", text.as_bytes()).unwrap();
        assert_eq!(written(&message, &COMPACT).unwrap().0, text);
        let error = read(schema, "tensorflow.StructuredValue", nested(501).as_bytes()).unwrap_err();
        let said = error.to_string();
        assert!(said.ends_with("nesting: expected at most 1000 levels, found more"), "{said}");
        assert_eq!(error.location().unwrap().column, 12_014);
    });
}

#[test]
fn a_million_brackets_are_refused_or_skipped() {
    let schema = Schema::tensorflow();
    let many = 1_000_000;
    let ty = schema.message("tensorflow.StructuredValue").unwrap();
    let drop = ParseOptions { unknown: Unknown::Drop };
    on_a_thread(|| {
        for open in ["[", r#"{"a":"#, r#"{"listValue":{"values":["#, r#"{"listValue":"#] {
            for before in [
                "",
                r#"{"x":"#,
                r#"{"stringValue":"#,
                r#"{"int64Value":"#,
                r#"{"listValue":{"values":"#,
            ] {
                let text = format!("{before}{}", open.repeat(many));
                for options in [&drop, &ParseOptions::default()] {
                    assert!(parse(schema, ty, text.as_bytes(), options).is_err());
                }
            }
        }
        let text = format!(r#"{{"x":{}{},"int64Value":7}}"#, "[".repeat(many), "]".repeat(many));
        let (message, losses) = parse(schema, ty, text.as_bytes(), &drop).unwrap();
        assert_eq!((message.bytes(), losses.unknown_fields), (&[0x60, 14][..], 1));
        let any = schema.message("google.protobuf.Any").unwrap();
        let url = r#""@type":"type.googleapis.com/google.protobuf.Any","value":"#;
        for text in [
            format!(r#"{{{url}{}"#, "[".repeat(many)),
            format!("{{{url}").repeat(10_000),
            format!("{}{{}}{}", format!("{{{url}").repeat(2_000), "}".repeat(2_000)),
        ] {
            assert!(parse(schema, any, text.as_bytes(), &drop).is_err());
        }
    });
}

#[test]
fn sixteen_any_may_be_nested_and_no_more() {
    let schema = well_known();
    let name = "google.protobuf.Any";
    let text = |levels: usize| {
        let open = r#"{"@type":"a/google.protobuf.Any","value":"#;
        format!("{}{{}}{}", open.repeat(levels), "}".repeat(levels))
    };
    let binary = |levels: usize| {
        let mut bytes = Vec::new();
        for _ in 0..levels {
            let mut outer = b"\x0a\x15a/google.protobuf.Any".to_vec();
            let len = bytes.len() as u32;
            outer.push(0x12);
            // A five-byte varint that is longer than necessary: not in canonical form.
            outer.extend((0..4).map(|i| (len >> (7 * i)) as u8 | 0x80));
            outer.push((len >> 28) as u8);
            outer.append(&mut bytes);
            bytes = outer;
        }
        bytes
    };
    let deep = "an Any that is nested more than 16 deep is not supported";
    let message = read(&schema, name, text(16).as_bytes()).unwrap();
    assert_eq!(written(&message, &COMPACT).unwrap().0, text(16));
    assert_eq!(written(&decoded(&schema, name, binary(16)), &COMPACT).unwrap().0, text(16));
    for levels in [17, 300, 5_000] {
        let error = read(&schema, name, text(levels).as_bytes()).unwrap_err();
        assert!(error.to_string().ends_with(deep), "{error}");
        assert_eq!(error.location().unwrap().column, 1 + 16 * 41);
        let message = decoded(&schema, name, binary(levels));
        let error = written(&message, &COMPACT).unwrap_err().to_string();
        assert!(error.ends_with(deep), "{error}");
    }
}
