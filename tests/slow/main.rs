//! What takes long: kills, ten gigabytes, what the compiler says. `cargo test --test slow` runs it alone.

mod compile_fail;
mod kills_npy;
mod kills_npz;
mod larger_than_memory;
#[path = "../support/mod.rs"]
mod support;
