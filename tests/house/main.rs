//! The house itself: the floors, the page of `unsafe`, and counts in messages.

mod counts;
mod floors;
mod soundness;
