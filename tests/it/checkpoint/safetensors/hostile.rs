//! Hostile files: reading never panics, hangs, exhausts memory or returns other content.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use ckdiff::checkpoint::Checkpoint;

use super::{DIR, file_of};
use crate::support::Random;
use crate::support::damage::{mutate, mutations};
use crate::support::fuzz_checkpoint::{open_safetensors, put, read_all};
use crate::support::process::{assert_peak_memory_under, run_alone, test_process};

#[test]
fn a_truncated_file_returns_whole_tensors_or_none() {
    for file in ["baseline.safetensors", "unordered.safetensors"] {
        let bytes = fs::read(Path::new(DIR).join(file)).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.safetensors");
        put(&path, &bytes);
        let good = read_all(&path, 1000).unwrap();
        let header = 8 + u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
        for len in 0..bytes.len() {
            put(&path, &bytes[..len]);
            let Ok(read) = read_all(&path, 1000) else {
                assert!(len < header, "{file} cut to {len}");
                continue;
            };
            assert_eq!(read.len(), good.len(), "{file} cut to {len}");
            let mut lost = 0;
            for ((_, read), (name, good)) in read.iter().zip(&good) {
                match read {
                    Ok(read) => assert_eq!(read, good.as_ref().unwrap(), "{name}, cut to {len}"),
                    Err(_) => lost += 1,
                }
            }
            assert!(lost > 0, "{file} cut to {len}");
        }
    }
}

#[test]
fn random_damage_is_survived() {
    let mut random = Random::new(13);
    let dir = tempfile::tempdir().unwrap();
    let read = |file: &str| fs::read(Path::new(DIR).join(file)).unwrap();
    let mut seeds = Vec::new();
    for file in ["baseline.safetensors", "unordered.safetensors", "unsupported.safetensors"] {
        let bytes = read(file);
        let header = 8 + u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
        seeds.push([&bytes[8..header], b"\0", &bytes[header..]].concat());
    }
    seeds.push(read("sharded/model.safetensors.index.json"));
    for shard in 1..=3 {
        let name = format!("model-{shard:05}-of-00003.safetensors");
        put(&dir.path().join(&name), &read(&format!("sharded/{name}")));
    }
    let (count, mut opened) = (mutations(2_000, 1), 0);
    for n in 0..count {
        let mut bytes = seeds[n as usize % seeds.len()].clone();
        mutate(&mut bytes, &mut random);
        let start = Instant::now();
        opened += u64::from(open_safetensors(dir.path(), &bytes));
        assert!(start.elapsed() < Duration::from_secs(10), "mutation {n} took too long");
    }
    // If all files were refused, the reader would be untested.
    assert!(opened > count / 20 && opened < count * 9 / 10, "{opened} of {count} opened");
    if std::env::var_os("CKDIFF_PEAK_MEMORY").is_some() {
        assert_peak_memory_under(256 << 10);
    }
}

/// Runs in its own process because other tests in the same process use memory too.
#[cfg(target_os = "linux")]
#[test]
fn random_damage_takes_no_memory() {
    let mut test = test_process(module_path!(), "random_damage_is_survived");
    test.env("CKDIFF_PEAK_MEMORY", "1");
    run_alone(test);
}

/// The error of opening a file with this header.
fn errors_of(header: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.safetensors");
    put(&path, &file_of(header, b""));
    let start = Instant::now();
    let said = match Checkpoint::open(&path) {
        Err(error) => error.to_string(),
        Ok(checkpoint) => {
            let errors = checkpoint.tensors().filter_map(|entry| entry.source.as_ref().err());
            errors.take(1).map(ToString::to_string).collect()
        }
    };
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert!(said.len() < 1000, "{} characters", said.len());
    said
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let deep = "[".repeat(1 << 20);
    assert!(errors_of(&format!("{{\"a\":{deep}")).contains("the text ends inside a list"));
    let shut = "]".repeat(1 << 20);
    assert!(errors_of(&format!("{{\"a\":{deep}{shut}}}")).contains("found 2097152"));
    let objects = "{\"a\":".repeat(1 << 20);
    assert!(errors_of(&objects).contains("expected a value, found the end"));
    let metadata = format!("{{\"__metadata__\":{{\"a\":{}{}}}}}", &deep[..1000], &shut[..1000]);
    assert_eq!(errors_of(&metadata), "");
}

#[test]
fn long_texts_are_shown_in_part() {
    let long = "x".repeat(1 << 20);
    assert!(
        errors_of(&format!(
            "{{\"a\":{{\"dtype\":\"{}\",\"shape\":[],\"data_offsets\":[0,0]}}}}",
            &long[..50_000]
        ))
        .contains("expected a dtype of safetensors")
    );
    assert!(errors_of(&long).contains("byte 8"));
    assert!(
        errors_of(&format!("{{\"a\":{{\"{}\":1}}}}", &long[..50_000]))
            .contains("expected the field dtype, found none")
    );
}

#[test]
fn a_header_of_nothing_but_metadata_is_fast() {
    let pairs: Vec<String> = (0..100_000).map(|i| format!("\"{i}\":\"\"")).collect();
    assert_eq!(errors_of(&format!("{{\"__metadata__\":{{{}}}}}", pairs.join(","))), "");
}

#[test]
fn a_header_of_nothing_but_damage_is_not_kept() {
    let header: Vec<String> = (0..150_000).map(|i| format!("\"{i}\":0")).collect();
    let text = errors_of(&format!("{{{}}}", header.join(",")));
    assert!(
        text.contains("number of damaged tensors: expected at most 100000, found 100001"),
        "{text}"
    );
}
