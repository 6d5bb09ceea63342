//! What every case shares: arguments, rounds, ratios, targets and the report.

pub(crate) mod ratio;
pub(crate) mod outcome;
pub(crate) mod target;
pub(crate) mod report;
pub(crate) mod random;
pub(crate) mod memory;
pub(crate) mod machine;
pub(crate) mod directory;
pub(crate) mod arguments;
pub(crate) mod case;
pub(crate) mod bench;
