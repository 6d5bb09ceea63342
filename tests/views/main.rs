//! Arrays in place: slices, columns, maps.

mod columns;
mod maps;
mod slices;
#[path = "../support/mod.rs"]
mod support;
