//! Checks the rules of ARCHITECTURE.md against the sources.

mod cycles;
mod phases;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules that each module imports from; all other imports are forbidden. A module comes after those that it imports.
const MODULES: &[(&str, &[&str])] = &[
    ("threads", &[]),
    ("limits", &[]),
    ("suggestion", &[]),
    ("name", &[]),
    ("error", &["name"]),
    ("progress", &["error"]),
    ("bytes", &["error"]),
    ("files", &["bytes", "error"]),
    ("schema", &["error"]),
    ("message", &["bytes", "error", "schema"]),
    ("text", &["error", "message", "name", "schema", "suggestion", "threads"]),
    ("json", &["bytes", "error", "message", "name", "schema", "suggestion"]),
    ("tensor", &["bytes", "error", "limits", "name", "progress", "schema", "threads"]),
    ("serial", &["bytes", "error", "tensor"]),
    ("table", &["bytes", "error", "limits"]),
    ("compare", &["bytes", "error", "progress", "serial", "tensor", "threads"]),
    ("probe", &["bytes", "error", "table"]),
    ("magic", &["error", "message", "probe"]),
    (
        "formats",
        &[
            "bytes", "error", "files", "json", "limits", "magic", "message", "probe", "progress",
            "schema", "table", "tensor",
        ],
    ),
    (
        "sniff",
        &["error", "files", "formats", "magic", "message", "probe", "schema", "suggestion", "text"],
    ),
    (
        "checkpoint",
        &[
            "bytes",
            "error",
            "files",
            "formats",
            "limits",
            "message",
            "probe",
            "progress",
            "schema",
            "serial",
            "sniff",
            "suggestion",
            "tensor",
            "text",
        ],
    ),
    ("graph", &["bytes", "error", "limits", "message", "schema", "suggestion", "tensor"]),
    ("meta_graph", &["error", "graph", "message", "schema", "suggestion", "tensor"]),
    (
        "artifact",
        &[
            "bytes",
            "checkpoint",
            "error",
            "files",
            "json",
            "limits",
            "message",
            "probe",
            "schema",
            "serial",
            "sniff",
            "suggestion",
            "text",
            "threads",
        ],
    ),
    (
        "saver",
        &[
            "checkpoint",
            "error",
            "files",
            "graph",
            "limits",
            "message",
            "meta_graph",
            "progress",
            "schema",
            "suggestion",
            "tensor",
        ],
    ),
    (
        "verify",
        &[
            "artifact",
            "checkpoint",
            "error",
            "files",
            "graph",
            "message",
            "meta_graph",
            "progress",
            "saver",
            "schema",
            "serial",
            "tensor",
        ],
    ),
    (
        "diff",
        &[
            "artifact",
            "bytes",
            "checkpoint",
            "compare",
            "error",
            "graph",
            "message",
            "meta_graph",
            "progress",
            "schema",
            "serial",
            "suggestion",
            "tensor",
            "text",
            "threads",
            "verify",
        ],
    ),
    (
        "saved_model",
        &[
            "artifact",
            "checkpoint",
            "error",
            "files",
            "graph",
            "message",
            "meta_graph",
            "progress",
            "saver",
            "schema",
            "tensor",
            "text",
        ],
    ),
    (
        "overview",
        &[
            "artifact",
            "checkpoint",
            "error",
            "graph",
            "message",
            "meta_graph",
            "schema",
            "serial",
            "tensor",
        ],
    ),
    ("picture", &["artifact", "error", "graph", "message", "meta_graph", "overview", "schema"]),
    ("summary", &["compare", "diff", "error", "progress", "serial", "tensor"]),
    (
        "rules",
        &[
            "artifact",
            "bytes",
            "compare",
            "diff",
            "error",
            "graph",
            "serial",
            "suggestion",
            "summary",
            "tensor",
        ],
    ),
    (
        "snapshot",
        &[
            "artifact",
            "bytes",
            "checkpoint",
            "diff",
            "error",
            "graph",
            "message",
            "meta_graph",
            "name",
            "progress",
            "schema",
            "serial",
            "tensor",
            "text",
        ],
    ),
    (
        "series",
        &[
            "artifact",
            "bytes",
            "checkpoint",
            "compare",
            "diff",
            "error",
            "files",
            "formats",
            "limits",
            "progress",
            "serial",
            "summary",
            "tensor",
        ],
    ),
    (
        "report",
        &[
            "artifact",
            "bytes",
            "checkpoint",
            "compare",
            "diff",
            "error",
            "graph",
            "json",
            "message",
            "name",
            "overview",
            "picture",
            "rules",
            "serial",
            "series",
            "summary",
            "tensor",
            "text",
            "verify",
        ],
    ),
    (
        "command",
        &[
            "artifact",
            "bytes",
            "checkpoint",
            "compare",
            "diff",
            "error",
            "files",
            "graph",
            "json",
            "message",
            "meta_graph",
            "overview",
            "picture",
            "progress",
            "report",
            "rules",
            "saver",
            "schema",
            "series",
            "snapshot",
            "summary",
            "tensor",
            "text",
            "verify",
        ],
    ),
];

