//! Values for people: numbers, times, counts and the names of what holds them.

pub(crate) mod bins;
pub(crate) mod columns;
pub(crate) mod fields;
pub(crate) mod float;
pub(crate) mod names;
pub(crate) mod nearest;
pub(crate) mod quantity;
#[cfg(any(feature = "plot", feature = "view"))]
pub(crate) mod reals;
pub(crate) mod units;
