//! `ckdiff fmt`: formatting of texts in place.

use std::fs;

use crate::support::command::{ckdiff, ckdiff_of};

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
