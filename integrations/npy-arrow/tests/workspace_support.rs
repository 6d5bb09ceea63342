//! What the tests of the whole workspace share: where it is, and the real NumPy.

#[path = "../../../tests/support/base.rs"]
mod base;
#[path = "../../../tests/support/numpy.rs"]
pub mod numpy;

pub use base::{announce, workspace};
