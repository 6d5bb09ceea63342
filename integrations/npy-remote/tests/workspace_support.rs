//! What the tests of the whole workspace share: where it is, and how much memory is taken.
#![allow(dead_code, unsafe_code, unused_imports, reason = "other tests use the rest; an allocator is unsafe")]

#[path = "../../../tests/support/base.rs"]
mod base;
#[path = "../../../tests/support/peak.rs"]
pub mod peak;

pub use base::{announce, workspace};
