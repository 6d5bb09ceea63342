//! Opens the arguments of a user: paths, members, numbers, and streams.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::ops::Range;
use std::path::PathBuf;

use npy_core::FileFormat;

use super::file::{Backing, Input};
use super::looks;
use super::part::{Part, split, standard_input};
use super::paths;
use super::stream::Spool;
use crate::escape;
use crate::failure::{Failure, Result};

/// The file that an argument of a user names.
pub(crate) enum Named {
    Input(Input),
    /// An array, and a path into it.
    Below(Input, String),
    Other(Other),
}

/// A file in none of NumPy's formats.
pub(crate) struct Other {
    /// The argument of the user without the member.
    pub(crate) name: String,
    /// `None` of a stream.
    pub(crate) path: Option<PathBuf>,
    pub(crate) part: Option<Part>,
    /// The first bytes.
    pub(crate) front: Vec<u8>,
    /// A stream behind these.
    rest: Option<Box<dyn Read + Send>>,
}

impl Other {
    /// Why it is no [`Input`].
    pub(crate) fn failure(&self) -> Failure {
        looks::unknown_format(&self.front, &self.name).about(&self.name)
    }

    /// The bytes of the file. A stream gives them once.
    pub(crate) fn bytes(&mut self) -> Result<Box<dyn Read + Send>> {
        match (&self.path, self.rest.take()) {
            (Some(path), _) => {
                let failed = |error: io::Error| Failure::Unread(format!("{}: cannot open the file: {error}", self.name));
                Ok(Box::new(File::open(path).map_err(failed)?))
            }
            (None, rest) => Ok(Box::new(Cursor::new(self.front.clone()).chain(rest.unwrap_or_else(|| Box::new(io::empty()))))),
        }
    }
}

/// The arguments of a user, with patterns of files and of members replaced by what matches them.
pub(crate) fn expand_patterns(given: &[OsString]) -> Result<Vec<OsString>> {
    let mut arguments = Vec::new();
    for text in given {
        for file in paths::expand_pattern(text)? {
            let members = members_of_pattern(&file)?;
            if members.is_empty() { arguments.push(file) } else { arguments.extend(members) }
        }
    }
    Ok(arguments)
}

/// The members that match the pattern behind the name of an archive; none where there is no pattern.
fn members_of_pattern(text: &OsStr) -> Result<Vec<OsString>> {
    let (path, part) = split(text);
    let Some(Part::Member(_)) = part.filter(|part| matches!(part, Part::Member(name) if paths::is_pattern(name.as_ref()))) else {
        return Ok(Vec::new());
    };
    let Named::Input(input) = Input::find(text)? else { return Ok(Vec::new()) };
    if !input.has_members()? {
        return Ok(Vec::new());
    }
    let names = input.members()?.into_iter().filter_map(|(_, name)| name);
    Ok(names.map(|name| [path, OsStr::new(":"), OsStr::new(&name)].into_iter().collect()).collect())
}

impl Input {
    /// Opens the argument of a user in one of NumPy's formats: see [`find`](Self::find).
    pub(crate) fn open(text: impl AsRef<OsStr>) -> Result<Self> {
        match Self::find(text.as_ref())? {
            Named::Input(input) => Ok(input),
            Named::Below(input, path) => {
                let message = format!("cannot select {path:?}: expected a whole array; npy convert writes the part to a file");
                Err(Failure::new(format!("{}: {message}", input.name)))
            }
            Named::Other(other) => Err(other.failure()),
        }
    }

