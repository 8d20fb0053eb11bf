//! Overviews of hostile or large SavedModels: limited in length and time.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use ckdiff::artifact::{Document, Form, ReadOptions};
use ckdiff::overview::Overview;
use ckdiff::report::{Format, Report, ReportOptions, write};
use ckdiff::schema::Schema;
use serde_json::Value;

use crate::support::Random;
use crate::support::command::assert_valid;
use crate::support::encoding::{bytes, int, shape};
use crate::support::message_forms::document;
use crate::support::overview::{
    entry, human_overview, meta_graph_overview, objects, shown, with_objects,
};

#[test]
fn hostile_object_graphs_are_shown_in_part() {
    // Nested lists, far deeper than TensorFlow reads.
    let mut deep = bytes(33, &int(3, 1));
    for _ in 0..490 {
        deep = bytes(51, &bytes(1, &deep));
    }
    let graph = with_objects(&objects(&[("f", &["g", "gone"])], &[("g", deep)]));
    let [text, report] = shown(&graph, |_| {});
    assert!(text.contains("…") && text.contains("#2       missing"), "{text}");
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_valid(&report);
    assert!(report.to_string().contains("too_deep"));

    // Children in a cycle, and children that do not exist.
    let child = |at: i64, name: &[u8]| bytes(1, &[int(1, at), bytes(2, name)].concat());
    let function = bytes(6, &bytes(1, b"g\x1b[2J"));
    let ring = [
        bytes(1, &[child(1, b"a\n"), child(-1, b"b"), child(1 << 30, b"c")].concat()),
        bytes(
            1,
            &[child(0, b"up"), child(1, b"self"), child(2, b"\x1b[31mred"), function.clone()]
                .concat(),
        ),
        bytes(1, &[child(1, b"back"), function].concat()),
    ];
    let [text, _] = shown(&with_objects(&ring.concat()), |graph| {
        assert_eq!(graph.callables.len(), 2);
    });
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
}

#[test]
fn deep_signatures_are_shown_in_part() {
    // Nested composite tensors, each with a deeply nested type.
    let mut state = bytes(33, &int(3, 1));
    for _ in 0..240 {
        state = bytes(52, &bytes(1, &state));
    }
    let spec = bytes(1, &[bytes(2, &state), bytes(3, b"Odd")].concat());
    let mut tensor = bytes(1, b"inmost:0");
    for _ in 0..240 {
        tensor = bytes(5, &[spec.clone(), bytes(2, &tensor)].concat());
    }
    let input = bytes(1, &[bytes(1, b"x"), bytes(2, &tensor)].concat());
    let entry = [bytes(1, b"serve"), bytes(2, &input)].concat();
    let [text, report] = shown(&bytes(5, &entry), |graph| {
        assert_eq!(graph.signatures[0].inputs[0].name, "x");
    });
    assert!(text.contains("Odd("), "{text}");
    assert_valid(&serde_json::from_str(&report).unwrap());
}

#[test]
fn no_name_makes_a_line_too_wide() {
    let long = |c: char| c.to_string().repeat(300);
    let spec = |name: &str| {
        bytes(33, &[bytes(1, name.as_bytes()), bytes(2, &shape(&[7; 200])), int(3, 1)].concat())
    };
    let takes = bytes(53, &[bytes(1, &entry(&long('k'), &spec(&long('t'))))].concat());
    let (name, concrete) = (long('f'), long('g'));
    let objects = objects(&[(&name, &[&concrete, "missing"])], &[(&concrete, takes)]);
    let tensor = [bytes(1, long('n').as_bytes()), int(2, 7), bytes(3, &shape(&[9; 200]))].concat();
    let text = [int(1, 7), bytes(8, long('v').as_bytes())].concat();
    let signature = [
        bytes(1, &entry(&long('i'), &tensor)),
        bytes(3, long('m').as_bytes()),
        bytes(4, &entry(&long('i'), &text)),
    ];
    let asset = bytes(6, &[bytes(1, &tensor), bytes(2, long('a').as_bytes())].concat());
    let graph = [bytes(5, &entry(&long('s'), &signature.concat())), asset, bytes(7, &objects)];
    let [text, report] = shown(&graph.concat(), |_| {});
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    for c in "fktgnsima".chars() {
        let few = c.to_string().repeat(3);
        assert!(report.contains(&long(c)), "{c}");
        assert!(c == 'g' || text.contains(&few), "{c}\n{text}");
    }
}

