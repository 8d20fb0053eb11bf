//! Properties of every format in `FORMATS`.

use std::fs;
use std::path::{Path, PathBuf};

use ckdiff::artifact::{Artifact, FileKind, Sniffed};
use ckdiff::checkpoint::{Checkpoint, CheckpointBuilder, FORMATS, Format, IfExists};
use ckdiff::diff::{DiffOptions, Verdict, diff};
use ckdiff::progress::Silent;
use ckdiff::tensor::{DType, Shape, Tensor};
use ckdiff::verify::verify;

use crate::support::Random;
use crate::support::command::ckdiff;
use crate::support::damage::{mutate, mutations};
use crate::support::fuzz_checkpoint;

/// The writable formats.
fn writable() -> Vec<&'static Format> {
    let writable: Vec<_> = FORMATS.iter().copied().filter(|format| format.is_writable()).collect();
    assert!(writable.len() >= 2, "{writable:?}");
    writable
}

/// A tensor of six numbers, counted up from `first`.
fn tensor(first: i64) -> Tensor {
    let content: Vec<u8> = (first..first + 6).flat_map(i64::to_le_bytes).collect();
    Tensor::new(DType::I64, Shape::new(&[2, 3]).unwrap(), content).unwrap()
}

/// Writes three tensors whose numbers start at `first`, in `shards` shards.
fn write(
    path: &Path,
    format: &'static Format,
    first: i64,
    shards: usize,
) -> ckdiff::Result<PathBuf> {
    let tensors: Vec<Tensor> = (0..3).map(|i| tensor(first + i)).collect();
    let mut builder = CheckpointBuilder::default();
    for (name, tensor) in ["a", "dense/bias", "dense/kernel"].iter().zip(&tensors) {
        builder.add(*name, tensor)?;
    }
    builder.reshard(shards)?;
    builder.write(path, format, IfExists::Replace, &Silent)
}

fn first_of(checkpoint: &Checkpoint) -> Option<i64> {
    checkpoint.get_tensor("a").unwrap().elements::<i64>()?.first().copied()
}

fn files_in(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn formats_have_distinct_names() {
    for format in FORMATS {
        for name in [format.name, format.option] {
            assert_eq!(Format::by_name(name).map(|format| format.name), Some(format.name));
        }
        assert!(!format.about.is_empty() && !format.about.ends_with('.'), "{format}");
    }
    assert!(Format::by_name("").is_none());
    let help = ckdiff(&["save-as", "--help"]);
    let run = ckdiff(&["save-as", "demo/model.ckpt", "/no/such/place", "--format", "none"]);
    assert_eq!((help.code, run.code), (0, 2));
    for format in writable() {
        assert!(run.stderr.contains(format.option), "{}", run.stderr);
    }
}

#[test]
fn a_written_checkpoint_opens_by_each_of_its_files() {
    for format in writable() {
        for shards in [1, 3] {
            let directory = tempfile::tempdir().unwrap();
            let opened = write(&directory.path().join("m"), format, 7, shards).unwrap();
            let checkpoint = Checkpoint::open(&opened).unwrap();
            assert_eq!((checkpoint.format().name, first_of(&checkpoint)), (format.name, Some(7)));
            let mut files = checkpoint.files().to_vec();
            files.sort();
            assert_eq!(files, files_in(directory.path()), "{format}: no file is forgotten");
            for file in files {
                let by_file = Checkpoint::open(&file).unwrap();
                assert_eq!(by_file.format().name, format.name, "{}", file.display());
                assert!(by_file.has_tensor("a") || shards > 1, "{}", file.display());
            }
        }
    }
}

#[test]
fn every_format_stores_the_same_model() {
    let directory = tempfile::tempdir().unwrap();
    let opened: Vec<_> = writable()
        .iter()
        .flat_map(|format| [1, 2].map(|shards| (*format, shards)))
        .map(|(format, shards)| {
            let directory = directory.path().join(format!("{}{shards}", format.option));
            fs::create_dir(&directory).unwrap();
            write(&directory.join("m"), format, 1, shards).unwrap()
        })
        .collect();
    for path in &opened {
        let (lhs, rhs) = Artifact::open_both(&opened[0], path, 1);
        let (lhs, rhs) = (lhs.unwrap(), rhs.unwrap());
        let found = diff(&lhs, &rhs, &DiffOptions::default(), &Silent).unwrap();
        assert_eq!(found.verdict(), Verdict::Same, "{}", path.display());
        let verified = verify(&rhs, None, 1, &Silent).unwrap();
        assert!(verified.is_sound(), "{}", path.display());
        let checksum = rhs.checkpoint().unwrap().format().checksum;
        assert_eq!(verified.artifact.has_checksums, checksum.is_some(), "{}", path.display());
        let human = ckdiff(&["verify", path.to_str().unwrap()]);
        let said = human.text().matches("no checksum in this format").count();
        assert_eq!(said, usize::from(checksum.is_none()), "{}", human.text());
        let human = ckdiff(&[opened[0].to_str().unwrap(), path.to_str().unwrap()]);
        let said = human.text().matches("no checksum in this format").count();
        assert_eq!(said, usize::from(checksum.is_none()), "{}", human.text());
    }
}

#[test]
fn a_format_replaces_another_at_the_same_path_only() {
    let formats = writable();
    for before in &formats {
        for after in &formats {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("m");
            let replaced = write(&path, before, 1, 1).unwrap();
            let opened = write(&path, after, 2, 1).unwrap();
            let checkpoint = Checkpoint::open(&opened).unwrap();
            assert_eq!(first_of(&checkpoint), Some(2), "{before} to {after}");
            let mut files = checkpoint.files().to_vec();
            if replaced != opened {
                let other = Checkpoint::open(&replaced).unwrap();
                assert_eq!(first_of(&other), Some(1), "{before} beside {after}");
                files.extend_from_slice(other.files());
            }
            files.sort();
            assert_eq!(files, files_in(directory.path()), "{before} to {after}");
        }
    }
}

#[test]
fn an_existing_checkpoint_is_not_replaced_by_default() {
    for format in writable() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("m");
        let opened = write(&path, format, 1, 1).unwrap();
        let tensor = tensor(2);
        let mut builder = CheckpointBuilder::default();
        builder.add("a", &tensor).unwrap();
        let refused = builder.write(&path, format, IfExists::Refuse, &Silent);
        assert!(refused.is_err(), "{format}");
        assert_eq!(first_of(&Checkpoint::open(&opened).unwrap()), Some(1), "{format}");
    }
}

