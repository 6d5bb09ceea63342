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

/// Finite numbers that became infinite, of all arrays of the command.
static INFINITE: AtomicU64 = AtomicU64::new(0);

/// Notes finite numbers that became infinite, which is allowed.
pub(crate) fn note_infinite(count: u64) {
    INFINITE.fetch_add(count, Ordering::Relaxed);
}

/// Says on standard error how many numbers became infinite.
pub(crate) fn tell_of_infinite() {
    match INFINITE.load(Ordering::Relaxed) {
        0 => {}
        count => output::warn(&format!("lost {}, which became infinite", counted(count, "finite number"))),
    }
}
