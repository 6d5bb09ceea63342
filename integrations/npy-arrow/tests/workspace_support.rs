//! What the tests of the whole workspace share: where it is, and the real NumPy.
#![allow(dead_code, reason = "other tests use the rest")]

#[path = "../../../tests/support/base.rs"]
mod base;
#[path = "../../../tests/support/numpy.rs"]
pub mod numpy;

pub use base::{announce, workspace};
