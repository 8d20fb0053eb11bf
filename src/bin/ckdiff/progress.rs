//! A progress bar on stderr.

use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ckdiff::progress::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that is shorter shows no bar.
const DELAY: Duration = Duration::from_millis(500);

/// A bar that shows how many bytes were processed, on a terminal only.
pub(crate) struct Bar {
    shown: bool,
    start: Instant,
    total: AtomicU64,
    done: AtomicU64,
    bar: OnceLock<ProgressBar>,
}

impl Bar {
    /// A bar on stderr; hidden if stderr is not a terminal, or with `quiet`.
    pub(crate) fn new(quiet: bool) -> Self {
        Self {
            shown: !quiet && std::io::stderr().is_terminal(),
            start: Instant::now(),
            total: AtomicU64::new(0),
            done: AtomicU64::new(0),
            bar: OnceLock::new(),
        }
    }

    fn draw(&self) -> ProgressBar {
        let style = ProgressStyle::with_template(
            "{decimal_bytes} of {decimal_total_bytes} {wide_bar} {decimal_bytes_per_sec} {eta}",
        );
        // Nobody can read more than ten updates a second.
        let target = ProgressDrawTarget::stderr_with_hz(10);
        let bar = ProgressBar::with_draw_target(Some(self.total.load(Ordering::Relaxed)), target);
        match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }
}

impl Progress for Bar {
    fn total(&self, bytes: u64) {
        self.total.fetch_add(bytes, Ordering::Relaxed);
    }

    fn advance(&self, bytes: u64) {
        if !self.shown {
            return;
        }
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.start.elapsed() >= DELAY {
            self.bar.get_or_init(|| self.draw()).set_position(done);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
