//! `npy info`: what is in files.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

use npy_core::dtype::Title;
use npy_core::npz::{ArchiveFile, NpzReader};
use npy_core::{DType, FileFormat, Header, Order};
use serde_json::{Map, Value, json};

use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::arrays::{Found, arrays_of};
use crate::input::paths::{self, Files};
use crate::input::{Array, Input, object_options, text_transfer};
use crate::output::{Screen, Style};
use crate::table::{Side, Table};
use crate::{pieces, quantity};

/// Show what is in files: dtype, fields, shape, order, sizes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy info picks.npy             one array, its fields with their offsets
  npy info run.npz               a line for each member
  npy info run.npz:time          one member
  npy info data/ 'more/*.npy'    a line for each file of a directory, and of a pattern
  npy info log.npy#1             the second of several arrays, one behind another
  npy info --json picks.npy      one line of JSON for each file, for other programs

Mappable means that the bytes of the data are in the file as they are, so that np.load(..., mmap_mode='r') works \
for an .npy file. Trailing bytes follow the array, and NumPy ignores them.

Exit codes: 0 success, 2 a file or a member is damaged; the others are shown.")]
pub(crate) struct Arguments {
    /// Files, members (FILE:MEMBER), directories, patterns, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<OsString>,

    /// Write one line of JSON for each file
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    let Files { found: files, unread: unread_directories } = paths::expand(&arguments.files)?;
    let is_one = matches!((&arguments.files[..], &files[..]), ([given], [found]) if given == found);
    let (mut damaged, mut unread) = (unread_directories, unread_directories);
    let mut table = Table::new(screen, &COLUMNS);
    for file in &files {
        let found = Input::open(file).and_then(|mut input| About::of(&mut input));
        let about = match found {
            Ok(about) => about,
            Err(failure @ (Failure::BrokenPipe | Failure::Interrupted)) => return Err(failure),
            Err(failure) if is_one && !arguments.json => return Err(failure),
            Err(failure) => {
                unread += usize::from(matches!(failure, Failure::Unread(_)));
                About { file: escape::path(file).into_owned(), content: Content::Damaged(failure.to_string()), bytes: None }
            }
        };
        damaged += usize::from(about.is_damaged());
        if arguments.json {
            screen.json(&about.to_json())?;
        } else if is_one {
            about.write(screen)?;
        } else {
            about.write_rows(screen, &mut table);
        }
    }
    if !arguments.json && !is_one {
        table.write(screen, "")?;
        writeln!(screen, "{}", screen.paint(Style::Faint, &summary(files.len(), damaged - unread, unread)))?;
    }
    if damaged > 0 { Err(Failure::Reported) } else { Ok(0) }
}

const COLUMNS: [(&str, Side); 6] = [
    ("file", Side::Left),
    ("dtype", Side::Left),
    ("shape", Side::Left),
    ("order", Side::Left),
    ("size", Side::Right),
    ("", Side::Left),
];

fn summary(files: usize, damaged: usize, unread: usize) -> String {
    let bad = [(damaged, "with damage"), (unread, "unreadable")].into_iter().filter(|(count, _)| *count > 0);
    let parts = bad.map(|(count, what)| format!("{count} {what}"));
    std::iter::once(quantity::counted(files as u64, "file")).chain(parts).collect::<Vec<_>>().join(", ")
}

/// What is known of a file.
struct About {
    file: String,
    content: Content,
    /// The size of the file; `None` of a stream.
    bytes: Option<u64>,
}

enum Content {
    /// The further ones are behind the array in the same file.
    Array {
        format: FileFormat,
        array: AboutArray,
        further: Vec<AboutArray>,
    },
    Archive(Vec<Member>),
    Damaged(String),
}

/// What is known of an array.
struct AboutArray {
    header: Header,
    /// The position of the data in the file, if they are there as they are.
    data_offset: Option<u64>,
    /// Bytes after the array; negative if bytes are missing. `None` where it is unknown.
    trailing: Option<i128>,
    /// What a transfer in text mode did to it.
    transfer: Option<&'static str>,
}

/// What is known of a member of an archive.
struct Member {
    name: String,
    /// The number of the compression method.
    method: u16,
    bytes: u64,
    compressed_bytes: u64,
    content: MemberContent,
}

enum MemberContent {
    Array(AboutArray),
    /// A member that is not an array.
    Other,
    Damaged(String),
}

