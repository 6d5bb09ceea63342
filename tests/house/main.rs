//! The house itself: the floors, and the page of `unsafe`.

mod floors;
mod soundness;