/// Words that may occur only in certain modules or directories, with the reason.
const ONLY_IN: &[(&str, &[&str], &str)] = &[
    (
        "std::fs",
        &[
            "bytes",
            "files",
            "probe",
            "formats",
            "checkpoint",
            "saver",
            "saved_model",
            "artifact",
            "command",
        ],
        "files are opened at the edges",
    ),
    ("clap", &["command"], "the command line is the command's"),
    ("indicatif", &["command"], "progress bars are the command's"),
    ("protox", &["command"], "schemas are compiled for the command; the library takes descriptors"),
    ("std::env", &["command", "main"], "nothing below the command reads the environment"),
    ("process::exit", &[], "the exit code is a result of the command"),
    ("println!", &["command"], "nothing below the command prints"),
    ("pulp", &["compare"], "vectors are for comparing"),
    ("wgpu", &["compare/gpu"], "one directory knows the GPU; the rest sees an accelerator"),
    ("pollster", &["compare/gpu"], "nothing else is asynchronous"),
    ("pest", &["text"], "only the text format is parsed with pest"),
    ("unsafe ", &[], "there is none"),
    ("HashMap", &[], "no output depends on hash order"),
    ("async fn", &[], "no async in the public API"),
];

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Every source file: its module, its path, and its code without comments.
fn files() -> Vec<(String, PathBuf, String)> {
    let mut paths = Vec::new();
    sources(Path::new("src"), &mut paths);
    paths.sort();
    let file = |path: PathBuf| {
        let inside = path.strip_prefix("src").unwrap();
        let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = first.strip_suffix(".rs").unwrap_or(first).to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let code: Vec<_> =
            text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
        (module, path, code.join("\n"))
    };
    paths.into_iter().map(file).collect()
}

/// The modules that a file names after `parent`, such as `crate::`, also inside braces.
fn imports(code: &str, parent: &str) -> Vec<String> {
    let mut modules = Vec::new();
    for (at, _) in code.match_indices(parent) {
        let rest = &code[at + parent.len()..];
        let list =
            rest.strip_prefix('{').and_then(|list| list.split_once('}')).map(|(list, _)| list);
        for item in list.unwrap_or(rest).split(',') {
            let word = item.trim().split(|c: char| !(c.is_alphanumeric() || c == '_')).next();
            modules.push(word.unwrap_or_default().to_owned());
            if list.is_none() {
                break;
            }
        }
    }
    modules
}

