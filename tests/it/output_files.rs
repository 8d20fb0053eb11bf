//! Files that the command writes: there in full or not at all, where the user says.

use std::fs;
use std::path::Path;

use crate::command::ckdiff;

const GRAPH: &str = "demo/model.ckpt.meta";

fn convert_to(path: &Path) {
    let run = ckdiff(&["convert", GRAPH, path.to_str().unwrap()]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
}

fn names(dir: &Path) -> Vec<String> {
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    fs::read_dir(dir).unwrap().map(|entry| name(entry.unwrap())).collect()
}

#[test]
fn the_longest_name_that_the_system_takes_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let name = format!("{}.pbtxt", "a".repeat(249));
    convert_to(&dir.path().join(&name));
    assert_eq!(names(dir.path()), [name]);
}

#[test]
fn what_cannot_be_written_leaves_what_was_there() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("graph.json");
    fs::write(&path, "as it was").unwrap();
    // An unknown field, which JSON has no form for.
    let graph = dir.path().join("graph.pb");
    fs::write(&graph, [0xb8, 0x3e, 1]).unwrap();
    let (graph, out) = (graph.to_str().unwrap(), path.to_str().unwrap());
    let run = ckdiff(&["convert", "--message", "GraphDef", graph, out]);
    assert_eq!(run.code, 2);
    let why = "999 has no form in JSON; --drop-unknown leaves it out";
    assert!(run.stderr.contains(why), "{}", run.stderr);
    assert_eq!(fs::read(&path).unwrap(), b"as it was");
    assert_eq!(names(dir.path()).len(), 2);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::Duration;

    use ckdiff::message::Writer;
    use ckdiff::schema::WireType;

    use super::*;
    use crate::command::command;

    #[test]
    fn links_stay_and_what_they_point_at_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("inner");
        fs::create_dir(&inner).unwrap();
        for existed in [false, true] {
            let (target, link) = (inner.join("graph.pbtxt"), dir.path().join("link.pbtxt"));
            if !existed {
                symlink("inner/graph.pbtxt", &link).unwrap();
            }
            convert_to(&link);
            assert!(link.symlink_metadata().unwrap().is_symlink(), "existed: {existed}");
            assert!(fs::read_to_string(&target).unwrap().starts_with("meta_info_def {"));
            fs::write(&target, "something else").unwrap();
        }
    }

    #[test]
    fn a_file_that_is_replaced_keeps_its_permissions() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("graph.pbtxt");
        let mode = || path.metadata().unwrap().permissions().mode() & 0o777;
        convert_to(&path);
        // As any file that a program makes here.
        let other = dir.path().join("other");
        fs::write(&other, "").unwrap();
        assert_eq!(mode(), other.metadata().unwrap().permissions().mode() & 0o777);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        convert_to(&path);
        assert_eq!(mode(), 0o640);
    }

    /// A tensor whose text takes its time.
    fn large_tensor() -> Vec<u8> {
        let mut out = Writer::default();
        out.tag(1, WireType::Varint);
        out.varint(9);
        out.tag(10, WireType::Len);
        out.open();
        (0..3_000_000).for_each(|_| out.varint(1 << 40));
        out.close();
        out.finish()
    }

    #[test]
    fn nothing_is_left_behind_when_the_program_is_ended() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        fs::create_dir(&out).unwrap();
        let tensor = dir.path().join("tensor.pb");
        fs::write(&tensor, large_tensor()).unwrap();
        for (name, number) in [("INT", 2), ("TERM", 15)] {
            let mut command = command(&["convert", "--message", "TensorProto", "-j", "1"]);
            let mut child = command
                .args([&tensor, &out.join("tensor.pbtxt")])
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            while names(&out).is_empty() {
                assert!(child.try_wait().unwrap().is_none(), "it was too fast");
                sleep(Duration::from_millis(1));
            }
            let id = child.id().to_string();
            assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
            assert_eq!(child.wait().unwrap().signal(), Some(number));
            assert_eq!(names(&out), [""; 0]);
        }
    }
}
