//! The content of a member: decompressed, counted and checked against its CRC.

use std::io::{self, Read};

use super::super::codec::decoder::Decoder;
use super::super::codec::input::Input;
use super::super::zip::problem::{archive, cannot_read, damaged, trailing, unused, wrong_size};
use super::super::zip::records::Claim;
use crate::error::describe::counted;
use crate::error::{Error, Result};
use crate::memory::ReadBuf;

/// Bytes that are given before their checksum is taken: few enough that they are still in the
/// cache, and enough that a decompressor, which keeps a copy of the last ones whenever it stops,
/// stops seldom.
const STEP_BYTES: usize = 1 << 20;

/// How far the content of a member was read.
pub(crate) struct Content {
    decoder: Decoder,
    /// Bytes that are left; `None` where nobody knows.
    left: Option<u64>,
    /// Bytes that were given.
    size: u64,
    /// How many there may be.
    most: u64,
    /// `None` once bytes were skipped.
    crc: Option<crc32fast::Hasher>,
    /// Whether the compressed data have ended.
    is_at_end: bool,
}

impl Content {
    /// A content of `size` bytes, or of any number; `most` is the limit.
    pub(crate) fn new(decoder: Decoder, size: Option<u64>, most: u64) -> Self {
        Self { decoder, left: size, size: 0, most, crc: Some(crc32fast::Hasher::new()), is_at_end: false }
    }

    pub(crate) fn is_stored(&self) -> bool {
        self.decoder.is_stored()
    }

    /// Whether the compressed data have ended.
    pub(crate) fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    /// Whether nothing tells where it ends.
    pub(crate) fn is_endless(&self) -> bool {
        self.left.is_none() && self.is_stored()
    }

    /// Notes how many bytes are left of a content that does not tell itself where it ends.
    pub(crate) fn set_end(&mut self, left: u64) {
        if self.is_endless() {
            self.left = Some(left);
        }
    }

    /// Records that the input of a stored content of known size was moved to `position`. The
    /// checksum is not checked any more.
    pub(crate) fn move_to(&mut self, position: u64) {
        self.left = self.left.map(|left| (left + self.size).saturating_sub(position));
        self.size = position;
        self.crc = None;
    }

    /// Reads at most `most` of the remaining bytes; nothing at the end.
    pub(crate) fn fill<R: Read>(&mut self, input: &mut Input<R>, buf: &mut ReadBuf<'_>, most: u64) -> io::Result<()> {
        self.check_limit()?;
        if self.is_at_end || self.left == Some(0) || buf.is_full() {
            return Ok(());
        }
        let Self { decoder, left, is_at_end, .. } = self;
        let most = left.map_or(most, |left| left.min(most));
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(STEP_BYTES);
        let given = buf.fill_at_most(most, |buf| {
            *is_at_end = decoder.fill(input, buf)?;
            Ok(())
        })?;
        if let Some(crc) = &mut self.crc {
            crc.update(given);
        }
        let count = given.len() as u64;
        self.size += count;
        if let Some(left) = &mut self.left {
            if count == 0 && decoder.is_stored() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            *left -= count;
        }
        self.check_limit()
    }

    /// Takes the next bytes as given: whole blocks of deflate data, after the last few bytes of the
    /// block before. Fails if that does not end there, so that they cannot be the next.
    pub(crate) fn take_blocks(&mut self, before: &[u8], bytes: u64, crc: &crc32fast::Hasher, is_end: bool) -> io::Result<()> {
        self.decoder.begin_block(before)?;
        let Some(left) = self.left.and_then(|left| left.checked_sub(bytes)) else {
            self.decoder.fail();
            return Err(damaged());
        };
        if let Some(all) = &mut self.crc {
            all.combine(crc);
        }
        self.size += bytes;
        self.left = Some(left);
        self.is_at_end = is_end;
        Ok(())
    }

    fn check_limit(&self) -> io::Result<()> {
        if self.size <= self.most {
            return Ok(());
        }
        Err(Error::limit_exceeded("bytes of a member", self.most, self.size).into())
    }

