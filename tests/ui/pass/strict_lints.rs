//! That this one is built makes the others be built too; all attributes under these lints are in tests/outside.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]
#![no_implicit_prelude]

/// A record in place.
#[derive(::npy_core::NpyRecord)]
#[npy(view, align)]
#[repr(C)]
pub struct Point {
    /// Its name.
    pub id: u8,
    /// Where it is.
    pub x: f64,
}

fn main() {}
