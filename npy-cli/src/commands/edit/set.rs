//! `npy set`: another value for elements, or another array for a member.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

use npy_core::atomic::Output;
use npy_core::npz::{ArchiveFile, NpzReader};
use npy_core::{DType, FileFormat, Header, SaveOptions};

use super::archive::{Content, Member, WriteArray, all, edit};
use crate::escape;
use crate::failure::{Failure, Result};
use crate::formats;
use crate::formats::text::slot::{self, Encoding, Slot};
use crate::input::paths::is_pattern;
use crate::input::{Input, Part, array_of, copy, expected_one, member_named, split, standard_input, write_whole};
use crate::losses;
use crate::select::{Patch, Selection, Slice};
use crate::signals;
use crate::values::names::expect_member_name;
use crate::values::quantity::{self, counted};

/// Set elements of an array, or a member of an archive.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "npy set [OPTIONS] <ARRAY> [SLICE] <VALUE>\n       npy set [OPTIONS] <ARCHIVE:MEMBER> --from <FILE>",
    after_help = "\
Examples:
  npy set run.npz:lr 0.1                  a number, as np.savez has it
  npy set run.npz:x '[3]' nan             one element of an array
  npy set picks.npy 'at.x[:10]' 0         a field of the first ten records
  npy set trace.npy '[:]' -- -1e-3        all elements
  npy set run.npz:x --from other.npy      another array for a member, or a new member

The array keeps its dtype, shape and order. VALUE is read as a cell of CSV for that dtype: numbers, True and False, text, times as \
ISO 8601, hexadecimal bytes. What the dtype does not hold exactly is refused without --lossy, which stores what npy convert --lossy does: an \
integer out of range wraps around, so that 300 as u1 is 44. Without a slice the array has one \
element. --from takes an array with its dtype and shape, compressed if the old member was; a member that is not there is added, \
compressed as the last one is.

The file is replaced atomically. Of an archive the other members are copied as they are stored, as by npy rm.

Exit codes: 0 success, 2 trouble; the file is then untouched."
)]
pub(crate) struct Set {
    /// An .npy file, an array of it (FILE#N) or a member (FILE:MEMBER)
    #[arg(value_name = "ARRAY")]
    array: OsString,

    /// The elements, as npy show takes them, and their value
    #[arg(value_name = "SLICE", allow_hyphen_values = true, required_unless_present = "from", conflicts_with = "from")]
    first: Option<String>,

    #[arg(value_name = "VALUE", allow_hyphen_values = true, conflicts_with = "from", hide = true)]
    second: Option<String>,

    /// Set a member to this array: a file, or a member (FILE:MEMBER)
    #[arg(long, value_name = "FILE")]
    from: Option<OsString>,

    /// Allow losses: of digits, of text that is too long, of comments, bytes around an archive
    #[arg(long)]
    lossy: bool,
}

pub(crate) fn set(arguments: &Set) -> Result<u8> {
    let name = escape::path(&arguments.array);
    if standard_input(&arguments.array).is_some() {
        return Err(Failure::new("-: cannot set elements of a stream; save it first"));
    }
    if let Some(from) = &arguments.from {
        return set_member(arguments, from);
    }
    let (slice, value) = match (&arguments.first, &arguments.second) {
        (Some(slice), Some(value)) => (Some(Slice::new(slice)?), value.as_str()),
        (value, _) => (None, value.as_deref().unwrap_or_default()),
    };
    let input = Input::open(&arguments.array)?;
    let is_member = input.format() == FileFormat::Npz;
    let change = Change { name: name.clone(), slice, value, is_member, is_lossy: arguments.lossy };
    match (input.format(), input.path()) {
        (FileFormat::Npz, Some(path)) => set_value_in_archive(path, input.selected(), &change),
        (FileFormat::Npy, Some(path)) => {
            let arrays = input.arrays()?.len();
            if arrays > 1 && input.part().is_none() {
                let message = format!("expected one array, found {arrays}; select one, as in {name}#0");
                return Err(Failure::new(format!("{name}: {message}")));
            }
            let begin = input.bounds().map_or(0, |bounds| bounds.start);
            set_value_in_file(path, begin, &change).map_err(|failure| failure.of_output(&name).about(&name))
        }
        _ => Err(Failure::new(format!("{name}: expected an .npy or .npz file"))),
    }
}

