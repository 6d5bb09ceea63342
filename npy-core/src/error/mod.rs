//! The one error type of the workspace.

mod common;
pub(crate) mod describe;
#[expect(clippy::module_inception, reason = "the type of the room has its name")]
mod error;
mod foreign;
mod io;
mod kind;
mod value;

pub(crate) use describe::excerpt;
#[doc(hidden)]
pub use describe::{axes, describe_start, first_names, tuple};
pub use describe::{no_field, rust_type};
pub use error::{Error, Result};
pub use foreign::ForeignFormat;
pub use kind::ErrorKind;
#[doc(hidden)]
pub use value::ValueError;
