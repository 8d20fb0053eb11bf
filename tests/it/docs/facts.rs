//! Checks that the options, links and terms in the pages exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::page::{Page, arguments, pages};
use crate::support::command::ckdiff;

/// The long options in the help of a command: `-n, --max-diffs <N>`.
fn options(args: &[&str]) -> BTreeSet<String> {
    let help = ckdiff(&[args, &["--help"]].concat());
    let listed = help.text().lines().filter(|line| line.trim_start().starts_with('-'));
    let words =
        listed.filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")));
    let names = words.map(|word| word.split(['[', ',']).next().unwrap());
    let is_name = |name: &&str| {
        name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    names.filter(is_name).map(str::to_owned).collect()
}

/// The commands that help lists, each by its words: `show`, `snapshot write`.
fn commands() -> Vec<Vec<String>> {
    let outer = commands_of(&[]);
    let inner = outer.iter().flat_map(|name| {
        commands_of(&[name]).into_iter().map(move |inner| vec![name.clone(), inner])
    });
    let inner: Vec<_> = inner.collect();
    outer.into_iter().map(|name| vec![name]).chain(inner).collect()
}

/// The commands that the help of a command lists.
fn commands_of(args: &[&str]) -> Vec<String> {
    let help = ckdiff(&[args, &["--help"]].concat());
    let list = help.text().split("Commands:\n").nth(1).unwrap_or_default();
    let list = list.split("\n\n").next().unwrap_or_default();
    let names = list.lines().map(|line| line.split_whitespace().next().unwrap().to_owned());
    names.filter(|name| name != "help").collect()
}

fn words(command: &[String]) -> Vec<&str> {
    command.iter().map(String::as_str).collect()
}

/// The long options that begin a code span, as in `--rtol R`.
fn named_options(prose: &str) -> BTreeSet<String> {
    let spans = prose.split('`').skip(1).step_by(2);
    let words = spans.filter_map(|span| span.split([' ', '=', '[']).next());
    words.filter(|word| word.starts_with("--")).map(str::to_owned).collect()
}

/// The options of the plugin for pytest.
const OF_PYTEST: [&str; 1] = ["--ckdiff-update"];

#[test]
fn pages_name_every_option_and_no_other() {
    let mut known = options(&[]);
    known.extend(OF_PYTEST.map(str::to_owned));
    let commands = commands();
    commands.iter().for_each(|command| known.append(&mut options(&words(command))));
    let mut named = BTreeSet::new();
    for page in pages() {
        for name in named_options(&page.prose()) {
            assert!(known.contains(&name), "{} names {name}, which no command has", page.path);
            named.insert(name);
        }
        for block in page.blocks().iter().filter(|block| block.is("sh")) {
            for args in page.commands(block).into_iter().filter_map(arguments) {
                let command = commands.iter().rfind(|command| args.starts_with(command));
                let own = options(&command.map(|command| words(command)).unwrap_or_default());
                for arg in args.iter().take_while(|arg| *arg != "|") {
                    let name = arg.split('=').next().unwrap();
                    let is_known = !name.starts_with("--") || own.contains(name);
                    assert!(is_known, "{}: {name} is not an option of {command:?}", page.path);
                }
            }
        }
    }
    let general = ["--help", "--version"].map(str::to_owned);
    let missing: Vec<_> =
        known.iter().filter(|o| !named.contains(*o) && !general.contains(o)).collect();
    assert!(known.len() > 50 && missing.is_empty(), "no page names {missing:?}");
}

/// The anchor of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(path: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(path).unwrap();
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let others = ["ARCHITECTURE.md", "BENCHMARKS.md", "CHANGELOG.md", "tests/data/README.md"];
    let mut links = 0;
    for page in pages().chain(others.map(Page::read)) {
        let prose = page.prose();
        for target in prose.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            if target.starts_with("http") {
                continue;
            }
            links += 1;
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let page_path = Path::new(page.path);
            let file = match file {
                "" => page_path.to_owned(),
                file => page_path.parent().unwrap().join(file),
            };
            assert!(file.exists(), "{}: {target} is not there", page.path);
            let is_heading = heading.is_empty() || anchors(&file).contains(heading);
            assert!(is_heading, "{}: {target} has no such heading", page.path);
        }
    }
    assert!(links > 10, "{links}");
}

/// Every term has one entry, and the entries of a table are sorted.
#[test]
fn the_glossary_has_each_term_once_and_in_order() {
    let page = fs::read_to_string("docs/glossary.md").unwrap();
    let mut terms = BTreeSet::new();
    for section in page.split("\n## ").skip(1) {
        let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
        let rows = rows.filter(|(term, _)| !["term", "---"].contains(term));
        let listed: Vec<String> = rows.map(|(term, _)| term.to_lowercase()).collect();
        let mut sorted = listed.clone();
        sorted.sort();
        assert_eq!(listed, sorted);
        for term in listed {
            assert!(terms.insert(term.clone()), "{term} is listed twice");
        }
    }
    assert!(terms.len() > 100, "{}", terms.len());
}
