//! Damaged checkpoints: broken parts are refused with their location, intact parts are read.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ckdiff::Limits;
use ckdiff::bytes::Memory;
use ckdiff::table::Table;

use crate::support::damage::{mutate, mutations};
use crate::support::encoding;
use crate::support::fuzz_checkpoint::{self, Read};
use crate::support::process::{assert_peak_memory_under, run_alone, test_process};
use crate::support::{Random, known_tensors, named_snapshot};

const DIR: &str = "tests/data/hostile";

/// A damaged checkpoint of `hostile.json`.
struct Case {
    name: String,
    what: String,
    /// Tensors that must not be returned.
    broken: Vec<String>,
    /// Whether it must open.
    opens: bool,
}

fn cases() -> Vec<Case> {
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let cases = crate::support::cases("hostile.json", 125).into_iter().map(|(name, case)| Case {
        name,
        what: text(&case["what"]),
        broken: case["broken"].as_array().unwrap().iter().map(text).collect(),
        opens: case["opens"].as_bool().unwrap(),
    });
    cases.collect()
}

impl Case {
    fn path(&self) -> PathBuf {
        Path::new(DIR).join(&self.name)
    }

    /// The tensors of the checkpoint before it was damaged.
    fn good(&self) -> BTreeMap<String, (String, Vec<u8>)> {
        let good = match &self.name {
            name if name.starts_with("v1_") => "good_v1",
            name if name.starts_with("slices_") => "good_slices",
            _ => "good",
        };
        let read = fuzz_checkpoint::read_all(&Path::new(DIR).join(good), 1000).unwrap();
        read.into_iter().map(|(name, content)| (name, content.unwrap())).collect()
    }
}

#[test]
fn broken_tensors_are_refused_and_whole_ones_are_read() {
    let (mut opened, mut tensors) = (0, 0);
    for case in cases() {
        let good = case.good();
        let started = Instant::now();
        // Where the list is damaged, the tensors in it may be those of another checkpoint, but the others must be returned.
        let read = match case.opens {
            true => fuzz_checkpoint::read_listed(&case.path(), 1000).map(|(read, _)| read),
            false => fuzz_checkpoint::read_all(&case.path(), 1000),
        };
        assert!(
            started.elapsed() < Duration::from_secs(10),
            "{}: {:?}",
            case.name,
            started.elapsed()
        );
        let read = match read {
            Ok(read) => read,
            Err(error) => {
                assert!(!case.opens, "{} must open: {error}", case.name);
                continue;
            }
        };
        let mut given = Vec::new();
        for (name, content) in read {
            if let Ok(content) = content {
                assert!(!case.broken.contains(&name), "{}: {name} is given", case.name);
                assert_eq!(good.get(&name), Some(&content), "{}: {name}", case.name);
                given.push(name);
            }
        }
        let whole = good.keys().filter(|name| !case.broken.contains(name));
        assert!(!case.opens || given.iter().eq(whole), "{}: only {given:?}", case.name);
        opened += 1;
        tensors += given.len();
    }
    assert!(opened >= 64 && tensors >= 160, "{opened} opened, {tensors} tensors");
}

#[test]
fn every_damage_is_reported_with_its_location() {
    let mut out = String::new();
    for case in cases() {
        writeln!(out, "{}: {}", case.name, case.what).unwrap();
        match fuzz_checkpoint::read_listed(&case.path(), 1000) {
            Err(error) => writeln!(out, "  {error}").unwrap(),
            Ok((read, damage)) => {
                if let Some(error) = damage {
                    writeln!(out, "  {error}").unwrap();
                }
                for (name, content) in read {
                    if let Err(error) = content {
                        writeln!(out, "  {name}: {error}").unwrap();
                    }
                }
            }
        }
    }
    named_snapshot("hostile", "errors", &out.replace("tests/data/hostile/", ""));
}

/// The files of a small checkpoint, and how to read it from a directory that has them.
struct Victim {
    format: &'static ckdiff::checkpoint::Format,
    files: Vec<(PathBuf, Vec<u8>)>,
    opened: PathBuf,
    good: Vec<Read>,
}

impl Victim {
    /// The checkpoint of the corpus at `path`, read whole.
    fn new(path: &str) -> Self {
        let path = Path::new("tests/data").join(path);
        let checkpoint = ckdiff::checkpoint::Checkpoint::open(&path).unwrap();
        let named = |path: &Path| PathBuf::from(path.file_name().unwrap());
        let files =
            checkpoint.files().iter().map(|file| (named(file), std::fs::read(file).unwrap()));
        let good = fuzz_checkpoint::read_all(&path, 1000).unwrap();
        let (format, files) = (checkpoint.format(), files.collect());
        Self { format, files, opened: named(&path), good }
    }

    fn write(&self, dir: &Path) {
        for (name, bytes) in &self.files {
            fuzz_checkpoint::put(&dir.join(name), bytes);
        }
    }

    /// Reads the checkpoint with file `i` replaced and asserts that each tensor is refused or unchanged. Returns whether any is
    /// refused.
    fn check(&self, dir: &Path, i: usize, bytes: &[u8], what: &str) -> bool {
        let (name, good) = &self.files[i];
        fuzz_checkpoint::put(&dir.join(name), bytes);
        let read = fuzz_checkpoint::read_all(&dir.join(&self.opened), 1000);
        fuzz_checkpoint::put(&dir.join(name), good);
        let Ok(read) = read else { return true };
        let names = |read: &[Read]| read.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&read), names(&self.good), "{} {what}: names", name.display());
        for ((tensor, read), (_, good)) in read.iter().zip(&self.good) {
            if let Ok(read) = read {
                let same = good.as_ref().is_ok_and(|good| good == read);
                assert!(same, "{} {what}: {tensor} is other than it was", name.display());
            }
        }
        read.iter().any(|(_, read)| read.is_err())
    }
}