impl About {
    fn of(input: &mut Input) -> Result<Self> {
        if input.is_stream() {
            return Self::of_stream(input);
        }
        let bytes = input.path().and_then(|path| fs::metadata(path).ok()).map(|metadata| metadata.len());
        let file = input.name().to_owned();
        let format = input.format();
        let content = match format {
            FileFormat::Npz => {
                let mut archive = input.archive()?;
                let selected = input.selected().map(|member| archive.find(member)).transpose()?;
                let indices = selected.map_or(0..archive.len(), |index| index..index + 1);
                Content::Archive(indices.map(|index| Member::of(&mut archive, index)).collect())
            }
            _ => {
                let bounds = input.bounds();
                // Only the first array of a file begins like it.
                let is_file = format == FileFormat::Npy && input.part().is_none();
                let path = input.path().filter(|_| is_file).map(Path::to_owned);
                let array = input.with_member(0, |array| {
                    let header = array.header().clone();
                    Ok(match format {
                        FileFormat::RawArray => AboutArray { header, data_offset: None, trailing: None, transfer: None },
                        _ => AboutArray::of(&*array, bounds),
                    })
                })?;
                let array = array.with_transfer(path.as_deref());
                let may_have_further = array.trailing.map_or(array.header.dtype().has_object(), |bytes| bytes > 0);
                let arrays = match input.path() {
                    Some(path) if format == FileFormat::Npy && may_have_further && input.part().is_none() => {
                        arrays_of(path).map_err(|failure| failure.about(&file))?
                    }
                    _ => Vec::new(),
                };
                Content::Array { format, array, further: arrays.into_iter().skip(1).map(AboutArray::of_found).collect() }
            }
        };
        Ok(Self { file, content, bytes })
    }

    /// Reads an `.npy` stream to its end, for the headers of all arrays.
    fn of_stream(input: &mut Input) -> Result<Self> {
        let file = input.name().to_owned();
        let mut arrays = Vec::new();
        let read = input.for_each_in_stream(|mut array| {
            let mut about = AboutArray::of(&*array, None);
            // Of the further ones it is not that in the stream.
            about.data_offset = about.data_offset.filter(|_| arrays.is_empty());
            arrays.push(about);
            if array.header().dtype().has_object() {
                return array.into_objects(object_options()).map(drop).map_err(Failure::from);
            }
            let count = pieces::elements_of_piece(array.header().dtype());
            while array.header().data_bytes() > 0 && array.next_elements(count)?.is_some() {}
            Ok(())
        });
        let mut arrays = arrays.into_iter();
        // What is wrong with the data of one is no matter of its header.
        let Some(array) = arrays.next() else { return Err(read.err().map_or(Failure::Reported, |failure| failure.about(&file))) };
        Ok(Self { file, content: Content::Array { format: FileFormat::Npy, array, further: arrays.collect() }, bytes: None })
    }

    fn is_damaged(&self) -> bool {
        match &self.content {
            Content::Array { array, further, .. } => {
                array.is_truncated() || array.transfer.is_some() || further.iter().any(AboutArray::is_truncated)
            }
            Content::Archive(members) => members.iter().any(Member::is_damaged),
            Content::Damaged(_) => true,
        }
    }

    fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("file".to_owned(), json!(self.file));
        if let Some(bytes) = self.bytes {
            object.insert("bytes".to_owned(), json!(bytes));
        }
        match &self.content {
            Content::Array { format, array, further } => {
                object.insert("format".to_owned(), json!(name_of(*format)));
                array.add_to_json(&mut object);
                let to_json = |(place, array): (usize, &AboutArray)| {
                    let mut object = Map::new();
                    object.insert("name".to_owned(), json!(self.further_name(place)));
                    array.add_to_json(&mut object);
                    Value::Object(object)
                };
                if !further.is_empty() {
                    object.insert("further".to_owned(), further.iter().enumerate().map(to_json).collect());
                }
            }
            Content::Archive(members) => {
                object.insert("format".to_owned(), json!("npz"));
                object.insert("members".to_owned(), members.iter().map(Member::to_json).collect());
            }
            Content::Damaged(message) => {
                object.insert("error".to_owned(), json!(message));
            }
        }
        Value::Object(object)
    }

    /// Writes all that is known of one file.
    fn write(&self, screen: &mut Screen) -> Result<()> {
        let title = screen.paint(Style::Title, &escape::line(&self.file));
        let size = self.bytes.map(|bytes| format!(", {}", quantity::bytes(bytes))).unwrap_or_default();
        match &self.content {
            Content::Array { format, array, further } => {
                let version = array.header.version();
                let about = match format {
                    FileFormat::Npy => format!(".npy, version {version}{size}"),
                    format => format!(".{}{size}", name_of(*format)),
                };
                writeln!(screen, "{title}  {}", screen.paint(Style::Faint, &about))?;
                array.write(screen)?;
                self.write_further(screen, further)
            }
            Content::Archive(members) => match &members[..] {
                [member] => {
                    let title = screen.paint(Style::Title, &escape::line(&format!("{}:{}", self.file, member.name)));
                    writeln!(screen, "{title}  {}", screen.paint(Style::Faint, &member.storage()))?;
                    match &member.content {
                        MemberContent::Array(array) => array.write(screen),
                        MemberContent::Other => Ok(writeln!(screen, "  not an array")?),
                        MemberContent::Damaged(message) => Ok(writeln!(screen, "  {}", screen.paint(Style::Bad, message))?),
                    }
                }
                members => {
                    let count = if members.is_empty() {
                        "no members".to_owned()
                    } else {
                        quantity::counted(members.len() as u64, "member")
                    };
                    writeln!(screen, "{title}  {}", screen.paint(Style::Faint, &format!(".npz, {count}{size}")))?;
                    let columns = [
                        ("member", Side::Left),
                        ("dtype", Side::Left),
                        ("shape", Side::Left),
                        ("order", Side::Left),
                        ("size", Side::Right),
                        ("stored as", Side::Left),
                    ];
                    let mut table = Table::new(screen, &columns);
                    for member in members {
                        member.write_row(screen, &mut table, &member.name);
                    }
                    Ok(table.write(screen, "  ")?)
                }
            },
            Content::Damaged(message) => Ok(writeln!(screen, "{}", screen.paint(Style::Bad, message))?),
        }
    }

    /// What the user types for one of the further arrays.
    fn further_name(&self, place: usize) -> String {
        format!("{}#{}", self.file, place + 1)
    }

    /// Writes a line for each array behind the first.
    fn write_further(&self, screen: &mut Screen, further: &[AboutArray]) -> Result<()> {
        if further.is_empty() {
            return Ok(());
        }
        let arrays = if further.len() == 1 { "array".to_owned() } else { format!("{} arrays", further.len()) };
        writeln!(screen, "  {} the {arrays} behind it", screen.paint(Style::Name, &format!("{:<9}", "further")))?;
        let columns = [
            ("array", Side::Left),
            ("dtype", Side::Left),
            ("shape", Side::Left),
            ("order", Side::Left),
            ("size", Side::Right),
            ("offset", Side::Right),
            ("", Side::Left),
        ];
        let mut table = Table::new(screen, &columns);
        for (place, array) in further.iter().enumerate() {
            let name = screen.paint(Style::Title, &escape::line(&self.further_name(place)));
            let [dtype, shape, order, size] = array.cells(screen);
            let offset = array.data_offset.map(|offset| offset.to_string()).unwrap_or_default();
            table.row([name, dtype, shape, order, size, offset, array.note(screen)]);
        }
        table.write(screen, "  ")?;
        let end = further.last().and_then(|last| Some(last.data_offset? + last.trailing.map(|_| last.header.data_bytes())?));
        match self.bytes.zip(end).and_then(|(bytes, end)| bytes.checked_sub(end)) {
            None | Some(0) => Ok(()),
            Some(rest) => Ok(writeln!(screen, "  {} after the last array", plural_bytes(rest.into()))?),
        }
    }

    /// Adds the file to a table of many, with a row for each array and member.
    fn write_rows(&self, screen: &Screen, table: &mut Table) {
        let file = escape::line(&self.file);
        match &self.content {
            Content::Array { array, further, .. } => {
                let names = (0..further.len()).map(|place| self.further_name(place));
                for (name, array) in std::iter::once(self.file.clone()).chain(names).zip(std::iter::once(array).chain(further)) {
                    let [dtype, shape, order, size] = array.cells(screen);
                    let name = screen.paint(Style::Title, &escape::line(&name));
                    table.row([name, dtype, shape, order, size, array.note(screen)]);
                }
            }
            Content::Archive(members) if members.is_empty() => {
                table.row([file.into_owned(), "no members".to_owned()]);
            }
            Content::Archive(members) => {
                for member in members {
                    member.write_row(screen, table, &format!("{}:{}", self.file, member.name));
                }
            }
            Content::Damaged(message) => {
                // The message begins with the name of the file.
                let message = message.strip_prefix(&format!("{file}: ")).unwrap_or(message);
                table.row([screen.paint(Style::Title, &file), screen.paint(Style::Bad, message)]);
            }
        }
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

impl AboutArray {
    /// Of an array that begins where the bounds do, if they are known.
    fn of(array: &dyn Array, bounds: Option<Range<u64>>) -> Self {
        let (header, data_offset) = (array.header().clone(), array.data_offset());
        match bounds {
            Some(range) => Self::of_found(Found { header, data_offset: range.start + data_offset, range }),
            None => Self { header, data_offset: None, trailing: None, transfer: None },
        }
    }

    fn of_found(found: Found) -> Self {
        let Found { header, range, data_offset } = found;
        let end = i128::from(data_offset) + i128::from(header.data_bytes());
        // The data of objects are a pickle, of which the header does not tell the length.
        let trailing = (!header.dtype().has_object()).then(|| i128::from(range.end) - end);
        Self { header, data_offset: Some(data_offset), trailing, transfer: None }
    }

    /// Looks for the signs of a transfer in text mode, if the array is a file.
    fn with_transfer(self, path: Option<&Path>) -> Self {
        let missing = self.trailing.map_or(0, |bytes| u64::try_from(-bytes).unwrap_or(0));
        Self { transfer: path.and_then(|path| text_transfer(path, missing)), ..self }
    }

    fn is_truncated(&self) -> bool {
        self.trailing.is_some_and(|bytes| bytes < 0)
    }

    fn is_mappable(&self) -> bool {
        self.data_offset.is_some()
            && !self.is_truncated()
            && self.transfer.is_none()
            && !self.header.dtype().has_object()
            && self.header.data_bytes() > 0
    }

    /// The largest power of two up to 64 that divides the position of the data.
    fn alignment(&self) -> Option<u64> {
        self.data_offset.map(|offset| 1 << offset.trailing_zeros().min(6))
    }

    fn cells(&self, screen: &Screen) -> [String; 4] {
        let header = &self.header;
        [
            screen.paint(Style::DType, &short_dtype(header.dtype())),
            short_shape(header.shape()),
            order_of(header).to_owned(),
            quantity::bytes(header.data_bytes()),
        ]
    }

    /// What a reader of many files wants to be told.
    fn note(&self, screen: &Screen) -> String {
        match self.trailing {
            Some(bytes) if bytes < 0 => screen.paint(Style::Bad, &format!("truncated: {} missing", plural_bytes(-bytes))),
            _ if self.transfer.is_some() => screen.paint(Style::Bad, "damaged by a transfer in text mode"),
            Some(bytes) if bytes > 0 => format!("{} after the array", plural_bytes(bytes)),
            _ if self.header.dtype().has_object() => "Python objects".to_owned(),
            _ => String::new(),
        }
    }

    fn write(&self, screen: &mut Screen) -> Result<()> {
        let header = &self.header;
        let dtype = header.dtype();
        let mut line = |name: &str, text: &str| -> Result<()> {
            let name = screen.paint(Style::Name, &format!("{name:<9}"));
            Ok(writeln!(screen, "  {name} {text}")?)
        };
        let count = header.element_count() as u64;
        let elements = quantity::counted(count, "element");
        line("shape", &format!("{}, {elements}", quantity::shape(header.shape())))?;
        line(
            "order",
            if header.order() == Order::C {
                "C (the last index varies fastest)"
            } else {
                "Fortran (the first index varies fastest)"
            },
        )?;
        if dtype.has_object() {
            line("data", "Python objects, stored as a pickle; nothing of it is run here")?;
        } else {
            let place = match (self.data_offset, self.alignment()) {
                (Some(offset), Some(alignment)) => format!(" at offset {offset}, aligned to {alignment}"),
                _ => String::new(),
            };
            line("data", &format!("{}{place}", size(header.data_bytes())))?;
        }
        line("mappable", if self.is_mappable() { "yes" } else { "no" })?;
        match self.trailing {
            Some(bytes) if bytes < 0 => {
                let expected = header.data_bytes();
                let found = i128::from(expected) + bytes;
                let problem = format!("truncated: expected {} of data, found {}", plural_bytes(expected.into()), count_of(found));
                line("problem", &problem)?;
            }
            Some(bytes) if bytes > 0 => line("trailing", &format!("{} after the array", plural_bytes(bytes)))?,
            _ => {}
        }
        if let Some(transfer) = self.transfer {
            line("problem", transfer)?;
        }
        line("dtype", &short_dtype(dtype))?;
        write_fields(screen, dtype, 0, 2)
    }

    fn add_to_json(&self, object: &mut Map<String, Value>) {
        let header = &self.header;
        let dtype = header.dtype();
        let mut insert = |key: &str, value: Value| object.insert(key.to_owned(), value);
        insert("version", json!(header.version().to_string()));
        insert("dtype", json!(dtype.to_string()));
        insert("shape", json!(header.shape()));
        insert("order", json!(order_of(header)));
        insert("itemsize", json!(dtype.itemsize()));
        insert("count", json!(header.element_count()));
        insert("data_bytes", json!(header.data_bytes()));
        insert("objects", json!(dtype.has_object()));
        insert("mappable", json!(self.is_mappable()));
        if let (Some(offset), Some(alignment)) = (self.data_offset, self.alignment()) {
            insert("data_offset", json!(offset));
            insert("alignment", json!(alignment));
        }
        match self.trailing {
            Some(bytes) if bytes < 0 => {
                insert("missing_bytes", json!(u64::try_from(-bytes).unwrap_or(u64::MAX)));
            }
            Some(bytes) => {
                insert("trailing_bytes", json!(u64::try_from(bytes).unwrap_or(u64::MAX)));
            }
            None => {}
        }
        if let Some(transfer) = self.transfer {
            insert("problem", json!(transfer));
        }
        if let Some(fields) = fields_json(dtype, 0) {
            insert("fields", fields);
        }
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
        let name = if archive.is_array(index) { archive.name(index) } else { archive.whole_name(index) };
        Self {
            name: name.unwrap_or_default().to_owned(),
            method,
            bytes,
            compressed_bytes: archive.compressed_size(index).unwrap_or_default(),
            content,
        }
    }

    fn is_damaged(&self) -> bool {
        match &self.content {
            MemberContent::Array(array) => array.is_truncated(),
            MemberContent::Other => false,
            MemberContent::Damaged(_) => true,
        }
    }

    /// How it is compressed, and how well.
    fn storage(&self) -> String {
        let method = method_name(self.method);
        if self.method == 0 || self.bytes == 0 {
            return method;
        }
        format!("{method}, {} ({:.1} %)", quantity::bytes(self.compressed_bytes), self.ratio() * 100.0)
    }

    /// The compressed size in proportion to the size.
    fn ratio(&self) -> f64 {
        if self.bytes == 0 { 1.0 } else { self.compressed_bytes as f64 / self.bytes as f64 }
    }

    fn write_row(&self, screen: &Screen, table: &mut Table, name: &str) {
        let name = screen.paint(Style::Title, &escape::line(name));
        match &self.content {
            MemberContent::Array(array) => {
                let [dtype, shape, order, size] = array.cells(screen);
                let note = array.note(screen);
                let note = if note.is_empty() { self.storage() } else { format!("{}; {note}", self.storage()) };
                table.row([name, dtype, shape, order, size, note]);
            }
            MemberContent::Other => {
                let none = String::new();
                let about = screen.paint(Style::Faint, "not an array");
                table.row([name, about, none.clone(), none, quantity::bytes(self.bytes), self.storage()]);
            }
            MemberContent::Damaged(message) => table.row([name, screen.paint(Style::Bad, message)]),
        }
    }

    fn to_json(&self) -> Value {
        let mut object = Map::new();
        let mut insert = |key: &str, value: Value| object.insert(key.to_owned(), value);
        insert("name", json!(self.name));
        insert("compression", json!(method_name(self.method)));
        insert("bytes", json!(self.bytes));
        insert("compressed_bytes", json!(self.compressed_bytes));
        insert("ratio", json!(self.ratio()));
        insert("array", json!(!matches!(self.content, MemberContent::Other)));
        match &self.content {
            MemberContent::Array(array) => array.add_to_json(&mut object),
            MemberContent::Other => {}
            MemberContent::Damaged(message) => {
                object.insert("error".to_owned(), json!(message));
            }
        }
        Value::Object(object)
    }
}

/// The name of a compression method (APPNOTE 4.4.5).
fn method_name(method: u16) -> String {
    match method {
        0 => "stored".to_owned(),
        8 => "deflate".to_owned(),
        12 => "bzip2".to_owned(),
        14 => "lzma".to_owned(),
        93 => "zstd".to_owned(),
        other => format!("method {other}"),
    }
}

fn order_of(header: &Header) -> &'static str {
    if header.order() == Order::C { "C" } else { "Fortran" }
}

