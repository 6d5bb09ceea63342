//! The workspace's own tests of arrays, with the adapter for `ndarray` 0.16 under the names of the
//! root.
//!
//! `reading_orders` and `regions` are left out: they test `npy-core` for minutes.
#![allow(clippy::duplicate_mod, clippy::pedantic, reason = "they are the workspace's")]

// Paths in the modules below begin at these names.
extern crate npy_ndarray as adapters;
extern crate self as npy_ndarray;

pub use adapters::ndarray_0_16;
pub use adapters::ndarray_0_16::*;

#[path = "../../arrays/traits.rs"]
mod arrays;
#[path = "../../dynamic/arrays.rs"]
mod dynamic;
#[path = "../../dynamic/objects.rs"]
mod dynamic_objects;
#[path = "../../npz/structs.rs"]
mod npz_archive;
#[path = "../../npz/options.rs"]
mod npz_options;
#[path = "../../rawarray/files.rs"]
mod rawarray;
#[path = "../../arrays/rows.rs"]
mod rows;
#[path = "../../npz/sparse.rs"]
mod sparse_matrices;
#[path = "../../arrays/writing_orders.rs"]
mod writing_orders;
#[path = "../../support/mod.rs"]
mod support;
