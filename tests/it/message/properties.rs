//! Properties that hold for messages of any type, tested on random ones.

use ckdiff::json;
use ckdiff::message::{Losses, Message, Unknown};
use ckdiff::schema::{self, MessageType, Schema};
use ckdiff::text::{PrintOptions, UnknownFields};
use proptest::prop_assert;
use prost::Message as _;
use prost_reflect::DynamicMessage;

use crate::support::Random;
use crate::support::everything;
use crate::support::fuzz_message::{Type, check_binary};
use crate::support::message_forms::{from_json, from_text, json_of, print_options, text_of};
use crate::support::property::{PropertyResult, for_every_type};
use crate::support::random_message::{self, Habit};

fn decoded(ty: &'static MessageType, bytes: Vec<u8>) -> ckdiff::Result<Message<'static>> {
    Message::decode(Schema::tensorflow(), ty, bytes)
}

/// A random message from a tape, and the number of its unknown fields.
fn drawn(ty: &MessageType, habit: Habit, tape: &[u64]) -> (Vec<u8>, u64) {
    random_message::message(Schema::tensorflow(), ty, habit, &mut Random::of_tape(tape))
}

/// Checks that every text and every JSON of a message reads back as the same message.
fn comes_back(message: &Message<'static>) -> PropertyResult {
    for options in print_options() {
        let (text, losses) = text_of(message, &options);
        let back = from_text(message.ty(), &text)?;
        is_same(message, &back, &text, &losses, |back| Ok(text_of(back, &options).0))?;
    }
    for names in [json::FieldNames::LowerCamel, json::FieldNames::Original] {
        let options = json::PrintOptions { names, ..Default::default() };
        let (text, losses) = json_of(message, &options)?;
        let back = from_json(message.ty(), &text)?;
        is_same(message, &back, &text, &losses, |back| Ok(json_of(back, &options)?.0))?;
    }
    Ok(())
}

/// Checks that a message is equal after a round trip. An `Any` with a payload that is not canonical becomes canonical, and
/// then prints the same text.
fn is_same(
    message: &Message<'_>,
    back: &Message<'_>,
    text: &[u8],
    losses: &Losses,
    print: impl Fn(&Message<'_>) -> ckdiff::Result<Vec<u8>>,
) -> PropertyResult {
    prop_assert!(losses.total() == losses.any_bytes, "{losses:?}");
    let is_same = match losses.any_bytes {
        0 => back.bytes() == message.bytes(),
        _ => print(back)? == text,
    };
    prop_assert!(is_same, "{}", String::from_utf8_lossy(text));
    Ok(())
}

#[test]
fn random_messages_of_every_type_survive_every_form() {
    for_every_type(Schema::tensorflow(), |ty, tape| {
        comes_back(&decoded(ty, drawn(ty, Habit::Tidy, tape).0)?)
    });
}

/// The order of fields does not matter if fields with the same number keep their order.
#[test]
fn the_order_of_fields_means_nothing() {
    for_every_type(Schema::tensorflow(), |ty, tape| {
        let mut random = Random::of_tape(tape);
        let mut records = random_message::records(Schema::tensorflow(), ty, &mut random);
        let message = decoded(ty, records.concat())?;
        // A stable sort by random keys, one per field number.
        let keys: Vec<u64> = (0..100).map(|_| random.next()).collect();
        records.sort_by_key(|record| keys[usize::from(record[0]) % 100]);
        let shuffled = decoded(ty, records.concat())?;
        prop_assert!(shuffled.bytes() == message.bytes(), "{records:?}");
        Ok(())
    });
}

/// As in prost, the last value wins, messages merge, and packed and unpacked lists are equal.
#[test]
fn messages_not_in_canonical_form_mean_what_prost_reads() {
    for_every_type(Schema::tensorflow(), |ty, tape| {
        let (bytes, _) = drawn(ty, Habit::Untidy, tape);
        let message = decoded(ty, bytes.clone())?;
        let again = decoded(ty, message.bytes().to_vec())?;
        prop_assert!(again.bytes() == message.bytes(), "{}", bytes.escape_ascii());
        let ty = schema::pool().get_message_by_name(&ty.full_name).unwrap();
        let theirs = DynamicMessage::decode(ty, &*bytes).unwrap().encode_to_vec();
        let theirs = decoded(message.ty(), theirs)?;
        prop_assert!(theirs.bytes() == message.bytes(), "{}", bytes.escape_ascii());
        comes_back(&message)
    });
}

/// Binary keeps unknown fields, text omits and counts them, JSON refuses them unless asked to drop them.
#[test]
fn unknown_fields_are_kept_or_counted() {
    for_every_type(Schema::tensorflow(), |ty, tape| {
        let (bytes, written) = drawn(ty, Habit::Unknown, tape);
        let message = decoded(ty, bytes)?;
        let again = decoded(ty, message.bytes().to_vec())?;
        prop_assert!(again.bytes() == message.bytes());
        let known = decoded(ty, drawn(ty, Habit::Known, tape).0)?;
        let is_known = known.bytes() == message.bytes();

        let mut counts = Vec::new();
        for options in print_options() {
            let (text, losses) = text_of(&message, &options);
            let back = from_text(ty, &text)?;
            // An `Any` that is not expanded is printed as bytes.
            if options.expand_any {
                prop_assert!(back.bytes() == known.bytes(), "{}", String::from_utf8_lossy(&text));
                counts.push(losses.unknown_fields);
            }
            let options = PrintOptions { unknown_fields: UnknownFields::ByNumber, ..options };
            prop_assert!(text_of(&message, &options).1 == losses);
        }
        let drop = json::PrintOptions { unknown: Unknown::Drop, ..Default::default() };
        let (text, losses) = json_of(&message, &drop)?;
        prop_assert!(from_json(ty, &text)?.bytes() == known.bytes());
        counts.push(losses.unknown_fields);
        let is_refused = json_of(&message, &json::PrintOptions::default()).is_err();
        prop_assert!(is_refused != is_known);

        let first = counts[0];
        prop_assert!(counts.iter().all(|count| *count == first), "{counts:?}");
        // Fewer than were written if a map has an entry twice.
        prop_assert!(first <= written && (first == 0) == is_known, "{first} of {written}");
        Ok(())
    });
}

/// A schema with every kind of field, including kinds that some forms lack.
#[test]
fn the_properties_of_messages_hold_for_every_kind_of_field() {
    let schema = everything::schema();
    for_every_type(schema, |ty, tape| {
        for habit in [Habit::Tidy, Habit::Untidy, Habit::Unknown] {
            let mut random = Random::of_tape(tape);
            let (bytes, _) = random_message::message(schema, ty, habit, &mut random);
            check_binary(Type { schema, ty }, &bytes)?;
        }
        Ok(())
    });
}
