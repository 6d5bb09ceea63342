//! What a command would lose: refused, unless the user allows it.

use crate::failure::{Failure, Result};
use crate::output;

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