#[test]
fn random_damage_is_survived() {
    let good = fs::read("tests/data/callables/structures/saved_model.pb").unwrap();
    let mut random = Random::new(6);
    let options = ReadOptions { message: Some("SavedModel".into()), ..ReadOptions::default() };
    let mut read = 0;
    for _ in 0..300 {
        let mut bytes = good.clone();
        for _ in 0..=random.below(2) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = random.next() as u8;
        }
        let path = Path::new("saved_model.pb");
        let document = Document::read(&*bytes, path, Schema::tensorflow(), &options);
        let Ok(document) = document else { continue };
        // Damage may be an error; nothing may panic, and every overview must print.
        if let Ok(overview) = Overview::new(&document) {
            read += 1;
            let report = Report::Overview(&overview);
            for format in Format::of(report.subject()) {
                write(&report, format, &ReportOptions::default(), &mut std::io::sink()).unwrap();
            }
        }
    }
    assert!(read > 30, "{read}");
}

#[test]
fn large_object_graphs_take_time_in_proportion_to_their_size() {
    const MANY: usize = 20_000;
    // Many functions with the same concrete function, which is large.
    let wide: Vec<u8> = (0..MANY).flat_map(|_| bytes(1, &bytes(33, &int(3, 1)))).collect();
    let names: Vec<String> = (0..MANY).map(|i| format!("f{i}")).collect();
    let shared: Vec<(&str, &[&str])> =
        names.iter().map(|name| (name.as_str(), &["g"][..])).collect();
    // A chain of objects, each with a function.
    let child = |at: usize| bytes(1, &[int(1, at as i64 + 1), bytes(2, b"next")].concat());
    let link = |at: usize| bytes(1, &[child(at), bytes(6, &bytes(1, b"g"))].concat());
    let chain: Vec<u8> = (0..MANY).flat_map(link).collect();
    for objects in [objects(&shared, &[("g", bytes(51, &wide))]), chain] {
        let start = Instant::now();
        let graph = with_objects(&objects);
        let [text, report] = shown(&graph, |found| assert!(found.callables.len() + 1 >= MANY));
        assert!(report.len() < 60 * graph.len(), "{} from {}", report.len(), graph.len());
        assert!(text.len() < 20_000, "{}", text.len());
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    }
}

#[test]
fn every_list_is_limited() {
    const MANY: usize = 1_000;
    let many = |number: u64| -> Vec<u8> {
        (0..MANY).flat_map(|i| bytes(number, format!("n{i}").as_bytes())).collect()
    };
    let main = bytes(4, &entry("saved_model_main_op", &bytes(1, &many(1))));
    let graph = [bytes(1, &many(4)), main].concat();
    let few = meta_graph_overview(&graph, 20);
    assert_eq!(few.matches("n19").count(), 2, "{few}");
    assert_eq!(few.matches("… and 980 more").count(), 2, "{few}");
    assert!(!few.contains("n20"), "{few}");
    let all = meta_graph_overview(&graph, usize::MAX);
    assert!(all.matches("n999").count() == 2 && !all.contains('…'), "{all}");

    let graphs: Vec<u8> =
        (0..MANY).flat_map(|_| bytes(2, &bytes(1, &bytes(4, b"serve")))).collect();
    let text = human_overview(&document("tensorflow.SavedModel", Form::Binary, &graphs), 20);
    assert_eq!(text.matches("serve").count(), 20, "{text}");
    assert!(text.contains("Meta graph 20 of 1000"), "{text}");
    assert!(text.ends_with("\n… and 980 more meta graphs\n"), "{text}");
}

#[test]
fn long_function_names_are_not_repeated_in_full() {
    let long = "f".repeat(1_000_000);
    let names: Vec<String> = (0..2_000).map(|i| format!("g{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let tensor = || bytes(33, &int(3, 1));
    let concrete: Vec<(&str, Vec<u8>)> = names.iter().map(|name| (*name, tensor())).collect();
    // Two names that are equal where they are printed, with the same concrete functions.
    let other = format!("{}g{}", &long[..500_000], &long[..500_000]);
    let graph = with_objects(&objects(&[(&long, &names), (&other, &names)], &concrete));
    let start = Instant::now();
    let text = meta_graph_overview(&graph, usize::MAX);
    assert!(text.len() < 1_000_000, "{}", text.len());
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert_eq!(
        text.matches("as #").count(),
        names.len(),
        "the second function refers to the first"
    );
}
