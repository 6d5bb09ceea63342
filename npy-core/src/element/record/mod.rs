//! Rust structs as records: the functions that `#[derive(NpyRecord)]` calls.

mod cursor;
mod dtype;
pub(crate) mod fields;
mod names;

pub use cursor::{Cursor, largest};
pub use dtype::{RecordBuilder, copies, dtype_of_record, each};
pub use fields::{FieldPlan, FileRecord, NpyRecord, plan_filled_record, plan_record, plan_whole_record, unknown_variant};
pub use names::{FieldName, distinct};
