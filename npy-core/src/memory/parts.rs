//! A buffer that several threads fill, each in a separate part.

use std::mem;

use super::ReadBuf;

impl ReadBuf<'_> {
    /// Returns how many bytes are left to fill.
    pub(crate) fn remaining(&self) -> usize {
        self.memory.len() - self.filled
    }

    /// Calls `fill` with the next bytes in parts of these lengths, for several threads. They count as
    /// filled only if it returns `true` and every part is full. Without space for all of them, it is not
    /// called.
    pub(crate) fn fill_parts(
        &mut self,
        lengths: impl Iterator<Item = usize>,
        fill: impl FnOnce(&mut [ReadBuf<'_>]) -> bool,
    ) -> bool {
        let begin = self.filled;
        let mut rest = &mut self.memory[begin..];
        let mut places = Vec::new();
        let mut parts = Vec::new();
        let mut total = 0;
        for length in lengths {
            let Some((memory, after)) = mem::take(&mut rest).split_at_mut_checked(length) else { return false };
            rest = after;
            total += length;
            places.push((memory.as_ptr(), length));
            parts.push(ReadBuf::new(memory));
        }
        let is_filled = fill(&mut parts)
            && parts.iter().map(|part| (part.memory.as_ptr(), part.filled)).eq(places)
            && parts.iter().all(|part| part.filled == part.memory.len());
        if is_filled {
            // Each part is initialised as far as it is filled, and they lie one behind another.
            self.filled = begin + total;
            self.initialised = self.initialised.max(self.filled);
        }
        is_filled
    }
}
