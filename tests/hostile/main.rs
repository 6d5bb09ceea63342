//! Files, streams and programs that lie.

mod files;
mod panics;
mod pickles;
mod rawarray;
#[path = "../support/peak.rs"]
mod peak;
#[path = "../support/mod.rs"]
mod support;
