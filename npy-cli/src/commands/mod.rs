//! The commands, one file each: the arguments, and what is done with them.

mod batch;
pub(crate) mod cat;
pub(crate) mod complete;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod edit;
pub(crate) mod generate;
pub(crate) mod glance;
pub(crate) mod hash;
pub(crate) mod info;
mod order;
#[cfg(feature = "plot")]
pub(crate) mod plot;
pub(crate) mod recover;
pub(crate) mod repack;
pub(crate) mod sample;
pub(crate) mod schema;
mod shells;
pub(crate) mod show;
pub(crate) mod split;
pub(crate) mod sql;
pub(crate) mod stats;
pub(crate) mod verify;
#[cfg(feature = "view")]
pub(crate) mod view;
