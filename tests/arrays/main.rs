//! Arrays of `ndarray`: memory orders, regions, blocks of rows.

mod from_ndarray_npy;
mod reading_orders;
mod regions;
mod rows;
mod traits;
mod writing_orders;
#[path = "../support/mod.rs"]
mod support;
