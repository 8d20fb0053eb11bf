//! `ckdiff fmt`: formatting of texts in place.

use std::fs;
use std::io::{self, Read};
#[cfg(unix)]
use std::process::Command;

use ckdiff::bytes::read_to_end;

use crate::support::command::{ckdiff, ckdiff_of};
#[cfg(unix)]
use crate::support::process::skip;

#[test]
fn fmt_lays_files_out_in_place_and_only_where_it_must() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let (messy, tidy) = ("node{name:'a'}# first\n", "node {\n  name: 'a'\n}  # first\n");
    fs::write(path("messy.pbtxt"), messy).unwrap();
    fs::write(path("tidy.pbtxt"), tidy).unwrap();
    fs::write(path("broken.pbtxt"), "node { name: }").unwrap();
    let (messy_path, tidy_path, broken) =
        (path("messy.pbtxt"), path("tidy.pbtxt"), path("broken.pbtxt"));
    let check = ckdiff(&["fmt", "--check", &messy_path, &tidy_path]);
    assert_eq!((check.code, check.text()), (1, format!("{messy_path}\n").as_str()));
    assert_eq!(fs::read_to_string(path("messy.pbtxt")).unwrap(), messy);
    // A file that can be formatted is, even if another file cannot be.
    let run = ckdiff(&["fmt", &broken, &messy_path, &tidy_path]);
    assert_eq!((run.code, run.text()), (2, ""));
    assert!(run.stderr.contains("broken.pbtxt:1:14: "), "{}", run.stderr);
    assert_eq!(fs::read_to_string(path("messy.pbtxt")).unwrap(), tidy);
    let again = ckdiff(&["fmt", "--check", &messy_path, &tidy_path]);
    assert_eq!((again.code, again.text(), again.stderr.as_str()), (0, "", ""));
    assert_eq!(ckdiff_of(&["fmt", "-"], messy.as_bytes()).text(), tidy);
    assert_eq!(ckdiff_of(&["fmt", "--check", "-"], messy.as_bytes()).code, 1);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 3, "no other file is left");
}

#[test]
fn input_without_an_end_is_read_up_to_a_bound() {
    let read = |len| read_to_end(b"ab".to_vec(), io::repeat(b'c').take(len), 10);
    assert_eq!(read(8).unwrap(), b"abcccccccc");
    for len in [9, u64::MAX] {
        let error = read(len).unwrap_err().to_string();
        assert_eq!(error, "length: expected at most 10, found more than 10 bytes");
    }
}

#[test]
#[cfg(unix)]
fn a_formatted_text_does_not_control_a_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("text");
    fs::write(&file, "# a\tb \u{9b}1m \u{202e}\nname: '\u{9b}'\n").unwrap();
    let line = format!("{} fmt - < {}", env!("CARGO_BIN_EXE_ckdiff"), file.display());
    let terminal = Command::new("script").args(["-qec", &line, "/dev/null"]).output();
    let Ok(terminal) = terminal else { return skip("script(1) is missing", "CKDIFF_SCRIPT") };
    let shown = String::from_utf8(terminal.stdout).unwrap().replace('\r', "");
    assert_eq!(shown, "# a\tb \\u{9b}1m \\u{202e}\nname: '\\u{9b}'\n");
    // A program gets the text itself.
    let text = fs::read(&file).unwrap();
    assert_eq!(ckdiff_of(&["fmt", "-"], &text).stdout, text);
}
