//! Checks that no files inside a module import each other in a cycle: such files are one file in two places.

use std::collections::{BTreeMap, BTreeSet};

/// A module's path below `src`: `["message", "wire"]`.
pub(super) type Module = Vec<String>;

/// The cycles of files that call each other because their data is recursive: directory, files and reason.
const RECURSIVE: &[(&str, &[&str], &str)] = &[
    (
        "diff/walk/message",
        &[
            "align", "any", "differ", "item", "json", "keyed", "level", "list", "map", "rules",
            "set", "unknown",
        ],
        "a field's value is a message, which has fields",
    ),
    (
        "saver/run",
        &["branches", "calls", "frame", "ops"],
        "a node calls a function, whose nodes call functions",
    ),
    (
        "text/print",
        &["any", "printer", "split", "unknown", "value"],
        "a field's value is a message, which has fields",
    ),
];

/// The imports of a module, and the names that it may re-export.
struct Source {
    /// The path of each `use` declaration, and its name in this module.
    uses: Vec<(Vec<String>, String)>,
    /// Every path in the code that may start at a module.
    paths: Vec<Vec<String>>,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Collects the paths of a `use` declaration: `a::{b, c as d}` is `a::b` and `a::c`, the second renamed to `d`.
fn use_tree(prefix: &[String], tree: &str, found: &mut Vec<(Vec<String>, String)>) {
    let (path, group) = match tree.split_once('{') {
        Some((path, group)) => (path, Some(group.trim_end().trim_end_matches('}'))),
        None => (tree, None),
    };
    let (path, alias) = path.split_once(" as ").unwrap_or((path, ""));
    let steps = path.split("::").map(str::trim).filter(|step| !step.is_empty() && *step != "self");
    let mut full = prefix.to_vec();
    full.extend(steps.map(str::to_owned));
    let Some(group) = group else {
        let name = if alias.is_empty() { full.last().cloned() } else { Some(alias.trim().into()) };
        found.extend(name.map(|name| (full, name)));
        return;
    };
    let mut depth = 0;
    let items = group.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    items.filter(|item| !item.trim().is_empty()).for_each(|item| use_tree(&full, item, found));
}

impl Source {
    fn new(code: &str) -> Self {
        let code = code.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let mut source = Self { uses: Vec::new(), paths: Vec::new() };
        let mut rest = String::new();
        for (position, part) in code.split("use ").enumerate() {
            let declares = position > 0 && rest.ends_with(|c: char| !is_word(c));
            let (tree, after) = match part.split_once(';') {
                Some(both) if declares => both,
                _ => ("", part),
            };
            use_tree(&[], &tree.replace("self::", ""), &mut source.uses);
            rest.push_str(after);
        }
        let is_step = |c: char| is_word(c) || c == ':';
        let paths = rest.split(|c| !is_step(c)).filter(|path| path.contains("::"));
        source.paths = paths.map(|path| path.split("::").map(str::to_owned).collect()).collect();
        source
    }
}

/// All modules with their sources.
pub(super) struct Modules(BTreeMap<Module, Source>);

impl Modules {
    pub(super) fn read() -> Self {
        let module = |(_, path, code): (String, std::path::PathBuf, String)| {
            let inside = path.strip_prefix("src").unwrap().with_extension("");
            let steps = inside.iter().map(|step| step.to_str().unwrap().to_owned());
            let steps = steps.filter(|step| !["mod", "lib"].contains(&step.as_str()));
            (steps.collect(), Source::new(&code))
        };
        // The program calls the library from outside.
        let files = super::files().into_iter().filter(|(module, ..)| module != "main");
        Self(files.map(module).collect())
    }

    /// The module that defines the item at `path`, resolved from `from`; follows re-exports up to `depth` times.
    fn definition(&self, from: &Module, path: &[String], depth: usize) -> Option<Module> {
        let child = |module: &Module, step: &String| {
            let child: Module = module.iter().chain([step]).cloned().collect();
            self.0.contains_key(&child).then_some(child)
        };
        let (first, _) = path.split_first()?;
        let supers = path.iter().take_while(|step| *step == "super").count();
        let (mut module, path) = match first.as_str() {
            "crate" => (Module::new(), &path[1..]),
            "super" => (from[..from.len().checked_sub(supers)?].to_vec(), &path[supers..]),
            _ => (child(from, first)?, &path[1..]),
        };
        for step in path {
            if let Some(child) = child(&module, step) {
                module = child;
                continue;
            }
            let handed_on = self.0[&module].uses.iter().find(|(_, name)| name == step);
            let origin = handed_on.filter(|_| depth > 0);
            return origin
                .and_then(|(path, _)| self.definition(&module, path, depth - 1))
                .or(Some(module));
        }
        Some(module)
    }

    /// The modules that each module imports, without its ancestors and descendants: a directory counts as one unit.
    pub(super) fn imports(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let of = |(module, source): (&Module, &Source)| {
            let uses = source.uses.iter().map(|(path, _)| path);
            uses.chain(&source.paths)
                .filter_map(|path| self.definition(module, path, 8))
                .filter(|other| !module.starts_with(other) && !other.starts_with(module))
                .collect()
        };
        self.0.iter().map(|entry| (entry.0, of(entry))).collect()
    }
}

/// All modules that a module imports, directly or through others.
pub(super) fn reached<'m>(
    from: &Module,
    imports: &'m BTreeMap<&Module, BTreeSet<Module>>,
) -> BTreeSet<&'m Module> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Module> = imports[from].iter().collect();
    while let Some(module) = open.pop() {
        if found.insert(module) {
            open.extend(&imports[module]);
        }
    }
    found
}

#[test]
fn no_files_import_each_other_in_a_cycle() {
    let modules = Modules::read();
    let imports = modules.imports();
    let reached: BTreeMap<_, _> =
        imports.keys().map(|&module| (module, reached(module, &imports))).collect();
    let found: BTreeSet<Vec<String>> = reached
        .iter()
        .filter(|(module, reached)| reached.contains(*module))
        .map(|(&module, others)| {
            let back = others.iter().filter(|other| reached[**other].contains(module));
            back.map(|module| module.join("/")).collect()
        })
        .collect();
    let file = |directory: &str, file: &str| format!("{directory}/{file}");
    let expected: BTreeSet<Vec<String>> = RECURSIVE
        .iter()
        .map(|(directory, files, _)| files.iter().map(|name| file(directory, name)).collect())
        .collect();
    let text = |cycles: Vec<&Vec<String>>| {
        cycles.into_iter().map(|cycle| cycle.join(" ")).collect::<Vec<_>>().join("\n")
    };
    let new = text(found.difference(&expected).collect());
    assert!(new.is_empty(), "these files import each other:\n{new}");
    let gone = text(expected.difference(&found).collect());
    assert!(gone.is_empty(), "these files do not import each other in one cycle any more:\n{gone}");
    let edges: usize = imports.values().map(BTreeSet::len).sum();
    assert!(edges > 1000, "{edges} imports found");
}