/// Small checkpoints of both formats, with every kind of content.
const SMALL: &[&str] = &[
    "demo/model.ckpt",
    "demo/v1format.ckpt",
    "hostile/good",
    "hostile/good_slices",
    "hostile/good_v1",
    "bigendian/model.ckpt",
    "snappy/v1.ckpt",
    "snappy/v2.ckpt",
    "v1/sharded.ckpt-?????-of-00002",
];

#[test]
fn a_flipped_bit_is_noticed_or_changes_nothing() {
    for path in SMALL {
        let victim = Victim::new(path);
        let dir = tempfile::tempdir().unwrap();
        victim.write(dir.path());
        let (mut flipped, mut noticed) = (0, 0);
        for (i, (_, good)) in victim.files.iter().enumerate() {
            for at in 0..good.len() {
                let mut bytes = good.clone();
                bytes[at] ^= 1 << (at % 8);
                let what = format!("of {path}, bit {} of byte {at}", at % 8);
                noticed += usize::from(victim.check(dir.path(), i, &bytes, &what));
                flipped += 1;
            }
        }
        // Some bits of a footer have no meaning.
        assert!(noticed * 100 >= flipped * 98, "{path}: {noticed} of {flipped} noticed");
    }
}

#[test]
fn every_truncation_is_noticed() {
    for path in SMALL {
        let victim = Victim::new(path);
        let dir = tempfile::tempdir().unwrap();
        victim.write(dir.path());
        for (i, (_, good)) in victim.files.iter().enumerate() {
            for len in 0..good.len() {
                let what = format!("of {path}, cut to {len}");
                assert!(victim.check(dir.path(), i, &good[..len], &what), "{what}");
            }
        }
    }
}

#[test]
fn random_damage_never_passes() {
    let count = mutations(2_000, 1);
    let victims: Vec<Victim> = known_tensors()
        .iter()
        .filter(|(_, tensors)| tensors.len() < 200)
        .map(|(path, _)| Victim::new(path))
        // Without checksums, changed content is not detected.
        .filter(|victim| victim.format.checksum.is_some())
        .collect();
    assert!(victims.len() >= 27, "{}", victims.len());
    let mut random = Random::new(11);
    let (mut damaged, mut noticed) = (0, 0);
    for (i, victim) in victims.iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        victim.write(dir.path());
        for n in 0..count / victims.len() as u64 + 1 {
            let file = random.below(victim.files.len() as u64) as usize;
            let mut bytes = victim.files[file].1.clone();
            mutate(&mut bytes, &mut random);
            let start = Instant::now();
            fuzz_checkpoint::open_table(&bytes);
            let what = format!("of victim {i}, mutation {n}");
            noticed += u64::from(victim.check(dir.path(), file, &bytes, &what));
            damaged += 1;
            assert!(start.elapsed().as_secs() < 10, "victim {i}, mutation {n} took too long");
        }
    }
    assert!(noticed > damaged / 2, "{noticed} of {damaged} noticed");
    if std::env::var_os("CKDIFF_PEAK_MEMORY").is_some() {
        assert_peak_memory_under(256 << 10);
    }
}

/// Runs in its own process because other tests in the same process use memory too.
#[cfg(target_os = "linux")]
#[test]
fn random_damage_takes_little_memory() {
    let mut test = test_process(module_path!(), "random_damage_never_passes");
    test.env("CKDIFF_PEAK_MEMORY", "1");
    run_alone(test);
}

/// As [`random_damage_never_passes`], but the block's checksum matches its bytes: nothing may panic or hang.
#[test]
fn forged_tables_are_survived() {
    let count = mutations(2_000, 1);
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random::new(12);
    let (mut forged, mut opened) = (0, 0);
    let one_table = SMALL.iter().filter(|path| !path.contains("-of-") && !path.contains("snappy"));
    for path in one_table {
        let victim = Victim::new(path);
        let good = only_block(&victim.files[0].1);
        for _ in 0..count / SMALL.len() as u64 + 1 {
            let mut payload = good.clone();
            mutate(&mut payload, &mut random);
            let table = encoding::table_around(&payload);
            opened += u64::from(match victim.files.get(1) {
                Some((_, data)) => fuzz_checkpoint::open_checkpoint_v2(dir.path(), &table, data),
                None => fuzz_checkpoint::open_checkpoint_v1(dir.path(), &table),
            });
            forged += 1;
        }
    }
    // Most forgeries are refused; if all were, the reader would be untested.
    assert!(opened > forged / 50 && opened < forged / 2, "{opened} of {forged} opened");
}

/// The payload of the first data block.
fn only_block(table: &[u8]) -> Vec<u8> {
    let table = Table::open(Arc::new(Memory(table.into())), &Limits::default()).unwrap();
    let handle = table.blocks().next().unwrap().unwrap();
    let mut payload = vec![0; handle.size as usize];
    table.file().read_at(handle.offset, &mut payload).unwrap();
    payload
}
