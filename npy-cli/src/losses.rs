//! What a command would lose: refused, unless the user allows it.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::failure::{Failure, Result};
use crate::output;
use crate::quantity::counted;

/// How a loss is allowed.
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

/// Numbers that changed, of all arrays of the command, which is allowed.
pub(crate) struct Changed {
    count: AtomicU64,
    noun: &'static str,
    change: &'static str,
}

/// Finite numbers that became infinite.
pub(crate) static INFINITE: Changed = Changed::new("finite number", "became infinite");

/// Numbers beyond the range of integers.
pub(crate) static WRAPPED: Changed = Changed::new("number", "wrapped around");

impl Changed {
    const fn new(noun: &'static str, change: &'static str) -> Self {
        Self { count: AtomicU64::new(0), noun, change }
    }

    /// Notes numbers that changed.
    pub(crate) fn note(&self, count: u64) {
        self.count.fetch_add(count, Ordering::Relaxed);
    }
}

/// Says on standard error how many numbers changed.
pub(crate) fn tell_of_changed() {
    for Changed { count, noun, change } in [&INFINITE, &WRAPPED] {
        match count.load(Ordering::Relaxed) {
            0 => {}
            count => output::warn(&format!("lost {}, which {change}", counted(count, noun))),
        }
    }
}
