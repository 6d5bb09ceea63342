//! System calls: disk space, huge pages, locks, processors.
#![allow(unsafe_code)]

pub(crate) mod disk;
pub(crate) mod huge_pages;
pub(crate) mod lock;
pub(crate) mod threads;
