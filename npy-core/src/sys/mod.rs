//! System calls: disk space, huge pages, locks, processors; and libraries in C.
#![allow(unsafe_code)]

pub(crate) mod disk;
pub(crate) mod huge_pages;
#[cfg(feature = "libdeflate")]
pub(crate) mod libdeflate;
pub(crate) mod lock;
#[cfg(any(unix, windows, feature = "npz"))]
pub(crate) mod threads;
