//! Files and streams that are read.

mod elements;
mod reuse;
#[path = "../support/peak.rs"]
mod peak;
#[path = "../support/mod.rs"]
mod support;
