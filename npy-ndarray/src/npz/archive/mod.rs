//! A struct for a whole archive.

mod value;
mod read;
mod write;
mod structs;
mod field;
mod map;

pub use field::{IsArchive, IsScalar, IsValue, NpzField};
pub use read::{Pending, ReadPlan};
pub use structs::NpzArchive;
pub use value::NpzValue;
pub use write::MemberWriter;
