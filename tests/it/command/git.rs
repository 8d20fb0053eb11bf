//! Git with the built command, configured as docs/git.md describes.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::support::command::ckdiff;
use crate::support::process::skip;

/// The initial files, by their name in the repository.
const FILES: &[(&str, &str)] = &[
    ("retrain/baseline.ckpt.index", "model.ckpt.index"),
    ("retrain/baseline.ckpt.data-00000-of-00001", "model.ckpt.data-00000-of-00001"),
    ("pairs/attr_bool/lhs.meta", "grâph one.meta"),
    ("demo/v1format.ckpt", "v1.ckpt"),
    ("graphs/training.meta", "moved.meta"),
    ("graphs/frozen.pb", "broken.pb"),
];

/// A repository in a temporary directory.
struct Repository {
    dir: TempDir,
}

/// The exit code and all output of git.
struct Said {
    code: i32,
    text: String,
}

impl Repository {
    /// A repository with [`FILES`] in its first commit; `None` if git is not installed.
    fn new() -> Option<Self> {
        if Command::new("git").arg("--version").output().is_err() {
            skip("there is no git", "CKDIFF_REQUIRE_GIT");
            return None;
        }
        let repository = Self { dir: tempfile::tempdir().unwrap() };
        repository.git(&["init", "-q", "-b", "main", "repo"], repository.dir.path());
        let config = repository.path(".git/config");
        let of_git = fs::read_to_string(&config).unwrap();
        fs::write(config, of_git + &from_page("gitconfig")).unwrap();
        fs::write(repository.path(".gitattributes"), from_page("gitattributes")).unwrap();
        for (from, to) in FILES {
            repository.put(from, to);
        }
        repository.commit("one");
        Some(repository)
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join("repo").join(name)
    }

    /// Copies a fixture into the working tree.
    fn put(&self, from: &str, to: &str) {
        fs::write(self.path(to), fs::read(Path::new("tests/data").join(from)).unwrap()).unwrap();
    }

    fn commit(&self, message: &str) {
        self.run(&["add", "-A"]);
        assert_eq!(self.run(&["commit", "-q", "-m", message]).code, 0);
    }

    fn run(&self, args: &[&str]) -> Said {
        self.git(args, &self.path(""))
    }

    /// Runs git without the user's configuration, with `ckdiff` being the built command.
    fn git(&self, args: &[&str], dir: &Path) -> Said {
        let built = Path::new(env!("CARGO_BIN_EXE_ckdiff")).parent().unwrap();
        let others = std::env::var_os("PATH").unwrap_or_default();
        let paths = [built.to_owned()].into_iter().chain(std::env::split_paths(&others));
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
            .args(args)
            .current_dir(dir)
            .stdin(Stdio::null())
            .env("PATH", std::env::join_paths(paths).unwrap())
            .env("HOME", self.dir.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        for name in ["NO_COLOR", "CLICOLOR_FORCE", "TERM", "GIT_DIR", "GIT_PAGER_IN_USE"] {
            command.env_remove(name);
        }
        let output = command.output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        Said { code: output.status.code().unwrap(), text: String::from_utf8(text).unwrap() }
    }
}

impl Said {
    #[track_caller]
    fn has(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.text.contains(part), "{part:?} is not in:\n{}", self.text);
        }
    }
}

/// The first block of `docs/git.md` in this language.
fn from_page(language: &str) -> String {
    let page = fs::read_to_string("docs/git.md").unwrap();
    let block = page.split(&format!("```{language}\n")).nth(1).unwrap();
    block.split("```").next().unwrap().to_owned()
}

fn pointer(oid: &str) -> String {
    format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12345\n",
        oid.repeat(64)
    )
}

#[test]
fn git_diff_shows_the_report_of_each_file() {
    let Some(repository) = Repository::new() else { return };
    repository.put("retrain/retrained.ckpt.index", "model.ckpt.index");
    repository.put("retrain/retrained.ckpt.data-00000-of-00001", "model.ckpt.data-00000-of-00001");
    repository.put("pairs/attr_bool/rhs.meta", "grâph one.meta");
    let said = repository.run(&["diff"]);
    assert_eq!(said.code, 0, "{}", said.text);
    said.has(&[
        "model.ckpt.index (",
        "→ working tree)\nDifferent: 17 of 20 weights changed, 1 in shape.",
        "model/temperature       float32 → float64",
        "lhs  model.ckpt.index  checkpoint V2, index only",
        "values were compared by stored checksums alone",
        "binary shard: 23,166 bytes → 23,682 bytes; the index says what changed",
        "grâph one.meta (",
        "product.transpose_b  false → true",
    ]);
    assert!(!said.text.contains("git-blob") && !said.text.contains('\x1b'), "{}", said.text);
    repository.run(&["add", "-A"]);
    let cached = repository.run(&["diff", "--cached"]);
    cached.has(&["Different: 17 of 20 weights changed, 1 in shape.", "product.transpose_b"]);
    assert!(!cached.text.contains("working tree"), "{}", cached.text);
}

