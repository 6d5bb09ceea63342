//! Reading files and streams.

mod elements;
mod reuse;
#[path = "../support/peak.rs"]
mod peak;
#[path = "../support/mod.rs"]
mod support;
