//! An array in an object: fetches and decodes its bytes.

use std::ops::Range;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use npy_core::columns::NpyColumns;
use npy_core::region::{AxisRange, byte_ranges, region_shape};
use npy_core::{Error, Header, NpyElement, NpyReader, Order, Result};

use crate::feed::Decoder;
use crate::object::{Chunk, Object, reserve};
use crate::requests::{Ranges, Request, Requests};

/// The size of the first request: the longest header of version 1.0, with its magic and version.
pub(crate) const FRONT_BYTES: u64 = 10 + u16::MAX as u64;

/// An array in an object.
pub(crate) struct Array {
    pub(crate) object: Object,
    /// The name of its archive member.
    member: Option<String>,
    pub(crate) header: Header,
    /// The length of the header.
    pub(crate) data_offset: u64,
    /// The offset of the data in the object.
    pub(crate) data_begin: u64,
    /// The number of bytes of data.
    available: u64,
    /// The first bytes of the data.
    pub(crate) front: Bytes,
}

impl Array {
    /// Opens the array in these bytes of an object, which begin with `front`.
    pub(crate) async fn open(object: Object, member: Option<String>, range: Range<u64>, mut front: Bytes) -> Result<Self> {
        let (length, limits) = (range.end - range.start, object.options.limits);
        let located = |error| locate(&object, member.as_deref(), error);
        let (header, data_offset) = loop {
            let begin = front.len() as u64;
            let needed = Header::bytes_needed_with(&front, limits).map_err(located)? as u64;
            if needed.min(length) <= begin {
                break Header::parse_with(&front, limits).map_err(located)?;
            }
            // The header is longer than the front: a second request.
            let rest = object.fetch(range.start + begin..range.start + needed.min(length)).await?;
            front = [front, rest.bytes].concat().into();
        };
        // At most the length of the header.
        let front = front.slice(data_offset..);
        let data_offset = data_offset as u64;
        let (data_begin, available) = (range.start + data_offset, length - data_offset);
        Ok(Self { object, member, header, data_offset, data_begin, available, front })
    }

    /// Reads the `count` elements whose bytes are `ranges`.
    pub(crate) async fn read<T: NpyElement>(&self, ranges: Ranges, count: usize) -> Result<Vec<T>> {
        let mut items = Vec::new();
        let first = self.first_element(&ranges);
        let mut decoder = self.decoder(ranges.clone(), count, |empty| empty.into_vec::<T>().map(drop))?;
        let mut chunks = std::pin::pin!(self.chunks(ranges, decoder.reader.header().data_bytes())?);
        while let Some((chunk, wanted)) = chunks.try_next().await? {
            if items.is_empty() {
                reserve(&mut items, count).map_err(|error| self.locate(error))?;
            }
            let complete = decoder.arrive(chunk, wanted);
            decoder.append(complete, &mut items).map_err(|error| self.locate(counted_from(first, error)))?;
        }
        // Elements of zero bytes.
        let rest = decoder.reader.remaining();
        decoder.append(rest, &mut items).map_err(|error| self.locate(counted_from(first, error)))?;
        Ok(items)
    }

    /// Reads single fields of the `count` records whose bytes are `range`.
    pub(crate) async fn read_columns<C: NpyColumns>(
        &self,
        names: C::Names<'_>,
        range: Range<u64>,
        count: usize,
    ) -> Result<C::Vecs> {
        let mut vecs = C::Vecs::default();
        let ranges = Ranges::from(range.clone());
        let first = self.first_element(&ranges);
        let mut decoder = self.decoder(ranges.clone(), count, |empty| empty.into_columns::<C>(names).map(drop))?;
        let mut append = |decoder: &mut Decoder, count: usize| {
            let more = decoder.reader.read_columns::<C>(names, count);
            let more = more.map_err(|error| self.locate(counted_from(first, error)))?;
            C::append(&mut vecs, more);
            Ok::<_, Error>(())
        };
        let mut chunks = std::pin::pin!(self.chunks(ranges, range.end - range.start)?);
        while let Some((chunk, wanted)) = chunks.try_next().await? {
            let complete = decoder.arrive(chunk, wanted);
            append(&mut decoder, complete)?;
        }
        let rest = decoder.reader.remaining();
        append(&mut decoder, rest)?;
        Ok(vecs)
    }

