//! Slow tests: power cuts, rewrites, 10 GiB of data, compiler messages, the packages around Zarr.
//!
//! `cargo test -p npy-tests --test slow` runs only these.

mod compile_fail;
mod larger_than_memory;
mod linear;
#[cfg(target_os = "linux")]
mod power_loss;
mod rewrites;
#[path = "../support/mod.rs"]
mod support;
mod zarr;
