//! Layouts of records in the memory of NumPy: alignment, and pointers to objects.

use super::invalid::Invalid;
use super::scalar::{Scalar, ScalarKind};
use super::tree::{DType, Field, Record};

/// The size of a pointer, by which NumPy's memory holds an object. A file has no bytes for it.
const POINTER: usize = 8;

/// The layout of fields in memory, where an object is a pointer. The offset of a [`Field`] does not count
/// pointers, because a file has none.
#[derive(Debug)]
pub(super) struct MemoryLayout {
    /// The end of the last field.
    pub(super) end: usize,
    /// Bytes of objects among the fields.
    objects: usize,
    pub(super) alignment: usize,
}

impl Default for MemoryLayout {
    fn default() -> Self {
        Self { end: 0, objects: 0, alignment: 1 }
    }
}

impl MemoryLayout {
    /// Adds a field. Returns its offset without the pointers before it.
    pub(super) fn place(&mut self, offset: usize, dtype: &DType, alignment: usize) -> usize {
        let place = offset.saturating_sub(self.objects);
        let objects = object_bytes(dtype);
        self.objects = self.objects.saturating_add(objects);
        self.end = offset.saturating_add(dtype.itemsize()).saturating_add(objects);
        self.alignment = self.alignment.max(alignment);
        place
    }

    pub(super) fn record(&self, fields: Vec<Field>, itemsize: usize) -> Result<Record, Invalid> {
        Record::checked(fields, itemsize.saturating_sub(self.objects))
    }
}

/// Moves fields to the offsets of `align=True`. Existing padding stays.
pub(super) fn aligned(record: Record) -> Result<Record, Invalid> {
    let mut layout = MemoryLayout::default();
    let packed = record.itemsize;
    let mut packed_end = 0;
    let mut fields = record.into_fields();
    for field in &mut fields {
        let padding = field.offset - packed_end;
        packed_end = field.end();
        let alignment = field.dtype.alignment();
        let offset = layout.end.saturating_add(padding).next_multiple_of(alignment);
        field.offset = layout.place(offset, &field.dtype, alignment);
    }
    let end = layout.end.saturating_add(packed - packed_end);
    layout.record(fields, end.next_multiple_of(layout.alignment))
}

/// Returns the size of the pointers to objects in an element of NumPy's memory.
pub(super) fn object_bytes(dtype: &DType) -> usize {
    let is_object = |scalar: Scalar| scalar.kind() == ScalarKind::Object;
    let counts = dtype.leaves().into_iter().filter(|leaf| is_object(leaf.scalar())).map(|leaf| leaf.count());
    counts.fold(0, |bytes, count| bytes.saturating_add(count.saturating_mul(POINTER)))
}

impl DType {
    /// Returns the alignment of NumPy's `align=True` on 64-bit platforms, in bytes.
    ///
    /// ```
    /// # use npy_core::DType;
    /// assert_eq!("[('x', '<f4'), ('name', '<U5'), ('z', '<c16')]".parse::<DType>()?.alignment(), 8);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn alignment(&self) -> usize {
        self.leaves().iter().map(|leaf| alignment_of_scalar(leaf.scalar())).max().unwrap_or(1)
    }
}

fn alignment_of_scalar(scalar: Scalar) -> usize {
    match scalar.kind() {
        // On 32-bit x86.
        ScalarKind::LongDouble { itemsize: 12 } | ScalarKind::ComplexLongDouble { itemsize: 24 } => 4,
        ScalarKind::Object => POINTER,
        _ => scalar.word_size().max(1),
    }
}