    /// Opens the argument of a user: a path or `-`, each with or without a member or a number.
    pub(crate) fn find(text: &OsStr) -> Result<Named> {
        if let Some(part) = standard_input(text) {
            return Self::of_stream("-", Box::new(io::stdin()), part);
        }
        let (path, part) = split(text);
        let name = escape::path(path);
        let failed = |error: io::Error| Failure::Unread(format!("{name}: cannot open the file: {error}"));
        let metadata = fs::metadata(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => failed(error).with_advice(&paths::similar_file(path)),
            _ => failed(error),
        })?;
        if metadata.is_dir() {
            return Err(Failure::new(format!("{name}: expected a file, found a directory")));
        }
        let mut front = Vec::new();
        let file = File::open(path).map_err(failed)?;
        if !metadata.is_file() {
            // A pipe, which is not there a second time.
            return Self::of_stream(&name, Box::new(file), part);
        }
        file.take(looks::FRONT_BYTES).read_to_end(&mut front).map_err(failed)?;
        let Some(format) = FileFormat::of(&front) else {
            let (name, path) = (name.into_owned(), Some(path.into()));
            return Ok(Named::Other(Other { name, path, part, front, rest: None }));
        };
        Self::new(&name, Backing::Path(path.into()), format).with_part(part)
    }

    /// Selects a member, which only archives have, or one of several arrays, which only `.npy` files have.
    pub(super) fn with_selected(mut self, part: Option<Part>) -> Result<Self> {
        if let Some(Part::Number(number)) = &part
            && self.name != "-"
        {
            // Errors name the array that the user named.
            self.name = format!("{}#{number}", self.name);
        }
        match (&part, self.format) {
            (None, _) | (Some(Part::Member(_)), FileFormat::Npz) => {}
            (Some(Part::Number(number)), FileFormat::Npy) => self.range = Some(self.range_of(*number)?),
            (Some(Part::Member(member)), _) => {
                let message = format!("cannot select member {member:?}: expected an .npz archive");
                return Err(Failure::new(format!("{}: {message}", self.name)));
            }
            (Some(Part::Number(number)), _) => {
                let message = format!("cannot select array {number}: expected an .npy file");
                return Err(Failure::new(format!("{}: {message}", self.name)));
            }
        }
        self.part = part;
        Ok(self)
    }

    /// Where an array of the file is.
    fn range_of(&self, number: usize) -> Result<Range<u64>> {
        let arrays = self.arrays()?;
        match arrays.get(number) {
            Some(found) => Ok(found.range.clone()),
            None => {
                let there = if arrays.len() == 1 {
                    "1 array, #0".to_owned()
                } else {
                    format!("{0} arrays, #0 to #{1}", arrays.len(), arrays.len() - 1)
                };
                Err(Failure::new(format!("{}: missing array #{number}: the file has {there}", self.name)))
            }
        }
    }

    /// Opens a stream. Another format than `.npy` is in a temporary file then, and so is an array of which a part is selected.
    pub(crate) fn of_stream(name: &str, mut stream: Box<dyn Read + Send>, part: Option<Part>) -> Result<Named> {
        let failed = |error: io::Error| Failure::new(format!("{name}: cannot read the stream: {error}"));
        let mut front = Vec::new();
        (&mut stream).take(looks::FRONT_BYTES).read_to_end(&mut front).map_err(failed)?;
        let Some(format) = FileFormat::of(&front) else {
            return Ok(Named::Other(Other { name: name.to_owned(), path: None, part, front, rest: Some(stream) }));
        };
        let input = Self::new(name, Backing::Stream { front, rest: Some(stream) }, format);
        let is_read_once = format == FileFormat::Npy && part.is_none();
        if is_read_once { Ok(Named::Input(input)) } else { input.into_file()?.with_part(part) }
    }

    /// Copies a stream that was not read to a temporary file. Other inputs stay as they are.
    pub(crate) fn into_file(mut self) -> Result<Self> {
        if let Backing::Stream { front, rest: Some(rest) } = &mut self.backing {
            self.backing = Backing::Spool(Spool::of(&mut Cursor::new(std::mem::take(front)).chain(rest), &self.name)?);
        }
        Ok(self)
    }

    /// A temporary file that was made of a file in another format.
    pub(crate) fn spooled(name: &str, spool: Spool, part: Option<Part>) -> Result<Self> {
        let mut front = Vec::new();
        let read = File::open(spool.path()).and_then(|file| file.take(looks::FRONT_BYTES).read_to_end(&mut front));
        read.map_err(|error| Failure::new(format!("{name}: cannot read a temporary file: {error}")))?;
        let format = FileFormat::of(&front).ok_or_else(|| looks::unknown_format(&front, name).about(name))?;
        Self::new(name, Backing::Spool(spool), format).with_selected(part)
    }
}
