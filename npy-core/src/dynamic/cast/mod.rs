//! Casts numbers by the rules of `numpy.can_cast`.

mod floats;
mod items;
mod ml;
mod number;
mod rule;
mod values;
mod wide;

pub use number::NpyNumber;
pub use rule::Casting;
