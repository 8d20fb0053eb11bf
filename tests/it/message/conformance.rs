//! The cases of the protobuf conformance suite; `CKDIFF_CONFORMANCE` names the directory that contains them.
//!
//! The directory has `cases.jsonl`, one case per line, and `descriptors_with_editions.binpb`. Known gaps are listed in
//! `tests/conformance_failures.txt`; a listed case that passes fails the test too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

use ckdiff::json::{self, Layout};
use ckdiff::message::{Losses, Message, Unknown};
use ckdiff::schema::{MessageType, Schema};
use ckdiff::text;
use serde::Deserialize;

use crate::support::base64;
use crate::support::process::skip;

const GAPS: &str = include_str!("../../conformance_failures.txt");

#[derive(Deserialize)]
struct Case {
    name: String,
    input: Form,
    message: String,
    output: Form,
    #[serde(default)]
    ignore_unknown_json: bool,
    #[serde(default)]
    print_unknown_fields: bool,
    expect: Expect,
    payload_b64: String,
    #[serde(default)]
    message_b64: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    Protobuf,
    Json,
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Expect {
    Ok,
    ParseError,
    SerializeError,
}

#[test]
fn the_cases_of_the_suite_pass() {
    let Some(directory) = env::var_os("CKDIFF_CONFORMANCE") else {
        return skip("CKDIFF_CONFORMANCE names no directory", "CKDIFF_REQUIRE_CONFORMANCE");
    };
    let directory = Path::new(&directory);
    let descriptors = fs::read(directory.join("descriptors_with_editions.binpb")).unwrap();
    let schema = Schema::from_descriptor_set(&descriptors).unwrap();
    let cases = fs::read_to_string(directory.join("cases.jsonl")).unwrap();
    let gaps: BTreeSet<&str> = GAPS
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|name| !name.is_empty())
        .collect();

    let mut counts = BTreeMap::<_, [u32; 2]>::new();
    let mut wrong = Vec::new();
    let mut unused = gaps.clone();
    for line in cases.lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        let is_gap = unused.remove(&*case.name);
        let outcome = run(&schema, &case);
        let count = counts.entry((case.input, case.output, group(&case))).or_default();
        match outcome {
            Ok(()) => count[0] += 1,
            Err(_) => count[1] += 1,
        }
        match outcome {
            Err(why) if !is_gap => wrong.push(format!("{}: {why}", case.name)),
            Ok(()) if is_gap => wrong.push(format!("{}: holds, but is a known gap", case.name)),
            _ => {}
        }
    }
    let total: u32 = counts.values().flatten().sum();
    assert!(total >= 6_500, "the suite has more cases than {total}");
    wrong.extend(unused.iter().map(|name| format!("{name}: a known gap, but no case")));
    for ((input, output, group), [hold, fail]) in counts {
        println!("{input:?} to {output:?}, {group}: {hold} hold, {fail} do not");
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

fn group(case: &Case) -> &'static str {
    if case.name.contains("Editions") || case.message.contains("edition") {
        "editions"
    } else if case.message.contains("proto2") {
        "proto2"
    } else {
        "proto3"
    }
}

/// Runs a case; the error is the reason why it fails.
fn run(schema: &Schema, case: &Case) -> Result<(), String> {
    let ty = schema.message(&case.message).expect("the set has the message");
    let message = match (read(schema, ty, case), case.expect) {
        (Err(_), Expect::ParseError) => return Ok(()),
        (Err(error), _) => return Err(format!("refused: {error}")),
        (Ok(_), Expect::ParseError) => return Err("read, but must be refused".to_owned()),
        (Ok(message), _) => message,
    };
    let back = match (write(&message, case), case.expect) {
        (Err(_), Expect::SerializeError) => return Ok(()),
        (Err(error), _) => return Err(format!("not written: {error}")),
        (Ok(_), Expect::SerializeError) => {
            return Err("has no form, but one is written".to_owned());
        }
        (Ok(message), _) => message,
    };
    let expected = Message::decode_partial(schema, back.ty(), base64(&case.message_b64)).unwrap();
    if back.bytes() == expected.bytes() || is_same_but_for_losses(&back, &expected, case) {
        return Ok(());
    }
    Err(format!("means {:?}, not {:?}", shown(&back), shown(&expected)))
}

