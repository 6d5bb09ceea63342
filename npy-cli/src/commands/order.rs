//! The order of elements on the command line.

use clap::ValueEnum;
use npy_core::{Header, Order};

/// The order of an array in words.
pub(super) fn order_name(header: &Header) -> &'static str {
    if header.order() == Order::C { "C" } else { "Fortran" }
}

/// The order of elements, as NumPy names it.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum OrderName {
    /// The last axis varies fastest
    #[value(name = "C", alias = "c")]
    C,
    /// The first axis varies fastest
    #[value(name = "F", alias = "f")]
    F,
}

impl From<OrderName> for Order {
    fn from(name: OrderName) -> Self {
        match name {
            OrderName::C => Self::C,
            OrderName::F => Self::Fortran,
        }
    }
}
