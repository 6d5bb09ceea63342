//! Arrays from archives by the crate `zip` alone, and members inflated by libdeflate.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use libdeflater::Decompressor;
use zip::ZipArchive;

/// The bytes decoded at a time, which stay in the second-level cache.
const PIECE: usize = 256 << 10;

/// An archive whose members are one-dimensional arrays.
pub(crate) struct ZipByHand {
    archive: ZipArchive<File>,
    piece: Vec<u8>,
}

/// A compressed member.
pub(crate) struct Deflated {
    bytes: Vec<u8>,
    size: usize,
}

impl ZipByHand {
    /// Opens an archive.
    pub(crate) fn open(path: &Path) -> Self {
        Self { archive: ZipArchive::new(File::open(path).unwrap()).unwrap(), piece: vec![0; PIECE] }
    }

    /// The number of members.
    pub(crate) fn count(&self) -> usize {
        self.archive.len()
    }

    /// Reads the elements of one member, of `N` bytes each, a cache-sized piece at a time.
    pub(crate) fn elements<T, const N: usize>(&mut self, name: &str, from_bytes: impl Fn([u8; N]) -> T) -> Vec<T> {
        let mut member = self.archive.by_name(&format!("{name}.npy")).unwrap();
        let size = usize::try_from(member.size()).unwrap();
        let data = size - skip_header(&mut member);
        let mut elements = Vec::with_capacity(data / N);
        let mut rest = data;
        while rest > 0 {
            let piece = &mut self.piece[..rest.min(PIECE)];
            member.read_exact(piece).unwrap();
            rest -= piece.len();
            elements.extend(piece.as_chunks::<N>().0.iter().map(|bytes| from_bytes(*bytes)));
        }
        elements
    }

    /// Reads one member without inflating it.
    pub(crate) fn deflated(&mut self, index: usize) -> Deflated {
        let mut member = self.archive.by_index_raw(index).unwrap();
        let size = usize::try_from(member.size()).unwrap();
        let mut bytes = Vec::new();
        member.read_to_end(&mut bytes).unwrap();
        Deflated { bytes, size }
    }
}

impl Deflated {
    /// The size once inflated.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Inflates the member by libdeflate, without verifying its checksum.
    pub(crate) fn inflate_into(&self, inflater: &mut Decompressor, buffer: &mut [u8]) {
        let count = inflater.deflate_decompress(&self.bytes, &mut buffer[..self.size]).unwrap();
        assert_eq!(count, self.size);
    }
}

/// Skips the header of a `.npy` file and returns its length.
fn skip_header(member: &mut impl Read) -> usize {
    let mut begin = [0; 10];
    member.read_exact(&mut begin).unwrap();
    let length = usize::from(u16::from_le_bytes([begin[8], begin[9]]));
    member.read_exact(&mut vec![0; length]).unwrap();
    begin.len() + length
}

#[cfg(test)]
mod tests {
    use std::fs;

    use npy_core::npz::NpzWriter;

    use super::*;

    #[test]
    fn reads_what_was_written() {
        let path = std::env::temp_dir().join(format!("npy-bench-zip-{}.npz", std::process::id()));
        // More than a piece, and not a multiple of one.
        let items: Vec<_> = (0..100_001_u32).map(|i| f64::from(i).sqrt()).collect();
        for is_compressed in [false, true] {
            let mut writer = NpzWriter::create(&path).unwrap();
            writer.set_options(writer.options().compressed(is_compressed));
            writer.add_slice("items", &items).unwrap();
            writer.finish().unwrap();
            let mut archive = ZipByHand::open(&path);
            assert_eq!(archive.elements("items", f64::from_le_bytes), items);
            if is_compressed {
                let member = archive.deflated(0);
                let mut buffer = vec![0; member.size()];
                member.inflate_into(&mut Decompressor::new(), &mut buffer);
                let last = buffer.last_chunk().map(|bytes| f64::from_le_bytes(*bytes));
                assert_eq!((archive.count(), last), (1, items.last().copied()));
            }
        }
        fs::remove_file(&path).unwrap();
    }
}
