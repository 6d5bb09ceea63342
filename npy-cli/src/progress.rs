//! Progress of long work on standard error.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::escape;

/// Work that takes less time shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// The progress of long work, in bytes, on standard error if that is a terminal. Dropping it clears the line.
pub(crate) struct Progress {
    what: String,
    total: u64,
    done: u64,
    begin: Instant,
    is_terminal: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// `what` is in front of the bar: the name of a file.
    pub(crate) fn new(what: &str, total: u64) -> Self {
        let is_terminal = io::stderr().is_terminal();
        Self { what: escape::line(what).into_owned(), total, done: 0, begin: Instant::now(), is_terminal, bar: None }
    }

    /// Counts bytes that are done.
    pub(crate) fn add(&mut self, bytes: u64) {
        self.done = self.done.saturating_add(bytes);
        if !self.is_terminal {
            return;
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        } else if self.begin.elapsed() >= PATIENCE {
            let bar = ProgressBar::with_draw_target(Some(self.total), ProgressDrawTarget::stderr_with_hz(10));
            let template = "{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_message(self.what.clone());
            bar.set_position(self.done);
            self.bar = Some(bar);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
