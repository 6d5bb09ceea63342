//! The properties of files and members, and their names.

use std::fs;
use std::ops::Range;
use std::path::Path;

use npy_core::dtype::Title;
use npy_core::npz::{ArchiveFile, NpzReader};
use npy_core::{FileFormat, Header};

use super::tree::Tree;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::formats::{Foreign, Opened};
use crate::input::arrays::{Found, arrays_of};
use crate::input::pieces;
use crate::input::{Array, Input, object_options, text_transfer};

/// The properties of a file.
pub(super) struct About {
    pub(super) file: String,
    pub(super) content: Content,
    /// The size of the file; `None` of a stream.
    pub(super) bytes: Option<u64>,
}

pub(super) enum Content {
    /// The further ones are behind the array in the same file.
    Array {
        /// Its name, which is its extension as well.
        format: &'static str,
        array: AboutArray,
        further: Vec<AboutArray>,
    },
    Archive {
        format: &'static str,
        members: Vec<Member>,
    },
    Damaged(String),
}

/// The properties of an array.
pub(super) struct AboutArray {
    pub(super) header: Header,
    /// The position of the data in the file, if they are there as they are.
    pub(super) data_offset: Option<u64>,
    /// Bytes after the array; negative if bytes are missing. `None` where it is unknown.
    pub(super) trailing: Option<i128>,
    /// Damage that the length does not show, such as that of a transfer in text mode.
    pub(super) problem: Option<String>,
    /// Of Python objects, where there is one array.
    pub(super) tree: Option<Box<Tree>>,
}

/// The properties of a member of an archive.
pub(super) struct Member {
    pub(super) name: String,
    /// The number of the compression method.
    pub(super) method: u16,
    pub(super) bytes: u64,
    pub(super) compressed_bytes: u64,
    pub(super) content: MemberContent,
}

pub(super) enum MemberContent {
    Array(AboutArray),
    /// A member that is not an array.
    Other,
    Damaged(String),
}

impl About {
    pub(super) fn of(opened: Opened) -> Result<Self> {
        match opened {
            Opened::Numpy(mut input) if input.path_below().is_some() => Ok(Self::of_input(&mut input, true)?.without_offsets()),
            Opened::Numpy(mut input) => Self::of_input(&mut input, false),
            Opened::Compressed(file) => Ok(Self::of_input(&mut file.into_stream()?, true)?.without_offsets()),
            Opened::Foreign(file) => Self::of_foreign(&file),
        }
    }

    /// Of a file in a format that is not NumPy's, by the headers that its arrays will have.
    fn of_foreign(file: &Foreign) -> Result<Self> {
        let array =
            |header: &Header| AboutArray { header: header.clone(), data_offset: None, trailing: None, problem: None, tree: None };
        let (format, items) = (file.format(), file.items()?);
        let content = match &items[..] {
            [(_, item)] if !file.holds_several() => Content::Array { format, array: array(&item.header), further: Vec::new() },
            items => {
                let members = items.iter().map(|(_, item)| {
                    let (name, bytes) = (item.name.clone(), item.header.data_bytes());
                    let content = MemberContent::Array(array(&item.header));
                    Member { name, method: 0, bytes, compressed_bytes: bytes, content }
                });
                Content::Archive { format, members: members.collect() }
            }
        };
        Ok(Self { file: file.name().to_owned(), content, bytes: file.bytes() })
    }

    /// Of a copy, whose size and offsets are not those of the file.
    fn without_offsets(mut self) -> Self {
        self.bytes = None;
        match &mut self.content {
            Content::Array { array, further, .. } => {
                std::iter::once(array).chain(further).for_each(|array| array.data_offset = None);
            }
            Content::Archive { members, .. } => {
                for member in members {
                    if let MemberContent::Array(array) = &mut member.content {
                        array.data_offset = None;
                    }
                }
            }
            Content::Damaged(_) => {}
        }
        self
    }

