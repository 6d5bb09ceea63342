//! The RawArray format.

mod files;
mod peers;
#[path = "../support/mod.rs"]
mod support;
