//! The commands, one file each: the arguments, and what is done with them.

pub(crate) mod convert;
pub(crate) mod info;
