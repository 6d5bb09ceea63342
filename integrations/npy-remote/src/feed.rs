//! Responses as a stream, which the readers of `npy_core` decode.

use std::io::{self, Cursor, Read};
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};

use bytes::Bytes;
use npy_core::{Header, Limits, NpyElement, NpyReader, Result};

use crate::object::Chunk;
use crate::requests::Ranges;

/// A stream of the wanted bytes of chunks.
pub(crate) struct Feed {
    arrivals: Receiver<Chunk>,
    /// The current chunk.
    chunk: Chunk,
    /// The wanted ranges after the current one.
    ranges: Ranges,
    /// The rest of the current range.
    current: Range<u64>,
}

impl Read for Feed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut done = 0;
        while done < buffer.len() {
            if self.current.is_empty() {
                let Some(next) = self.ranges.next() else { break };
                self.current = next;
            }
            if self.current.start >= self.chunk.end() {
                // The reader is asked only for elements that have arrived.
                let Ok(chunk) = self.arrivals.try_recv() else { break };
                self.chunk = chunk;
                continue;
            }
            let begin = self.current.start.checked_sub(self.chunk.begin).and_then(|begin| usize::try_from(begin).ok());
            let bytes = begin.and_then(|begin| self.chunk.bytes.get(begin..)).unwrap_or_default();
            let wanted = usize::try_from(self.current.end - self.current.start).unwrap_or(usize::MAX);
            let count = bytes.len().min(wanted).min(buffer.len() - done);
            if count == 0 {
                // Responses are in order, and cover all ranges.
                return Err(io::ErrorKind::InvalidInput.into());
            }
            buffer[done..done + count].copy_from_slice(&bytes[..count]);
            self.current.start += count as u64;
            done += count;
        }
        Ok(done)
    }
}

impl Feed {
    /// Creates a stream of `ranges` of the chunks of a channel.
    pub(crate) fn new(ranges: Ranges) -> (Sender<Chunk>, Self) {
        let (sender, arrivals) = channel();
        (sender, Self { arrivals, chunk: Chunk { begin: 0, bytes: Bytes::new() }, ranges, current: 0..0 })
    }
}

/// A decoder of the elements of responses.
pub(crate) struct Decoder {
    pub(crate) reader: NpyReader<io::Chain<Cursor<Vec<u8>>, Feed>>,
    arrivals: Sender<Chunk>,
    itemsize: u64,
    /// The received bytes that are not decoded.
    pending: u64,
}

impl Decoder {
    /// Creates a decoder of the array of `header`, whose bytes are `ranges`.
    pub(crate) fn new(header: &Header, ranges: Ranges, limits: Limits) -> Result<Self> {
        let (arrivals, feed) = Feed::new(ranges);
        // The header of the file was within the limits. This one may have more padding.
        let reader = NpyReader::new_with(Cursor::new(header.to_bytes()).chain(feed), limits.header_bytes(usize::MAX))?;
        Ok(Self { reader, arrivals, itemsize: header.dtype().itemsize() as u64, pending: 0 })
    }

    /// Adds a chunk. Returns the number of complete elements.
    pub(crate) fn arrive(&mut self, chunk: Chunk, wanted: u64) -> usize {
        // The receiver is part of this decoder.
        let _ = self.arrivals.send(chunk);
        self.pending += wanted;
        let complete = self.pending.checked_div(self.itemsize).unwrap_or(0);
        self.pending -= complete * self.itemsize;
        usize::try_from(complete).unwrap_or(usize::MAX).min(self.reader.remaining())
    }

    /// Appends the next `count` elements.
    pub(crate) fn append<T: NpyElement>(&mut self, count: usize, items: &mut Vec<T>) -> Result<()> {
        if count > 0
            && let Some(chunk) = self.reader.chunks::<T>(count).next()
        {
            items.append(&mut chunk?);
        }
        Ok(())
    }
}
