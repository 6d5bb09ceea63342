//! Headers, dtypes and error messages, checked against files of many NumPy versions.

mod dtype_page;
mod errors;
mod golden;
mod messages;
mod properties;
mod texts;
mod to_rust;
#[path = "../support/mod.rs"]
mod support;
