//! Tests of the real program, a module for each command.
#![allow(unreachable_pub, reason = "the helpers of the workspace are public")]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod show;
mod support;
