//! LZMA in zip archives (APPNOTE 5.8): version, length of the properties, properties, raw data.

use std::io;

use lzma_rust2::{Action, LzmaStream, Status};

use super::step::Step;
use crate::npz::zip::problem::{damaged, large_dictionary};

/// Bytes before the data: the version of the encoder, the number 5, and five bytes of properties.
const HEADER_BYTES: usize = 9;

/// The largest dictionary that is allocated; the highest levels of 7-Zip and XZ have 64 MiB.
const MOST_DICTIONARY: u32 = 128 << 20;

/// Decompresses the data of a member.
pub(crate) struct Lzma {
    /// The bytes of the header read so far.
    header: Vec<u8>,
    stream: Option<LzmaStream>,
    /// The size of the content, if the data have no end mark.
    end: Option<u64>,
    /// The size of the content, which bounds the dictionary.
    size: Option<u64>,
}

impl Lzma {
    pub(super) fn new(end: Option<u64>, size: Option<u64>) -> Self {
        Self { header: Vec::new(), stream: None, end, size }
    }

    pub(super) fn step(&mut self, input: &[u8], output: &mut [u8]) -> io::Result<Step> {
        let Some(stream) = &mut self.stream else {
            let used = input.len().min(HEADER_BYTES - self.header.len());
            self.header.extend_from_slice(&input[..used]);
            if self.header.len() == HEADER_BYTES {
                self.stream = Some(self.begin()?);
            }
            return Ok(Step { used, given: 0, is_end: false });
        };
        // Without `Finish`, it waits for more input.
        let action = if input.is_empty() { Action::Finish } else { Action::Run };
        let step = stream.process(input, output, action).map_err(|_| damaged())?;
        Ok(Step { used: step.bytes_consumed, given: step.bytes_produced, is_end: step.status == Status::StreamEnd })
    }

    fn begin(&self) -> io::Result<LzmaStream> {
        let Some(&[_, _, 5, 0, properties, dictionary @ ..]) = self.header.first_chunk::<HEADER_BYTES>() else {
            return Err(damaged());
        };
        let size = self.size.map_or(u32::MAX, |size| u32::try_from(size).unwrap_or(u32::MAX));
        let dictionary = u32::from_le_bytes(dictionary).min(size);
        if dictionary > MOST_DICTIONARY {
            return Err(large_dictionary(MOST_DICTIONARY.into()));
        }
        LzmaStream::new_with_props(self.end.unwrap_or(u64::MAX), properties, dictionary, None).map_err(|_| damaged())
    }

    /// The bytes of the input after the end.
    pub(super) fn unused(&self) -> &[u8] {
        self.stream.as_ref().map_or(&[], LzmaStream::unused_input)
    }
}
