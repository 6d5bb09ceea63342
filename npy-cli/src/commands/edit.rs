//! Archives with other members, or with other names for them.

mod archive;
mod members;
mod merge;
mod set;

pub(crate) use members::{Mv, Rm, mv, rm};
pub(crate) use merge::{Merge, merge};
pub(crate) use set::{Set, set};
