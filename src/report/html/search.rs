//! The page of a search in a series.

use std::io::{self, Write};

use super::answer::Answer;
use super::notes::{List, Notes};
use super::page::{self, Page};
use super::series::tone;
use crate::report::human::series::search::{compared, text, title};
use crate::report::human::terminal_text::{printable, short_of};
use crate::series::Search;

/// Writes the page.
pub(super) fn write(search: &Search, out: &mut dyn Write) -> io::Result<()> {
    let text = text(search);
    let page = Page { title: &text, has_script: false };
    page.begin(out)?;
    let shown = |text: &str| short_of(&printable(text)).into_owned();
    let because = search.because.iter().map(|because| shown(because)).collect();
    let errors = search.errors().map(|error| shown(&error.to_string())).collect();
    let lists = [
        List::of("because", title(search.property), because),
        List::of("unreadable", "Unreadable", errors),
    ];
    let notes = Notes { lists: lists.into_iter().flatten().collect() };
    let head = Answer {
        tone: tone(search.verdict()),
        text: text.clone(),
        sides: Vec::new(),
        facts: vec![compared(search)],
        sections: Vec::new(),
    };
    page::write(&head, out)?;
    notes.write(out)?;
    writeln!(out, "</main>")?;
    page.end_without_baseline(out)
}