    /// Of a file, or of its content if it is compressed as a whole.
    fn of_input(input: &mut Input, is_content: bool) -> Result<Self> {
        if input.is_stream() {
            return Self::of_stream(input, is_content);
        }
        let bytes = input.path().and_then(|path| fs::metadata(path).ok()).map(|metadata| metadata.len());
        let file = input.name().to_owned();
        let format = input.format();
        let tree = Tree::of(input)?;
        let content = match format {
            FileFormat::Npz => {
                let selected = input.selected().map(|_| input.members()).transpose()?;
                let mut archive = input.archive()?;
                let indices: Vec<_> = match selected {
                    Some(members) => members.into_iter().map(|(index, _)| index).collect(),
                    None => (0..archive.len()).collect(),
                };
                let mut members: Vec<Member> = indices.into_iter().map(|index| Member::of(&mut archive, index)).collect();
                if let [Member { content: MemberContent::Array(array), .. }] = &mut members[..] {
                    array.set_tree(tree);
                }
                Content::Archive { format: "npz", members }
            }
            _ => {
                let bounds = input.bounds();
                // Only the first array of a file begins like it.
                let is_file = format == FileFormat::Npy && input.part().is_none();
                let path = input.path().filter(|_| is_file).map(Path::to_owned);
                let array = input.with_member(0, |array| {
                    let header = array.header().clone();
                    Ok(match format {
                        FileFormat::RawArray => AboutArray { header, data_offset: None, trailing: None, problem: None, tree: None },
                        _ => AboutArray::of(&*array, bounds),
                    })
                })?;
                let mut array = array.with_transfer(path.as_deref());
                array.set_tree(tree);
                let may_have_further = array.trailing.map_or(array.header.dtype().has_object(), |bytes| bytes > 0);
                let arrays = match input.path() {
                    Some(path) if format == FileFormat::Npy && may_have_further && input.part().is_none() => {
                        arrays_of(path).map_err(|failure| failure.about(&file))?
                    }
                    _ => Vec::new(),
                };
                Content::Array {
                    format: name_of(format),
                    array,
                    further: arrays.into_iter().skip(1).map(AboutArray::of_found).collect(),
                }
            }
        };
        Ok(Self { file, content, bytes })
    }

    /// Reads an `.npy` stream to its end, for the headers of all arrays. Of a file that is compressed, damage is told as of any file.
    fn of_stream(input: &mut Input, is_content: bool) -> Result<Self> {
        let file = input.name().to_owned();
        let mut arrays = Vec::new();
        let read = input.for_each_in_stream(|mut array| {
            let mut about = AboutArray::of(&*array, None);
            // Of the further ones it is not that in the stream.
            about.data_offset = about.data_offset.filter(|_| arrays.is_empty());
            if array.header().dtype().has_object() {
                let read = array.into_objects(object_options());
                about.set_tree(Some(Tree::of_objects(&read)));
                arrays.push(about);
                return read.map(drop).map_err(Failure::from);
            }
            arrays.push(about);
            pieces::read_to_end(&mut *array)
        });
        // Damaged data do not matter to the header before them, but to a file that has no more than these.
        match (&read, arrays.last_mut().filter(|_| is_content)) {
            (Err(failure), Some(last)) => last.problem = last.problem.take().or_else(|| Some(failure.to_string())),
            (Ok(behind), Some(last)) if !last.header.dtype().has_object() => last.trailing = Some((*behind).into()),
            _ => {}
        }
        let mut arrays = arrays.into_iter();
        let Some(array) = arrays.next() else { return Err(read.err().map_or(Failure::Reported, |failure| failure.about(&file))) };
        Ok(Self { file, content: Content::Array { format: "npy", array, further: arrays.collect() }, bytes: None })
    }

    pub(super) fn is_damaged(&self) -> bool {
        match &self.content {
            Content::Array { array, further, .. } => std::iter::once(array).chain(further).any(AboutArray::is_damaged),
            Content::Archive { members, .. } => members.iter().any(Member::is_damaged),
            Content::Damaged(_) => true,
        }
    }

    /// The argument that selects one of the further arrays.
    pub(super) fn further_name(&self, place: usize) -> String {
        format!("{}#{}", self.file, place + 1)
    }
}

impl AboutArray {
    /// Of an array that begins where the bounds do, if they are known.
    fn of(array: &dyn Array, bounds: Option<Range<u64>>) -> Self {
        let (header, data_offset) = (array.header().clone(), array.data_offset());
        match bounds {
            Some(range) => Self::of_found(Found { header, data_offset: range.start + data_offset, range }),
            None => Self { header, data_offset: None, trailing: None, problem: None, tree: None },
        }
    }

