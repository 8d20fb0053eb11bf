//! What a checkpoint that is moved into place replaces, shares and leaves alone.

use std::fs;
use std::path::Path;

use ckdiff::checkpoint::{Checkpoint, CheckpointBuilder, FORMATS, IfExists};
use ckdiff::progress::Progress;
use ckdiff::tensor::{DType, Shape, Tensor};

use crate::support::directory::{names, ok};

/// A tensor of one element.
fn tensor(number: f32) -> Tensor {
    Tensor::new(DType::F32, Shape::new(&[1]).unwrap(), number.to_le_bytes().to_vec()).unwrap()
}

/// Writes a checkpoint to the same path while another is being written there.
struct Rival<'a>(&'a Path);

impl Progress for Rival<'_> {
    fn total(&self, _: u64) {
        ok(self.0, "save-as demo/model.ckpt DIR/out --format v2");
    }

    fn advance(&self, _: u64) {}
}

#[test]
fn a_checkpoint_that_another_program_wrote_in_the_meantime_is_not_joined_by_another_format() {
    for format in FORMATS.iter().filter(|format| ["v1", "v2"].contains(&format.option)) {
        let dir = tempfile::tempdir().unwrap();
        let tensor = tensor(1.0);
        let mut builder = CheckpointBuilder::default();
        builder.add("v", &tensor).unwrap();
        let out = dir.path().join("out");
        let written = builder.write(&out, format, IfExists::Refuse, &Rival(dir.path()));
        assert!(written.unwrap_err().to_string().contains("it already exists"), "{format}");
        assert_eq!(names(dir.path()), ["out.data-00000-of-00001", "out.index"], "{format}");
    }
}

#[test]
fn only_shards_that_the_replaced_index_counts_are_removed() {
    let strays = [
        ("v2", "m.data-00001-of-00009"),
        ("v1", "m.data-00001-of-00009"),
        ("safetensors", "m-00007-of-00009.safetensors"),
    ];
    for (format, stray) in strays {
        for shards in [0, 3] {
            let dir = tempfile::tempdir().unwrap();
            if shards > 0 {
                let options = format!("--format {format} --shards {shards} --exclude vocab");
                ok(dir.path(), &format!("save-as shards/three.ckpt DIR/m {options}"));
            }
            let old = names(dir.path());
            let other = "save-as demo/model.ckpt DIR/other --format safetensors";
            ok(dir.path(), other);
            fs::rename(dir.path().join("other.safetensors"), dir.path().join(stray)).unwrap();
            let options = format!("--format {format} --shards 2 --overwrite --exclude vocab");
            ok(dir.path(), &format!("save-as shards/three.ckpt DIR/m {options}"));
            let kept = names(dir.path());
            assert!(kept.iter().any(|name| name == stray), "{format}, {shards}: {kept:?}");
            let of_old = |name: &&String| name.contains("of-00003");
            // The shards of a V1 checkpoint belong to another one if their number is another.
            if format != "v1" {
                assert_eq!(kept.iter().find(of_old), None, "{format} over {old:?}");
            }
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::process::Command;

    use super::*;

    #[test]
    fn a_merge_over_a_checkpoint_keeps_the_permissions_and_takes_no_set_id_bits() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(format!("{name}.data-00000-of-00001"));
        let set = |name: &str, mode| {
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        };
        let attributes = |name: &str| {
            let found = at(name).metadata().unwrap();
            (found.mode() & 0o7777, found.ino())
        };
        ok(dir.path(), "save-as demo/model.ckpt DIR/part");
        ok(dir.path(), "save-as demo/model.ckpt DIR/out");
        // With the same permissions, the data is shared.
        ok(dir.path(), "merge DIR/part DIR/out --overwrite");
        assert_eq!(attributes("out"), attributes("part"));
        ok(dir.path(), "save-as demo/model.ckpt DIR/out --overwrite");
        set("out", 0o640);
        set("part", 0o604);
        ok(dir.path(), "merge DIR/part DIR/out --overwrite");
        assert_eq!((attributes("out").0, attributes("part").0), (0o640, 0o604));
        set("part", 0o6755);
        ok(dir.path(), "merge DIR/part DIR/new");
        assert_eq!(attributes("new").0 & 0o7000, 0);
    }

    #[test]
    fn data_that_cannot_be_replaced_keeps_its_index() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        ok(dir.path(), "save-as demo/model.ckpt DIR/out");
        let data = dir.path().join("out.data-00000-of-00001");
        let chattr = |flag: &str| {
            Command::new("chattr").arg(flag).arg(&data).output().is_ok_and(|o| o.status.success())
        };
        if !chattr("+i") {
            // Only the administrator may do that, on some file systems.
            return;
        }
        let tensor = tensor(2.0);
        let mut builder = CheckpointBuilder::default();
        builder.add("v", &tensor).unwrap();
        let silent = ckdiff::progress::Silent;
        let failed = builder.write(&out, FORMATS[0], IfExists::Replace, &silent);
        assert!(chattr("-i"));
        assert!(failed.unwrap_err().to_string().contains("cannot write"));
        let opened = Checkpoint::open(&out).unwrap();
        assert!(opened.get_tensor("v1").is_ok());
        assert_eq!(names(dir.path()), ["out.data-00000-of-00001", "out.index"]);
    }
}
