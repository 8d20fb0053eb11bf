//! The colors of a human report.

use anstyle::{AnsiColor, Style};

/// The style of each kind of text. The styles of [`PLAIN`](Self::PLAIN) write nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    /// The answer that nothing changed.
    pub good: Style,
    /// The answer that something changed.
    pub changed: Style,
    /// Errors, NaN and infinities.
    pub bad: Style,
    /// Headings of sections.
    pub heading: Style,
    /// Secondary text.
    pub faint: Style,
    /// Commands and options.
    pub command: Style,
    /// Text that only lhs has.
    pub removed: Style,
    /// Text that only rhs has.
    pub added: Style,
}

impl Palette {
    /// No colors.
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

    /// The sixteen standard colors of terminals.
    pub const COLOR: Self = Self {
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
