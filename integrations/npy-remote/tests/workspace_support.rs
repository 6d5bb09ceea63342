//! What the tests of the whole workspace share: where it is.

#[path = "../../../tests/support/base.rs"]
mod base;

pub use base::{announce, workspace};
