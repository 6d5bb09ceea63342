//! The bodies of the fuzz targets, which are functions of bytes.
//!
//! `tests/hostile/fuzz.rs` runs those of [`targets`] as ordinary tests: on all findings, and on
//! mutated fixtures.

#[cfg(feature = "integrations")]
pub mod integrations;
pub mod targets;
