//! Reading and writing `.npz` archives.

mod blocks;
mod damage;
mod golden;
mod growing;
mod huffman;
mod numpy;
mod options;
mod reading;
mod sparse;
mod states;
mod structs;
mod writing;
mod zip_crate;
#[path = "../support/peak.rs"]
mod peak;
#[path = "../support/mod.rs"]
mod support;
