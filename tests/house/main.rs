//! The house itself: floors, walks over dtypes, codecs of scalars, kinds of errors, names for generated code, pages made of the code, and counts in messages.

mod cookbook;
mod counts;
mod errors;
mod floors;
mod private;
mod scalars;
mod soundness;
mod walks;
