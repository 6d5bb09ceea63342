//! Arrays in object stores: memory, local files, an HTTP server on the loopback, and stores that fail.
#![allow(clippy::pedantic, clippy::unwrap_used, unreachable_pub, reason = "these are tests")]

mod archives;
#[cfg(feature = "azure")]
mod azure;
#[cfg(feature = "arrow")]
mod batches;
mod damage;
mod faults;
#[cfg(feature = "dynamic")]
mod golden;
#[cfg(feature = "http")]
mod http;
mod listing;
mod memory;
mod reading;
mod requests;
#[cfg(feature = "aws")]
mod s3;
#[cfg(feature = "aws")]
mod s3_server;
mod support;
mod workspace_support;
#[cfg(feature = "aws")]
use workspace_support::numpy;
mod writing;
