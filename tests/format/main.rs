//! Headers and dtypes: files by many NumPy versions, random headers, messages, pages.

mod dtype_page;
mod errors;
mod golden;
mod messages;
mod properties;
mod to_rust;
#[path = "../support/mod.rs"]
mod support;
