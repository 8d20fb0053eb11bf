//! A progress bar on stderr.

use std::io::IsTerminal;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::progress::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that is shorter shows no bar.
const DELAY: Duration = Duration::from_millis(500);

/// A bar that shows how many bytes were processed, on a terminal only. It counts from the first byte, so that its rate is true,
/// and is drawn after a while.
pub(crate) struct Bar {
    start: Instant,
    bar: Option<ProgressBar>,
    is_drawn: OnceLock<()>,
}

impl Bar {
    /// A bar on stderr; hidden if stderr is not a terminal, or with `quiet`.
    pub(crate) fn new(quiet: bool) -> Self {
        let is_shown = !quiet && std::io::stderr().is_terminal();
        Self { start: Instant::now(), bar: is_shown.then(Self::hidden), is_drawn: OnceLock::new() }
    }

    /// A bar that is not drawn yet.
    fn hidden() -> ProgressBar {
        let style = ProgressStyle::with_template(
            "{decimal_bytes} of {decimal_total_bytes} {wide_bar} {decimal_bytes_per_sec} {eta}",
        );
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }
}

impl Progress for Bar {
    fn total(&self, bytes: u64) {
        self.bar.iter().for_each(|bar| bar.inc_length(bytes));
    }

    fn advance(&self, bytes: u64) {
        let Some(bar) = &self.bar else { return };
        bar.inc(bytes);
        if self.start.elapsed() >= DELAY {
            // Nobody can read more than ten updates a second.
            self.is_drawn
                .get_or_init(|| bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10)));
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}
