//! Archives with other members, or with other names for them.

mod archive;
mod members;
mod set;

pub(crate) use members::{Mv, Rm, mv, rm};
pub(crate) use set::{Set, set};
