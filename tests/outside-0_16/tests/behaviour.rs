//! The workspace's own tests of arrays, with the adapter for `ndarray` 0.16 under the names of the root.
//!
//! `reading_orders` and `regions` are left out: they test `npy-core` for minutes.
#![allow(clippy::duplicate_mod, clippy::pedantic, reason = "they are the workspace's")]

// Paths in the modules below begin at these names.
extern crate npy_ndarray as adapters;
extern crate self as npy_ndarray;

pub use adapters::ndarray_0_16;
pub use adapters::ndarray_0_16::*;

#[path = "../../arrays.rs"]
mod arrays;
#[path = "../../dynamic.rs"]
mod dynamic;
#[path = "../../dynamic_objects.rs"]
mod dynamic_objects;
#[path = "../../folders.rs"]
mod folders;
#[path = "../../npz_archive.rs"]
mod npz_archive;
#[path = "../../npz_options.rs"]
mod npz_options;
#[path = "../../rawarray.rs"]
mod rawarray;
#[path = "../../rows.rs"]
mod rows;
#[path = "../../sparse.rs"]
mod sparse_matrices;
#[path = "../../writing_orders.rs"]
mod writing_orders;
