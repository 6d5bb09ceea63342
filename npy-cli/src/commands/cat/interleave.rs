//! Arrays next to each other along an axis that is not the first: a line of each in turn.

use std::ffi::OsString;
use std::ops::Range;

use super::open;
use crate::failure::Result;
use crate::input::pieces;
use crate::input::source::{Copies, Source};

/// The bytes of all arrays that are read at once.
const BLOCK: usize = 16 << 20;

/// Takes bytes of the result.
type Write<'a> = &'a mut dyn FnMut(&[u8]) -> Result<()>;

/// Writes a line of each file in turn, for each index of these axes.
pub(super) fn write(files: &[OsString], axes: &[usize], out: Write<'_>) -> Result<()> {
    let copies = Copies::new();
    let mut parts = Vec::new();
    for file in files {
        let input = open(file)?;
        let member = input.only_member()?;
        let source = Source::open_among(input, member, &copies)?;
        let inner = source.header().shape().get(axes.len()..).unwrap_or_default().to_vec();
        let line = inner.iter().fold(source.header().dtype().itemsize(), |bytes, length| bytes.saturating_mul(*length));
        parts.push(Part { source, inner, line, block: Vec::new() });
    }
    let line = parts.iter().fold(0_usize, |bytes, part| bytes.saturating_add(part.line));
    let mut outer: Vec<Range<usize>> = axes.iter().map(|length| 0..*length).collect();
    let slowest_first: Vec<usize> = (0..axes.len()).collect();
    pieces::for_each_block(&mut outer, &slowest_first, (line, BLOCK), &mut |outer| write_block(&mut parts, outer, out))
}

/// One of the arrays.
struct Part {
    source: Source,
    /// The lengths of the axes of a line, and its bytes.
    inner: Vec<usize>,
    line: usize,
    /// The lines that were read.
    block: Vec<u8>,
}

impl Part {
    /// Calls `sink` with all bytes at these indices of the outer axes.
    fn read(&mut self, outer: &[Range<usize>], sink: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let ranges: Vec<Range<usize>> = outer.iter().cloned().chain(self.inner.iter().map(|length| 0..*length)).collect();
        self.source.with(|mut array| pieces::for_each_of_region(&mut *array, &ranges, &mut |values| sink(values.bytes())))
    }
}

/// Writes the lines at these indices of the outer axes.
fn write_block(parts: &mut [Part], outer: &[Range<usize>], out: Write<'_>) -> Result<()> {
    let lines = outer.iter().fold(1_usize, |lines, range| lines.saturating_mul(range.len()));
    if lines == 1 {
        return parts.iter_mut().try_for_each(|part| part.read(outer, out));
    }
    for part in &mut *parts {
        let mut block = std::mem::take(&mut part.block);
        block.clear();
        part.read(outer, &mut |bytes| {
            block.extend_from_slice(bytes);
            Ok(())
        })?;
        part.block = block;
    }
    let mut joined = Vec::new();
    for line in 0..lines {
        for part in &*parts {
            let begin = line.saturating_mul(part.line);
            joined.extend_from_slice(part.block.get(begin..begin + part.line).unwrap_or_default());
        }
    }
    out(&joined)
}
