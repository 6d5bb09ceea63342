//! What the tests of the whole workspace share: where it is, and how much memory is taken.

#[cfg(any(feature = "aws", feature = "azure", feature = "dynamic"))]
#[path = "../../../tests/support/base.rs"]
mod base;
#[cfg(feature = "aws")]
#[path = "../../../tests/support/numpy.rs"]
pub mod numpy;
#[allow(dead_code, unsafe_code, reason = "tests of the other crates use the rest; an allocator is unsafe")]
#[path = "../../../tests/support/peak.rs"]
pub mod peak;

#[cfg(any(feature = "aws", feature = "azure", feature = "dynamic"))]
#[allow(unused_imports, reason = "each store uses a part")]
pub use base::announce;
#[cfg(feature = "aws")]
pub use base::workspace;
#[cfg(feature = "dynamic")]
pub use base::{data, files_below};
