//! What a file can cost: no more memory than its size justifies, and no more time than its size times a constant.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use ckdiff::bytes::{Crc32c, varint};

use crate::support::command::{ckdiff, ckdiff_that_ends, command};
use crate::support::encoding::{entry, header, table, v1};

/// The memory of the command itself, in KiB.
const BASE: u64 = 64 << 10;

/// Runs a command, and returns its exit code and its peak memory in KiB.
#[track_caller]
fn peak_memory(args: &[&str]) -> (i32, u64) {
    let (code, peak) = peak_memory_if_seen(args);
    assert!(peak > 0, "{args:?} has ended before it was measured");
    (code, peak)
}

/// As [`peak_memory`]; the peak of a command that ends at once is 0.
#[track_caller]
fn peak_memory_if_seen(args: &[&str]) -> (i32, u64) {
    let mut command = command(args);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let (mut peak, end) = (0, Instant::now() + Duration::from_secs(60));
    loop {
        let now = fs::read_to_string(&status).unwrap_or_default();
        let line = now.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let line = line.and_then(|line| line.trim().strip_suffix(" kB"));
        peak = peak.max(line.map_or(0, |kib| kib.parse().unwrap()));
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code().unwrap(), peak);
        }
        assert!(Instant::now() < end, "{args:?} does not end");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Compares two files in every kind of report, each within [`BASE`], sixteen times the size of both, and 1 KiB for each item: a tensor, or a change.
#[track_caller]
fn assert_cheap(what: &str, options: &[&str], [lhs, rhs]: [&Path; 2], items: u64) {
    let bytes = fs::metadata(lhs).unwrap().len() + fs::metadata(rhs).unwrap().len();
    let most = BASE + 16 * (bytes >> 10) + items;
    for report in [&["-q"] as &[&str], &["--format=human"], &["-u"], &["--format=json"]] {
        let files = [lhs, rhs].map(|path| path.to_str().unwrap());
        let args: Vec<&str> = report.iter().chain(options).chain(&files).copied().collect();
        let (code, peak) = peak_memory(&args);
        assert_eq!(code, 1, "{what}: {report:?}");
        assert!(peak <= most, "{what}: {report:?}: {peak} KiB of {most}, for {bytes} bytes");
    }
}

fn written(dir: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, content).unwrap();
    path
}

/// Writes both sides of a pair, and compares them.
#[track_caller]
fn assert_pair_cheap<B: AsRef<[u8]>>(what: &str, options: &[&str], side: impl Fn(usize) -> B) {
    let dir = tempfile::tempdir().unwrap();
    let extension = if options.contains(&"--from=binary") { "pb" } else { "pbtxt" };
    let [lhs, rhs] = [1, 2]
        .map(|number| written(dir.path(), &format!("{number}.{extension}"), side(number).as_ref()));
    assert_cheap(what, options, [&lhs, &rhs], 0);
}

#[test]
fn memory_is_in_proportion_to_the_input() {
    let dir = tempfile::tempdir().unwrap();
    let schema =
        "syntax = 'proto3'; message M { M m = 1; repeated N n = 2; } message N { int64 a = 1; }";
    let schema = written(dir.path(), "m.proto", schema);
    let own = ["--proto", schema.to_str().unwrap(), "--message", "M"];
    assert_pair_cheap("20,000 changes 400 levels deep", &own, |side| {
        let items: String = (0..20_000).map(|at| format!("n{{a:{}}}", side + 2 * at)).collect();
        format!("{}{items}{}", "m{".repeat(400), "}".repeat(400))
    });
    assert_pair_cheap("collections of one side", &[], |side| {
        let one = |at| {
            format!(
                "collection_def {{ key: '{side}/{at}' value {{ node_list {{ value: 'n' }} }} }}\n"
            )
        };
        (0..20_000).map(one).collect::<String>() + "graph_def { node { name: 'n' op: 'NoOp' } }"
    });
    assert_pair_cheap("unknown fields", &["--message=GraphDef"], |side| {
        let node = b"\x0a\x09\x0a\x01n\x12\x04NoOp".to_vec();
        let fields = (0..500_000).flat_map(|at| [0xb8, 0x3e, ((at * side) % 128) as u8]);
        node.into_iter().chain(fields).collect::<Vec<u8>>()
    });
    assert_pair_cheap("nodes of one side", &[], |side| {
        (0..20_000)
            .map(|at| format!("node {{ name: 'n{side}_{at}' op: 'Op{side}' }}\n"))
            .collect::<String>()
    });
    assert_pair_cheap("functions with nothing in them", &["--message=GraphDef"], |side| {
        let library = [0x0a, 0].repeat(500_000 + side);
        let mut graph = vec![0x12];
        let mut len = library.len();
        while len >= 128 {
            graph.push((len % 128) as u8 | 128);
            len /= 128;
        }
        graph.push(len as u8);
        graph.extend(library);
        graph
    });
}

