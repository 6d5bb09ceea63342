//! Arrays as text.

mod numpy;
mod text;
#[path = "../support/mod.rs"]
mod support;
