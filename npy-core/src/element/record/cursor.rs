//! Offsets of the fields of a struct, at compile time or at run time.

/// The position of the next field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    pub(super) end: usize,
    /// Of the whole record; `None` if fields are not aligned.
    alignment: Option<usize>,
}

impl Cursor {
    /// Begins a record without padding.
    pub const fn packed() -> Self {
        Self { end: 0, alignment: None }
    }

    /// Begins a record whose fields are aligned.
    pub const fn aligned() -> Self {
        Self { end: 0, alignment: Some(1) }
    }

    /// Skips the bytes before `offset`.
    ///
    /// # Panics
    ///
    /// When fields are there already; in a constant, so that the compiler shows the message.
    pub const fn at(&mut self, offset: usize) {
        assert!(self.end <= offset, "invalid `offset`: it lies in the field before");
        self.end = offset;
    }

    pub(super) const fn place(&mut self, itemsize: usize, alignment: usize) -> usize {
        if let Some(most) = self.alignment {
            self.end = round_up(self.end, alignment);
            self.alignment = Some(if alignment > most { alignment } else { most });
        }
        let offset = self.end;
        self.end = self.end.saturating_add(itemsize);
        offset
    }

    /// Adds the padding at the end.
    pub(super) const fn close(&mut self) {
        if let Some(alignment) = self.alignment {
            self.end = round_up(self.end, alignment);
        }
    }

    /// Returns the itemsize of the record.
    pub const fn finish(mut self) -> usize {
        self.close();
        self.end
    }

    /// Returns the itemsize of the record, which is given.
    ///
    /// # Panics
    ///
    /// When the fields take more; in a constant, so that the compiler shows the message.
    pub const fn finish_at(self, itemsize: usize) -> usize {
        assert!(self.end <= itemsize, "invalid `itemsize`: the fields take more bytes");
        itemsize
    }
}

/// Rounds up; saturates.
const fn round_up(bytes: usize, alignment: usize) -> usize {
    match bytes.checked_next_multiple_of(alignment) {
        Some(bytes) => bytes,
        None => usize::MAX,
    }
}

/// Returns the largest of the alignments: the alignment of the record.
pub const fn largest(alignments: &[usize]) -> usize {
    let mut largest = 1;
    let mut i = 0;
    while i < alignments.len() {
        if alignments[i] > largest {
            largest = alignments[i];
        }
        i += 1;
    }
    largest
}