fn count_of(bytes: i128) -> String {
    quantity::count(u64::try_from(bytes.max(0)).unwrap_or(u64::MAX))
}

fn plural_bytes(count: i128) -> String {
    quantity::counted(u64::try_from(count).unwrap_or(u64::MAX), "byte")
}

fn size(bytes: u64) -> String {
    if bytes < 1024 {
        quantity::counted(bytes, "byte")
    } else {
        format!("{} ({} bytes)", quantity::bytes(bytes), quantity::count(bytes))
    }
}

/// A shape for a table; of many axes the first ones.
fn short_shape(shape: &[usize]) -> String {
    if shape.len() <= 8 {
        return quantity::shape(shape);
    }
    let first: Vec<String> = shape.iter().take(6).map(usize::to_string).collect();
    format!("({}, …), {} axes", first.join(", "), shape.len())
}

/// A dtype in a few characters: that of a record by its size.
pub(crate) fn short_dtype(dtype: &DType) -> String {
    match dtype {
        DType::Scalar(scalar) => scalar.to_string(),
        DType::SubArray(array) => format!("{} {}", short_dtype(array.base()), quantity::shape(array.shape())),
        DType::Record(record) => {
            let [fields, bytes] = [(record.fields().len(), "field"), (record.itemsize(), "byte")]
                .map(|(count, noun)| quantity::counted(count as u64, noun));
            format!("record of {fields}, {bytes}")
        }
    }
}

