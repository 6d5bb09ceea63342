//! Hostile input: forged files, misbehaving streams, panicking callbacks.

mod allocations;
mod corpus;
mod files;
mod fuzz;
mod in_place;
mod limits;
mod panics;
mod pickles;
mod poison;
mod rawarray;
mod shrinking;
mod streams;
#[path = "../support/parts.rs"]
mod parts;
#[path = "../support/peak.rs"]
mod peak;
#[path = "../support/mod.rs"]
mod support;
mod zarr;
