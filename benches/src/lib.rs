//! What the benchmarks share: rounds in which the candidates take turns, NumPy as one of them, and room for files.

mod comparison;
mod numpy;
mod room;

pub use comparison::{Comparison, compare, time_of};
pub use numpy::{Worker, quote};
pub use room::{Folder, require_memory};
