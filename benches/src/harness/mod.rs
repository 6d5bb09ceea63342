//! What every case shares: arguments, rounds, ratios, targets, samples and the report.
//!
//! Each module imports only from those before it, and from `peers::numpy`.

pub(crate) mod ratio;
pub(crate) mod series;
pub(crate) mod target;
pub(crate) mod outcome;
pub(crate) mod samples;
pub(crate) mod report;
pub(crate) mod random;
pub(crate) mod memory;
pub(crate) mod machine;
pub(crate) mod directory;
pub(crate) mod arguments;
pub(crate) mod case;
pub(crate) mod bench;