#[test]
fn a_long_name_is_not_multiplied_by_the_changes_below_it() {
    const CHANGES: usize = 5_000;
    let dir = tempfile::tempdir().unwrap();
    let name = "n".repeat(20_000);
    let schema = "syntax = 'proto3'; message M { repeated M r = 1; int64 v = 2; map<string, M> m = 3; M child_with_a_rather_long_name = 4; }";
    let schema = written(dir.path(), "m.proto", schema);
    let own = ["--proto", schema.to_str().unwrap(), "--message", "M"];
    let tensorflow: &[&str] = &[];
    let pair = |what: &str, options: &[&str], side: &dyn Fn(usize) -> String| {
        let sides = [1, 2].map(|at| written(dir.path(), &format!("{at}.pbtxt"), side(at)));
        assert_cheap(what, options, [&sides[0], &sides[1]], CHANGES as u64);
        let out = [
            "--format=human",
            "--no-group",
            sides[0].to_str().unwrap(),
            sides[1].to_str().unwrap(),
        ];
        let run = ckdiff(&[options, &out].concat());
        let longest = run.text().lines().map(str::len).max().unwrap();
        assert!(longest < 2_500, "{what}: a line of {longest} bytes");
        assert!(run.text().lines().count() > CHANGES, "{what}: not every change has a line");
    };
    let many = |one: &dyn Fn(usize) -> String| (0..CHANGES).map(one).collect::<String>();
    pair("a collection", tensorflow, &|side| {
        let items = many(&|at| format!("value: 'v{}' ", 2 * at + side));
        format!("collection_def {{ key: '{name}' value {{ node_list {{ {items} }} }} }}")
    });
    pair("a node", tensorflow, &|side| {
        let attrs = many(&|at| format!("attr {{ key: 'a{at}' value {{ i: {} }} }}\n", at + side));
        format!("node {{ name: '{name}/{name}' op: 'NoOp' {attrs} }}")
    });
    let items = |side: usize| many(&|at| format!("r {{ v: {} }}\n", 2 * at + side));
    pair("a map", &own, &|side| format!("m {{ key: '{name}' value {{ {} }} }}", items(side)));
    pair("deep messages", &own, &|side| {
        let (start, end) = ("child_with_a_rather_long_name {".repeat(300), "}".repeat(300));
        format!("{start}{}{end}", items(side))
    });
}

#[test]
fn memory_is_in_proportion_to_the_number_of_changes() {
    const ITEMS: usize = 50_000;
    let dir = tempfile::tempdir().unwrap();
    // A field 1 with a name, which is all that these messages need: { field: { name: "0.1234" } }.
    let named = |field: u8, side: usize| {
        let item = |at: usize| {
            let name = format!("{side}.{at}");
            let len = name.len() as u8;
            [&[field << 3 | 2, len + 2, 0x0a, len], name.as_bytes()].concat()
        };
        (0..ITEMS).flat_map(item).collect::<Vec<u8>>()
    };
    let messages = [
        ("GraphDef", "nodes", 1),
        ("MetaGraphDef", "collections", 4),
        ("MetaGraphDef", "signatures", 5),
    ];
    for (message, what, field) in messages {
        let sides = [0, 1]
            .map(|side| written(dir.path(), &format!("{what}.{side}.pb"), named(field, side)));
        let options = [&*format!("--message={message}")];
        assert_cheap(what, &options, [&sides[0], &sides[1]], 2 * ITEMS as u64);
    }
}

