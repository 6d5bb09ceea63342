//! The arrays that can be shown: those of all files, each of which is opened when its turn comes.

use std::ffi::OsString;
use std::fs;
use std::time::SystemTime;

use npy_core::Header;
use unicode_width::UnicodeWidthStr;

use crate::escape;
use crate::failure::{Failure, Result};
use crate::formats;
use crate::input::source::Source;
use crate::input::{Input, Named, is_on_disk, path_of};
use crate::output::table::cut;
use crate::values::quantity;

/// Longer names are cut in the list.
const MOST_NAME: usize = 48;

/// The most characters of a dtype in the list.
const MOST_DTYPE: usize = 24;

/// The arrays of some files, of which one is open.
pub(crate) struct Files {
    arguments: Vec<OsString>,
    entries: Vec<Entry>,
    current: usize,
    /// The state of the open file when it was opened.
    stamp: Option<Stamp>,
}

#[derive(Clone, Debug)]
struct Entry {
    file: usize,
    /// The index of [`Input::members`], and the name of a member of an archive.
    index: usize,
    member: Option<String>,
}

/// What changes when a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Files {
    /// Lists the arrays of files. The first one that can be shown is opened.
    pub(crate) fn new(arguments: Vec<OsString>) -> Result<(Self, Source)> {
        let mut files = Self { arguments, entries: Vec::new(), current: 0, stamp: None };
        for (file, argument) in files.arguments.iter().enumerate() {
            // Streams are read once, and other formats are converted: not before they are shown.
            let members = match is_on_disk(argument).then(|| Input::find(argument)) {
                Some(Ok(Named::Input(input))) => {
                    input.tell_of_further();
                    input.members().unwrap_or_default()
                }
                _ => Vec::new(),
            };
            files.entries.extend(entries(file, members));
        }
        let mut first = None;
        for entry in 0..files.entries.len() {
            match files.open(entry) {
                Ok(source) => return Ok((files, source)),
                Err(failure @ (Failure::Interrupted | Failure::BrokenPipe)) => return Err(failure),
                Err(failure) => first = first.or(Some(failure)),
            }
        }
        Err(first.unwrap_or_else(|| Failure::new("expected a file")))
    }

    /// The number of arrays.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The number of the open array.
    pub(crate) fn current(&self) -> usize {
        self.current
    }

    /// Opens the file of an array. The members of the file are listed anew.
    pub(crate) fn open(&mut self, number: usize) -> Result<Source> {
        let Some(entry) = self.entries.get(number).cloned() else { return Err(Failure::new("expected an array")) };
        let argument = self.arguments.get(entry.file).cloned().unwrap_or_default();
        let stamp = Stamp::of(&argument);
        let input = formats::input(&argument)?;
        let members = input.visible_members()?;
        let place = members.iter().position(|(_, name)| *name == entry.member).unwrap_or(0);
        let Some((index, _)) = members.get(place) else {
            return Err(Failure::new(format!("{}: the archive has no arrays", input.name())));
        };
        let source = Source::open(input, *index)?;
        expect_cells(&source)?;
        let begin = self.entries.iter().position(|other| other.file == entry.file).unwrap_or(0);
        let end = begin + self.entries.iter().filter(|other| other.file == entry.file).count();
        self.entries.splice(begin..end, entries(entry.file, members));
        (self.current, self.stamp) = (begin + place, stamp);
        Ok(source)
    }

    /// Shows another array: of the open file, or of another one.
    pub(crate) fn select(&mut self, number: usize, source: &mut Source) -> Result<()> {
        let (Some(now), Some(next)) = (self.entries.get(self.current), self.entries.get(number)) else { return Ok(()) };
        if now.file != next.file {
            *source = self.open(number)?;
            return Ok(());
        }
        if let Err(failure) = source.select(next.index).and_then(|()| expect_cells(source)) {
            source.select(now.index)?;
            return Err(failure);
        }
        self.current = number;
        Ok(())
    }

    /// Whether the open file was written since it was opened.
    pub(crate) fn has_changed(&self) -> bool {
        let argument = self.entries.get(self.current).and_then(|entry| self.arguments.get(entry.file));
        self.stamp.is_some() && argument.is_some_and(|argument| Stamp::of(argument) != self.stamp)
    }

    /// The name of an array: of its file if there are several, and of the member.
    fn name(&self, entry: &Entry) -> String {
        let file = self.arguments.get(entry.file).map(escape::path).unwrap_or_default();
        match &entry.member {
            None => file.into_owned(),
            Some(member) if self.arguments.len() > 1 => {
                let path = self.arguments.get(entry.file).map(|argument| escape::path(path_of(argument)));
                format!("{}:{member}", path.unwrap_or_default())
            }
            Some(member) => member.clone(),
        }
    }

    /// The name of the member that is open.
    pub(crate) fn member(&self) -> Option<&str> {
        self.entries.get(self.current)?.member.as_deref()
    }

    /// The name, the dtype and the shape of each array, as far as they are known without a conversion.
    pub(crate) fn list(&self) -> Vec<String> {
        let names: Vec<String> = self.entries.iter().map(|entry| escape::line(&self.name(entry)).into_owned()).collect();
        let width = names.iter().map(|name| name.width()).max().unwrap_or(0).min(MOST_NAME);
        let abouts: Vec<(String, String)> = self.headers().iter().map(|header| about(header.as_ref())).collect();
        let dtype_width = abouts.iter().map(|(dtype, _)| dtype.width()).max().unwrap_or(0);
        let line = |(name, (dtype, shape)): (&String, &(String, String))| {
            let name = cut_begin(name, width);
            let blanks = |text: &str, width: usize| " ".repeat(width.saturating_sub(text.width()));
            let (after_name, after_dtype) = (blanks(&name, width), blanks(dtype, dtype_width));
            format!("{name}{after_name}  {dtype}{after_dtype}  {shape}").trim_end().to_owned()
        };
        names.iter().zip(&abouts).map(line).collect()
    }

    fn headers(&self) -> Vec<Option<Header>> {
        let mut open: Option<(usize, Input)> = None;
        let header = |entry: &Entry| {
            if open.as_ref().is_none_or(|(file, _)| *file != entry.file) {
                let argument = self.arguments.get(entry.file).filter(|argument| is_on_disk(argument))?;
                let Ok(Named::Input(input)) = Input::find(argument) else { return None };
                open = Some((entry.file, input));
            }
            open.as_mut()?.1.header(entry.index).ok()
        };
        self.entries.iter().map(header).collect()
    }
}

