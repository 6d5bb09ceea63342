//! The command `npy`, run as a user runs it.
#![allow(clippy::pedantic, clippy::unwrap_used, unreachable_pub, reason = "these are tests")]

mod archives;
mod diff;
mod info;
mod pieces;
mod schema;
mod stats;
mod support;
mod verify;
mod workspace_support;