#[test]
fn added_deleted_renamed_and_mode_changed_files_are_reported() {
    let Some(repository) = Repository::new() else { return };
    repository.put("v1/all.ckpt", "added.ckpt");
    repository.run(&["rm", "-q", "v1.ckpt"]);
    repository.run(&["mv", "moved.meta", "new name.meta"]);
    let text = repository.path("graph.pbtxt");
    let (meta, text) = (repository.path("new name.meta"), text.to_str().unwrap());
    let meta = meta.to_str().unwrap();
    assert_eq!(ckdiff(&["convert", meta, text]).code, 0);
    let changed = fs::read_to_string(text).unwrap().replacen("DT_FLOAT", "DT_DOUBLE", 1);
    fs::write(text, changed).unwrap();
    assert_eq!(ckdiff(&["convert", "--message", "MetaGraphDef", text, meta]).code, 0);
    fs::remove_file(text).unwrap();
    repository.run(&["add", "-A"]);
    repository.run(&["update-index", "--chmod=+x", "broken.pb"]);
    let said = repository.run(&["diff", "--cached", "-M"]);
    assert_eq!(said.code, 0, "{}", said.text);
    said.has(&[
        "added.ckpt (added, ",
        "added.ckpt: checkpoint V1, 80 tensors",
        "… and 60 more tensors",
        "v1.ckpt (deleted, ",
        "v1    float32  [3]       12",
        "moved.meta → new name.meta (",
        "% similar)\n",
        "lhs  moved.meta ",
        "rhs  new name.meta ",
        "broken.pb (mode 100644 → 100755)\n\n",
    ]);
}

#[test]
fn pointers_and_damage_do_not_stop_git() {
    let Some(repository) = Repository::new() else { return };
    fs::write(repository.path("lfs.pb"), pointer("1")).unwrap();
    fs::write(repository.path("model.ckpt.index"), pointer("2")).unwrap();
    repository.commit("two");
    fs::write(repository.path("lfs.pb"), pointer("3")).unwrap();
    let broken = fs::read(repository.path("broken.pb")).unwrap();
    fs::write(repository.path("broken.pb"), &broken[..100]).unwrap();
    let said = repository.run(&["diff"]);
    assert_eq!(said.code, 0, "{}", said.text);
    said.has(&[
        "Error: rhs cannot be read: byte 63: ",
        "lhs  graph binary",
        "rhs  unreadable, 100 bytes",
        "Git LFS pointer, oid sha256:11111",
        "Git LFS pointer, oid sha256:33333",
        "12,345 bytes",
        "git lfs pull",
    ]);
    repository.commit("three");
    let log = repository.run(&["log", "-p"]);
    assert_eq!(log.code, 0, "{}", log.text);
    log.has(&[
        "-oid sha256:111",
        "+oid sha256:333",
        "+unreadable: byte 63: ",
        "100 bytes, sha256:",
    ]);
    let log = repository.run(&["log", "-p", "--ext-diff"]);
    assert_eq!(log.code, 0, "{}", log.text);
    log.has(&["lhs  checkpoint V2", "model.ckpt.index (added, "]);
}

#[test]
fn log_and_blame_use_the_text() {
    let Some(repository) = Repository::new() else { return };
    repository.put("retrain/retrained.ckpt.index", "model.ckpt.index");
    repository.put("pairs/attr_bool/rhs.meta", "grâph one.meta");
    repository.commit("two");
    let log = repository.run(&["log", "-p", "-1"]);
    assert_eq!(log.code, 0, "{}", log.text);
    log.has(&[
        "-model/temperature  float32  []  crc32c:",
        "+model/temperature  float64  []  crc32c:",
    ]);
    let is_new = |line: &str| line.strip_prefix('+').is_some_and(|line| line.trim() == "b: true");
    assert!(log.text.lines().any(is_new), "{}", log.text);
    let again = repository.run(&["log", "-p", "-1"]);
    assert_eq!(again.text, log.text, "cached");
    let blame = repository.run(&["blame", "-s", "model.ckpt.index"]);
    assert_eq!(blame.code, 0, "{}", blame.text);
    blame.has(&["model/temperature  float64"]);
    let old = blame.text.lines().filter(|line| line.starts_with('^')).count();
    assert_eq!(old, 3, "what did not change is of the first commit: {}", blame.text);
}