/// The entries of a file. Before it is opened it may have none, and then stands for itself.
fn entries(file: usize, members: Vec<(usize, Option<String>)>) -> Vec<Entry> {
    let members = if members.is_empty() { vec![(0, None)] } else { members };
    members.into_iter().map(|(index, member)| Entry { file, index, member }).collect()
}

/// The dtype and the shape, in a few characters.
fn about(header: Option<&Header>) -> (String, String) {
    let Some(header) = header else { return Default::default() };
    let dtype = match header.dtype().record() {
        Some(record) => quantity::counted(record.fields().len() as u64, "field"),
        None => header.dtype().to_string(),
    };
    (cut(&escape::line(&dtype), MOST_DTYPE).into_owned(), quantity::shape(header.shape()))
}

/// Refuses records that hold Python objects: their items are not the elements.
fn expect_cells(source: &Source) -> Result<()> {
    let is_wrong = source.objects().is_some_and(|objects| objects.items().len() != source.header().element_count());
    if is_wrong {
        let name = source.input().name();
        return Err(Failure::new(format!("{name}: cannot view records that hold Python objects; npy show prints them")));
    }
    Ok(())
}

/// Cuts the begin of a text to a width: of a long path the end tells most.
pub(crate) fn cut_begin(text: &str, most: usize) -> String {
    let reversed = text.chars().rev().collect::<String>();
    cut(&reversed, most).chars().rev().collect()
}

impl Stamp {
    fn of(argument: &OsString) -> Option<Self> {
        let metadata = fs::metadata(path_of(argument)).ok().filter(fs::Metadata::is_file)?;
        Some(Self { length: metadata.len(), modified: metadata.modified().ok() })
    }
}
