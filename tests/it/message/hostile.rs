//! Invalid, damaged or oversized text, JSON and binary: refused with a reason, or read as other parsers read it.

use std::fs;
use std::io::Read;
use std::time::{Duration, Instant};

use ckdiff::json;
use ckdiff::message::{Message, Unknown};
use ckdiff::schema::{MessageType, Schema};
use ckdiff::text::{self, LayoutOptions, ParseOptions, PrintOptions};

use crate::support::damage::{mutate, mutations};
use crate::support::everything;
use crate::support::fuzz_message::{self, EVERYTHING, Type, check_binary, check_json, check_text};
use crate::support::process::{assert_peak_memory_under, run_alone, test_process};
use crate::support::random_message::{self, Habit};
use crate::support::{Random, base64, oracle};

fn ty(name: &str) -> &'static MessageType {
    Schema::tensorflow().message(name).unwrap_or_else(|| panic!("{name} is not in the schema"))
}

/// The forms of a message, by the oracle's names.
const FORMS: &[&str] = &["text", "json", "binary"];

fn check(form: &str, ty: Type, bytes: &[u8]) -> ckdiff::Result<Message<'static>> {
    match form {
        "text" => check_text(ty, bytes),
        "json" => check_json(ty, bytes),
        _ => check_binary(ty, bytes),
    }
}

/// A file that must be refused, or read as a given message.
struct Case {
    path: String,
    form: String,
    ty: Type,
    why: String,
    refused: bool,
    /// The expected message; `None` if parsers disagree.
    canonical: Option<Vec<u8>>,
}

impl Case {
    fn bytes(&self) -> Vec<u8> {
        fs::read(format!("tests/data/{}", self.path)).unwrap()
    }
}

fn cases() -> Vec<Case> {
    let oracle = oracle("hostile_messages.json");
    let case = |case: &serde_json::Value| {
        let text = |key: &str| case[key].as_str().map(str::to_owned);
        Case {
            path: text("path").unwrap(),
            form: text("format").unwrap(),
            ty: Type::of(Schema::tensorflow(), case["message"].as_str().unwrap()),
            why: text("why").unwrap(),
            refused: case["refused"].as_bool().unwrap(),
            canonical: text("ascending_b64").or(text("canonical_b64")).map(|text| base64(&text)),
        }
    };
    oracle.as_array().unwrap().iter().map(case).collect()
}

/// Cases in which ckdiff deviates from the oracle, and why; a listed case that agrees with the oracle fails the test too.
const DECIDED: &[(&str, &str)] = &[
    ("hostile_messages/unicode_escape_pair.pbtxt", "the specification refuses every surrogate"),
    ("hostile_messages/hex_capital.pbtxt", "the specification has \\X, as Python does"),
];

