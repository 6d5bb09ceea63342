//! Archives of arrays (`.npz`): zip archives whose members are `.npy` files.
//!
//! `np.savez` and `np.savez_compressed` write them.
//!
//! ```
//! use npy_core::npz::{NpzReader, NpzWriter};
//!
//! # let path = tempfile::NamedTempFile::new()?.into_temp_path();
//! let mut archive = NpzWriter::create(&path)?;
//! archive.add_slice("times", &[0.5_f64, 1.5])?;
//! archive.add_slice("names", &["Ada".to_owned(), "Grace".to_owned()])?;
//! archive.finish()?; // np.load(path)
//!
//! let mut archive = NpzReader::open(&path)?;
//! assert_eq!(archive.names().collect::<Vec<_>>(), ["times", "names"]);
//! let times: Vec<f64> = archive.by_name("times")?;
//! assert_eq!(times, [0.5, 1.5]);
//! # Ok::<(), npy_core::Error>(())
//! ```
//!
//! Stored members are byte for byte as `np.savez` writes them. Compressed members are deflate data that
//! every reader reads, but not NumPy's bytes. They are at most 2 % larger:
//!
//! - Each block of 1 MiB is compressed independently, so that several threads can write a member
//!   ([`WriteOptions::threads`]) and read it ([`NpzReader::set_threads`]).
//! - Where a search for matches would gain nothing, as in the digits of measurements, bytes get
//!   Huffman codes alone, in a twentieth of the time.
//! - The member's entry in the central directory has an extra field with the identifier `np`,
//!   little-endian: a version (one byte, 1), the logarithm to base 2 of the bytes of content in a
//!   block (one byte), the bytes of content in the first block (four), and the bytes of each block
//!   in the archive (four each). Other readers ignore it.
//!
//! A member's checksum is checked whenever the member is read to its end. It is not checked when
//! only a part is read, or when the member is viewed in place.

// In the order in which data flow, as in the crate.
mod codec;
mod read;
mod recover;
mod write;
mod zip;
#[cfg(feature = "zip")]
mod zip_crate;

pub use read::NpzReader;
#[doc(hidden)]
pub use read::extract::leads_elsewhere;
pub use read::file::ArchiveFile;
#[doc(hidden)]
pub use read::index::Index;
pub use read::index::Surroundings;
pub use read::member::Member;
pub use read::stream::{MemberContent, NpzStream, StreamMember};
pub use recover::{Recovered, recover};
pub use write::{NpzWriter, WriteOptions};
#[doc(hidden)]
pub use zip::problem::{no_member, not_seekable, unused, wrong_size};
#[cfg(feature = "zip")]
pub use zip_crate::{ZipArchiveExt, ZipWriterExt};
#[cfg(feature = "zip")]
#[doc(hidden)]
pub use zip_crate::{find_zip_member, read_zip_member, write_zip_member};
