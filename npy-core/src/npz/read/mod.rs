//! Reading of archives.

// In the order of the page of `NpzReader`.
mod reader;
pub(crate) mod in_place;
pub(crate) mod extract;
#[cfg(feature = "dynamic")]
mod to_rust;

pub(crate) mod content;
pub(crate) mod directory;
pub(crate) mod file;
pub(crate) mod index;
pub(crate) mod member;
pub(crate) mod stream;
pub(crate) mod walk;

pub use reader::NpzReader;
