//! Keys of the metadata of a schema and of its fields, in which a dtype survives Arrow.

/// The key of a schema's metadata that has the dtype of a row.
pub const DESCR: &str = "npy:descr";

/// The key of a schema's metadata that marks an array without axes.
pub const SHAPE: &str = "npy:shape";

/// The key of a field's metadata that has the dtype of a time stored as `Int64`, or in a finer unit.
pub const DTYPE: &str = "npy:dtype";
