//! Reading and writing `.ra` files of the RawArray format.

mod files;
mod peers;
#[path = "../support/mod.rs"]
mod support;
