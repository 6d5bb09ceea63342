//! The house itself: the floors, walks over dtypes, codecs of scalars, the pages that are made of the code, and counts in messages.

mod cookbook;
mod counts;
mod floors;
mod scalars;
mod soundness;
mod walks;
