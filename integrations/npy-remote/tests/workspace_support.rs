//! What the tests of the whole workspace share: where it is, and how much memory is taken.

#[path = "../../../tests/support/base.rs"]
mod base;
#[allow(dead_code, unsafe_code, reason = "tests of the other crates use the rest; an allocator is unsafe")]
#[path = "../../../tests/support/peak.rs"]
pub mod peak;

pub use base::{announce, workspace};
