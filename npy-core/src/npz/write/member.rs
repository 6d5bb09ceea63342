//! Writes one member: its local header, its content, its data descriptor.
//!
//! While threads compress all blocks of a member, it waits to be written, so that many small members
//! are compressed in parallel. The bytes of the archive are the same.

use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, Write};

use super::super::codec::compress::{Method, Pending, Sink, Whole, Workers};
use super::super::zip::emit::{Local, padding_field};
use super::super::zip::records::{Claim, DEFLATED, DESCRIPTOR, STORED, UTF8};
use super::waiting::{Head, Waiting};
use super::{Failure, Front, NpzWriter};
use crate::error::{Error, Result};
use crate::format::header::Header;

/// Writes the local header before the first bytes of the content, after all waiting members.
struct Output<'a, W: Write> {
    archive: &'a mut NpzWriter<W>,
    local: Local,
    /// A placeholder of the array's header, or nothing.
    head: Vec<u8>,
    has_begun: bool,
    /// The number of written bytes of the member.
    written: &'a Cell<u64>,
}

impl<W: Write> Output<'_, W> {
    fn begin(&mut self) -> io::Result<()> {
        if self.has_begun {
            return Ok(());
        }
        self.archive.write_waiting()?;
        self.archive.place(&mut self.local, self.archive.options.is_aligned);
        let mut front = self.local.header();
        front.extend(&self.head);
        self.archive.writer.write_all(&front)?;
        self.written.set(front.len() as u64);
        self.has_begun = true;
        Ok(())
    }
}

impl<W: Write> Write for Output<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begin()?;
        self.archive.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.archive.writer.flush()
    }
}

impl<W: Write> NpzWriter<W> {
    /// Writes a member, or has it wait, and counts what was `written` of it so far.
    pub(super) fn write_member(
        &mut self,
        name: &str,
        front: Front<'_>,
        write: impl FnOnce(&mut dyn Write) -> Result<Option<Header>>,
        written: &Cell<u64>,
        workers: &mut Option<Workers>,
    ) -> Result<(), Failure> {
        let local = self.local_before_content(name, front);
        let head = match front {
            Front::Head(head) => self.encode_head(&head.to_bytes()),
            Front::Known(_) | Front::Nothing => Vec::new(),
        };
        let head_bytes = head.len();
        let mut output = Output { archive: self, local, head, has_begun: false, written };
        let method = if output.archive.options.is_compressed {
            let (level, threads) = (output.archive.options.level, output.archive.options.threads);
            let workers = workers.get_or_insert_with(|| Workers::new(threads));
            Method::Deflated { level, workers, has_head: head_bytes > 0 }
        } else {
            output.begin()?;
            Method::Stored
        };
        let begin = output.archive.position_in_file().saturating_add(written.get());
        let mut sink = Sink::new(&mut output, method, begin, written);
        let result = write(&mut sink);
        let is_lasting = sink.has_failed();
        let final_head = result.map_err(|error| Failure { error, is_lasting })?;
        if is_lasting {
            let error = Error::failed_before("cannot write the member", None);
            return Err(io::Error::from(error).into());
        }
        let content = sink.finish()?;
        let Output { local, has_begun, .. } = output;

        let bytes = final_head.map(|head| head.to_bytes()).unwrap_or_default();
        let head = Head { encoded: self.encode_head(&bytes), bytes };
        if head.encoded.len() != head_bytes {
            // Padding makes the headers of all lengths equally long.
            return Err(io::Error::other("the length of the header changed").into());
        }
        if has_begun {
            self.end_member(local, content, &head, written)?;
        } else {
            self.waiting.push_back(Waiting { local, is_aligned: self.options.is_aligned, content, head });
            let most = workers.as_ref().map_or(0, Workers::most_pending);
            while self.waiting.iter().map(|waiting| waiting.content.pending.len()).sum::<usize>() > most {
                self.write_first_waiting()?;
            }
        }
        Ok(())
    }

    /// Creates the local header of a member before its content.
    fn local_before_content(&self, name: &str, front: Front<'_>) -> Local {
        let is_patched = self.overwrite.is_some();
        let mut flags = if name.is_ascii() { 0 } else { UTF8 } | if is_patched { 0 } else { DESCRIPTOR };
        // Sizes that are patched later are impossible until then, so that an unfinished member cannot be
        // misread.
        let (mut crc, mut size) = (0, if is_patched { u64::MAX } else { 0 });
        if let Front::Known(bytes) = front
            && !self.options.is_compressed
            && !is_patched
        {
            // So that a forward reader can skip a stored member that is not an array.
            (crc, size) = (crc32fast::hash(bytes), bytes.len() as u64);
            flags &= !DESCRIPTOR;
        }
        Local {
            name: name.as_bytes().to_vec(),
            method: if self.options.is_compressed { DEFLATED } else { STORED },
            flags,
            claim: Claim { crc, size, compressed: size },
            ..Local::default()
        }
    }

