//! The terminal in the state that the viewer needs, and its old state afterwards.

use std::io::{self, Stdout, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};

use crate::failure::{Failure, Result};

/// The terminal while the viewer has it.
pub(crate) struct Session {
    pub(crate) terminal: Terminal<CrosstermBackend<Stdout>>,
}

/// Whether the terminal is to be restored.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

impl Session {
    /// Takes the terminal.
    pub(crate) fn new() -> Result<Self> {
        restore_after_panic(io::stdout);
        enable_raw_mode().map_err(no_terminal)?;
        IS_TAKEN.store(true, Ordering::SeqCst);
        // From here on it is restored also if something fails.
        let restore = Restore;
        execute!(io::stdout(), EnterAlternateScreen).map_err(no_terminal)?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout())).map_err(no_terminal)?;
        std::mem::forget(restore);
        Ok(Self { terminal })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        restore(io::stdout());
    }
}

struct Restore;

impl Drop for Restore {
    fn drop(&mut self) {
        restore(io::stdout());
    }
}

/// Gives the terminal back, once.
fn restore(mut out: impl Write) {
    if IS_TAKEN.swap(false, Ordering::SeqCst) {
        // There is nothing else to be done if it fails.
        let _ = disable_raw_mode();
        let _ = execute!(out, LeaveAlternateScreen, Show);
    }
}

/// Restores the terminal before a panic prints its message, which would vanish with the other screen.
fn restore_after_panic<W: Write + 'static>(terminal: fn() -> W) {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |about| {
        restore(terminal());
        before(about);
    }));
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn no_terminal(error: io::Error) -> Failure {
    Failure::new(format!("cannot use the terminal: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_restores_the_terminal_once() {
        IS_TAKEN.store(true, Ordering::SeqCst);
        restore_after_panic(io::sink);
        assert!(panic::catch_unwind(|| panic!("in drawing, for a test")).is_err());
        assert!(!IS_TAKEN.load(Ordering::SeqCst));
        let mut out = Vec::new();
        restore(&mut out);
        assert!(out.is_empty());
        IS_TAKEN.store(true, Ordering::SeqCst);
        restore(&mut out);
        assert_eq!(out, b"\x1b[?1049l\x1b[?25h");
        let _ = panic::take_hook();
    }
}
