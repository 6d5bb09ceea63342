//! What a command would lose: refused, unless the user allows it.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::failure::{Failure, Result};
use crate::output;
use crate::values::quantity::counted;

/// The advice for a loss.
pub(crate) const LOSSY: &str = "; allow it with --lossy";

/// Refuses what `action` would lose, or says on standard error what is lost.
pub(crate) fn report(action: &str, losses: &[String], is_lossy: bool) -> Result<()> {
    if losses.is_empty() {
        return Ok(());
    }
    let list = losses.join("; ");
    if !is_lossy {
        return Err(Failure::new(format!("{action} would lose {list}{LOSSY}")));
    }
    output::warn(&format!("lost {list}"));
    Ok(())
}

/// A count of values that `--lossy` changed, over all arrays of the command.
pub(crate) struct Changed {
    count: AtomicU64,
    noun: &'static str,
    /// Of one, and of several.
    change: [&'static str; 2],
}

/// Finite numbers that became infinite.
pub(crate) static INFINITE: Changed = Changed::new("finite number", ["became infinite"; 2]);

/// Numbers that became NaN, because a type has no infinities.
pub(crate) static NAN: Changed = Changed::new("number", ["became NaN"; 2]);

/// Numbers of text whose digits a float does not have.
pub(crate) static ROUNDED: Changed = Changed::new("number", ["was rounded", "were rounded"]);

/// Texts that end in NUL, which NumPy's texts are padded with.
pub(crate) static PADDED: Changed = Changed::new("text", ["ended in NUL"; 2]);

/// Nulls among texts.
pub(crate) static EMPTIED: Changed = Changed::new("null", ["became empty text"; 2]);

/// Numbers outside of the range of an integer: integers wrap around, floats become the nearest integer, and NaN becomes 0.
pub(crate) static OUT_OF_RANGE: Changed = Changed::new("number", ["was out of range", "were out of range"]);

impl Changed {
    const fn new(noun: &'static str, change: [&'static str; 2]) -> Self {
        Self { count: AtomicU64::new(0), noun, change }
    }

    /// Notes numbers that changed.
    pub(crate) fn note(&self, count: u64) {
        self.count.fetch_add(count, Ordering::Relaxed);
    }
}

/// Says on standard error how many values changed since the last call, other than by rounding.
pub(crate) fn tell_of_changed() {
    tell("", &[&INFINITE, &NAN, &OUT_OF_RANGE, &EMPTIED]);
}

/// Says it of all values of a file, for commands that have no `--lossy`. Returns how many there are.
pub(crate) fn tell_of_all(name: &str) -> u64 {
    tell(&format!("{name}: "), &[&INFINITE, &NAN, &OUT_OF_RANGE, &ROUNDED, &PADDED, &EMPTIED])
}

fn tell(prefix: &str, changes: &[&Changed]) -> u64 {
    let mut total = 0;
    for Changed { count, noun, change } in changes {
        let count = count.swap(0, Ordering::Relaxed);
        if count > 0 {
            output::warn(&format!("{prefix}lost {}, which {}", counted(count, noun), change[usize::from(count > 1)]));
        }
        total += count;
    }
    total
}
