//! The number of threads that are worth starting on this machine.

use std::num::NonZero;
use std::thread;

/// As many threads as were asked for, but for numbers that only take memory: more than a few for
/// each processor.
pub(crate) fn useful_threads(threads: usize) -> usize {
    /// For so few it is not worth asking the system.
    const FEW: usize = 8;
    if threads <= FEW {
        return threads;
    }
    threads.min(thread::available_parallelism().map_or(FEW, NonZero::get).saturating_mul(4).max(FEW))
}