    fn of_found(found: Found) -> Self {
        let Found { header, range, data_offset } = found;
        let end = i128::from(data_offset) + i128::from(header.data_bytes());
        // The data of objects are a pickle, of which the header does not tell the length.
        let trailing = (!header.dtype().has_object()).then(|| i128::from(range.end) - end);
        Self { header, data_offset: Some(data_offset), trailing, problem: None, tree: None }
    }

    /// Looks for the signs of a transfer in text mode, if the array is a file.
    fn with_transfer(self, path: Option<&Path>) -> Self {
        let missing = self.trailing.map_or(0, |bytes| u64::try_from(-bytes).unwrap_or(0));
        Self { problem: path.and_then(|path| text_transfer(path, missing)).map(str::to_owned), ..self }
    }

    /// Sets the tree. Damage of its pickle is that of the array.
    fn set_tree(&mut self, mut tree: Option<Tree>) {
        let damage = tree.as_mut().and_then(|tree| tree.damage.take());
        (self.tree, self.problem) = (tree.map(Box::new), self.problem.take().or(damage));
    }

    fn is_damaged(&self) -> bool {
        self.problem.is_some() || self.trailing.is_some_and(|bytes| bytes < 0)
    }

    pub(super) fn is_mappable(&self) -> bool {
        self.data_offset.is_some() && !self.is_damaged() && !self.header.dtype().has_object() && self.header.data_bytes() > 0
    }

    /// The largest power of two up to 64 that divides the position of the data.
    pub(super) fn alignment(&self) -> Option<u64> {
        self.data_offset.map(|offset| 1 << offset.trailing_zeros().min(6))
    }
}

impl Member {
    fn of(archive: &mut NpzReader<ArchiveFile>, index: usize) -> Self {
        let bytes = archive.size(index).unwrap_or_default();
        let method = archive.method(index).unwrap_or_default();
        let content = if archive.is_array(index) {
            let stored_at = if method == 0 { archive.data_range(index).ok().map(|range| range.start) } else { None };
            match archive.array(index) {
                Ok(reader) => {
                    let mut array = AboutArray::of(&reader, Some(0..bytes));
                    array.data_offset = stored_at.map(|begin| begin + reader.data_offset());
                    MemberContent::Array(array)
                }
                Err(error) => MemberContent::Damaged(escape::line(&Failure::from(error).to_string()).into_owned()),
            }
        } else {
            MemberContent::Other
        };
        let name = if archive.is_array(index) { archive.name(index) } else { archive.full_name(index) };
        Self {
            name: name.unwrap_or_default().to_owned(),
            method,
            bytes,
            compressed_bytes: archive.compressed_size(index).unwrap_or_default(),
            content,
        }
    }

    pub(super) fn is_damaged(&self) -> bool {
        match &self.content {
            MemberContent::Array(array) => array.is_damaged(),
            MemberContent::Other => false,
            MemberContent::Damaged(_) => true,
        }
    }

    /// The compressed size in proportion to the size.
    pub(super) fn ratio(&self) -> f64 {
        if self.bytes == 0 { 1.0 } else { self.compressed_bytes as f64 / self.bytes as f64 }
    }
}

fn name_of(format: FileFormat) -> &'static str {
    match format {
        FileFormat::Npy => "npy",
        FileFormat::Npz => "npz",
        FileFormat::RawArray => "ra",
        _ => "unknown",
    }
}

/// The name of a compression method (APPNOTE 4.4.5).
pub(super) fn method_name(method: u16) -> String {
    match method {
        0 => "stored".to_owned(),
        8 => "deflate".to_owned(),
        12 => "bzip2".to_owned(),
        14 => "lzma".to_owned(),
        93 => "zstd".to_owned(),
        other => format!("method {other}"),
    }
}

/// A title as Python writes it, a text without its quotes.
pub(super) fn title_text(title: &Title) -> String {
    match title {
        Title::Text(text) | Title::Literal(text) => text.clone(),
        _ => String::new(),
    }
}
