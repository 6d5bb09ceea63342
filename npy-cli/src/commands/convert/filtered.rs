//! The rows of a source for which an expression is true, as a source of their own.

use std::io::{Seek, SeekFrom};

use npy_core::{NpyReader, Order};
use tempfile::SpooledTempFile;

use crate::failure::{Failure, Result};
use crate::filter::Where;
use crate::formats::{Item, Source};
use crate::input::pieces::{self, Sink};
use crate::input::{Array, MOST_MEMORY, Prefixed, Stored, not_spooled};

/// Arrays with fewer rows: in memory, or in a temporary file if they are large.
pub(super) struct Filtered {
    items: Vec<Item>,
    /// Where the data of each array begin in the file.
    begins: Vec<u64>,
    file: SpooledTempFile,
}

impl Filtered {
    /// Reads all arrays of a source, once.
    pub(super) fn new(source: &mut dyn Source, filter: &Where) -> Result<Self> {
        let mut items = source.items().to_vec();
        let has_others = items.len() > 1;
        let (mut begins, mut file) = (Vec::new(), SpooledTempFile::new(MOST_MEMORY));
        for (index, item) in items.iter_mut().enumerate() {
            begins.push(file.stream_position().map_err(|error| not_spooled(&error))?);
            filter_array(source, index, item, filter, &mut file)
                .map_err(|failure| failure.about_array(&item.input, has_others.then_some(&item.name)))?;
        }
        Ok(Self { items, begins, file })
    }
}

/// Appends the rows of an array to a file. The item is theirs then.
fn filter_array(source: &mut dyn Source, index: usize, item: &mut Item, filter: &Where, file: &mut SpooledTempFile) -> Result<()> {
    let filter = filter.of(&item.header)?;
    let mut stored = None;
    if let Some((extent, available)) = source.extent(index)? {
        source.with_array(index, &mut |array| {
            stored = Stored::new(Some(extent.clone()), available, &*array)?;
            Ok(())
        })?;
    }
    item.header = filter.write(&mut |sink| source.rows(index, sink), stored.as_ref(), None, file)?;
    Ok(())
}

impl Source for Filtered {
    fn items(&self) -> &[Item] {
        &self.items
    }

    fn rows(&mut self, index: usize, sink: Sink<'_>) -> Result<()> {
        self.with_array(index, &mut |mut array| pieces::for_each(&mut *array, Order::C, sink))
    }

    fn with_array(&mut self, index: usize, work: &mut dyn FnMut(Box<dyn Array + '_>) -> Result<()>) -> Result<()> {
        let (Some(item), Some(&begin)) = (self.items.get(index), self.begins.get(index)) else {
            return Err(Failure::new("expected an array, found none"));
        };
        self.file.seek(SeekFrom::Start(begin)).map_err(|error| not_spooled(&error))?;
        work(Box::new(NpyReader::new(Prefixed::new(item.header.to_bytes(), &mut self.file, begin))?))
    }
}
