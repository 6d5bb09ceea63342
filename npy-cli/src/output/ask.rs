//! A question to the terminal, whose answer comes as if it were typed.

use std::io::{self, Write as _};
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::fstat;
use rustix::io::{Errno, read};
use rustix::process::getpgrp;
use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr,
};

use crate::signals;

/// The longest wait. Every terminal answers, also one behind a slow line, and a later answer would be input of the shell.
const PATIENCE: Duration = Duration::from_secs(1);

/// More bytes than an answer has.
const MOST_BYTES: usize = 1 << 10;

/// The primary device attributes (DA1): the numbers of what the terminal can do. `None` without a terminal that can be asked now.
pub(crate) fn attributes() -> Option<Vec<u16>> {
    let is_same = |(input, output): (rustix::fs::Stat, rustix::fs::Stat)| input.st_rdev == output.st_rdev;
    let is_one = fstat(io::stdin()).ok().zip(fstat(io::stdout()).ok()).is_some_and(is_same);
    // A job in the background would be stopped by a change of the terminal.
    if !is_one || tcgetpgrp(io::stdin()) != Ok(getpgrp()) {
        return None;
    }
    let _quiet = Quiet::new()?;
    // What was typed ahead is for the shell.
    if has_input(Duration::ZERO) {
        return None;
    }
    let mut out = io::stdout().lock();
    out.write_all(b"\x1b[c").and_then(|()| out.flush()).ok()?;
    let answer = answer();
    if answer.is_none() {
        // Half an answer is no input of the shell.
        let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    }
    answer
}

/// The pixels of a side of a character. Beyond any font the answer is wrong, and a picture of it would be huge.
const PLAUSIBLE: RangeInclusive<u16> = 1..=128;

/// The pixels of a character, if the terminal tells them.
pub(crate) fn cell() -> Option<(usize, usize)> {
    let size = tcgetwinsize(io::stdout()).ok()?;
    let (width, height) = (size.ws_xpixel.checked_div(size.ws_col)?, size.ws_ypixel.checked_div(size.ws_row)?);
    (PLAUSIBLE.contains(&width) && PLAUSIBLE.contains(&height)).then(|| (width.into(), height.into()))
}

/// The terminal without echo and without lines, until it is dropped. Ctrl-C stays a signal, those after which it would not be dropped do not.
struct Quiet {
    old: Termios,
}

impl Quiet {
    fn new() -> Option<Self> {
        let old = tcgetattr(io::stdin()).ok()?;
        let mut new = old.clone();
        new.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        for code in [SpecialCodeIndex::VMIN, SpecialCodeIndex::VTIME, SpecialCodeIndex::VQUIT, SpecialCodeIndex::VSUSP] {
            new.special_codes[code] = 0;
        }
        tcsetattr(io::stdin(), OptionalActions::Now, &new).ok()?;
        Some(Self { old })
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.old);
    }
}

/// Whether there is input within this time.
fn has_input(wait: Duration) -> bool {
    let stdin = io::stdin();
    poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Timespec::try_from(wait).ok().as_ref()).is_ok_and(|count| count > 0)
}

/// Reads byte by byte, because what is behind the answer is for the shell.
fn answer() -> Option<Vec<u16>> {
    let (deadline, mut bytes) = (Instant::now() + PATIENCE, Vec::new());
    while bytes.len() < MOST_BYTES && !signals::came() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        if !has_input(left) {
            continue;
        }
        let mut byte = [0];
        match read(io::stdin(), &mut byte) {
            Ok(1..) => bytes.extend(byte),
            Err(Errno::INTR) => {}
            _ => return None,
        }
        if let Some(numbers) = numbers_of(&bytes) {
            return Some(numbers);
        }
    }
    None
}

/// The numbers of an answer, `ESC [ ? 62 ; 4 c`, once it is whole.
fn numbers_of(bytes: &[u8]) -> Option<Vec<u16>> {
    let text = String::from_utf8_lossy(bytes);
    let (_, numbers) = text.strip_suffix('c')?.rsplit_once("\x1b[?")?;
    numbers.split(';').map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_numbers() {
        assert_eq!(numbers_of(b"\x1b[?62;4;22c"), Some(vec![62, 4, 22]));
        assert_eq!(numbers_of(b"\x1b[?6c"), Some(vec![6]));
        // Behind a key, and before the end.
        assert_eq!(numbers_of(b"\x1b[A\xffc\x1b[?1;2c"), Some(vec![1, 2]));
        for rest in [&b"\x1b[?62;4"[..], b"c", b"", b"\x1b[c", b"\x1b[?c", b"\x1b[?1;2c\x1b[?x4c", b"\x1b[?70000c"] {
            assert_eq!(numbers_of(rest), None, "{rest:?}");
        }
    }
}
