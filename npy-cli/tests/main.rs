//! Tests of the real program, a module for each command.
#![allow(clippy::pedantic, clippy::unwrap_used, unreachable_pub, reason = "these are tests")]

mod archives;
mod convert;
mod info;
mod pieces;
mod schema;
mod show;
mod support;