#[test]
fn imports_run_one_way() {
    let allowed: BTreeMap<_, _> = MODULES.iter().copied().collect();
    let mut wrong = Vec::new();
    let mut used = BTreeSet::new();
    for (module, path, code) in files() {
        if module == "lib" || module == "main" {
            continue;
        }
        let Some(allowed) = allowed.get(module.as_str()) else {
            wrong.push(format!("{}: the module {module} is not on the list", path.display()));
            continue;
        };
        for import in imports(&code, "crate::") {
            if import != module && !allowed.contains(&import.as_str()) {
                wrong.push(format!("{}: {module} imports {import}", path.display()));
            }
            used.insert((module.clone(), import));
        }
    }
    for (module, imports) in &allowed {
        let unused = imports.iter().filter(|&&i| !used.contains(&((*module).into(), i.into())));
        wrong.extend(unused.map(|import| format!("{module} does not import {import}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// In an order like this one there is no cycle.
#[test]
fn the_list_of_imports_is_in_order() {
    for (at, (module, imports)) in MODULES.iter().enumerate() {
        for import in *imports {
            let is_listed = MODULES[..at].iter().any(|(before, _)| before == import);
            assert!(is_listed, "{module} imports {import}, which is not listed before it");
        }
    }
}

#[test]
fn words_stay_in_their_modules() {
    let mut wrong = Vec::new();
    for (module, path, code) in files() {
        for (word, modules, why) in ONLY_IN {
            let inside = path.strip_prefix("src").unwrap();
            let allowed = modules.iter().any(|&place| place == module || inside.starts_with(place));
            if code.contains(word) && !allowed {
                wrong.push(format!("{}: {word} ({why})", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Code that two commands share has a module of its own; only `command/mod.rs` knows the commands.
#[test]
fn no_command_imports_another() {
    let main = fs::read_to_string("src/command/mod.rs").unwrap();
    let runs = main.lines().filter_map(|line| line.split_once("=> ")?.1.split_once("::run("));
    let commands: BTreeSet<&str> = runs.map(|(command, _)| command).collect();
    assert!(commands.len() > 10, "{commands:?}");
    let mut wrong = Vec::new();
    for (_, path, code) in files() {
        let Ok(inside) = path.strip_prefix("src/command") else { continue };
        let own = inside.components().next().unwrap().as_os_str().to_str().unwrap();
        let own = own.strip_suffix(".rs").unwrap_or(own);
        let is_other = |import: &String| import != own && commands.contains(&**import);
        let imports = imports(&code, "crate::command::").into_iter();
        let imports = imports.filter(|import| own != "mod" && is_other(import));
        wrong.extend(imports.map(|import| format!("{} imports {import}", path.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The library has other users than the command.
#[test]
fn only_the_command_and_its_reports_name_options_of_the_command() {
    let mut wrong = Vec::new();
    for (module, path, code) in files() {
        let mut after = code.split("--").skip(1);
        let names_one = after.any(|text| text.starts_with(|c: char| c.is_ascii_lowercase()));
        if names_one && !["command", "report"].contains(&&*module) {
            wrong.push(path);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// The largest number of lines in a `mod.rs`.
const MAP_LINES: usize = 150;

/// A `mod.rs` is only the map of its directory; everything else goes into a named file.
#[test]
fn a_mod_file_is_a_map() {
    let mut paths = Vec::new();
    sources(Path::new("src"), &mut paths);
    let long = paths.iter().filter(|path| {
        path.ends_with("mod.rs") && fs::read_to_string(path).unwrap().lines().count() > MAP_LINES
    });
    let mut long: Vec<_> = long.map(|path| path.to_str().unwrap()).collect();
    long.sort_unstable();
    assert!(long.is_empty(), "mod.rs files of more than {MAP_LINES} lines: {long:?}");
}

#[test]
fn every_module_is_on_the_map() {
    let map = fs::read_to_string("ARCHITECTURE.md").unwrap();
    for (module, _) in MODULES.iter().filter(|(module, _)| Path::new("src").join(module).is_dir()) {
        assert!(map.contains(&format!("{module}/")), "ARCHITECTURE.md does not show {module}/");
    }
}

/// A test file without its `mod` line would never run.
#[test]
fn every_test_file_is_in_the_binary() {
    let mut paths = Vec::new();
    sources(Path::new("tests/it"), &mut paths);
    for path in &paths {
        let is_directory = path.ends_with("mod.rs");
        let named = if is_directory { path.parent().unwrap() } else { path };
        let directory = named.parent().unwrap();
        let list = if directory.ends_with("it") { "main.rs" } else { "mod.rs" };
        let module = named.file_stem().unwrap().to_str().unwrap();
        let is_main = directory.ends_with("it") && module == "main";
        let list = fs::read_to_string(directory.join(list)).unwrap();
        let listed =
            list.lines().any(|line| line.trim_start_matches("pub ") == format!("mod {module};"));
        assert!(is_main || listed, "{} is forgotten", path.display());
    }
    assert!(paths.len() > 100, "{} test files", paths.len());
}

/// Whether a word of a shader is a floating-point type or literal, or a function on such types.
fn is_floating(word: &str) -> bool {
    const FUNCTIONS: &[&str] = &[
        "quantizeToF16",
        "sqrt",
        "inverseSqrt",
        "exp",
        "exp2",
        "log",
        "log2",
        "pow",
        "fma",
        "ldexp",
        "frexp",
        "modf",
        "floor",
        "ceil",
        "trunc",
        "round",
        "fract",
        "mix",
        "step",
        "smoothstep",
        "saturate",
        "normalize",
        "determinant",
    ];
    let number = word.starts_with(|c: char| c.is_ascii_digit()) && !word.starts_with("0x");
    let float_literal = number && word.contains(['.', 'e', 'f', 'h']);
    let vector = word.strip_prefix("vec").or(word.strip_prefix("mat")).unwrap_or_default();
    let float_vector =
        vector.starts_with(|c: char| c.is_ascii_digit()) && vector.ends_with(['f', 'h']);
    let packed = word.starts_with("pack") || word.starts_with("unpack");
    ["f16", "f32", "f64"].contains(&word)
        || float_literal
        || float_vector
        || packed
        || FUNCTIONS.contains(&word)
}

/// WGSL leaves rounding, NaN, denormals and fusion of its floating-point types unspecified.
#[test]
fn shaders_have_no_floating_type() {
    let mut shaders = 0;
    let mut wrong = Vec::new();
    for entry in fs::read_dir("shaders").unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        shaders += 1;
        for (line, number) in text.lines().zip(1..) {
            let code = line.split("//").next().unwrap_or_default();
            let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
            for word in words.filter(|word| is_floating(word)) {
                wrong.push(format!("{}:{number}: {word}", path.display()));
            }
        }
    }
    assert!(shaders >= 5 && wrong.is_empty(), "{shaders} shaders\n{}", wrong.join("\n"));
    for word in ["f32", "1.0", "1e3", "2f", "vec3f", "unpack2x16float", "sqrt"] {
        assert!(is_floating(word), "{word}");
    }
}
