//! Archives in archives, which are extracted to be checked: their number of levels and their bytes are limited.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use npy_core::npz::{ArchiveFile, NpzReader};
use tempfile::TempDir;

use crate::failure::{Failure, Result};
use crate::signals;
use crate::values::quantity;

/// Archives in archives are followed to this depth.
const DEPTH: usize = 4;

/// The archives in a file may have this many times its bytes. Their members are rarely compressed twice.
const FACTOR: u64 = 32;

/// The bytes that a small file may have in any case.
const LEAST: u64 = 1 << 30;

/// The bytes of the archives in a file that are extracted at most, in sum.
pub(super) struct Budget<'a> {
    extracted: &'a AtomicU64,
    file_bytes: u64,
}

impl<'a> Budget<'a> {
    /// For a file of this length. `extracted` counts the bytes of archives in it.
    pub(super) fn new(extracted: &'a AtomicU64, file_bytes: u64) -> Self {
        Self { extracted, file_bytes }
    }

    /// Counts bytes, unless they are too many.
    fn take(&self, bytes: u64) -> Result<()> {
        let most = self.file_bytes.saturating_mul(FACTOR).max(LEAST);
        let sum = |extracted: u64| extracted.checked_add(bytes).filter(|sum| *sum <= most);
        self.extracted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum).map_err(|extracted| {
            let (found, most) = (quantity::bytes(extracted.saturating_add(bytes)), quantity::bytes(most));
            let file = quantity::bytes(self.file_bytes);
            Failure::Nameless(format!(
                "too large to extract: expected at most {most} of archives in a file of {file}, found {found}; \
                 extract it and verify it by itself"
            ))
        })?;
        Ok(())
    }
}

/// An archive, or one in it.
pub(super) struct Level<'a> {
    /// The names of the archives around its members, each with a colon.
    pub(super) prefix: String,
    depth: usize,
    budget: &'a Budget<'a>,
}

impl<'a> Level<'a> {
    /// A whole file.
    pub(super) fn first(budget: &'a Budget<'a>) -> Self {
        Self { prefix: String::new(), depth: 1, budget }
    }

    /// The archive that a member of this name is.
    pub(super) fn below(&self, name: &str) -> Self {
        Self { prefix: format!("{name}:"), depth: self.depth + 1, budget: self.budget }
    }
}

/// An archive that was extracted, and is removed with it. A signal must not leave it.
pub(super) struct Inner {
    pub(super) archive: NpzReader<ArchiveFile>,
    _directory: TempDir,
    _guard: signals::Guard,
}

/// Checks a member that is not an array. Returns the archive that it is, which is still to be checked.
pub(super) fn extract(archive: &mut NpzReader<ArchiveFile>, index: usize, level: &Level<'_>) -> Result<Option<Inner>> {
    let extension = Path::new(archive.full_name(index).unwrap_or_default()).extension();
    let may_be_archive = extension.is_some_and(|extension| extension == "npz" || extension == "zip");
    if !may_be_archive || level.depth >= DEPTH {
        archive.verify_member(index).map_err(nameless)?;
        return Ok(None);
    }
    // A member that has more bytes than it claims is damaged, and is not read further.
    level.budget.take(archive.size(index).unwrap_or_default())?;
    let failed = |error: io::Error| Failure::Nameless(format!("cannot create a temporary directory: {error}"));
    let guard = signals::Guard::new();
    let directory = tempfile::tempdir().map_err(failed)?;
    let path = archive.extract(index, directory.path()).map_err(nameless)?;
    signals::check()?;
    if !path.is_file() || !starts_like_an_archive(&path) {
        return Ok(None);
    }
    Ok(Some(Inner { archive: NpzReader::open(&path).map_err(nameless)?, _directory: directory, _guard: guard }))
}

/// The failure without the names of the file and the member, which are known.
pub(super) fn nameless(error: npy_core::Error) -> Failure {
    Failure::Nameless(format!("{:#}", error.without_path()))
}

/// Whether the file begins like an archive.
fn starts_like_an_archive(path: &Path) -> bool {
    let mut front = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut front)).is_ok() && front == *b"PK\x03\x04"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_limited_in_sum_and_by_the_file() {
        let extracted = AtomicU64::new(0);
        let budget = Budget::new(&extracted, 1000);
        budget.take(LEAST - 10).unwrap();
        assert_eq!(
            budget.take(11).unwrap_err().to_string(),
            "too large to extract: expected at most 1.00 GiB of archives in a file of 1000 B, found 1.00 GiB; \
             extract it and verify it by itself"
        );
        budget.take(10).unwrap();
        budget.take(u64::MAX).unwrap_err();
        Budget::new(&extracted, 1 << 30).take(FACTOR << 29).unwrap();
    }
}
