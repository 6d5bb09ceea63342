//! Which axes of an array are those of images.

/// The axes of an array of images: their indices, and lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Images {
    /// The number of images, of which several are a montage.
    pub(crate) count: usize,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) channels: usize,
    /// Of images, rows, columns and channels; beyond the others where there is none.
    pub(crate) axes: [usize; 4],
}

impl Images {
    /// Of the axes of an array; `None` where these are no images. Channels are 3 or 4, after the columns or before the rows.
    pub(crate) fn of(shape: &[usize], is_montage: bool) -> Option<Self> {
        const NONE: usize = usize::MAX;
        let are_channels = |length: usize| matches!(length, 3 | 4);
        let (count, rows, columns, channels, axes) = match *shape {
            [rows, columns] => (1, rows, columns, 1, [NONE, 0, 1, NONE]),
            [rows, columns, last] if !is_montage && are_channels(last) => (1, rows, columns, last, [NONE, 0, 1, 2]),
            [first, rows, columns] if !is_montage && are_channels(first) => (1, rows, columns, first, [NONE, 1, 2, 0]),
            [count, rows, columns] => (count, rows, columns, 1, [0, 1, 2, NONE]),
            [count, rows, columns, last] if are_channels(last) => (count, rows, columns, last, [0, 1, 2, 3]),
            [count, first, rows, columns] if are_channels(first) => (count, rows, columns, first, [0, 2, 3, 1]),
            _ => return None,
        };
        Some(Self { count, rows, columns, channels, axes })
    }

    /// Of the last axes of an array, at most four.
    #[cfg(feature = "view")]
    pub(crate) fn of_last(shape: &[usize]) -> Option<Self> {
        (shape.len().saturating_sub(4)..shape.len()).find_map(|first| {
            let images = Self::of(shape.get(first..)?, false)?;
            Some(Self { axes: images.axes.map(|axis| axis.saturating_add(first)), ..images })
        })
    }
}

#[cfg(test)]
mod tests {
    #[cfg(feature = "view")]
    use super::*;

    #[test]
    #[cfg(feature = "view")]
    fn images_have_the_last_axes_of_an_array() {
        const NONE: usize = usize::MAX;
        for (shape, axes) in [
            (&[5, 6][..], [NONE, 0, 1, NONE]),
            (&[5, 6, 3], [NONE, 0, 1, 2]),
            (&[4, 5, 6], [NONE, 1, 2, 0]),
            (&[7, 5, 6], [0, 1, 2, NONE]),
            (&[9, 7, 5, 6], [1, 2, 3, NONE]),
            (&[9, 7, 5, 6, 3], [1, 2, 3, 4]),
            (&[8, 9, 7, 3, 5, 6], [2, 4, 5, 3]),
        ] {
            assert_eq!(Images::of_last(shape).unwrap().axes, axes, "{shape:?}");
        }
        assert_eq!((Images::of_last(&[]), Images::of_last(&[5])), (None, None));
    }
}
