//! Casts numbers by the rules of `numpy.can_cast`.

mod floats;
mod items;
mod ml;
mod number;
mod rule;
mod values;

pub use items::cast_items;
pub use number::{NpyNumber, Span, Wide};
pub use rule::{Casting, Class, no_numbers};