    /// Patches the local header, or writes the data descriptor.
    fn end_member(&mut self, mut local: Local, content: Whole, head: &Head, written: &Cell<u64>) -> io::Result<()> {
        complete(&mut local, content, head);
        match self.overwrite {
            Some(overwrite) => {
                let mut front = local.header();
                front.extend(&head.encoded);
                self.writer.call(|writer| overwrite(writer, written.get(), &front))?;
            }
            None => written.set(written.get() + self.write_descriptor(&local)?),
        }
        self.position += written.get();
        self.members.push(local);
        Ok(())
    }

    /// Writes all waiting members.
    pub(super) fn write_waiting(&mut self) -> io::Result<()> {
        while !self.waiting.is_empty() {
            self.write_first_waiting()?;
        }
        Ok(())
    }

    fn write_first_waiting(&mut self) -> io::Result<()> {
        let Some(Waiting { mut local, is_aligned, mut content, head }) = self.waiting.pop_front() else { return Ok(()) };
        let blocks = content.pending.drain(..).map(Pending::wait).collect::<io::Result<VecDeque<_>>>()?;
        content.blocks.bytes = blocks.iter().map(|block| block.len() as u64).collect();
        content.compressed = content.blocks.bytes.iter().sum();
        self.place(&mut local, is_aligned);
        let empty = local.clone();
        let content_bytes = content.compressed;
        complete(&mut local, content, &head);
        let mut front = if self.overwrite.is_some() { local.header() } else { empty.header() };
        front.extend(&head.encoded);
        self.writer.write_all(&front)?;
        for block in &blocks {
            self.writer.write_all(block)?;
        }
        let descriptor_bytes = self.write_descriptor(&local)?;
        self.position += front.len() as u64 + content_bytes + descriptor_bytes;
        self.members.push(local);
        Ok(())
    }

    /// Writes the data descriptor, if the member has one. Returns its length.
    fn write_descriptor(&mut self, local: &Local) -> io::Result<u64> {
        if local.flags & DESCRIPTOR == 0 {
            return Ok(0);
        }
        let descriptor = local.descriptor();
        self.writer.write_all(&descriptor)?;
        Ok(descriptor.len() as u64)
    }

    /// Sets the offset and the padding of a member that begins here.
    pub(super) fn place(&self, local: &mut Local, is_aligned: bool) {
        local.offset = self.position;
        if is_aligned {
            local.padding = padding_field(self.position_in_file(), &local.name);
        }
    }

    fn position_in_file(&self) -> u64 {
        self.position + self.existing.as_ref().map_or(0, |existing| existing.directory.prefix)
    }

    /// Encodes the header of an array: in compressed data as stored blocks, which can be patched.
    fn encode_head(&self, bytes: &[u8]) -> Vec<u8> {
        if !self.options.is_compressed {
            return bytes.to_vec();
        }
        let mut blocks = Vec::new();
        for block in bytes.chunks(usize::from(u16::MAX)) {
            let length = u16::try_from(block.len()).unwrap_or_default();
            blocks.push(0);
            blocks.extend(length.to_le_bytes());
            blocks.extend((!length).to_le_bytes());
            blocks.extend(block);
        }
        blocks
    }
}

/// Completes the header fields of a member after its content.
fn complete(local: &mut Local, content: Whole, head: &Head) {
    let (head_size, head_bytes) = (head.bytes.len() as u64, head.encoded.len() as u64);
    let mut crc = crc32fast::Hasher::new();
    crc.update(&head.bytes);
    crc.combine(&content.crc);
    let (size, compressed) = (content.size + head_size, content.compressed + head_bytes);
    local.claim = Claim { crc: crc.finalize(), size, compressed };
    local.blocks = content.blocks.field((head_size > 0).then_some((head_size, head_bytes)));
}

#[cfg(test)]
mod tests {
    use super::NpzWriter;

    /// The result alone does not prove that members were compressed in parallel.
    #[test]
    fn members_wait_while_threads_compress() {
        let items: Vec<u64> = (0..100_000).map(|i| i / 3).collect();
        let mut archive = NpzWriter::streaming(Vec::new());
        archive.set_options(archive.options().compressed(true));
        archive.set_options(archive.options().threads(2));
        archive.add_slice("a", &items).unwrap();
        archive.add_slice("b", &items).unwrap();
        // At most two blocks for each thread.
        let most = archive.workers.as_ref().unwrap().most_pending();
        assert_eq!((archive.waiting.len(), archive.writer.get().unwrap().len(), most), (2, 0, 4));
        for name in ["c", "d", "e", "f"] {
            archive.add_slice(name, &items).unwrap();
        }
        assert_eq!((archive.waiting.len(), archive.members.len()), (4, 2));
        // The threads stay while their number does.
        archive.set_options(archive.options().level(3));
        assert!(archive.workers.is_some());
        // A stored member follows them.
        archive.set_options(archive.options().compressed(false));
        archive.add_slice("g", &[1_u8]).unwrap();
        assert_eq!((archive.waiting.len(), archive.members.len()), (0, 7));
        // One thread keeps nothing.
        archive.set_options(archive.options().compressed(true));
        archive.set_options(archive.options().threads(1));
        archive.add_slice("h", &items).unwrap();
        assert_eq!((archive.waiting.len(), archive.members.len()), (0, 8));
        archive.finish().unwrap();
    }
}
