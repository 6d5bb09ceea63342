//! System calls: space on disk, huge pages, locks, files opened relative to a directory, processors.
#![allow(unsafe_code)]

pub(crate) mod disk;
pub(crate) mod huge_pages;
pub(crate) mod lock;
#[cfg(unix)]
pub(crate) mod open_at;
pub(crate) mod threads;
