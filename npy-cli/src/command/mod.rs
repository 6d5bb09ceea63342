//! The commands, one file each: the arguments, and what is done with them.

pub(crate) mod info;
pub(crate) mod show;
