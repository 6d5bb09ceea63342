//! `.npy`, and inputs in any of NumPy's formats: their content decides between these and `RawArray`.

use std::ffi::OsStr;
use std::fmt::Display;
use std::io::Write;
use std::path::Path;

use npy_core::{FileFormat, Order};

use super::compressed::numpy;
use super::format::{Format, Objects, Outgoing, ReadOptions, WriteOptions, write_data, write_only};
use super::source::{Item, Source, member_name, stem_of};
use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::arrays::Found;
use crate::input::pieces::{self, Sink};
use crate::input::{Array, Extent, Input, Spool, behind_array_of_stream, is_shadowed, path_of};
use crate::losses;
use crate::output::Content;

/// `.npy`
pub(super) struct Npy;

impl Format for Npy {
    fn names(&self) -> &'static [&'static str] {
        &["npy"]
    }

    fn about(&self) -> &'static str {
        "One array of NumPy"
    }

    fn objects(&self) -> Objects {
        Objects::Pickle
    }

    fn open(&self, path: &OsStr, _: Option<Spool>, options: &ReadOptions) -> Result<Vec<Box<dyn Source>>> {
        open(numpy(path)?, path, options)
    }

    fn write(&self, arrays: &mut [Box<dyn Outgoing>], path: &Path, _: WriteOptions) -> Result<()> {
        write_only(arrays, path, Content::Binary, write)
    }
}

/// Writes an array as an `.npy` file.
pub(super) fn write(array: &mut dyn Outgoing, out: &mut dyn Write) -> Result<()> {
    if array.copy_pickle(out)? {
        return Ok(());
    }
    if let Some(objects) = array.objects()? {
        return Ok(objects.write(out)?);
    }
    let header = array.header().clone();
    out.write_all(&header.to_bytes())?;
    write_data(array, header.order(), out)
}

/// The arrays of an input, which the user typed like this.
pub(super) fn open(input: Input, text: &OsStr, options: &ReadOptions) -> Result<Vec<Box<dyn Source>>> {
    Ok(vec![Box::new(InputSource::open(input, text, options)?)])
}

/// An input in one of NumPy's formats, or an `.ra` file.
pub(super) struct InputSource {
    input: Input,
    addresses: Vec<Address>,
    items: Vec<Item>,
    is_lossy: bool,
}

/// Where an array of an input is.
enum Address {
    Member(usize),
    /// One of several arrays of an `.npy` file, one behind another.
    Behind(Found),
}

impl InputSource {
    /// Names the array of a file by its path below a directory, as the members of an archive are named.
    pub(super) fn name_below(&mut self, directory: &Path, path: &Path) {
        let parents = path.parent().and_then(|parent| parent.strip_prefix(directory).ok()).into_iter().flat_map(Path::iter);
        let parents: Vec<String> = parents.map(member_name).collect();
        for item in self.items.iter_mut().filter(|_| !parents.is_empty()) {
            item.name = format!("{}/{}", parents.join("/"), item.name);
        }
    }

    pub(super) fn open(mut input: Input, path: &OsStr, options: &ReadOptions) -> Result<Self> {
        let text = match input.path_below() {
            // Without the colon at its end.
            Some("") => input.name().to_owned(),
            _ => escape::path(path).into_owned(),
        };
        // Several arrays have to be counted, and pickles have to end before anything is written.
        if input.is_stream() && (options.are_all_wanted || input.header(0)?.dtype().has_object()) {
            input = input.into_file()?;
        }
        let mut source = Self { input, addresses: Vec::new(), items: Vec::new(), is_lossy: options.is_lossy };
        let several = source.further_arrays()?;
        let mut losses = Vec::new();
        if several.is_empty() {
            losses = source.input.unread_parts()?;
            if source.input.format() == FileFormat::Npz && source.input.part().is_none() {
                source.input.tell_of_attributes();
            }
            source.add_members(path, &text)?;
        } else {
            let read = if options.are_all_wanted { several.len() } else { 1 };
            losses.extend(source.input.behind_arrays(read));
            for (number, found) in several.into_iter().take(read).enumerate() {
                let name = if read == 1 { stem_of(path) } else { numbered(path, number) };
                source.add(Address::Behind(found), name, &text)?;
            }
        }
        losses.extend(options.output.as_deref().and_then(|output| source.input.replaced_parts(output)));
        match source.items.first_mut() {
            Some(first) => first.losses = losses,
            None => return Err(Failure::new(format!("{text}: the archive has no arrays"))),
        }
        source.input.close_archive();
        Ok(source)
    }