#[test]
fn the_exit_code_is_zero_unless_requested() {
    let Some(repository) = Repository::new() else { return };
    let trusted = |args: &[&str]| {
        let command = "diff.ckdiff.command=ckdiff git-driver --exit-code";
        let config = ["-c", command, "-c", "diff.ckdiff.trustExitCode=true", "diff"];
        repository.run(&[&config, args].concat())
    };
    assert_eq!(repository.run(&["diff", "--exit-code"]).code, 0);
    // Equal tensors in a different file.
    repository.put("demo/v1format.ckpt", "v1.ckpt");
    repository.put("pairs/attr_bool/rhs.meta", "grâph one.meta");
    assert_eq!(repository.run(&["diff", "--exit-code"]).code, 1);
    let version = repository.run(&["--version"]).text;
    let numbers: Vec<u32> = version.split(['.', ' ']).filter_map(|n| n.parse().ok()).collect();
    assert!(numbers.len() >= 2, "{version}");
    if numbers < vec![2, 46] {
        return skip("this git does not know trustExitCode", "CKDIFF_REQUIRE_GIT_2_46");
    }
    assert_eq!(trusted(&["--exit-code"]).code, 1);
    assert_eq!(trusted(&["--exit-code", "v1.ckpt"]).code, 0);
    assert_eq!(trusted(&["--quiet"]).code, 1);
    fs::write(repository.path("broken.pb"), "neither here nor there").unwrap();
    let said = trusted(&["--exit-code", "broken.pb"]);
    assert_eq!(said.code, 1, "{}", said.text);
    said.has(&["Error: rhs cannot be read"]);
}

#[test]
fn difftool_compares_two_files() {
    let Some(repository) = Repository::new() else { return };
    fs::remove_file(repository.path(".gitattributes")).unwrap();
    repository.put("retrain/retrained.ckpt.index", "model.ckpt.index");
    let said = repository.run(&["difftool", "-y", "-t", "ckdiff", "model.ckpt.index"]);
    assert_eq!(said.code, 0, "{}", said.text);
    said.has(&["Different: 17 of 20 weights changed, 1 in shape."]);
}

#[test]
fn arguments_that_git_does_not_pass_are_trouble() {
    for args in [&["git-driver"][..], &["git-driver", "a", "b"], &["textconv", "nothing"]] {
        let run = ckdiff(args);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.starts_with("ckdiff: error: "), "{run:?}");
    }
    let run = ckdiff(&["git-driver", "graph.pb"]);
    assert_eq!((run.code, run.text()), (0, "graph.pb\nunmerged: its versions are in conflict\n\n"));
}

#[test]
fn a_git_file_is_recognized_by_its_content() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("Xb3f_noname");
    let path = path.to_str().unwrap();
    for (fixture, line) in [
        ("retrain/baseline.ckpt.index", "global_step  int64  []  crc32c:"),
        ("demo/v1format.ckpt", "v1  float32  [3]  sha256:"),
        ("slices/parts.ckpt.index", "axis0/float32  float32  [6, 4]  slices:"),
        ("graphs/frozen.pb", "node {\n  name: \"x\"\n"),
    ] {
        fs::write(path, fs::read(format!("tests/data/{fixture}")).unwrap()).unwrap();
        let run = ckdiff(&["textconv", path]);
        assert_eq!((run.code, &*run.stderr), (0, ""), "{fixture}");
        assert!(run.text().contains(line), "{fixture}: {}", run.text());
        assert!(!run.text().contains("Xb3f"), "{}", run.text());
    }
}

#[test]
fn a_file_of_a_checkpoint_is_described_by_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let textconv = |name: &str, content: &[u8]| {
        let path = directory.path().join(name);
        fs::write(&path, content).unwrap();
        ckdiff(&["textconv", path.to_str().unwrap()]).text().to_owned()
    };
    // The content of a shard may begin like a pickle.
    let shard = textconv("m.data-00000-of-00001", b"\x80\x02more");
    assert!(shard.starts_with("binary shard, "), "{shard}");
    let index = "{\"metadata\":{},\"weight_map\":{\"a\":\"m-00001-of-00001.safetensors\"}}\n";
    assert_eq!(textconv("m.safetensors.index.json", index.as_bytes()), index);
}
