//! `ckdiff convert`: conversion of messages between files, and its effects.

use std::fs;

use serde_json::Value;

use crate::support::command::{ckdiff, ckdiff_of};

#[test]
fn the_extension_decides_the_form() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let convert = |from: &str, to: &str| {
        let run = ckdiff(&["convert", from, to]);
        assert_eq!((run.code, run.text(), run.stderr.as_str()), (0, "", ""), "{to}");
    };
    convert("graphs/frozen.pb", &path("graph.pbtxt"));
    convert(&path("graph.pbtxt"), &path("graph.json"));
    convert(&path("graph.json"), &path("graph.binpb"));
    let data = |name: &str| fs::read(format!("tests/data/graphs/{name}")).unwrap();
    assert_eq!(fs::read(path("graph.pbtxt")).unwrap(), data("frozen.pb.tensorflow.pbtxt"));
    assert_eq!(fs::read(path("graph.binpb")).unwrap(), data("frozen.pb"));
    let json: Value = serde_json::from_slice(&fs::read(path("graph.json")).unwrap()).unwrap();
    assert_eq!(json, serde_json::from_slice::<Value>(&data("frozen.pb.json")).unwrap());
}

#[test]
fn standard_input_and_output_can_be_used() {
    let binary = fs::read("tests/data/graphs/frozen.pb").unwrap();
    let text = ckdiff_of(&["convert", "-", "-"], &binary);
    assert_eq!((text.code, text.stderr.as_str()), (0, ""));
    assert_eq!(text.stdout, fs::read("tests/data/graphs/frozen.pbtxt").unwrap());
    let back = ckdiff_of(&["convert", "-", "-", "--to=binary", "-j2"], &text.stdout);
    assert_eq!(back.stdout, binary);
    let protoc = ckdiff_of(&["convert", "-", "-", "--style=protoc"], &binary);
    assert_eq!(protoc.stdout, fs::read("tests/data/graphs/frozen.pb.protoc.pbtxt").unwrap());
    let line = ckdiff_of(&["convert", "-", "-", "--single-line"], &binary);
    assert_eq!(line.text().lines().count(), 1);
    assert!(line.text().ends_with('\n') && !line.text().ends_with(" \n"));
    let json = ["convert", "-", "-", "--to=json", "--compact", "--original-names"];
    let json = ckdiff_of(&json, &binary);
    assert!(json.text().contains(r#""producer":"#) && json.text().contains(r#""dtype""#));
    assert_eq!(json.text().lines().count(), 1);
    // A binary message that is declared as another form.
    assert_eq!(ckdiff_of(&["convert", "-", "-", "--from=text"], &binary).code, 2);
    assert_eq!(ckdiff_of(&["convert", "-", "-", "--from=json"], &binary).code, 2);
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    fs::write(path("broken.pbtxt"), "node { name: 'a' op: }").unwrap();
    fs::write(path("out.pb"), "before").unwrap();
    for out in ["out.pb", "new.pb", "new.json"] {
        let run = ckdiff(&["convert", &path("broken.pbtxt"), &path(out), "--message=GraphDef"]);
        assert_eq!(run.code, 2);
    }
    // The first half is printed before the Any of an unknown type is reached.
    let run = ckdiff(&["convert", "graphs/any_of_unknown_type.meta", &path("out.json")]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("graphs/any_of_unknown_type.meta: "), "{}", run.stderr);
    assert_eq!(fs::read(path("out.pb")).unwrap(), b"before");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2, "no other file is left");
    let directory = ckdiff(&["convert", "graphs/frozen.pb", &path("")]);
    assert!(
        directory.stderr.contains("expected a file, found a directory"),
        "{}",
        directory.stderr
    );
    assert_eq!(ckdiff(&["convert", "graphs/frozen.pb", &path("no/such/out.pb")]).code, 2);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("graph.pb");
    fs::copy("tests/data/graphs/frozen.pb", &file).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let path = file.display().to_string();
    // Onto the same file, which then holds text under a name of the binary form.
    assert_eq!(ckdiff(&["convert", &path, &path, "--to=text"]).code, 0);
    assert_eq!(fs::read(&file).unwrap(), fs::read("tests/data/graphs/frozen.pbtxt").unwrap());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(ckdiff(&["convert", &path, &path]).code, 0);
    assert_eq!(fs::read(&file).unwrap(), fs::read("tests/data/graphs/frozen.pb").unwrap());
}

#[test]
fn losses_are_reported_in_one_line() {
    let run = ckdiff(&["convert", "graphs/unknown_fields.meta", "-"]);
    assert_eq!(run.code, 0);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    let start =
        "ckdiff: warning: 16 unknown fields cannot be represented in text: meta_info_def.100, ";
    assert!(run.stderr.starts_with(start), "{}", run.stderr);
    let refused = ckdiff(&["convert", "graphs/unknown_fields.meta", "-", "--to=json"]);
    assert_eq!(refused.code, 2);
    let args = ["convert", "graphs/unknown_fields.meta", "-", "--to=json", "--drop-unknown"];
    let dropped = ckdiff(&args);
    assert_eq!(dropped.code, 0);
    assert!(
        dropped.stderr.contains("unknown fields cannot be represented in JSON"),
        "{}",
        dropped.stderr
    );
    let binary = ckdiff(&["convert", "graphs/unknown_fields.meta", "-", "--to=binary"]);
    assert_eq!((binary.code, binary.stderr.as_str()), (0, ""), "binary keeps everything");
    let nans = ckdiff(&["convert", "graphs/nan_payloads.pb", "-"]);
    assert!(nans.stderr.contains("NaN payloads cannot be represented in text"), "{}", nans.stderr);
}

#[test]
fn shown_unknown_fields_are_not_reported_as_lost() {
    let args = ["convert", "graphs/unknown_fields.meta", "-", "--style=protoc"];
    let run = ckdiff(&args);
    assert_eq!(run.code, 0);
    let start = "ckdiff: warning: 16 unknown fields are shown by number and cannot be read back: ";
    assert!(run.stderr.starts_with(start), "{}", run.stderr);
    assert!(run.text().contains("100: "), "{}", run.text());
    let one = ckdiff_of(
        &["convert", "-", "-", "--message=VersionDef", "--style=protoc"],
        b"\x08\x03\x90\x4e\x01",
    );
    let said =
        "ckdiff: warning: 1 unknown field is shown by number and cannot be read back: 1250\n";
    assert_eq!((one.text(), one.stderr.as_str()), ("producer: 3\n1250: 1\n", said));
    let dropped = ckdiff(&[&args[..], &["--drop-unknown"]].concat());
    assert!(dropped.stderr.contains("fields cannot be represented in text"), "{}", dropped.stderr);
}

#[test]
fn each_dropped_name_is_reported_once() {
    let text = b"a: 1 a: 2 b { c: 1 } a: 3 producer: 3";
    let args = ["convert", "-", "-", "--message=VersionDef", "--drop-unknown"];
    let run = ckdiff_of(&args, text);
    assert_eq!((run.code, run.text()), (0, "producer: 3\n"));
    let said = "ckdiff: warning: 4 unknown fields cannot be represented in the schema: a, b\n";
    assert_eq!(run.stderr, said);
    let run = ckdiff_of(&args, br#"{"a": 1, "producer": 3, "a": 2}"#);
    let said = "ckdiff: warning: 2 unknown fields cannot be represented in the schema: a\n";
    assert_eq!((run.text(), run.stderr.as_str()), ("producer: 3\n", said));
}

#[test]
fn control_characters_in_quotes_do_not_make_a_text_binary() {
    let args = ["convert", "-", "-", "--message=NodeDef"];
    for text in [&b"name: \"a\x01\""[..], b"# it's\nop: 'NoOp' name: 'a\x01'"] {
        let run = ckdiff_of(&args, text);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert!(run.text().starts_with("name: \"a\\001\"\n"), "{}", run.text());
    }
}

#[test]
fn a_directory_stands_for_its_graphs_and_a_prefix_gets_a_suggestion() {
    let hint = ckdiff(&["convert", "demo/model.ckpt", "-"]);
    assert_eq!(hint.code, 2);
    assert!(hint.stderr.contains("its meta graph is demo/model.ckpt.meta"), "{}", hint.stderr);
    let file = ckdiff(&["convert", "saved_models/builder/saved_model.pb", "-"]);
    for dir in ["saved_models/builder", "saved_models/builder/"] {
        let run = ckdiff(&["convert", dir, "-"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert_eq!(run.stdout, file.stdout);
    }
    let text = ckdiff(&["convert", "saved_models/builder_text", "-", "--message=SavedModel"]);
    assert_eq!((text.code, text.stderr.as_str()), (0, ""));
    assert!(
        ckdiff(&["convert", "demo", "-"]).stderr.contains("expected a file, found a directory")
    );
}

const COMMANDS_ON_A_PIPE: [&[&str]; 3] =
    [&["show", "-"], &["convert", "-", "-"], &["-", "graphs/training.meta"]];

#[test]
fn a_file_of_a_checkpoint_in_a_pipe_is_called_one() {
    for (file, format) in [
        ("safetensors/demo.safetensors", "safetensors"),
        ("demo/model.ckpt.index", "V2"),
        ("v1/all.ckpt", "V1"),
        ("blocks/many.ckpt.index", "V2"),
    ] {
        let bytes = fs::read(format!("tests/data/{file}")).unwrap();
        for args in COMMANDS_ON_A_PIPE {
            let run = ckdiff_of(args, &bytes);
            let says = format!(
                "this is a file of a {format} checkpoint, which holds tensors and no message; \
                 a checkpoint cannot be read from a pipe\n"
            );
            assert_eq!(run.code, 2, "{file}: {run:?}");
            assert!(run.stderr.ends_with(&says), "{file}: {run:?}");
        }
    }
}

#[test]
fn a_file_in_a_pipe_that_is_not_read_yet_is_named() {
    for (head, says) in [
        (&b"\x89HDF\r\n\x1a\n"[..], "load it in Keras, and compare what model.export writes\n"),
        (
            b"PK\x03\x04",
            "this is a zip archive; ckdiff does not read those yet; meanwhile, unpack it, and compare what is in it\n",
        ),
        (b"GGUF\x03\0\0\0", "compare the models that it was converted from\n"),
        (b"\x1f\x8b\x08\0", "this is compressed with gzip; unpack it first\n"),
        (b"version https://git-lfs.github.com/spec/v1\n", "`git lfs pull` fetches it\n"),
    ] {
        for args in COMMANDS_ON_A_PIPE {
            let run = ckdiff_of(args, head);
            assert_eq!(run.code, 2, "{run:?}");
            assert!(run.stderr.ends_with(says), "{run:?}");
        }
    }
}

#[test]
fn an_error_in_a_text_shows_the_line() {
    let run = ckdiff_of(
        &["convert", "-", "-", "--message=GraphDef"],
        "node {\n  name: \"ä\" op \"x\"\n}".as_bytes(),
    );
    assert_eq!(run.code, 2);
    let lines: Vec<_> = run.stderr.lines().collect();
    assert!(lines[0].starts_with("ckdiff: error: standard input:2:"), "{}", run.stderr);
    assert_eq!(lines[1], "    name: \"ä\" op \"x\"");
    let column: usize = lines[0].split(':').nth(4).unwrap().parse().unwrap();
    assert_eq!(lines[2].trim_start(), "^");
    assert_eq!(lines[2].chars().count(), 2 + column);
}
