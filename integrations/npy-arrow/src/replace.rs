//! Files of other formats, replaced as atomically as `.npy` files.

use std::path::Path;

use npy_core::__private::{Output, replace_file};
use npy_core::{Error, Result};

use crate::error::failed_before;

/// Replaces the file at `path` by what `write` writes. After an error the old one is untouched.
pub(crate) fn replace<A>(path: &Path, write: impl FnOnce(&mut Output) -> Result<A>) -> Result<A> {
    let mut result = None;
    let replaced = replace_file(path, |output| match write(output) {
        Ok(value) => {
            result = Some(Ok(value));
            Ok(())
        }
        Err(error) => {
            result = Some(Err(error.with_path(path)));
            // Any error keeps the old file; that of `write` is reported.
            Err(Error::failed_before("write the file", None))
        }
    });
    match result {
        Some(Err(error)) => Err(error),
        Some(Ok(value)) => replaced.map(|()| value),
        None => Err(replaced.err().unwrap_or_else(failed_before)),
    }
}
