//! What the tests of the whole workspace share: where it is, and how much memory is taken.

#[cfg(feature = "dynamic")]
#[path = "../../../tests/support/base.rs"]
mod base;
#[allow(dead_code, unsafe_code, reason = "tests of the other crates use the rest; an allocator is unsafe")]
#[path = "../../../tests/support/peak.rs"]
pub mod peak;

#[cfg(feature = "dynamic")]
pub use base::{announce, data, files_below};
