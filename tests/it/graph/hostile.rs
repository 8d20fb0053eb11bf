//! Damaged and forged graphs, libraries, object graphs and SavedModels: comparing them never panics or hangs.

use std::fs;
use std::time::Instant;

use ckdiff::artifact::Form;
use ckdiff::message::Message;
use ckdiff::schema::Schema;

use crate::support::Random;
use crate::support::damage::{mutate, mutate_lines, mutations};
use crate::support::fuzz_models::{check, diff_messages};
use crate::support::message_forms::text_of;

/// The largest model that is damaged, in bytes.
const LARGEST: u64 = 20_000;

/// Both sides of the pairs that TensorFlow wrote, with their message type.
fn victims() -> Vec<(&'static str, [Vec<u8>; 2])> {
    let mut victims = Vec::new();
    let mut dirs: Vec<_> =
        fs::read_dir("tests/data/pairs").unwrap().map(|entry| entry.unwrap().path()).collect();
    dirs.sort();
    for dir in dirs {
        for (ending, ty) in [(".meta", "MetaGraphDef"), ("/saved_model.pb", "SavedModel")] {
            let files = ["lhs", "rhs"].map(|side| dir.join(format!("{side}{ending}")));
            let is_small = |len: u64| len < LARGEST;
            if files.iter().all(|file| fs::metadata(file).is_ok_and(|file| is_small(file.len()))) {
                victims.push((ty, files.map(|file| fs::read(file).unwrap())));
            }
        }
    }
    victims
}

/// The number of models to damage: fewer than other files, since each diff is four comparisons.
fn count() -> u64 {
    mutations(500, 20)
}

#[test]
fn damaged_texts_of_models_are_compared() {
    let victims = victims();
    assert!(victims.len() > 100, "{}", victims.len());
    let text = |ty: &str, bytes: &[u8]| {
        let ty = Schema::tensorflow().message(&format!("tensorflow.{ty}")).unwrap();
        let message = Message::decode(Schema::tensorflow(), ty, bytes.to_vec()).unwrap();
        String::from_utf8(text_of(&message, &Default::default()).0).unwrap()
    };
    let mut random = Random::new(21);
    let mut read = 0;
    for _ in 0..count() {
        let (ty, sides) = &victims[random.below(victims.len() as u64) as usize];
        let [lhs, rhs] = sides.each_ref().map(|bytes| {
            let mut lines: Vec<_> = text(ty, bytes).lines().map(str::to_owned).collect();
            mutate_lines(&mut lines, &mut random);
            lines.join("\n")
        });
        let started = Instant::now();
        read += u64::from(check(ty, Form::Text, lhs.as_bytes(), rhs.as_bytes()));
        assert!(started.elapsed().as_secs() < 60, "{lhs}\n\nagainst\n\n{rhs}");
    }
    assert!(read > count() / 10, "{read} of {} are read", count());
}

#[test]
fn any_two_messages_are_compared() {
    let victims = victims();
    let mut random = Random::new(22);
    let mut compared = 0;
    for _ in 0..count() {
        let (_, [lhs, rhs]) = &victims[random.below(victims.len() as u64) as usize];
        let mut input = vec![random.next() as u8];
        let len = u16::try_from(lhs.len()).expect("victims are small");
        input.extend(len.to_le_bytes());
        input.extend(lhs.iter().chain(rhs));
        mutate(&mut input, &mut random);
        compared += u64::from(diff_messages(&input));
    }
    assert!(compared > count() / 100, "{compared} of {} are compared", count());
}
