//! Arrays of Python objects.

mod golden;
mod numpy;
mod pickler;
mod pickles;
mod serde_types;
mod subclasses;
mod values;
mod visitor;
#[path = "../support/mod.rs"]
mod support;