    /// The first element of a range; 0 for a region, in which elements are counted.
    fn first_element(&self, ranges: &Ranges) -> u64 {
        let begin = if let Ranges::One(Some(range)) = ranges { range.start } else { 0 };
        begin.checked_div(self.header.dtype().itemsize() as u64).unwrap_or(0)
    }

    /// The error with the path of the object and the name of the member.
    pub(crate) fn locate(&self, error: Error) -> Error {
        locate(&self.object, self.member.as_deref(), error)
    }

    /// The bytes of rows in the data, and the number of their elements.
    pub(crate) fn rows(&self, rows: Range<usize>) -> Result<(Range<u64>, usize)> {
        let header = &self.header;
        let count = rows.len();
        let range = header.byte_range_of_rows(0, rows).map_err(|error| self.locate(error))?;
        let axis = if header.order() == Order::C { header.shape().first() } else { header.shape().last() };
        let all = axis.copied().unwrap_or(1);
        // At most the elements of the array, whose number was checked.
        Ok((range, count * header.element_count().checked_div(all).unwrap_or(0)))
    }

    /// The bytes of a region in the data, and its shape.
    pub(crate) fn region(&self, region: &[AxisRange]) -> Result<(Ranges, Vec<usize>)> {
        let ranges = byte_ranges(&self.header, region).map_err(|error| self.locate(error))?;
        let shape = region_shape(&self.header, region).map_err(|error| self.locate(error))?;
        Ok((Ranges::Many(ranges), shape))
    }

    /// Creates a decoder of `count` elements, whose bytes are `ranges`. `check` reads none of them, so that
    /// a wrong type fails before anything is fetched.
    fn decoder(&self, ranges: Ranges, count: usize, check: impl FnOnce(NpyReader<&[u8]>) -> Result<()>) -> Result<Decoder> {
        let limits = self.object.options.limits;
        let make = || {
            let empty = self.header.with_shape(&[0])?.to_bytes();
            check(NpyReader::from_bytes_with(&empty, limits.header_bytes(usize::MAX))?)?;
            Decoder::new(&self.header.with_shape(&[count])?, ranges, limits)
        };
        make().map_err(|error| self.locate(error))
    }

    /// The chunks of the data that hold `ranges`, `wanted` bytes in all, with the number of wanted bytes
    /// in each.
    pub(crate) fn chunks(&self, ranges: Ranges, wanted: u64) -> Result<impl Stream<Item = Result<(Chunk, u64)>> + Send> {
        self.check(if let Ranges::One(Some(range)) = &ranges { range.start } else { 0 }, wanted)?;
        let requests = Requests::new(ranges, self.front.len() as u64, &self.object.options);
        let fetch = async |Request { range, wanted }| Ok((self.fetch(range).await?, wanted));
        Ok(stream::iter(requests).map(fetch).buffered(self.object.options.requests))
    }

    /// Fetches a part of the data, or takes it from memory.
    async fn fetch(&self, range: Range<u64>) -> Result<Chunk> {
        self.check(range.start, range.end - range.start)?;
        if range.end <= self.front.len() as u64 {
            let front = Chunk { begin: 0, bytes: self.front.clone() };
            return Ok(Chunk { begin: range.start, bytes: front.slice(&range) });
        }
        let chunk = self.object.fetch(self.data_begin + range.start..self.data_begin + range.end).await;
        Ok(Chunk { begin: range.start, bytes: chunk?.bytes })
    }

    /// Refuses to read `expected` bytes of data at `begin` if the object has fewer.
    pub(crate) fn check(&self, begin: u64, expected: u64) -> Result<()> {
        let found = self.available.saturating_sub(begin);
        if expected <= found {
            return Ok(());
        }
        let offset = self.data_offset + begin;
        Err(self.locate(Error::truncated("the array", offset, expected, found)))
    }
}

fn locate(object: &Object, member: Option<&str>, error: Error) -> Error {
    let error = object.locate(error);
    match member {
        Some(member) => error.with_member(member),
        None => error,
    }
}

/// Counts the element of an error from the beginning of the array.
fn counted_from(first: u64, error: Error) -> Error {
    let Some(index) = error.element() else { return error };
    let field = error.field().unwrap_or_default().to_owned();
    error.at_element(index.saturating_add(first), field)
}
