//! Words with a meaning: on the command line, and in text for values.

use clap::ValueEnum;
use npy_core::Order;

/// What is missing in columns of numbers and times, unless --na says otherwise.
pub(crate) const MISSING: [&str; 10] = ["NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "Null", "null", "None", "NaT"];

/// The order of elements, as NumPy names it.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum OrderName {
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