/// Whether two messages differ only in what text and JSON cannot represent; always false for cases on other subjects.
fn is_same_but_for_losses(lhs: &Message<'_>, rhs: &Message<'_>, case: &Case) -> bool {
    let unknown_fields = if case.name.ends_with("Nan.JsonOutput") {
        text::UnknownFields::ByNumber
    } else if case.name.ends_with("UnknownFields_Drop.TextFormatOutput") {
        text::UnknownFields::LeaveOut
    } else {
        return false;
    };
    // Text has a single NaN, as JSON does.
    let options =
        text::PrintOptions { unknown_fields, ..text::PrintOptions::new(text::Style::Protoc) };
    let printed = |message: &Message<'_>| {
        let mut out = Vec::new();
        text::print(message, &options, &mut out).unwrap();
        out
    };
    printed(lhs) == printed(rhs)
}

/// Reads the message of a case.
fn read<'s>(schema: &'s Schema, ty: &'s MessageType, case: &Case) -> ckdiff::Result<Message<'s>> {
    let payload = base64(&case.payload_b64);
    match case.input {
        Form::Protobuf => Message::decode(schema, ty, payload),
        Form::Json => {
            let unknown = match case.ignore_unknown_json {
                true => Unknown::Drop,
                false => Unknown::Refuse,
            };
            let options = json::ParseOptions { unknown };
            json::parse(schema, ty, &payload, &options).map(|(message, _)| message)
        }
        Form::Text => read_text(schema, ty, &payload, case),
    }
}

/// Writes the message in the form of the case and reads it back.
fn write<'s>(message: &Message<'s>, case: &Case) -> ckdiff::Result<Message<'s>> {
    match case.output {
        Form::Protobuf => {
            let bytes = message.bytes().to_vec();
            Message::decode_partial(message.schema(), message.ty(), bytes)
        }
        Form::Json => through_json(message),
        Form::Text => through_text(message, case),
    }
}

fn through_json<'s>(message: &Message<'s>) -> ckdiff::Result<Message<'s>> {
    let mut compact = None;
    for layout in [Layout::Indented(2), Layout::Compact] {
        let options = json::PrintOptions { layout, unknown: Unknown::Drop, ..Default::default() };
        let mut out = Vec::new();
        json::print(message, &options, &mut out)?;
        serde_json::from_slice::<serde_json::Value>(&out).expect("the output is JSON");
        let (back, losses) =
            json::parse(message.schema(), message.ty(), &out, &json::ParseOptions::default())
                .expect("the output can be read");
        assert_eq!(losses, Losses::default());
        assert!(compact.is_none_or(|other: Message<'_>| other.bytes() == back.bytes()));
        compact = Some(back);
    }
    Ok(compact.expect("two layouts"))
}

/// Parses a text; accepts unknown fields by number if the case prints them.
fn read_text<'s>(
    schema: &'s Schema,
    ty: &'s MessageType,
    text: &[u8],
    case: &Case,
) -> ckdiff::Result<Message<'s>> {
    let field_numbers = match case.print_unknown_fields {
        true => text::FieldNumbers::Accept,
        false => text::FieldNumbers::Refuse,
    };
    let options = text::ParseOptions { field_numbers, ..Default::default() };
    text::parse(schema, ty, text, &options).map(|(message, _)| message)
}

/// Prints the message in both styles and reads it back.
fn through_text<'s>(message: &Message<'s>, case: &Case) -> ckdiff::Result<Message<'s>> {
    let mut first = None;
    for style in [text::Style::Protoc, text::Style::TensorFlow] {
        let unknown_fields = match case.print_unknown_fields {
            true => text::UnknownFields::ByNumber,
            false => text::UnknownFields::LeaveOut,
        };
        let options = text::PrintOptions { unknown_fields, ..text::PrintOptions::new(style) };
        let mut out = Vec::new();
        text::print(message, &options, &mut out)?;
        // Fields unknown to the schema are read back as the type that was written.
        let unknown = "protobuf_test_messages.proto2.UnknownToTestAllTypes";
        let ty = match case.print_unknown_fields {
            true => message.schema().message(unknown).unwrap(),
            false => message.ty(),
        };
        let back = read_text(message.schema(), ty, &out, case)?;
        assert!(first.is_none_or(|other: Message<'_>| other.bytes() == back.bytes()));
        first = Some(back);
    }
    Ok(first.expect("two styles"))
}

fn shown(message: &Message<'_>) -> String {
    let bytes = message.bytes();
    let end = bytes.len().min(200);
    bytes[..end].escape_ascii().to_string()
}
