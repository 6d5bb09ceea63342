//! Arrays next to each other along an axis that is not the first: a line of each in turn.

use std::ffi::OsString;
use std::ops::Range;

use super::open;
use crate::failure::Result;
use crate::input::source::Source;
use crate::input::{MOST_MEMORY, pieces};
use crate::signals;

/// The bytes of all arrays that are read at once.
const BLOCK: usize = 16 << 20;

/// Takes bytes of the result.
type Write<'a> = &'a mut dyn FnMut(&[u8]) -> Result<()>;

/// Writes a line of each file in turn, for each index of these axes.
pub(super) fn write(files: &[OsString], axes: &[usize], out: Write<'_>) -> Result<()> {
    let mut parts = Vec::new();
    for file in files {
        let input = open(file)?;
        let member = input.only_member()?;
        // All are open at once.
        let source = Source::open_within(input, member, MOST_MEMORY / files.len().max(1))?;
        let inner = source.header().shape().get(axes.len()..).unwrap_or_default().to_vec();
        let line = inner.iter().fold(source.header().dtype().itemsize(), |bytes, length| bytes.saturating_mul(*length));
        parts.push(Part { source, inner, line, block: Vec::new() });
    }
    write_below(&mut parts, axes, &mut Vec::new(), out)
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

/// Writes the lines at these indices of the first axes.
fn write_below(parts: &mut [Part], axes: &[usize], outer: &mut Vec<Range<usize>>, out: Write<'_>) -> Result<()> {
    let Some((length, inner)) = axes.get(outer.len()..).and_then(|axes| axes.split_first()) else {
        return parts.iter_mut().try_for_each(|part| part.read(outer, out));
    };
    let line = parts.iter().fold(0_usize, |bytes, part| bytes.saturating_add(part.line));
    let bytes = inner.iter().fold(line, |bytes, length| bytes.saturating_mul(*length));
    let step = if bytes > BLOCK { 1 } else { (BLOCK / bytes.max(1)).max(1) };
    for begin in (0..*length).step_by(step) {
        signals::check()?;
        outer.push(begin..(begin + step).min(*length));
        if bytes > BLOCK {
            write_below(parts, axes, outer, out)?;
        } else {
            let whole = outer.iter().cloned().chain(inner.iter().map(|length| 0..*length)).collect::<Vec<_>>();
            write_block(parts, &whole, out)?;
        }
        outer.pop();
    }
    Ok(())
}

fn write_block(parts: &mut [Part], outer: &[Range<usize>], out: Write<'_>) -> Result<()> {
    for part in &mut *parts {
        let mut block = std::mem::take(&mut part.block);
        block.clear();
        part.read(outer, &mut |bytes| {
            block.extend_from_slice(bytes);
            Ok(())
        })?;
        part.block = block;
    }
    let lines = outer.iter().fold(1_usize, |lines, range| lines.saturating_mul(range.len()));
    let mut joined = Vec::new();
    for line in 0..lines {
        for part in &*parts {
            let begin = line.saturating_mul(part.line);
            joined.extend_from_slice(part.block.get(begin..begin + part.line).unwrap_or_default());
        }
    }
    out(&joined)
}