#[test]
fn a_single_file_is_read_without_the_others() {
    for format in writable() {
        let directory = tempfile::tempdir().unwrap();
        let opened = write(&directory.path().join("m"), format, 1, 1).unwrap();
        let checkpoint = Checkpoint::open(&opened).unwrap();
        let alone = checkpoint.files().iter().filter_map(|file| {
            let elsewhere = tempfile::tempdir().unwrap();
            let name = file.file_name().unwrap();
            let copy = elsewhere.path().join("git-blob");
            fs::copy(file, &copy).unwrap();
            let found = Sniffed::of_file(&copy, Path::new(name));
            let FileKind::CheckpointFile(_) = found.kind() else { return None };
            let read = Artifact::of(found).unwrap();
            let read = read.checkpoint().unwrap();
            Some((read.path().to_path_buf(), read.shape_map().len()))
        });
        let alone: Vec<_> = alone.collect();
        assert_eq!(alone.len(), 1, "{format}: one file has the names");
        assert_eq!(alone[0].1, 3, "{format}");
    }
}

/// Damaged files give an error or unchanged tensors. A format without checksums may give other values, but terminates.
#[test]
fn damage_is_reported_or_harmless() {
    let mut random = Random::new(17);
    for format in writable() {
        let directory = tempfile::tempdir().unwrap();
        let opened = write(&directory.path().join("m"), format, 1, 2).unwrap();
        let good = fuzz_checkpoint::read_all(&opened, 1000).unwrap();
        for _ in 0..mutations(300, 10) {
            let files = Checkpoint::open(&opened).unwrap().files().to_vec();
            let file = &files[random.below(files.len() as u64) as usize];
            let before = fs::read(file).unwrap();
            let mut bytes = before.clone();
            mutate(&mut bytes, &mut random);
            fs::write(file, bytes).unwrap();
            if let Ok(read) = fuzz_checkpoint::read_all(&opened, 1000) {
                for (name, content) in read {
                    let was = good.iter().find(|(known, _)| *known == name);
                    if let (Ok(content), Some((_, Ok(was))), Some(_)) =
                        (content, was, format.checksum)
                    {
                        assert_eq!(content, *was, "{format}: {name}");
                    }
                }
            }
            fs::write(file, before).unwrap();
        }
    }
}
