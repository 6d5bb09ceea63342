//! Decodes elements whose memory is not the bytes of the file.

use super::elements::{Elements, in_file};
#[cfg(any(unix, windows))]
use super::stage::{BoxedDecode, NewElements, OldElements, decode_by_threads};
use super::stage::{elements_per_stage, stage_bytes, with_totals};
use crate::element;
#[cfg(any(unix, windows))]
use crate::element::Codec;
use crate::element::{NpyElement, PlanOf};
use crate::error::{Error, Result};
#[cfg(any(unix, windows))]
use crate::memory::slots::Reserved;
#[cfg(any(unix, windows))]
use crate::memory::threads::{CHUNK_BYTES, FilePart};
use crate::memory::{Bulk, ReadBuf, Request, reserve_exact};

impl Elements<'_> {
    /// Reads elements whose memory is not the file's bytes, and replaces the content of a vector.
    pub(crate) fn decode_vec<T: NpyElement>(&mut self, plan: &PlanOf<T>, items: &mut Vec<T>, count: usize) -> Result<()> {
        let is_there = self.is_there::<T>(count);
        let (itemsize, first) = (self.itemsize(), self.state.position as u64);
        items.clear();
        // `Limits` bounds the number of elements that have no bytes.
        if is_there || itemsize == 0 {
            reserve_exact(items, count)?;
        }
        #[cfg(any(unix, windows))]
        if is_there && let (Some(sends), Some(part)) = (T::Codec::SENDS, self.part_to_decode(count)) {
            let end = part.end;
            let mut reserved = Reserved::new(items, count, count)?;
            let elements = NewElements::new(sends, reserved.slots(), plan);
            decode_by_threads(Box::new(elements), count, itemsize, first, part)?;
            reserved.finish()?;
            return self.resume_at(end);
        }
        self.for_each_stage(count, is_there, &mut |bytes, step| {
            let index = first + items.len() as u64;
            element::decode_all(plan, itemsize, bytes, (step, count), items, index)
        })
    }

    /// Reads elements whose memory is not the file's bytes, over others.
    pub(crate) fn decode_slice<T: NpyElement>(&mut self, plan: &PlanOf<T>, items: &mut [T]) -> Result<()> {
        let (itemsize, count, first) = (self.itemsize(), items.len(), self.state.position as u64);
        let is_there = self.is_there::<T>(count);
        #[cfg(any(unix, windows))]
        if is_there && let (Some(sends), Some(part)) = (T::Codec::SENDS, self.part_to_decode(count)) {
            let end = part.end;
            decode_by_threads(Box::new(OldElements::new(sends, items, plan)), count, itemsize, first, part)?;
            return self.resume_at(end);
        }
        let (mut rest, mut first) = (items, first);
        self.for_each_stage(count, is_there, &mut |bytes, step| {
            let (stage, after) = std::mem::take(&mut rest).split_at_mut(step);
            element::decode_over(plan, itemsize, bytes, stage, first)?;
            (rest, first) = (after, first + step as u64);
            Ok(())
        })
    }

    /// The next elements, if several threads are to decode them. Each has a stage of at least one
    /// element.
    #[cfg(any(unix, windows))]
    pub(crate) fn part_to_decode(&self, count: usize) -> Option<FilePart<'_>> {
        let itemsize = self.itemsize();
        self.part_for_threads(count.saturating_mul(itemsize)).filter(|_| itemsize <= CHUNK_BYTES)
    }

    /// Decodes the next `count` elements by several threads. Returns `false` if it leaves
    /// them to one thread.
    #[cfg(any(unix, windows))]
    pub(crate) fn decode_next_by_threads(&mut self, whole: BoxedDecode<'_>, count: usize) -> Result<bool> {
        let (itemsize, first) = (self.itemsize(), self.state.position as u64);
        self.state.begin()?;
        let Some(part) = self.part_to_decode(count) else {
            self.state.failed = false;
            return Ok(false);
        };
        let end = part.end;
        decode_by_threads(whole, count, itemsize, first, part)?;
        self.resume_at(end)?;
        self.end(count)?;
        Ok(true)
    }

    /// Calls `each` with the bytes of all elements that are left, some at a time, and their number.
    pub(crate) fn for_each_remaining(&mut self, each: &mut dyn FnMut(&[u8], usize) -> Result<()>) -> Result<()> {
        self.for_each_of(self.state.remaining(), each)
    }

    /// Calls `each` with the bytes of the next `count` elements, some at a time, and their number.
    pub(crate) fn for_each_of(&mut self, count: usize, each: &mut dyn FnMut(&[u8], usize) -> Result<()>) -> Result<()> {
        // The result is hardly larger than the elements.
        let is_there = self.is_there::<()>(count);
        self.state.begin()?;
        self.for_each_stage(count, is_there, each)?;
        self.end(count)
    }

    /// Calls `each` with the bytes of `count` elements, part by part, and the number of elements in
    /// the part. Bytes that are not in memory are read in parts that stay in the cache.
    pub(crate) fn for_each_stage(
        &mut self,
        count: usize,
        is_there: bool,
        each: &mut dyn FnMut(&[u8], usize) -> Result<()>,
    ) -> Result<()> {
        let itemsize = self.itemsize();
        if itemsize == 0 {
            return each(&[], count);
        }
        let begin = self.state.offset();
        if let Some(bytes) = self.input.bytes().get(..count * itemsize) {
            each(bytes, count)?;
            self.input.consume(count * itemsize);
            return Ok(());
        }
        let path = self.state.path.as_deref();
        let fill = &mut |buf: &mut ReadBuf<'_>| self.input.fill(buf);
        let size = stage_bytes(count * itemsize);
        let mut stage = Vec::new();
        let mut done = 0;
        while done < count {
            let step = elements_per_stage(size, begin + (done * itemsize) as u64, itemsize).min(count - done);
            let bytes = step * itemsize;
            let totals = ((count * itemsize) as u64, (done * itemsize) as u64);
            let truncated = |error: Error| in_file(path, with_totals(error, begin, totals.0, totals.1));
            if stage.len() < bytes {
                // Grows with the bytes that are read: an element may claim 2 GiB.
                let request = Request { count: bytes, swap: false, is_there, offset: begin };
                Bulk::<u8>::new().refill(&mut stage, request, fill).map_err(truncated)?;
            } else {
                Bulk::<u8>::new().fill_slice(&mut stage[..bytes], false, begin, fill).map_err(truncated)?;
            }
            each(&stage[..bytes], step)?;
            done += step;
        }
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::{CHUNK_BYTES, NpyElement};
    use crate::element::FixedUnicode;
    use crate::error::ErrorKind;
    use crate::format::header::Header;
    use crate::options::{Order, ReadOptions};
    use crate::read::NpyReader;
    use crate::read::file::load_with;

    /// Texts own memory, so that Miri finds those that are dropped twice, or never.
    #[test]
    fn threads_decode_what_one_thread_decodes_or_drop_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("texts.npy");
        let count = 5 * CHUNK_BYTES / 12;
        let texts: Vec<String> = (0..count).map(|i| (i % 1000).to_string()).collect();
        let mut file = Header::new(FixedUnicode::<3>::dtype(), Order::C, &[count]).unwrap().to_bytes();
        let data = file.len();
        for text in &texts {
            let mut letters = text.chars().map(u32::from);
            file.extend([(); 3].map(|()| letters.next().unwrap_or(0).to_ne_bytes()).concat());
        }
        std::fs::write(&path, &file).unwrap();
        let options = ReadOptions::new().threads(3);
        assert!(load_with::<String>(&path, options).unwrap() == texts);
        let mut over = vec!["before".to_owned(); count];
        NpyReader::open_with(&path, options).unwrap().read_into(&mut over).unwrap();
        assert!(over == texts);

        // Two characters that are none, of which the first is reported.
        for index in [count / 2, count - 1] {
            file[data + index * 12..][..4].fill(0xff);
        }
        std::fs::write(&path, &file).unwrap();
        for _ in 0..2 {
            let error = load_with::<String>(&path, options).unwrap_err();
            assert_eq!((error.kind(), error.element()), (ErrorKind::InvalidValue, Some((count / 2) as u64)), "{error}");
            let mut reader = NpyReader::open_with(&path, options).unwrap();
            assert!(reader.read_into(&mut over).is_err());
        }
    }
}
