//! Tests of the real program, a module for each command.
#![allow(clippy::pedantic, clippy::unwrap_used, unreachable_pub, reason = "these are tests")]

mod archives;
mod convert;
mod info;
mod pieces;
#[cfg(feature = "plot")]
mod plot;
mod schema;
mod show;
#[cfg(all(unix, feature = "view"))]
mod terminal;
#[cfg(all(unix, feature = "view"))]
mod view;
mod support;
