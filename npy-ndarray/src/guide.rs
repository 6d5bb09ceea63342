//! Pages for those who come from other libraries. Every example on them is compiled and run.

// The page of all features.
#[cfg(all(feature = "mmap", feature = "npz", feature = "object", feature = "rawarray"))]
#[doc = include_str!("../docs/from-numpy.md")]
pub mod from_numpy {}

// Its examples need these features; the page itself needs none.
#[cfg(any(not(doctest), all(feature = "complex", feature = "derive", feature = "mmap", feature = "npz")))]
#[doc = include_str!("../docs/from-ndarray-npy.md")]
pub mod from_ndarray_npy {}

#[cfg(any(not(doctest), all(feature = "derive", feature = "npz")))]
#[doc = include_str!("../docs/from-npyz.md")]
pub mod from_npyz {}
