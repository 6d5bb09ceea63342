//! The command `npy`: see, understand, compare and convert NumPy's files, without Python.
//!
//! The crate is a program. Its library exists for tests of its parts; only [`main`] is stable.

// A module imports only from modules above it, and commands import from all of them.
mod escape;
mod failure;
mod signals;
mod output;
mod quantity;
mod table;
mod input;
mod export;
mod select;
mod cli;
mod command;

pub use cli::main;
