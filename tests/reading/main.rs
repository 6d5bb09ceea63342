//! Reading files and streams.

mod byte_ranges;
mod elements;
mod reuse;
#[path = "../support/peak.rs"]
mod peak;
#[path = "../support/mod.rs"]
mod support;
mod zarr;