/// A value for some elements.
struct Change<'a> {
    /// The argument of the user.
    name: Cow<'a, str>,
    /// `None` is the only element.
    slice: Option<Slice>,
    value: &'a str,
    /// Whether the array is a member of an archive.
    is_member: bool,
    is_lossy: bool,
}

impl Change<'_> {
    /// What replaces an array whose elements cannot be set.
    fn other_way(&self) -> &'static str {
        if self.is_member { "`--from` replaces the array" } else { "replace the file by one that np.save writes" }
    }

    /// The change in the data of an array.
    fn of(&self, header: &Header) -> Result<Patch> {
        if header.dtype().has_object() {
            return Err(Failure::Nameless(format!("cannot set Python objects; {}", self.other_way())));
        }
        let selection = self.slice.as_ref().map_or_else(|| Ok(Selection::new(header)), |slice| slice.of(header))?;
        let scalar = match selection.dtype() {
            DType::Scalar(scalar) if slot::is_supported(*scalar) => *scalar,
            DType::Scalar(scalar) => {
                return Err(Failure::Nameless(format!("cannot set elements of {scalar}; {}", self.other_way())));
            }
            dtype => {
                let fields = quantity::listed(dtype.columns().iter().map(|field| field.path()));
                return Err(Failure::Nameless(format!("cannot set records: expected one field of {fields}")));
            }
        };
        match selection.count() {
            0 => return Err(Failure::Nameless("the slice has no elements".to_owned())),
            count @ 2.. if self.slice.is_none() => {
                let found = counted(count as u64, "element");
                return Err(Failure::Nameless(format!("expected a slice before the value, as in '[0]': the array has {found}")));
            }
            _ => {}
        }
        let mut bytes = vec![0; scalar.itemsize()];
        let slot = Slot { scalar, encoding: Encoding::Utf8, is_lossy: self.is_lossy };
        slot.put_text(self.value, &mut bytes)
            .map_err(|problem| Failure::Nameless(format!("cannot set the value: {}{}", problem.message, problem.hint())))?;
        losses::tell_of_all(&self.name);
        Ok(selection.patch(header.order(), bytes))
    }
}

fn set_value_in_archive(path: &Path, member: Option<&str>, change: &Change<'_>) -> Result<u8> {
    edit(path, change.is_lossy, |archive| {
        let arrays: Vec<usize> = (0..archive.len()).filter(|index| archive.is_array(*index)).collect();
        let index = match (member, &arrays[..]) {
            (Some(member), _) => member_named(archive, member).map_err(|failure| {
                let is_missing = archive.find(member).is_err();
                if is_missing { failure.with_advice("; `--from` adds a member") } else { failure }
            })?,
            (None, [index]) => *index,
            (None, arrays) => {
                let names = arrays.iter().map(|index| archive.name(*index).unwrap_or_default());
                return Err(expected_one(&change.name, names));
            }
        };
        let write = move |archive: &mut NpzReader<ArchiveFile>, out: &mut dyn Write| {
            let array = array_of(archive, index)?;
            let header = array.header().clone();
            let mut out = Patched { out, patch: change.of(&header)?, position: 0, begin: header.to_bytes().len() as u64 };
            write_whole(array, &header, &mut out)
        };
        let mut members = all(archive);
        replace(archive, &mut members, index, Box::new(write))?;
        Ok(members)
    })
}

