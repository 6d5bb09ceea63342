//! What a command reads: `FILE`, `FILE:MEMBER`, `FILE#N` or `-`, in any of the formats, array by array.

mod array;
pub(crate) mod arrays;
mod below;
mod file;
mod kept;
mod looks;
mod members;
mod open;
mod part;
pub(crate) mod parts;
pub(crate) mod paths;
pub(crate) mod pieces;
pub(crate) mod source;
mod stream;
mod unread;

pub(crate) use array::{
    Array, MOST_MEMORY, copy, in_memory, not_spooled, object_options, row_bytes, rows_of, spool, spooled, spooled_with_rest,
    write_whole,
};
pub(crate) use file::Input;
pub(crate) use kept::{Extent, Keep, Kept, Stored};
pub(crate) use looks::text_transfer;
#[cfg(feature = "plot")]
pub(crate) use members::member_beside;
pub(crate) use members::{array_of, expected_one, member_named, members_named};
pub(crate) use open::{Named, Other, expand_patterns};
pub(crate) use part::{Part, STANDARD_INPUT, is_on_disk, path_of, split, standard_input};
pub(crate) use stream::{Prefixed, Spool};
pub(crate) use unread::{are_same, behind_array_of_stream, beside_members, is_shadowed};
