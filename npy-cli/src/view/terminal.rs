//! The terminal in the state that the viewer needs, and its old state afterwards.

use std::io::{self, Write as _, stdout};
use std::panic;

use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::prelude::CrosstermBackend;
use ratatui::{DefaultTerminal, Terminal};
#[cfg(unix)]
use rustix::termios::{OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};

use crate::failure::{Failure, Result};
use crate::output::base64::base64;
use crate::signals;

/// The terminal while the viewer has it.
pub(super) struct Session(pub(super) DefaultTerminal);

impl Session {
    /// Takes the terminal. A panic gives it back before its message, which would vanish with the other screen.
    pub(super) fn new() -> Result<Self> {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            restore();
            hook(info);
        }));
        take().map(Self)
    }

    /// Clears the screen, so that the next frame is drawn whole. The terminal is asked for nothing: it may not answer.
    pub(super) fn redraw(&mut self) -> Result<()> {
        execute!(stdout(), Clear(ClearType::All)).map_err(lost)?;
        self.0 = Terminal::new(CrosstermBackend::new(stdout())).map_err(lost)?;
        Ok(())
    }

    /// Sends a text to the clipboard of the terminal (OSC 52), which may refuse it.
    pub(super) fn copy(&mut self, text: &str) -> Result<()> {
        let out = self.0.backend_mut();
        write!(out, "\x1b]52;c;{}\x07", base64(text.as_bytes())).and_then(|()| out.flush()).map_err(lost)
    }

    /// Gives the terminal back to the shell, until that lets the viewer go on.
    pub(super) fn suspend(&mut self) -> Result<()> {
        restore();
        signals::suspend();
        self.0 = take()?;
        Ok(())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A second time would move the cursor above the message of a panic.
        if !std::thread::panicking() {
            restore();
        }
    }
}

fn take() -> Result<DefaultTerminal> {
    let taken = enable_raw_mode().and_then(|()| {
        #[cfg(unix)]
        never_wait()?;
        execute!(stdout(), EnterAlternateScreen, EnableMouseCapture)?;
        Terminal::new(CrosstermBackend::new(stdout()))
    });
    taken.map_err(|error| {
        restore();
        lost(error)
    })
}

/// Lets a read return at once if there is no input. `crossterm` reads on behind half an event, and behind a button it does not know: it
/// would wait for the next key, and neither jobs nor signals were seen before.
#[cfg(unix)]
fn never_wait() -> io::Result<()> {
    let mut modes = tcgetattr(stdout())?;
    (modes.special_codes[SpecialCodeIndex::VMIN], modes.special_codes[SpecialCodeIndex::VTIME]) = (0, 0);
    Ok(tcsetattr(stdout(), OptionalActions::Now, &modes)?)
}

/// Gives the terminal back. If that fails, nothing else can be done.
fn restore() {
    let _ = execute!(stdout(), DisableMouseCapture, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
pub(super) fn lost(error: io::Error) -> Failure {
    Failure::new(format!("cannot use the terminal: {error}"))
}