fn set_member(arguments: &Set, from: &OsStr) -> Result<u8> {
    let (path, part) = split(&arguments.array);
    let Some(Part::Member(name)) = part.filter(|part| !matches!(part, Part::Member(name) if name.is_empty())) else {
        let name = escape::path(&arguments.array);
        File::open(path).map_err(|error| Failure::new(format!("{name}: cannot open the file: {error}")))?;
        return Err(Failure::new(format!("{name}: expected a member of an .npz archive for --from, as in run.npz:x")));
    };
    let mut source = formats::numpy(from)?.into_file()?;
    source.expect_nothing_else("set")?;
    edit(Path::new(path), arguments.lossy, |archive| {
        let write = move |_: &mut NpzReader<ArchiveFile>, out: &mut dyn Write| {
            source.with_array(|array| {
                let header = array.header().clone();
                write_whole(array, &header, out)
            })
        };
        let mut members = all(archive);
        if let Ok(index) = archive.find(&name) {
            replace(archive, &mut members, index, Box::new(write))?;
        } else if is_pattern(OsStr::new(&name)) {
            return Err(Failure::Nameless(format!("expected the name of one member, found the pattern {name:?}")));
        } else {
            let last = archive.len().checked_sub(1);
            let is_compressed = last.is_some_and(|last| archive.method(last) != Some(0));
            let key = name.strip_suffix(".npy").unwrap_or(&name);
            expect_member_name(key)?;
            let name = format!("{key}.npy");
            members.push(Member { name, content: Content::Array { is_compressed, write: Box::new(write) } });
        }
        Ok(members)
    })
}

/// Replaces a member in its place, with the compression that it has.
fn replace<'a>(archive: &NpzReader<ArchiveFile>, members: &mut [Member<'a>], index: usize, write: WriteArray<'a>) -> Result<()> {
    let Some(member) = members.iter_mut().find(|member| member.is_old(index)) else {
        return Err(Failure::Nameless("expected the last member of its name".to_owned()));
    };
    if !archive.is_array(index) || member.key() == member.name {
        let message = format!("cannot set the member {:?}: expected an array whose name ends in .npy", member.name);
        return Err(Failure::Nameless(message));
    }
    member.content = Content::Array { is_compressed: archive.method(index) != Some(0), write };
    Ok(())
}

/// Copies a file with another value in the array that begins at this position.
fn set_value_in_file(path: &Path, begin: u64, change: &Change<'_>) -> Result<u8> {
    let _guard = signals::Guard::new();
    let mut output = Output::edit(path, SaveOptions::new())?;
    let failed = Failure::cannot("read the file");
    // After the lock, so that it has what other writers have committed.
    let mut file = BufReader::new(File::open(path).map_err(failed)?);
    file.seek(SeekFrom::Start(begin)).map_err(failed)?;
    let header = Header::read(&mut file)?;
    let values = change.of(&header)?;
    let begin = file.stream_position().map_err(failed)?;
    let found = file.seek(SeekFrom::End(0)).map_err(failed)?.saturating_sub(begin);
    if found < header.data_bytes() {
        return Err(Failure::Nameless(format!("truncated: {}", quantity::expected_bytes(header.data_bytes(), found))));
    }
    file.rewind().map_err(failed)?;
    copy(&mut file, &mut Patched { out: &mut output, patch: values, position: 0, begin })?;
    signals::check()?;
    output.commit()?;
    Ok(0)
}

/// A stream of a file, in which elements are changed.
struct Patched<'a> {
    out: &'a mut dyn Write,
    patch: Patch,
    position: u64,
    /// The position of the data.
    begin: u64,
}

impl Write for Patched<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let mut bytes = buffer.to_vec();
        let header = usize::try_from(self.begin.saturating_sub(self.position)).unwrap_or(usize::MAX).min(bytes.len());
        self.patch.apply((self.position + header as u64).saturating_sub(self.begin), &mut bytes[header..]);
        self.out.write_all(&bytes)?;
        self.position += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
