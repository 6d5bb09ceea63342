//! The viewer of `npy view`: the model, drawing and keys are in files of their own.

// A module imports only from modules above it.
mod grid;
mod order;
mod block;
mod files;
mod scan;
mod tiles;
mod sort;
mod filter;
mod histogram;
mod heat;
mod picture;
mod search;
mod popup;
mod model;
mod jobs;
mod copy;
mod visible;
mod draw;
mod keys;
mod mouse;
mod terminal;

use std::ffi::OsString;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, Event};

use crate::failure::Result;
use crate::signals;
use draw::Theme;
use keys::Flow;
pub(crate) use model::Look;
use model::Model;
use terminal::{Session, lost};

/// The longest sleep of the viewer between two checks for a signal.
const NAP: Duration = Duration::from_millis(200);

/// The time between two looks whether the file changed.
const LOOK: Duration = Duration::from_secs(1);

/// A look at the keys. Within no time at all, `crossterm` sees none.
const BLINK: Duration = Duration::from_millis(1);

/// The working time of a job between two frames.
const SLICE: Duration = Duration::from_millis(50);

/// Shows files until the user quits.
pub(crate) fn view(files: Vec<OsString>, look: Look) -> Result<()> {
    let _guard = signals::Guard::new();
    let mut model = Model::new(files, look)?;
    let mut session = Session::new()?;
    let theme = Theme::new(look.colors);
    let (mut is_new, mut looked) = (true, Instant::now());
    loop {
        if std::mem::take(&mut is_new) {
            let mut result = Ok(());
            session.0.draw(|frame| result = draw::draw(frame, &mut model, theme)).map_err(lost)?;
            result?;
        }
        let begin = Instant::now();
        while model.job.is_some() && begin.elapsed() < SLICE {
            model.work()?;
            is_new = true;
            signals::check()?;
        }
        let mut nap = if model.job.is_some() { BLINK } else { NAP };
        // All keys that are there before the next frame.
        while event::poll(nap).map_err(lost)? {
            let (is_seen, flow) = match event::read().map_err(lost)? {
                Event::Key(key) => (true, model.press(key)?),
                Event::Mouse(mouse) => model.point(mouse)?,
                // The next frame has another size.
                _ => (true, Flow::Continue),
            };
            is_new |= is_seen;
            match flow {
                Flow::Continue => {}
                Flow::Redraw => session.redraw()?,
                Flow::Suspend => session.suspend()?,
                Flow::Quit => return Ok(()),
            }
            if let Some(text) = model.clipboard.take() {
                session.copy(&text)?;
            }
            nap = BLINK;
            // Else the key that stops the job would be seen a slice later for each move of the mouse before it.
            if model.job.is_some() && is_seen {
                break;
            }
        }
        signals::check()?;
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            is_new |= model.watch();
        }
    }
}

#[cfg(test)]
mod tests;
