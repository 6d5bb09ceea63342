//! The pickle machine: reads a restricted set of opcodes without running anything, and writes what NumPy writes.

pub(crate) mod arena;
pub(crate) mod error;
pub(crate) mod framing;
pub(crate) mod globals;
pub(crate) mod machine;
pub(crate) mod measure;
pub(crate) mod numpy;
pub(crate) mod opcode;
pub(crate) mod pickler;
pub(crate) mod pickler_times;
pub(crate) mod reduce;
pub(crate) mod text;
pub(crate) mod tree;
