//! Slow tests: killed processes, power cuts, rewrites, 10 GiB of data, compiler messages, the packages around Zarr.
//!
//! `cargo test -p npy-tests --test slow` runs only these.

mod compile_fail;
mod kills_npy;
mod kills_npz;
mod larger_than_memory;
mod linear;
#[cfg(target_os = "linux")]
mod power_loss;
mod rewrites;
#[path = "../support/mod.rs"]
mod support;
mod zarr;

/// How often each growing writer is killed, unless `NPY_KILLS` says otherwise.
fn kills() -> usize {
    std::env::var("NPY_KILLS").map_or_else(|_| support::rounds(50), |text| text.parse().unwrap())
}
