//! The terminal in the state that the viewer needs, and its old state afterwards.

use std::io;

use ratatui::DefaultTerminal;

use crate::failure::{Failure, Result};

/// The terminal while the viewer has it.
pub(super) struct Session(pub(super) DefaultTerminal);

impl Session {
    /// Takes the terminal. A panic gives it back before its message, which would vanish with the other screen.
    pub(super) fn new() -> Result<Self> {
        ratatui::try_init().map(Self).map_err(|error| {
            restore();
            lost(error)
        })
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

/// Gives the terminal back. If that fails, nothing else can be done.
fn restore() {
    let _ = ratatui::try_restore();
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
pub(super) fn lost(error: io::Error) -> Failure {
    Failure::new(format!("cannot use the terminal: {error}"))
}
