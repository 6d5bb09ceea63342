//! Pickles: a machine that executes no code, and a pickler that writes as NumPy does.

pub(crate) mod arena;
pub(crate) mod decode;
pub(crate) mod dtype;
pub(crate) mod error;
pub(crate) mod framing;
pub(crate) mod globals;
pub(crate) mod machine;
pub(crate) mod measure;
pub(crate) mod memo;
pub(crate) mod numpy;
pub(crate) mod opcode;
pub(crate) mod pickler;
pub(crate) mod reduce;
pub(crate) mod text;
pub(crate) mod tree;
pub(crate) mod walk;

#[cfg(test)]
mod tests;
