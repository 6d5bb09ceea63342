//! What must hold for any bytes: no panic, and every way to the same result agrees.

mod archives;
mod arrays;
mod files;
mod growth;
mod headers;
mod values;

pub use archives::{append, deflate, npz};
pub use arrays::{print, regions, round_trip};
pub use files::{dynamic, objects, rawarray, typed};
pub use growth::growth;
pub use headers::{dtype, header};

/// Both have a value, or both an error; returns the values. Where two things are wrong, which of them
/// is said depends on the way.
fn same_verdict<A, B>(one: npy_core::Result<A>, other: npy_core::Result<B>, what: &str) -> Option<(A, B)> {
    match (one, other) {
        (Ok(one), Ok(other)) => Some((one, other)),
        (Err(_), Err(_)) => None,
        (Ok(_), Err(error)) => panic!("{what}: only the second one fails: {error}"),
        (Err(error), Ok(_)) => panic!("{what}: only the first one fails: {error}"),
    }
}
