//! Slow tests: killed processes, 10 GiB of data, compiler messages, the packages around Zarr.
//!
//! `cargo test --test slow` runs only these.

mod compile_fail;
mod kills_npy;
mod kills_npz;
mod larger_than_memory;
#[path = "../support/mod.rs"]
mod support;
mod zarr;
