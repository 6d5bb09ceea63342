//! The dtype of an array as a plain value.

mod align;
mod ascii;
mod canonical;
mod descr;
mod invalid;
mod ml_type;
mod names;
mod numbers;
mod parse;
mod repr;
mod scalar;
mod rust_type;
#[cfg(feature = "object")]
mod text;
#[cfg(feature = "dynamic")]
pub(crate) mod to_rust;
mod tree;
mod unprintable;
mod write;

pub(crate) use canonical::Cursor;
pub(crate) use descr::{excerpt_key, from_literal};
#[cfg(feature = "dynamic")]
pub(crate) use invalid::Invalid;
pub(crate) use invalid::MOST_BYTES;
pub use ml_type::MlType;
#[cfg(feature = "object")]
pub(crate) use repr::{push_bytes_repr, push_repr, push_repr_of};
#[cfg(feature = "print")]
pub(crate) use repr::{push_escaped, push_escaped_bytes, quote_of, quote_of_bytes};
pub(crate) use rust_type::rust_type;
pub use scalar::{ByteOrder, Class, Scalar, ScalarKind, TimeUnit};
#[cfg(feature = "object")]
pub(crate) use text::{dtype_str, is_implied, short_repr};
pub use tree::{DType, Field, Record, SubArray, Title};
pub(crate) use write::{descr_room, write_descr};

#[cfg(test)]
mod tests;