    /// Reads at most that many remaining bytes and checks the content against its checksum and
    /// size. `claim` reads these where they follow the data.
    pub(crate) fn finish<R: Read>(
        &mut self,
        input: &mut Input<R>,
        most: Option<u64>,
        claim: impl FnOnce(&mut Input<R>) -> Result<Claim>,
    ) -> Result<()> {
        let claim = self.finish_data(input, most, claim)?;
        self.check(&claim)
    }

    /// [`finish`](Self::finish) without the checksum, which [`check`](Self::check) checks: the
    /// position of the next member is known then.
    pub(crate) fn finish_data<R: Read>(
        &mut self,
        input: &mut Input<R>,
        most: Option<u64>,
        claim: impl FnOnce(&mut Input<R>) -> Result<Claim>,
    ) -> Result<Claim> {
        let mut scratch = [0; 4096];
        let begin = self.size;
        loop {
            let before = self.size;
            if most.is_some_and(|most| before - begin > most) {
                return Err(trailing(before - begin));
            }
            match self.fill(input, &mut ReadBuf::over(&mut scratch), u64::MAX) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(cannot_read(error)),
                // The end of compressed data may come without another byte.
                Ok(()) if self.size == before => break,
                Ok(()) => {}
            }
        }
        if let Some(left @ 1..) = self.left {
            return Err(wrong_size(self.size + left, self.size));
        }
        if !self.is_at_end && !self.is_stored() {
            self.expect_end(input)?;
        }
        if let Some(bytes @ 1..) = input.left() {
            return Err(unused(bytes));
        }
        let compressed = input.used();
        let claim = claim(input)?;
        if claim.size != self.size {
            return Err(wrong_size(claim.size, self.size));
        }
        if claim.compressed != compressed {
            return Err(archive(format!("expected {} of data, found {compressed}", counted(claim.compressed, "byte"))));
        }
        Ok(claim)
    }

    /// Checks the checksum of the content, all of which was read.
    pub(crate) fn check(&self, claim: &Claim) -> Result<()> {
        let expected = claim.crc;
        match self.crc.clone().map(crc32fast::Hasher::finalize) {
            Some(found) if found != expected => {
                Err(archive(format!("wrong checksum: expected {expected:#010x}, found {found:#010x}; the data are damaged")))
            }
            _ => Ok(()),
        }
    }

    /// All bytes were given; sees that the compressed data end there.
    fn expect_end<R: Read>(&mut self, input: &mut Input<R>) -> Result<()> {
        let mut more = [0];
        while !self.is_at_end {
            let mut buf = ReadBuf::over(&mut more);
            let result = self.decoder.fill(input, &mut buf);
            if buf.filled() > 0 {
                // Otherwise another call would meet the end, and succeed.
                self.decoder.fail();
                return Err(wrong_size(self.size, self.size + 1));
            }
            match result {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(cannot_read(error)),
                Ok(is_at_end) => self.is_at_end = is_at_end,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A source of a few bytes at a time, each after an interruption.
    struct Trickle<'a>(&'a [u8], bool);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let most = buffer.len().min(3);
            self.0.read(&mut buffer[..most])
        }
    }

    const STORED: u16 = 0;
    const DEFLATED: u16 = 8;
    const BYTES: u64 = 5000;

    /// Bytes, and how they are stored by a method.
    fn data(method: u16) -> (Vec<u8>, Vec<u8>) {
        let bytes: Vec<u8> = (0..BYTES).map(|i| (i * i % 251) as u8).collect();
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&bytes).unwrap();
        let stored = if method == STORED { bytes.clone() } else { encoder.finish().unwrap() };
        (bytes, stored)
    }

    /// Reads `first` bytes of a content, then finishes it. Returns the error, and how many bytes were
    /// counted.
    fn finished(method: u16, stored: &[u8], size: Option<u64>, limits: [u64; 2], first: u64, claim: Claim) -> (String, u64) {
        let [most, most_behind] = limits;
        let mut input = Input::new(Trickle(stored, false), |reader, buf| buf.read_from(reader));
        input.begin(Some(stored.len() as u64));
        let mut content = Content::new(Decoder::new(method, false, size).unwrap(), size, most);
        let mut given = vec![0; usize::try_from(first).unwrap()];
        let mut buf = ReadBuf::over(&mut given);
        while !buf.is_full() {
            let before = buf.filled();
            match content.fill(&mut input, &mut buf, first - before as u64) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return (Error::from(error).to_string(), content.size),
                Ok(()) if buf.filled() == before => break,
                Ok(()) => {}
            }
        }
        let result = content.finish(&mut input, Some(most_behind), |_| Ok(claim));
        (result.map_or_else(|error| format!("{error:#}"), |()| "whole".to_owned()), content.size)
    }

    #[test]
    fn contents_are_checked_however_they_are_read() {
        for method in [STORED, DEFLATED] {
            let (bytes, stored) = data(method);
            let claim = Claim { crc: crc32fast::hash(&bytes), size: BYTES, compressed: stored.len() as u64 };
            let limits = [u64::MAX; 2];
            let check = |stored: &[u8], size, limits, first, claim| finished(method, stored, size, limits, first, claim);
            for first in [0, 1, 4999, 5000, 5001] {
                for size in [Some(BYTES), None].into_iter().filter(|size| size.is_some() || method != STORED) {
                    assert_eq!(check(&stored, size, limits, first, claim), ("whole".to_owned(), BYTES), "{method} {first}");
                    let (error, _) = check(&stored, size, limits, first, Claim { crc: 1, ..claim });
                    assert!(error.contains("checksum"), "{error}");
                    let (error, _) = check(&stored, size, limits, first, Claim { size: 4999, ..claim });
                    assert!(error.contains("4999"), "{error}");
                    let (error, _) = check(&stored, size, limits, first, Claim { compressed: 7, ..claim });
                    assert!(error.contains('7'), "{error}");
                    // One byte of the input is left, or missing.
                    let (error, _) = check(&[&stored[..], b"x"].concat(), size, limits, first, claim);
                    assert_ne!(error, "whole");
                    let (error, _) = check(&stored[..stored.len() - 1], size, limits, first, claim);
                    assert_ne!(error, "whole");
                }
                // It has one byte more, or less, than was said.
                for size in [BYTES - 1, BYTES + 1] {
                    let (error, _) = check(&stored, Some(size), limits, first, Claim { size, ..claim });
                    assert_ne!(error, "whole", "{method} {first} {size}");
                }
                // As many as there may be, and one more.
                assert_eq!(check(&stored, Some(BYTES), [BYTES, u64::MAX], first, claim).0, "whole");
                let (error, _) = check(&stored, Some(BYTES), [BYTES - 1, u64::MAX], first, claim);
                assert!(error.contains("4999"), "{error}");
                let behind = BYTES.saturating_sub(first);
                assert_eq!(check(&stored, Some(BYTES), [u64::MAX, behind], first, claim).0, "whole");
                if behind > 0 {
                    assert_ne!(check(&stored, Some(BYTES), [u64::MAX, behind - 1], first, claim).0, "whole", "{method} {first}");
                }
            }
        }
    }

    #[test]
    fn stored_contents_are_moved_in() {
        let (bytes, stored) = data(STORED);
        for (from, to) in [(0, 3000), (100, 100), (4000, 10), (10, 5000)] {
            let mut content = Content::new(Decoder::new(STORED, false, Some(BYTES)).unwrap(), Some(BYTES), BYTES);
            (content.size, content.left) = (from, Some(BYTES - from));
            content.move_to(to);
            assert_eq!((content.size, content.left, content.crc.is_none()), (to, Some(BYTES - to), true));
            let mut input = Input::new(&stored[usize::try_from(to).unwrap()..], |reader, buf| buf.read_from(reader));
            input.begin(Some(BYTES - to));
            let mut rest = vec![0; 6000];
            let mut buf = ReadBuf::over(&mut rest);
            content.fill(&mut input, &mut buf, u64::MAX).unwrap();
            let filled = buf.filled();
            assert_eq!(rest[..filled], bytes[usize::try_from(to).unwrap()..]);
        }
    }

    #[test]
    fn only_stored_contents_of_unknown_size_are_endless() {
        for (method, size, is_endless) in
            [(STORED, None, true), (STORED, Some(3), false), (DEFLATED, None, false), (DEFLATED, Some(3), false)]
        {
            let mut content = Content::new(Decoder::new(method, false, size).unwrap(), size, BYTES);
            assert_eq!((content.is_endless(), content.is_at_end()), (is_endless, false));
            content.set_end(7);
            assert_eq!(content.left, if is_endless { Some(7) } else { size });
        }
    }
}
