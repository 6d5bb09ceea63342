//! Threads that end with the work of a command.

use std::io;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread::{Builder, ScopedJoinHandle, available_parallelism, scope};

use crate::failure::{Failure, Result};

/// The number of processors.
pub(crate) fn of_machine() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

/// Runs `work` on this many threads, the caller's included, and returns its results. Where the system refuses threads, fewer run.
pub(crate) fn on_each<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    scope(|scope| {
        let others: Vec<_> = (1..threads).map_while(|_| Builder::new().spawn_scoped(scope, &work).ok()).collect();
        let own = work();
        std::iter::once(own).chain(others.into_iter().map(joined)).collect()
    })
}

/// Runs `own` on the caller's thread and `other` beside it.
pub(crate) fn beside<A, B: Send>(other: impl FnOnce() -> B + Send, own: impl FnOnce() -> A) -> Result<(A, B)> {
    scope(|scope| {
        let failed = |error: io::Error| Failure::Nameless(format!("cannot start a thread: {error}"));
        let other = Builder::new().spawn_scoped(scope, other).map_err(failed)?;
        let own = own();
        Ok((own, joined(other)))
    })
}

/// The result of a thread, whose panic goes on in this one.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