#[test]
fn illegal_messages_are_refused_and_unusual_ones_are_read() {
    let cases = cases();
    assert!(cases.len() >= 210, "{}", cases.len());
    let agreed = cases.iter().filter(|case| case.refused || case.canonical.is_some()).count();
    assert!(agreed + 1 >= cases.len(), "{agreed} of {} have an agreed result", cases.len());
    let mut wrong = Vec::new();
    for case in cases {
        let reported = format!("{} ({})", case.path, case.why);
        let read = check(&case.form, case.ty, &case.bytes());
        let is_right = match &read {
            Ok(message) => {
                let good = case.canonical.as_deref();
                !case.refused && good.is_none_or(|good| good == message.bytes())
            }
            Err(_) => case.refused,
        };
        let decided = DECIDED.iter().any(|(path, _)| *path == case.path);
        if is_right == decided {
            let read = read.map(|message| message.bytes().escape_ascii().to_string());
            wrong.push(format!("{reported}: {read:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Small messages in every form: TensorFlow's, the cases above, and messages with features that only other schemas have.
fn victims() -> Vec<(&'static str, Type, Vec<u8>)> {
    let mut victims = Vec::new();
    let oracle = oracle("messages.json");
    for facts in oracle["messages"].as_array().unwrap() {
        let path = facts["path"].as_str().unwrap();
        let ty = Type::of(Schema::tensorflow(), facts["message"].as_str().unwrap());
        let bytes = fs::read(format!("tests/data/{path}")).unwrap();
        if bytes.len() <= 3000 {
            victims.extend(forms(ty, bytes));
        }
    }
    let mut random = Random::new(12);
    for name in EVERYTHING {
        let ty = Type::of(everything::schema(), name);
        for habit in [Habit::Tidy, Habit::Unknown].repeat(10) {
            let (bytes, _) = random_message::message(ty.schema, ty.ty, habit, &mut random);
            if bytes.len() <= 3000 {
                victims.extend(forms(ty, bytes));
            }
        }
    }
    for case in cases() {
        let form = FORMS.iter().find(|form| **form == case.form).unwrap();
        victims.push((form, case.ty, case.bytes()));
    }
    victims
}

/// A message in each of its forms.
fn forms(ty: Type, bytes: Vec<u8>) -> Vec<(&'static str, Type, Vec<u8>)> {
    let message = Message::decode(ty.schema, ty.ty, bytes.clone()).unwrap();
    let (mut text, mut in_json) = (Vec::new(), Vec::new());
    text::print(&message, &PrintOptions::default(), &mut text).unwrap();
    let drop = json::PrintOptions { unknown: Unknown::Drop, ..Default::default() };
    let mut forms = vec![("binary", ty, bytes), ("text", ty, text)];
    if json::print(&message, &drop, &mut in_json).is_ok() {
        forms.push(("json", ty, in_json));
    }
    forms
}

#[test]
fn damaged_messages_keep_the_properties() {
    let count = mutations(10_000, 1);
    let victims = victims();
    assert!(victims.len() > 450, "{}", victims.len());
    let mut random = Random::new(13);
    let mut read = 0;
    for _ in 0..count {
        let (form, ty, good) = &victims[random.below(victims.len() as u64) as usize];
        let mut bytes = good.clone();
        mutate(&mut bytes, &mut random);
        let started = Instant::now();
        read += u64::from(check(form, *ty, &bytes).is_ok());
        assert!(started.elapsed() < Duration::from_secs(20), "{form} {}", bytes.escape_ascii());
    }
    assert!(read > count / 20 && read < count * 19 / 20, "{read} of {count} are read");
}

/// Runs the fuzz targets with a random message type, which is mostly the wrong one.
#[test]
fn any_bytes_keep_the_properties() {
    let count = mutations(1_000, 1);
    let victims = victims();
    let mut random = Random::new(14);
    let (mut documents, mut messages) = (0, 0);
    for _ in 0..count {
        let (form, _, good) = &victims[random.below(victims.len() as u64) as usize];
        let mut input = vec![random.next() as u8];
        input.extend_from_slice(good);
        mutate(&mut input, &mut random);
        documents += u64::from(fuzz_message::read_document(input.get(1..).unwrap_or_default()));
        messages += u64::from(match *form {
            "text" => fuzz_message::parse_text(&input),
            "json" => fuzz_message::parse_json(&input),
            _ => fuzz_message::decode_message(&input),
        });
    }
    let both = format!("of {count}, {documents} are documents, {messages} messages");
    assert!(documents > count / 100 && messages > count / 20, "{both}");
}

/// Reads a text in parts, so that it is never in memory as a whole.
fn read_text(ty: &'static MessageType, text: impl Read + Send) -> ckdiff::Result<usize> {
    let parsed = text::parse(Schema::tensorflow(), ty, text, &ParseOptions::default());
    parsed.map(|(message, _)| message.bytes().len())
}

fn read_json(ty: &'static MessageType, text: &[u8]) -> ckdiff::Result<usize> {
    let parsed = json::parse(Schema::tensorflow(), ty, text, &json::ParseOptions::default());
    parsed.map(|(message, _)| message.bytes().len())
}

/// Asserts that reading takes less than `limit`; returns the size of the message, or the error.
fn within(limit: Duration, what: &str, read: impl FnOnce() -> ckdiff::Result<usize>) -> String {
    let started = Instant::now();
    let read = read();
    let took = started.elapsed();
    assert!(took < limit, "{what} took {took:?}");
    match read {
        Ok(len) => format!("{len} bytes"),
        Err(error) => error.to_string(),
    }
}

/// The depth of hostile nesting.
const LEVELS: usize = 1_000_000;

/// Nested messages, all with correct lengths.
fn nested_messages(tag: u8) -> Vec<u8> {
    // Built from the inside out, in reverse byte order.
    let mut bytes: Vec<u8> = Vec::new();
    for _ in 0..LEVELS {
        let (mut len, mut varint) = (bytes.len(), Vec::new());
        while len >= 0x80 {
            varint.push(len as u8 | 0x80);
            len >>= 7;
        }
        varint.push(len as u8);
        bytes.extend(varint.iter().rev());
        bytes.push(tag);
    }
    bytes.reverse();
    bytes
}

#[test]
fn a_million_levels_are_refused_at_once() {
    let full_type = ty("tensorflow.FullTypeDef");
    let limit = Duration::from_secs(20);
    for (open, close) in
        [("{", "}"), ("<", ">"), (":{", "}"), ("[{", "}]"), (":[<", ">]"), ("[", "]")]
    {
        let text = format!("args{open}").repeat(LEVELS) + &close.repeat(LEVELS);
        for text in [text.as_bytes(), &text.as_bytes()[..text.len() / 2]] {
            let error = within(limit, open, || read_text(full_type, text));
            let expected =
                if open == "[" { "expected a message" } else { "nested more than 1000 deep" };
            assert!(error.contains(expected), "{open}: {error}");
        }
    }
    let text = "args:".to_owned() + &"[".repeat(LEVELS);
    let error = within(limit, "lists", || read_text(full_type, text.as_bytes()));
    assert!(error.contains("a list cannot contain a list"), "{error}");
    for (open, close) in [("[", "]"), ("{\"args\":[", "]}"), ("{\"a\":", "}"), ("{\"args\":", "}")]
    {
        let text = open.repeat(LEVELS) + "0" + &close.repeat(LEVELS);
        for text in [text.as_bytes(), &text.as_bytes()[..text.len() / 2]] {
            let error = within(limit, open, || read_json(full_type, text));
            assert!(!error.ends_with("bytes"), "{open}: {error}");
        }
    }
    // Nested `args`, then the start of an unknown group.
    for bytes in [
        nested_messages(0x12),
        vec![0x7b; LEVELS],
        [vec![0x7b; LEVELS], vec![0x7c; LEVELS]].concat(),
    ] {
        let error = within(limit, "binary", || {
            Message::decode(Schema::tensorflow(), full_type, bytes).map(|read| read.bytes().len())
        });
        assert!(error.contains("deep") || error.contains("nesting: expected at most"), "{error}");
    }
}

fn lay_out(text: &[u8]) -> ckdiff::Result<usize> {
    text::format(text, &LayoutOptions::default()).map(|laid_out| laid_out.len())
}

/// Large texts are read or refused with memory of a small multiple of their size.
#[test]
fn big_texts_are_read() {
    let len: u64 = std::env::var("CKDIFF_LITERAL_MB").map_or(8, |n| n.parse().unwrap()) << 20;
    let tensor = ty("tensorflow.TensorProto");
    let limit = Duration::from_secs(20 + (len >> 25));
    let of = |byte: u8, len: u64| std::io::repeat(byte).take(len);
    let literal = b"tensor_content: \"".chain(of(b'x', len)).chain(&b"\""[..]);
    let read = within(limit, "a literal", || read_text(tensor, literal));
    assert_eq!(read, format!("{} bytes", len + 5 + u64::from(len >= 1 << 28)));
    let open = b"tensor_content: \"".chain(of(b'x', 16 << 20));
    let refused = within(limit, "an open literal", || read_text(tensor, open));
    assert_eq!(refused, "1:17: this string is not closed on its line");
    let comment = b"# ".chain(of(b'x', len)).chain(&b"\nversion_number: 1"[..]);
    let read = within(limit, "a comment", || read_text(tensor, comment));
    assert_eq!(read, "2 bytes");
    let blank = of(b' ', len).chain(&b"version_number: 1"[..]);
    let read = within(limit, "blanks", || read_text(tensor, blank));
    assert_eq!(read, "2 bytes");
    let line = "float_val: 1.5 ".repeat((10 << 20) / 15);
    let read = within(limit, "a line", || read_text(tensor, line.as_bytes()));
    assert_eq!(read, format!("{} bytes", line.len() / 15 * 4 + 5));
    let read = within(limit, "a line laid out", || lay_out(line.as_bytes()));
    assert_eq!(read, format!("{} bytes", line.len()));
    let list = format!("int_val: [{}1]", "1, ".repeat((10 << 20) / 3));
    let read = within(limit, "a list", || read_text(tensor, list.as_bytes()));
    assert_eq!(read, format!("{} bytes", list.matches('1').count() + 5));
    let read = within(limit, "a list laid out", || lay_out(list.as_bytes()));
    assert_eq!(read, format!("{} bytes", list.len() + 1));
    let word = of(b'x', len);
    let refused = within(limit, "a word", || read_text(tensor, word));
    assert!(refused.len() < 300, "{}", refused.len());
    if std::env::var_os("CKDIFF_PEAK_MEMORY").is_some() {
        // The text of one literal, its value, and the growth of both buffers.
        assert_peak_memory_under((5 * len + (128 << 20)) >> 10);
    }
}

/// Runs in its own process because other tests in the same process use memory too.
#[cfg(target_os = "linux")]
#[test]
fn big_texts_take_little_memory() {
    let mut test = test_process(module_path!(), "big_texts_are_read");
    test.env("CKDIFF_PEAK_MEMORY", "1")
        .env("CKDIFF_LITERAL_MB", std::env::var_os("CKDIFF_LITERAL_MB").unwrap_or("64".into()));
    run_alone(test);
}
