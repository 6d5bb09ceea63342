//! JSON as an array: nested lists, or lists of objects; NDJSON, with a row a line. The text is read twice, for its shape and then for
//! its values, so that memory is bounded by the longest string.

use std::fs::File;
use std::io::{BufReader, Read};

use npy_core::dtype::Record;
use npy_core::{DType, Header, Order};
use serde::de::DeserializeSeed;
use serde_json::Deserializer;
use serde_json::de::IoRead;

use super::fill::{Fill, FillSeed, Node};
use super::magnitude::Small;
use super::schema::{Schema, SchemaSeed};
use super::words::{Words, quotes_before, word_at};
use crate::failure::{Failure, Result, about_field};
use crate::formats::format::ReadOptions;
use crate::formats::source::{FileOrSpool, Item, Source};
use crate::formats::text::guess::Guess;
use crate::formats::text::rows::RowBuffer;
use crate::input::pieces::Sink;
use crate::signals::{self, Checked};
use crate::values::columns::Names;

/// A JSON file whose shape is known.
pub(super) struct JsonSource {
    file: FileOrSpool,
    is_lines: bool,
    item: Item,
    node: Node,
}

impl JsonSource {
    pub(super) fn open(file: FileOrSpool, is_lines: bool, options: &ReadOptions) -> Result<Self> {
        let (mut schema, mut names) = (Schema::Unknown, Names::default());
        let mut rows = 0_usize;
        let result = read(&file, Small::new, is_lines, &mut |stream| {
            rows += 1;
            SchemaSeed { schema: &mut schema, names: &mut names }.deserialize(stream)
        });
        result.map_err(|failure| match failure {
            Failure::Nameless(message) if names.are_too_many() => {
                Failure::Nameless(format!("{message}; write lists of values, which may be longer"))
            }
            failure => failure,
        })?;
        if is_lines {
            schema = Schema::List { length: rows, item: Box::new(schema) };
        }
        let (shape, element) = schema.split(options.dtype.as_ref());
        let dtype = match &options.dtype {
            Some(dtype) => dtype.clone(),
            None => dtype_of(element, "")?,
        };
        let element = Node::new(element, &dtype, 0, options.is_lossy)?;
        // Each axis but that of the lines is a list in the text.
        let lists = shape.len() - usize::from(is_lines);
        let node = (0..lists).fold(Node::Element(Box::new(element)), |node, _| Node::Axis(Box::new(node)));
        let header = Header::new(dtype, Order::C, &shape)?;
        let item = file.item(header, Vec::new());
        Ok(Self { file, is_lines, item, node })
    }
}

type Stream<R> = Deserializer<IoRead<BufReader<Words<R>>>>;

/// Calls `work` for the value, or for each of several lines. `wrap` makes of the file what is read.
fn read<R: Read>(
    file: &FileOrSpool,
    wrap: fn(Checked<File>) -> R,
    is_lines: bool,
    work: &mut dyn FnMut(&mut Stream<R>) -> serde_json::Result<()>,
) -> Result<()> {
    let mut stream = Deserializer::from_reader(BufReader::with_capacity(1 << 18, Words::new(wrap(file.text()?))));
    let mut count = 0_usize;
    let failed = |error: serde_json::Error, count: usize| match error.line() {
        // The place would be found by reading all of the text before it.
        _ if signals::came() => Failure::Interrupted,
        // Of a line that is one number.
        0 if is_lines => Failure::Nameless(format!("{error} in value {count}")),
        _ => Failure::Nameless(message_of(&error, file)),
    };
    if !is_lines {
        work(&mut stream).map_err(|error| failed(error, 1))?;
        let hint = "read values in lines with --from ndjson";
        return stream.end().map_err(|error| Failure::Nameless(format!("{}; {hint}", message_of(&error, file))));
    }
    while stream.end().is_err() {
        signals::check()?;
        count += 1;
        work(&mut stream).map_err(|error| failed(error, count))?;
    }
    Ok(())
}

/// The message with the place in the text, where `Words` adds quotes, and with a word that is no value.
fn message_of(error: &serde_json::Error, file: &FileOrSpool) -> String {
    let message = error.to_string();
    let (line, column) = (error.line(), error.column());
    let Some(problem) = message.strip_suffix(&format!(" at line {line} column {column}")) else { return message };
    let column = column.saturating_sub(file.file().map_or(0, |text| quotes_before(text, line, column)));
    let (begin, word) = file.file().map_or_else(|_| (column, String::new()), |text| word_at(text, line, column));
    let is_word = word.trim_start_matches('-').starts_with(|first: char| first.is_ascii_alphabetic());
    match problem {
        "expected ident" | "expected value" | "invalid number" if is_word => {
            let words = "the bare words are null, true, false, NaN, Infinity and -Infinity";
            format!("expected a value, found {word} at line {line} column {begin}; {words}")
        }
        _ => format!("{problem} at line {line} column {column}"),
    }
}

/// The dtype of an element by its values.
fn dtype_of(schema: &Schema, path: &str) -> Result<DType> {
    Ok(match schema {
        Schema::Unknown => "<f8".parse()?,
        Schema::Value(guess) => match Guess::scalar(guess) {
            Some(scalar) => scalar.into(),
            None => {
                let field = about_field(path);
                return Err(Failure::Nameless(format!("{field}expected values of one type, found {}", guess.kinds())));
            }
        },
        // Nested lists are axes of one sub-array, as in NumPy, where sub-arrays of sub-arrays have another dtype.
        Schema::List { .. } => {
            let (shape, item) = schema.split(None);
            dtype_of(item, path)?.sub_array(&shape)?
        }
        Schema::Object(fields) => {
            let dot = if path.is_empty() { "" } else { "." };
            let fields = fields.iter().map(|(name, field)| Ok((name.to_owned(), dtype_of(field, &format!("{path}{dot}{name}"))?)));
            Record::packed(fields.collect::<Result<Vec<_>>>()?)?.into()
        }
    })
}

impl Source for JsonSource {
    fn items(&self) -> &[Item] {
        std::slice::from_ref(&self.item)
    }

    fn rows(&mut self, _: usize, sink: Sink<'_>) -> Result<()> {
        let dtype = self.item.header.dtype();
        let mut fill = Fill { rows: RowBuffer::new(dtype, dtype.itemsize()), sink, failure: None, hint: "" };
        let node = &self.node;
        let result = read(&self.file, |file| file, self.is_lines, &mut |stream| {
            FillSeed { node, fill: &mut fill, base: 0 }.deserialize(stream)
        });
        match fill.failure.take() {
            Some(failure) => Err(failure),
            None => match result {
                Err(Failure::Nameless(message)) => Err(Failure::Nameless(format!("{message}{}", fill.hint))),
                result => result.and_then(|()| fill.rows.flush(fill.sink)),
            },
        }
    }
}
