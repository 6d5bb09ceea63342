//! The command `npy`: see, understand, compare and convert NumPy's files, without Python.
//!
//! The crate is a program. Its library exists for tests of its parts; only [`main`] is stable.

#![allow(clippy::doc_markdown, reason = "the comments of arguments are help texts, which have no markup")]
#![allow(clippy::case_sensitive_file_extension_comparisons, reason = "NumPy tells arrays by `.npy` in this case alone")]
#![allow(clippy::cast_precision_loss, reason = "of sizes that people read, and of numbers in plots")]

// A module imports only from modules above it, and commands import from all of them.
mod escape;
mod failure;
mod signals;
mod threads;
mod output;
mod progress;
mod values;
mod losses;
mod input;
mod objects;
mod select;
mod formats;
mod filter;
#[cfg(any(feature = "plot", feature = "view"))]
mod colors;
#[cfg(feature = "view")]
mod view;
#[cfg(feature = "plot")]
mod plot;
mod commands;
mod cli;

pub use cli::main;

/// Applies a slice to a file in memory, for tests of the parser with any text.
#[doc(hidden)]
pub fn __slice(text: &str, file: &[u8]) -> Result<npy_core::DynValues, String> {
    let slice = || {
        let mut array = npy_core::NpyReader::new(std::io::Cursor::new(file))?;
        let selection = select::Slice::new(text)?.of(array.header())?;
        selection.read(&mut array)
    };
    slice().map_err(|failure: failure::Failure| failure.to_string())
}