/// The record that a field is, or that its elements are.
fn record_of(dtype: &DType) -> Option<&npy_core::dtype::Record> {
    match dtype {
        DType::Scalar(_) => None,
        DType::SubArray(array) => record_of(array.base()),
        DType::Record(record) => Some(record),
    }
}

/// Writes the fields of a record as a tree, each with its offset in the whole record.
fn write_fields(screen: &mut Screen, dtype: &DType, base: usize, depth: usize) -> Result<()> {
    let Some(record) = record_of(dtype) else { return Ok(()) };
    let names: Vec<String> = record.fields().iter().map(|field| escape::line(field.name()).into_owned()).collect();
    let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(30);
    for (field, name) in record.fields().iter().zip(names) {
        let offset = screen.paint(Style::Faint, &format!("{:>8}", base + field.offset()));
        let padding = " ".repeat(widest.saturating_sub(name.chars().count()));
        let name = screen.paint(Style::Name, &name);
        let title = field.title().map(|title| format!("  title {}", title_text(title))).unwrap_or_default();
        let title = screen.paint(Style::Faint, &escape::line(&title));
        let dtype = screen.paint(Style::DType, &short_dtype(field.dtype()));
        writeln!(screen, "{offset}{}{name}{padding}  {dtype}{title}", "  ".repeat(depth))?;
        write_fields(screen, field.dtype(), base + field.offset(), depth + 1)?;
    }
    Ok(())
}

fn fields_json(dtype: &DType, base: usize) -> Option<Value> {
    let fields = record_of(dtype)?.fields().iter().map(|field| {
        let offset = base + field.offset();
        let mut object = Map::new();
        object.insert("name".to_owned(), json!(field.name()));
        object.insert("offset".to_owned(), json!(offset));
        object.insert("dtype".to_owned(), json!(field.dtype().to_string()));
        object.insert("itemsize".to_owned(), json!(field.dtype().itemsize()));
        if let Some(title) = field.title() {
            object.insert("title".to_owned(), json!(title_text(title)));
        }
        if let Some(fields) = fields_json(field.dtype(), offset) {
            object.insert("fields".to_owned(), fields);
        }
        Value::Object(object)
    });
    Some(fields.collect())
}

/// A title as Python writes it, a text without its quotes.
fn title_text(title: &Title) -> String {
    match title {
        Title::Text(text) | Title::Literal(text) => text.clone(),
        _ => String::new(),
    }
}
