//! Guide: a chapter for each job, and the counterparts of other libraries.
//!
//! Every example is compiled and run. Those that name `npy_core` need it as a dependency beside this
//! crate, or `use npy_ndarray::npy_core;`. Records, growing files and async code need `npy-core` alone.
//!
//! | chapter | after it you can |
//! |---|---|
//! | [`cookbook`](cookbook/index.html) | run a complete program for each job |
//! | [`records`](records/index.html) | read NumPy's record arrays into structs, and write them back |
//! | [`archives`](archives/index.html) | load an `.npz` archive into a struct, and change single members |
//! | [`any_file`](any_file/index.html) | load a file of unknown dtype or format, print it, convert it |
//! | [`maps`](maps/index.html) | use files larger than memory in place, from many processes |
//! | [`growing_files`](growing_files/index.html) | append to a file for days, and survive a crash |
//! | [`orders_and_threads`](orders_and_threads/index.html) | choose orders and threads, and how files are replaced |
//! | [`async_and_parallel`](async_and_parallel/index.html) | use rayon and tokio |
//! | [`untrusted_files`](untrusted_files/index.html) | bound what a hostile file can ask for |
//! | [`performance`](performance/index.html) | choose the fastest way, and know what it costs |
//! | [`from_numpy`](from_numpy/index.html) | find the counterpart of a function of NumPy |
//! | [`from_ndarray_npy`](from_ndarray_npy/index.html), [`from_npyz`](from_npyz/index.html) | move a program here |
//!
//! A chapter is part of the documentation if the features that it is about are on.

// Its programs need these features.
#[cfg(any(not(doctest), all(feature = "derive", feature = "mmap", feature = "npz", feature = "object")))]
#[doc = include_str!("../docs/cookbook.md")]
pub mod cookbook {}

// Each chapter is there where the features of its links and examples are on.
#[cfg(all(feature = "derive", feature = "mmap"))]
#[doc = include_str!("../docs/records.md")]
pub mod records {}

#[cfg(all(feature = "derive", feature = "npz"))]
#[doc = include_str!("../docs/archives.md")]
pub mod archives {}

#[cfg(all(feature = "npz", feature = "object", feature = "rawarray"))]
#[doc = include_str!("../docs/any-file.md")]
pub mod any_file {}

#[cfg(all(feature = "derive", feature = "mmap"))]
#[doc = include_str!("../docs/maps.md")]
pub mod maps {}

#[cfg(any(not(doctest), feature = "derive"))]
#[doc = include_str!("../docs/growing-files.md")]
pub mod growing_files {}

#[doc = include_str!("../docs/orders-and-threads.md")]
pub mod orders_and_threads {}

#[cfg(all(feature = "derive", feature = "mmap"))]
#[doc = include_str!("../docs/async-and-parallel.md")]
pub mod async_and_parallel {}

#[cfg(all(feature = "npz", feature = "object", feature = "rawarray"))]
#[doc = include_str!("../docs/untrusted-files.md")]
pub mod untrusted_files {}

#[doc = include_str!("../docs/performance.md")]
pub mod performance {}

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

// Tested here, because a crate of macros cannot depend on `npy-core` without compiling it for the host as well.
#[cfg(all(doctest, feature = "derive", feature = "npz"))]
#[doc = include_str!("../../npy-derive/src/derive.md")]
mod derive_of_records {}
#[cfg(all(doctest, feature = "derive", feature = "npz"))]
#[doc = include_str!("../../npy-derive/src/archive.md")]
mod derive_of_archives {}