#[test]
fn nodes_and_functions_of_nothing_are_refused_where_they_would_be_many() {
    let dir = tempfile::tempdir().unwrap();
    let field = |number: u8, content: Vec<u8>| {
        let mut message = vec![number << 3 | 2];
        varint::write(content.len() as u64, &mut message);
        [message, content].concat()
    };
    let many = |count: usize| [0x0a, 0].repeat(count);
    let inputs = |count: usize| field(1, [0x1a, 0].repeat(count));
    type Content<'a> = &'a dyn Fn(usize) -> Vec<u8>;
    let pairs: [(&str, Content<'_>, &str); 3] = [
        ("nodes", &|side| many(2_000_000 - side), "expected nodes with names"),
        ("inputs", &|side| inputs(4_000_000 - side), "expected nodes with names"),
        ("functions", &|side| field(2, many(8_000_000 - side)), "expected functions with names"),
    ];
    for (what, side, why) in pairs {
        let sides = [0, 1].map(|at| written(dir.path(), &format!("{at}.pb"), side(at)));
        let bytes: u64 = sides.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
        let [lhs, rhs] = [0, 1].map(|at: usize| sides[at].to_str().unwrap());
        let args = ["--message=GraphDef", lhs, rhs];
        let (code, peak) = peak_memory(&args);
        // What cannot be compared is not the same.
        assert_eq!(code, 1, "{what}");
        assert!(peak <= BASE + 16 * (bytes >> 10), "{what}: {peak} KiB for {bytes} bytes");
        let run = ckdiff_that_ends(&args);
        assert!(run.text().contains(why), "{what}: {}", run.text());
    }
}

#[test]
fn memory_is_in_proportion_to_the_number_of_tensors() {
    const TENSORS: usize = 50_000;
    let dir = tempfile::tempdir().unwrap();
    let index = |name: &str, first: i64| {
        let entries = (0..TENSORS).map(|at| {
            let name = format!("{first}/t{at:06}").into_bytes();
            (name, entry(4, &[1], at as i64, 1, &[(at as u8).wrapping_add(first as u8)]))
        });
        let entries: Vec<_> = [(Vec::new(), header(1))].into_iter().chain(entries).collect();
        let values: Vec<u8> = (0..TENSORS).map(|at| (at as u8).wrapping_add(first as u8)).collect();
        written(dir.path(), &format!("{name}.data-00000-of-00001"), values);
        written(dir.path(), &format!("{name}.index"), table(&entries))
    };
    let [lhs, rhs] = [index("lhs", 0), index("rhs", 1)];
    assert_cheap("tensors of one side", &[], [&lhs, &rhs], 2 * TENSORS as u64);
    let options = ["--rename=^0=1"];
    assert_cheap("tensors that differ", &options, [&lhs, &rhs], 2 * TENSORS as u64);
}

#[test]
fn schemas_that_take_forever_to_compile_are_refused() {
    const MOST: u64 = 128 << 10;
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.pbtxt");
    let join = |one: &dyn Fn(usize) -> String| (1..=16_000).map(one).collect::<String>();
    let many = |what: &str| format!("syntax = 'proto3';\nmessage M {{}}\n{}", what.repeat(16_000));
    let options = "syntax = 'proto2'; import 'google/protobuf/descriptor.proto';
         message M { optional M a = 1; optional int32 v = 2; }
         extend google.protobuf.FieldOptions { optional M x = 50000; }";
    let deep = format!(
        "{options} message N {{ optional int32 f = 2 [(x) = {{ {}{} }}]; }}",
        "a {".repeat(5_000),
        "}".repeat(5_000)
    );
    let steps = format!(
        "{options} message N {{ optional int32 f = 2 [(x){}.v = 1]; }}",
        ".a".repeat(50_000)
    );
    let extensions = format!(
        "{options} extend google.protobuf.FieldOptions {{ {} }} message N {{ optional int32 f = 1 [{} (x).v = 1]; }}",
        join(&|at| format!("optional int32 p{at} = {};", 50_000 + at)),
        join(&|at| format!("(p{at}) = 1,"))
    );
    let names = join(&|at| format!("message N{at} {{}}\n"));
    let imported = format!("syntax = 'proto3'; package p; {names}");
    written(dir.path(), "a.proto", &imported);
    written(dir.path(), "b.proto", &imported);
    for level in 0..30 {
        let import = |at| format!("import public 'l{}_{at}.proto';", level - 1);
        let imports: String = if level == 0 { String::new() } else { (0..3).map(import).collect() };
        for at in 0..3 {
            let name = format!("l{level}_{at}.proto");
            written(dir.path(), &name, format!("syntax = 'proto3'; {imports}"));
        }
    }
    let message = |fields: &str| format!("syntax = 'proto3'; message N {{ {fields} }}");
    for (schema, why) in [
        (deep, "m.proto:3: nesting: expected at most 256 levels"),
        (steps, "m.proto:3: name: expected at most 256 dots"),
        (extensions, "m.proto: too many: 16001 options, 16001 extensions"),
        (many("message N {}\n"), "name 'N' is defined twice"),
        (many("enum E { A = 0; }\n"), "name 'E' is defined twice"),
        (many("service S { }\n"), "name 'S' is defined twice"),
        (
            message(&join(&|at| format!("int32 a = {at};\n"))),
            "name of field 'a' conflicts with field 'a'",
        ),
        (message(&join(&|at| format!("int32 a{at} = 1;\n"))), "field number '1' is already used"),
        (message(&join(&|at| format!("X{at} a{at} = {at};\n"))), "name 'X1' is not defined"),
        (message(&"option deprecated = true;".repeat(32_000)), "'deprecated' has already been set"),
        (
            format!("syntax = 'proto2'; enum E {{ {} }}", join(&|at| format!("V{at} = 1;\n"))),
            "enum number '1' has already been used",
        ),
        (names.repeat(4), "m.proto: expected at most 50000 statements in all files, found 64000"),
        (
            "syntax = 'proto3'; import 'a.proto'; import 'b.proto';".to_owned(),
            "name 'p.N1' is already defined in file 'a.proto'",
        ),
        (
            "syntax = 'proto3'; import 'l29_0.proto';".to_owned(),
            "expected at most 40 public imports in all files",
        ),
    ] {
        let schema = written(dir.path(), "m.proto", schema);
        let schema = schema.to_str().unwrap();
        let args = ["convert", "--proto", schema, "demo/model.ckpt.meta", out.to_str().unwrap()];
        let run = ckdiff_that_ends(&args);
        assert_eq!(run.code, 2, "{why}");
        assert!(run.stderr.contains(why), "{why}: {}", run.stderr);
        // Some schemas are refused before the memory can be read.
        let (_, peak) = peak_memory_if_seen(&args);
        assert!(peak <= MOST, "{why}: {peak} KiB");
    }
    // A short schema keeps the position of its error.
    let schema = written(dir.path(), "m.proto", message("\n X x = 1;"));
    let args = ["convert", "--proto", schema.to_str().unwrap(), "a.pb", out.to_str().unwrap()];
    let said = ckdiff_that_ends(&args).stderr;
    assert!(said.contains("m.proto:2:2: name 'X' is not defined"), "{said}");
    // Brackets in strings and comments do not nest.
    let harmless =
        format!("syntax = 'proto3'; // {0}\n/* {0} */ message M {{ }}", "{".repeat(1_000));
    let schema = written(dir.path(), "m.proto", harmless);
    let empty = written(dir.path(), "empty.pb", "");
    let args = ["convert", "--proto", schema.to_str().unwrap(), "--message=M"];
    let files = [empty.to_str().unwrap(), out.to_str().unwrap()];
    assert_eq!(ckdiff_that_ends(&[&args as &[&str], &files].concat()).code, 0);
}

#[test]
fn an_index_cannot_multiply_its_data() {
    const BYTES: usize = 100_000;
    let dir = tempfile::tempdir().unwrap();
    let content = vec![1; BYTES];
    let shared = |at: usize| {
        (format!("t{at:04}").into_bytes(), entry(4, &[BYTES as i64], 0, BYTES as i64, &content))
    };
    let entries: Vec<_> =
        [(Vec::new(), header(1))].into_iter().chain((0..3_000).map(shared)).collect();
    written(dir.path(), "m.index", table(&entries));
    written(dir.path(), "m.data-00000-of-00001", &content);
    let path = dir.path().join("m");
    let [path, out] =
        [path.to_str().unwrap(), dir.path().join("out").to_str().unwrap()].map(str::to_owned);
    let why = "tensors: expected tensors that share no bytes, found t0000 and t0001 in bytes 0 to 100000 of shard 0, and 2998 more";
    for args in [&["verify", &path] as &[&str], &["diff", &path, &path], &["save-as", &path, &out]]
    {
        let run = ckdiff_that_ends(args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.stderr);
        assert!((run.text().to_owned() + &run.stderr).contains(why), "{args:?}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn an_object_graph_that_is_longer_than_any_model_needs_is_not_read() {
    for bytes in [300 << 30, 1_900 << 20] {
        assert_object_graph_not_read(bytes);
    }
}

/// Compares and shows a checkpoint that has an object graph of so many bytes.
#[track_caller]
fn assert_object_graph_not_read(bytes: u64) {
    let dir = tempfile::tempdir().unwrap();
    let mut start = Vec::new();
    varint::write(bytes, &mut start);
    start.extend(Crc32c::of(&bytes.to_le_bytes()).masked().to_le_bytes());
    let len = start.len() as u64 + bytes;
    let graph = entry(7, &[], 0, len as i64, b"");
    let entries = [(Vec::new(), header(1)), (b"_CHECKPOINTABLE_OBJECT_GRAPH".to_vec(), graph)];
    written(dir.path(), "m.index", table(&entries));
    // The file is one hole, which takes no space.
    let data = written(dir.path(), "m.data-00000-of-00001", start);
    fs::File::options().write(true).open(data).unwrap().set_len(len).unwrap();
    let path = dir.path().join("m");
    let path = path.to_str().unwrap();
    let without = ["diff", "--exclude=_CHECKPOINTABLE_OBJECT_GRAPH", path, "demo/model.ckpt"];
    for (args, code) in [(&["show", path] as &[&str], 0), (&without, 1)] {
        let run = ckdiff_that_ends(args);
        assert_eq!(run.code, code, "{args:?}: {}", run.stderr);
        let (_, peak) = peak_memory_if_seen(args);
        assert!(peak <= 2 * BASE, "{args:?}: {peak} KiB");
    }
}

#[test]
fn each_shard_is_opened_once_however_many_are_named() {
    const SHARDS: usize = 1_000;
    let dir = tempfile::tempdir().unwrap();
    let shards: Vec<PathBuf> = (0..SHARDS)
        .map(|at| {
            let tensor = v1(&format!("t{at}"), 4, &[1], &[0x3a, 1, 0]);
            written(dir.path(), &format!("s-{at:05}-of-{SHARDS:05}"), tensor)
        })
        .collect();
    let paths = shards.iter().map(|path| path.to_str().unwrap());
    let run = ckdiff_that_ends(&["verify"].into_iter().chain(paths).collect::<Vec<_>>());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.text().contains("1,000 tensors"), "{}", run.text());
}

#[test]
fn a_look_at_a_file_takes_one_pass() {
    let dir = tempfile::tempdir().unwrap();
    let quotes = "\\\"".repeat(1 << 19);
    for start in ["", "a: 1 ", "a: \"", "{\"", "[\""] {
        let path = written(dir.path(), "m", format!("{start}{quotes}"));
        let run = ckdiff_that_ends(&["show", path.to_str().unwrap()]);
        assert_eq!(run.code, 2, "{start}");
    }
}
