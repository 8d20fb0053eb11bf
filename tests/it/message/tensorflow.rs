//! Messages written by TensorFlow, in all forms.

use ckdiff::json;
use ckdiff::message::{Message, Unknown, Writer};
use ckdiff::schema::Schema;
use ckdiff::text::PrintOptions;

use crate::support::message_forms::{from_json, from_text, json_of, print_options, text_of, ty};
use crate::support::{base64, fact, oracle, random_messages, sha256};

/// The messages that TensorFlow wrote: path, facts, content.
fn corpus() -> Vec<(String, serde_json::Value, Message<'static>)> {
    let oracle = oracle("messages.json");
    let facts = oracle["messages"].as_array().unwrap().clone();
    let read = |facts: serde_json::Value| {
        let path = facts["path"].as_str().unwrap().to_owned();
        let bytes = std::fs::read(format!("tests/data/{path}")).unwrap();
        let ty = ty(facts["message"].as_str().unwrap());
        (path, facts, Message::decode(Schema::tensorflow(), ty, bytes).unwrap())
    };
    assert!(facts.len() >= 41, "{}", facts.len());
    facts.into_iter().map(read).collect()
}

#[test]
fn the_canonical_form_is_that_of_protobuf() {
    for (path, facts, message) in corpus() {
        assert_eq!(sha256(message.bytes()), facts["ascending"]["sha256"], "{path}");
        let again = message.bytes().to_vec();
        let again = Message::decode(message.schema(), message.ty(), again).unwrap();
        assert_eq!(again.bytes(), message.bytes(), "{path}");
    }
}

#[test]
fn messages_of_tensorflow_survive_text_and_json() {
    let mut unharmed = 0;
    for (path, facts, message) in corpus() {
        let lost =
            (facts["unknown_fields"].as_u64().unwrap(), facts["nan_payloads"].as_u64().unwrap());
        for options in print_options() {
            let (text, losses) = text_of(&message, &options);
            assert_eq!((losses.unknown_fields, losses.nan_bits), lost, "{path}");
            let back = from_text(message.ty(), &text).unwrap();
            if lost == (0, 0) {
                assert!(back.bytes() == message.bytes(), "{path} {options:?}");
            } else {
                // Later conversions lose nothing more.
                assert!(text_of(&back, &options).0 == text, "{path} {options:?}");
            }
        }
        let drop = json::PrintOptions { unknown: Unknown::Drop, ..Default::default() };
        let has_json = fact(&facts, "json").is_object() && lost.0 == 0;
        assert_eq!(json_of(&message, &json::PrintOptions::default()).is_ok(), has_json, "{path}");
        let (text, losses) = json_of(&message, &drop).unwrap();
        assert_eq!((losses.unknown_fields, losses.nan_bits), lost, "{path}");
        let back = from_json(message.ty(), &text).unwrap();
        if lost == (0, 0) && losses.is_empty() {
            assert!(back.bytes() == message.bytes(), "{path}");
            unharmed += 1;
        } else {
            assert!(json_of(&back, &drop).unwrap().0 == text, "{path}");
        }
    }
    assert!(unharmed >= 36, "{unharmed}");
}

/// TensorFlow's text files equal its binary files.
#[test]
fn texts_of_tensorflow_are_read() {
    let oracle = oracle("messages.json");
    let texts = oracle["texts"].as_array().unwrap();
    assert!(texts.len() >= 16, "{}", texts.len());
    let mut by_tensorflow = 0;
    for facts in texts {
        let path = facts["path"].as_str().unwrap();
        let text = std::fs::read(format!("tests/data/{path}")).unwrap();
        let message = from_text(ty(facts["message"].as_str().unwrap()), &text).unwrap();
        // Python sorts maps in another order, which has the same length.
        let len = facts["canonical"]["bytes"].as_u64();
        assert_eq!(Some(message.bytes().len() as u64), len, "{path}");
        if fact(facts, "form") == "text_tensorflow" {
            assert!(text_of(&message, &PrintOptions::default()).0 == text, "{path}");
            by_tensorflow += 1;
        }
    }
    assert!(by_tensorflow >= 14, "{by_tensorflow}");
}

/// Random messages that Python wrote in all three forms.
#[test]
fn texts_and_json_of_python_are_read() {
    let (mut texts, mut jsons) = (0, 0);
    for facts in random_messages() {
        let ty = ty(facts["message"].as_str().unwrap());
        let bytes = base64(facts["binary_b64"].as_str().unwrap());
        let message = Message::decode(Schema::tensorflow(), ty, bytes).unwrap();
        let odd_nans = facts["nan_payloads"].as_u64().unwrap();
        // Text and JSON have a single NaN, so the printed messages are compared.
        let printed = |message: &Message<'_>| text_of(message, &PrintOptions::default()).0;
        let is_same = |back: Message<'_>| match odd_nans {
            0 => back.bytes() == message.bytes(),
            _ => printed(&back) == printed(&message),
        };
        for key in ["text", "text_protoc"] {
            // Large messages have only a digest.
            let Some(text) = fact(&facts, key).as_str() else { continue };
            assert!(is_same(from_text(ty, text.as_bytes()).unwrap()), "{key}: {facts}");
            texts += 1;
        }
        let text = facts["json"].as_str().unwrap();
        assert!(is_same(from_json(ty, text.as_bytes()).unwrap()), "{facts}");
        jsons += 1;
    }
    assert!(texts >= 592 && jsons >= 297, "{texts} texts, {jsons} JSON texts");
}

/// Messages that occur twice are merged at every level, with no more memory than the input needs.
#[test]
fn messages_given_twice_merge_at_every_level() {
    let schema = Schema::tensorflow();
    let mut bytes = vec![0x08, 7];
    for _ in 0..400 {
        // list_value { values { … } } in two parts, the first of which is empty.
        for tag in [0x0a, 0x9a] {
            let mut around = Writer::default();
            if tag == 0x9a {
                around.raw(&[0x9a, 0x03, 0x00]);
            }
            around.raw(if tag == 0x9a { &[0x9a, 0x03] } else { &[0x0a] });
            around.len_prefixed(&bytes);
            bytes = around.finish();
        }
    }
    let message = Message::decode(schema, ty("tensorflow.StructuredValue"), bytes.clone()).unwrap();
    assert!(message.bytes().len() <= bytes.len() - 400 * 3, "the empty parts are gone");
    let empty = [0x9a, 0x03, 0x00];
    assert!(!message.bytes().windows(3).any(|window| window == empty));
}
