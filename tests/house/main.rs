//! The house itself: the floors, the pages that are made of the code, and counts in messages.

mod cookbook;
mod counts;
mod floors;
mod soundness;
