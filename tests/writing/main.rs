//! Saving, replacing and growing files.

mod allocations;
mod durable;
mod byte_order;
mod growing;
mod saving;
#[path = "../support/peak.rs"]
mod peak;
#[path = "../support/mod.rs"]
mod support;
