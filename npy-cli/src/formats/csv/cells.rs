//! The cells of a line, and where they are stored.

use crate::formats::text::slot::Slot;

/// A cell of each line, and where it is stored in the row.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) index: usize,
    pub(super) offset: usize,
    pub(super) slot: Slot,
}

/// The cells of a line.
pub(super) enum Columns {
    /// An axis of equal elements, of which there can be a million.
    Axis {
        count: usize,
        slot: Slot,
    },
    Each(Vec<Column>),
}

impl Columns {
    pub(super) fn iter(&self) -> impl Iterator<Item = Column> {
        let (axis, each) = match self {
            Self::Axis { count, slot } => (Some((*count, *slot)), &[][..]),
            Self::Each(columns) => (None, &columns[..]),
        };
        let of_axis = |(count, slot): (usize, Slot)| {
            (0..count).map(move |index| Column { index, offset: index * slot.scalar.itemsize(), slot })
        };
        axis.into_iter().flat_map(of_axis).chain(each.iter().copied())
    }
}