    /// The arrays of an `.npy` file of which none was selected, if there are several.
    fn further_arrays(&self) -> Result<Vec<Found>> {
        let is_whole = self.input.format() == FileFormat::Npy && self.input.part().is_none() && !self.input.is_stream();
        let arrays = if is_whole { self.input.arrays()? } else { Vec::new() };
        Ok(if arrays.len() > 1 { arrays } else { Vec::new() })
    }

    fn add_members(&mut self, path: &OsStr, text: &str) -> Result<()> {
        let mut members = self.input.members()?;
        if self.input.format() == FileFormat::Npz && self.input.selected().is_none() {
            let archive = self.input.archive()?;
            members.retain(|(index, _)| !is_shadowed(&archive, *index));
        }
        for (index, member) in members {
            let name = member.unwrap_or_else(|| name_of(&self.input, path));
            self.add(Address::Member(index), name, text)?;
        }
        Ok(())
    }

    fn add(&mut self, address: Address, name: String, input: &str) -> Result<()> {
        let header = match &address {
            Address::Member(index) => self.input.header(*index)?,
            Address::Behind(found) => found.header.clone(),
        };
        self.addresses.push(address);
        self.items.push(Item { name, input: input.to_owned(), header, losses: Vec::new(), notes: Vec::new() });
        Ok(())
    }

    fn with<T>(&mut self, index: usize, work: impl FnOnce(Box<dyn Array + '_>) -> Result<T>) -> Result<T> {
        match self.addresses.get(index) {
            Some(Address::Member(index)) => self.input.with_member(*index, work),
            Some(Address::Behind(found)) => self.input.with_found(found, work),
            None => Err(Failure::new("expected an array, found none")),
        }
    }
}

/// The name of an array that is no member, with its number if one is selected. Of a part, that of its path.
fn name_of(input: &Input, path: &OsStr) -> String {
    match input.part() {
        _ if input.path_below().is_some_and(|path| !path.is_empty()) => input.path_below().unwrap_or_default().to_owned(),
        Some(number) => numbered(path_of(path), number),
        None => stem_of(path_of(path)),
    }
}

/// The name of one of several arrays of an `.npy` file.
fn numbered(path: &OsStr, number: impl Display) -> String {
    if path == "-" { format!("arr_{number}") } else { format!("{}-{number}", stem_of(path)) }
}

impl Source for InputSource {
    fn items(&self) -> &[Item] {
        &self.items
    }

    fn rows(&mut self, index: usize, sink: Sink<'_>) -> Result<()> {
        self.read(index, Order::C, sink)
    }

    fn read(&mut self, index: usize, order: Order, sink: Sink<'_>) -> Result<()> {
        let is_last = index + 1 == self.addresses.len();
        let is_stream = self.input.is_stream();
        let behind = self.with(index, |mut array| {
            pieces::for_each(&mut *array, order, sink)?;
            if is_stream { array.rest().map(|rest| behind_array_of_stream(&rest)) } else { Ok(None) }
        });
        if is_last {
            self.input.close_archive();
        }
        let name = self.items.get(index).map_or("", |item| &item.input);
        let losses: Vec<String> = behind?.iter().map(|behind| format!("{name}: {behind}")).collect();
        losses::report("the conversion", &losses, self.is_lossy)
    }

    fn extent(&mut self, index: usize) -> Result<Option<(Extent, Option<u64>)>> {
        let Some(Address::Member(member)) = self.addresses.get(index) else { return Ok(None) };
        let available = self.input.available(*member)?;
        Ok(self.input.extent(*member)?.map(|extent| (extent, available)))
    }

    fn with_array(&mut self, index: usize, work: &mut dyn FnMut(Box<dyn Array + '_>) -> Result<()>) -> Result<()> {
        self.with(index, work)
    }
}
