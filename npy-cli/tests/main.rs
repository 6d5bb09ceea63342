//! Tests of the real program, a module for each command.
#![allow(clippy::pedantic, clippy::unwrap_used, unreachable_pub, reason = "these are tests")]

mod archives;
mod arrow;
mod complete;
mod convert;
mod diff;
mod door;
mod edit;
mod hash;
mod hints;
mod help;
#[cfg(feature = "plot")]
mod images;
mod in_place;
mod joined;
mod fields;
mod filter;
mod formats;
mod info;
mod inside;
mod json;
mod object_values;
mod objects;
mod members;
mod merge;
#[cfg(unix)]
mod names;
#[path = "../../tests/support/parts.rs"]
mod parts;
mod pieces;
#[cfg(feature = "plot")]
mod plot;
mod schema;
#[cfg(all(unix, feature = "plot", feature = "view"))]
mod screen;
mod set;
mod several;
mod show;
#[cfg(all(unix, feature = "plot", feature = "view"))]
mod sixel;
mod slices;
#[cfg(unix)]
mod sql;
mod stats;
#[cfg(all(unix, feature = "view"))]
mod terminal;
#[cfg(all(unix, feature = "view"))]
mod view;
mod verify;
mod support;
mod tail;
