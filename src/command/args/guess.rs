//! Guesses what an invalid command line was meant to be.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::artifact::{FileKind, Sniffed};
use crate::report::human::printable;
use clap::Command;

/// The maximum edit distance of a misspelled command.
const WRONG: usize = 2;

/// Synonyms of commands.
const SYNONYMS: [(&str, &str); 6] = [
    ("cmp", "diff"),
    ("compare", "diff"),
    ("copy", "save-as"),
    ("format", "fmt"),
    ("inspect", "show"),
    ("list", "show"),
];

/// Explains a misspelled command, or a wrong number of paths; `None` for other mistakes.
pub(super) fn explain(args: &[OsString], command: &Command) -> Option<String> {
    let commands: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    let diff = command.find_subcommand("diff")?;
    let (is_diff, args) = match args.split_first() {
        Some((first, rest)) if first == "diff" => (true, rest),
        _ => (false, args),
    };
    let paths = positionals(args, diff)?;
    let first = *paths.first()?;
    let is_command = |name: &&str| *name == first;
    if !is_diff && args.first() == Some(first) && commands.iter().any(is_command) {
        return None;
    }
    if let Some(command) = misspelled(first, &commands).filter(|_| !is_diff) {
        let shown = printable(&first.to_string_lossy());
        return Some(format!("{shown}: no such command or file; did you mean ckdiff {command}?"));
    }
    if let Some(checkpoint) = only_checkpoint(&paths) {
        let n = paths.len();
        return Some(format!(
            "the {n} paths are files of one checkpoint; compare it with another: ckdiff {checkpoint} OTHER"
        ));
    }
    let shown = |path: &&OsString| printable(&path.to_string_lossy());
    match paths.as_slice() {
        [only] => Some(format!(
            "expected two paths to compare, found one, {}; ckdiff show prints what is in it",
            shown(only)
        )),
        [_, _] => None,
        all => {
            let all: Vec<String> = all.iter().map(shown).collect();
            Some(format!("expected two paths to compare, found {}: {}", all.len(), all.join(", ")))
        }
    }
}

/// The command that lhs was meant to be, if there is no such file: `shwo model.ckpt`.
pub(crate) fn explain_missing(lhs: &Path) -> Option<String> {
    explain(&[lhs.as_os_str().to_owned(), OsString::new()], &super::command())
}

/// The arguments that are neither options nor values of options; `None` if an option is unknown.
fn positionals<'a>(args: &'a [OsString], command: &Command) -> Option<Vec<&'a OsString>> {
    let mut found = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let text = arg.to_str().unwrap_or_default();
        let option = match text.strip_prefix("--") {
            Some("") => {
                found.extend(args);
                break;
            }
            Some(long) => {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(n, v)| (n, Some(v)));
                let option = command.get_arguments().find(|arg| arg.get_long() == Some(name));
                (option?, value.is_some())
            }
            None if text.len() > 1 && text.starts_with('-') => {
                let mut short = text.chars().skip(1);
                let name = short.next();
                let option = command.get_arguments().find(|arg| arg.get_short() == name);
                (option?, short.next().is_some())
            }
            None => {
                found.push(arg);
                continue;
            }
        };
        let (option, has_value) = option;
        // An optional value is never an argument of its own.
        let needs_value = option.get_action().takes_values()
            && option.get_num_args().is_none_or(|values| values.min_values() > 0);
        if needs_value && !has_value {
            args.next();
        }
    }
    Some(found)
}

/// The command closest to a word, unless the word is a path that exists.
fn misspelled<'c>(word: &OsStr, commands: &[&'c str]) -> Option<&'c str> {
    let text = word.to_str()?;
    let words = commands.iter().map(|&command| (command, command));
    let known = words.chain(SYNONYMS.iter().filter_map(|&(synonym, meant)| {
        let meant = commands.iter().find(|command| **command == meant)?;
        Some((synonym, *meant))
    }));
    let close = known.filter_map(|(known, meant)| {
        let wrong = strsim::damerau_levenshtein(text, known);
        (wrong <= WRONG.min(known.len() / 3)).then_some((wrong, meant))
    });
    let (_, meant) = close.min()?;
    // A checkpoint may have that prefix.
    matches!(Sniffed::of_path(word).kind(), FileKind::Missing).then_some(meant)
}

/// The prefix of the checkpoint, if all paths are files of one, as `model.ckpt*` expands to.
pub(crate) fn only_checkpoint(paths: &[impl AsRef<OsStr>]) -> Option<String> {
    let prefix = |path: &Path| match Sniffed::of_path(path).kind() {
        FileKind::Checkpoint { located, .. } => {
            let located = located.to_str()?.to_owned();
            Some(located.strip_suffix(".index").map(str::to_owned).unwrap_or(located))
        }
        _ => path.to_str()?.strip_suffix(".meta").map(str::to_owned),
    };
    let mut prefixes = paths.iter().map(|path| prefix(Path::new(path)));
    let first = prefixes.next()??;
    let are_files = paths.len() > 1 && paths.iter().all(|path| Path::new(path).is_file());
    (are_files && prefixes.all(|prefix| prefix.as_ref() == Some(&first))).then_some(first)
}
