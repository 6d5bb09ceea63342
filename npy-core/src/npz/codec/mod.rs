//! Compression of members: decoders of five methods, and the deflate encoder.

pub(crate) mod blocks;
pub(crate) mod compress;
pub(crate) mod decoder;
pub(crate) mod deflate;
pub(crate) mod inflate;
pub(crate) mod input;
