//! Arrays out of archives by the crate `zip` alone, and inflated by libdeflate.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use libdeflater::Decompressor;
use zip::ZipArchive;

/// Bytes of a piece that is read and turned into numbers, which is as much as stays in the second-level cache.
const PIECE: usize = 256 << 10;

/// The members of an archive one after another, each a one-dimensional array.
pub(crate) struct ZipByHand {
    archive: ZipArchive<File>,
    piece: Vec<u8>,
}

/// A member as it stands in the archive.
pub(crate) struct Deflated {
    bytes: Vec<u8>,
    size: usize,
}

impl ZipByHand {
    /// Opens an archive.
    pub(crate) fn open(path: &Path) -> Self {
        Self { archive: ZipArchive::new(File::open(path).unwrap()).unwrap(), piece: vec![0; PIECE] }
    }

    /// How many members there are.
    pub(crate) fn count(&self) -> usize {
        self.archive.len()
    }

    /// The elements of one member, of `N` bytes each. Nothing is done twice: a piece of the member becomes elements while it is in the cache.
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

    /// One member, not inflated.
    pub(crate) fn deflated(&mut self, index: usize) -> Deflated {
        let mut member = self.archive.by_index_raw(index).unwrap();
        let size = usize::try_from(member.size()).unwrap();
        let mut bytes = Vec::new();
        member.read_to_end(&mut bytes).unwrap();
        Deflated { bytes, size }
    }
}

impl Deflated {
    /// How many bytes it has inflated.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Inflates it by libdeflate, which has all of it in memory, and does not check its sum.
    pub(crate) fn inflate_into(&self, inflater: &mut Decompressor, buffer: &mut [u8]) {
        let count = inflater.deflate_decompress(&self.bytes, &mut buffer[..self.size]).unwrap();
        assert_eq!(count, self.size);
    }
}

/// Reads the header of a `.npy` file to its end, and gives its length.
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
    fn members_come_out_as_they_went_in() {
        let path = std::env::temp_dir().join(format!("npy-bench-zip-{}.npz", std::process::id()));
        // More than a piece, which does not end where one does.
        let items: Vec<_> = (0..100_001_u32).map(|i| f64::from(i).sqrt()).collect();
        for is_compressed in [false, true] {
            let mut writer = NpzWriter::create(&path).unwrap();
            writer.set_compressed(is_compressed);
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
