//! Record arrays as Rust structs.

mod columns;
mod dates;
mod derive;
mod layouts;
mod structs;
mod threads;
#[path = "../support/mod.rs"]
mod support;
