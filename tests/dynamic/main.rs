//! Arrays whose dtype is known at run time.

mod arrays;
mod ml_types;
mod objects;
#[path = "../support/mod.rs"]
mod support;
