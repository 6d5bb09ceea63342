//! Zero-copy access to arrays: slices, columns, memory maps.

mod columns;
mod maps;
mod slices;
#[path = "../support/mod.rs"]
mod support;
