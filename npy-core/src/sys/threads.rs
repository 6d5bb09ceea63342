//! The number of threads that are useful on this machine.

use std::num::NonZero;
use std::thread;

/// Limits a number of threads to four for each processor. More only take memory.
pub(crate) fn useful_threads(threads: usize) -> usize {
    /// Up to this number, the system is not asked.
    const FEW: usize = 8;
    if threads <= FEW {
        return threads;
    }
    threads.min(thread::available_parallelism().map_or(FEW, NonZero::get).saturating_mul(4).max(FEW))
}
