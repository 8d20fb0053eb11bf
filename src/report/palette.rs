//! The colours of a human report.

use anstyle::{AnsiColor, Style};

/// What is drawn how. The styles of [`PLAIN`](Self::PLAIN) write nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    /// The good answer.
    pub good: Style,
    /// The other answer.
    pub changed: Style,
    /// Trouble, and values that nobody wants.
    pub bad: Style,
    /// The headings of sections.
    pub heading: Style,
    /// What is there for the eye to rest on.
    pub faint: Style,
    /// What can be typed.
    pub command: Style,
    /// Text that only lhs has.
    pub removed: Style,
    /// Text that only rhs has.
    pub added: Style,
}

impl Palette {
    /// No colours.
    pub const PLAIN: Self = Self {
        good: Style::new(),
        changed: Style::new(),
        bad: Style::new(),
        heading: Style::new(),
        faint: Style::new(),
        command: Style::new(),
        removed: Style::new(),
        added: Style::new(),
    };

    /// The sixteen colours that every terminal lets its user choose.
    pub const COLOUR: Self = Self {
        good: AnsiColor::Green.on_default().bold(),
        changed: AnsiColor::Yellow.on_default().bold(),
        bad: AnsiColor::Red.on_default().bold(),
        heading: Style::new().bold(),
        faint: Style::new().dimmed(),
        command: AnsiColor::Cyan.on_default(),
        removed: AnsiColor::Red.on_default(),
        added: AnsiColor::Green.on_default(),
    };
}
