//! The house itself: the floors, walks over dtypes, the pages that are made of the code, and counts in messages.

mod cookbook;
mod counts;
mod floors;
mod soundness;
mod walks;
