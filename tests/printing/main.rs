//! Printing arrays as NumPy prints them.

mod numpy;
mod regions;
mod text;
#[path = "../support/mod.rs"]
mod support;
