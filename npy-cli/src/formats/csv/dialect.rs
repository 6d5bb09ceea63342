//! How a CSV file is written: delimiter, comments, decimal commas. What no option says is guessed from its first lines.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;

use csv::{Reader, ReaderBuilder, StringRecord};

use super::lines::Lines;
use crate::failure::{Failure, Result};
use crate::formats::text::MARK;
use crate::formats::text::guess::Guess;
use crate::formats::text::slot::split_complex;

/// The dialect of a file, as far as the user gives it.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) delimiter: Option<u8>,
    /// Whether the first line has names.
    pub(crate) has_header: Option<bool>,
    pub(crate) comment: Option<u8>,
    pub(crate) has_decimal_comma: Option<bool>,
    /// Words for what is missing.
    pub(crate) missing: Option<Vec<String>>,
}

/// The words for missing numbers and times, unless the user gives others.
pub(super) const MISSING: [&str; 10] = ["NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "Null", "null", "None", "NaT"];

/// The bytes of a file that are read for a guess.
const HEAD: usize = 1 << 18;

/// The dialect of a file.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(super) struct Dialect {
    pub(super) delimiter: u8,
    /// The bytes of the hint `sep=;` that Excel puts before the first line, up to its end.
    hint: usize,
    comment: Option<u8>,
    has_decimal_comma: bool,
    missing: Option<Vec<String>>,
    /// The cells of the last comment before the first line, if these are as many.
    pub(super) commented_names: Option<Vec<String>>,
    /// Whether the first line is in quotes and the second one is not, as where names look like numbers.
    pub(super) has_quoted_names: bool,
    /// Whether the second line begins with a quote.
    has_quoted_rows: bool,
    /// Whether lines end with `\r\n`, of which the reader counts the second character for the next line.
    has_two_ends: bool,
    /// The uncertain guesses, each with its option.
    pub(super) guesses: Vec<String>,
}

impl Dialect {
    /// Guesses what the options do not say. `delimiter` is that of the format if it has no other.
    pub(super) fn new(file: File, delimiter: Option<u8>, options: &Options) -> Result<Self> {
        let head = head(file)?;
        let (hint, by_hint) = hint(&head);
        let lines = head.get(hint..).unwrap_or_default();
        let lines = lines.strip_prefix(MARK).unwrap_or(lines);
        let (comments, lines) = split_comments(lines, options.comment.unwrap_or(b'#'));
        let delimiter = options.delimiter.or(delimiter).or(by_hint);
        let mut dialect = Self {
            delimiter: delimiter.unwrap_or(b','),
            hint,
            comment: options.comment.or((!comments.is_empty()).then_some(b'#')),
            has_decimal_comma: options.has_decimal_comma == Some(true),
            missing: options.missing.clone(),
            has_quoted_rows: has_quoted_rows(lines),
            has_two_ends: head.iter().position(|byte| *byte == b'\n').is_some_and(|end| end > 0 && head[end - 1] == b'\r'),
            ..Self::default()
        };
        if delimiter.is_none() {
            dialect.guess_delimiter(lines);
        }
        dialect.has_quoted_names = has_quoted_names(lines, dialect.delimiter);
        if options.has_decimal_comma.is_none() && dialect.delimiter != b',' && dialect.survey(lines).has_decimal_commas {
            dialect.has_decimal_comma = true;
            dialect.guesses.push("decimal commas (--decimal)".to_owned());
        }
        if let Some(last) = comments.last() {
            dialect.guess_comment(options.comment.is_some(), &comments, last, lines);
        }
        Ok(dialect)
    }

    /// Takes the delimiter that splits all lines into the same number of cells, of which the most are numbers or dates.
    fn guess_delimiter(&mut self, lines: &[u8]) {
        let mut best = Survey::default();
        for delimiter in *b",\t;| " {
            let dialect = Self { delimiter, comment: self.comment, has_quoted_rows: self.has_quoted_rows, ..Self::default() };
            let survey = dialect.survey(lines);
            let is_certain = match delimiter {
                b',' => true,
                _ if survey.has_row_names && self.has_quoted_rows => true,
                b' ' => survey.is_all_numbers && (survey.lines > 1 || survey.typed >= 1.0),
                // One line of text is a text.
                _ => survey.lines > 1 || survey.typed >= 1.0,
            };
            if survey.columns > 1 && is_certain && (best.columns < 2 || survey.typed > best.typed) {
                (best, self.delimiter) = (survey, delimiter);
            }
        }
        if self.delimiter != b',' {
            let name = match self.delimiter {
                b'\t' => "tab".to_owned(),
                b' ' => "space".to_owned(),
                other => format!("\"{}\"", char::from(other)),
            };
            self.guesses.push(format!("delimiter {name} (--delimiter)"));
        }
    }

    /// Decides whether the leading `#` lines are comments, and takes the last one before the data as names if it has as many.
    fn guess_comment(&mut self, is_given: bool, comments: &[&str], last: &str, lines: &[u8]) {
        let survey = self.survey(lines);
        let is_comment = |line: &str| matches!(line.as_bytes().get(1), None | Some(b' ' | b'\t' | b'#' | b'!'));
        if !is_given && !comments.iter().all(|line| is_comment(line)) && survey.typed == 0.0 {
            self.comment = None;
            return;
        }
        if !is_given {
            self.guesses.push("comments after # (--comment)".to_owned());
        }
        let text = last.trim_start_matches(char::from(self.comment.unwrap_or(b'#'))).trim();
        let mut record = StringRecord::new();
        let mut reader = self.part(text.as_bytes());
        if survey.columns > 1 && reader.read_record(&mut record).unwrap_or(false) && record.len() == survey.columns {
            self.commented_names = Some(record.iter().map(|name| name.trim().to_owned()).collect());
        }
    }

    /// Reads lines, of which one that is no part of a file may be cut off.
    fn survey(&self, lines: &[u8]) -> Survey {
        let mut survey = Survey { is_all_numbers: true, ..Survey::default() };
        let (mut cells, mut typed, mut commas, mut points) = (0_usize, 0_usize, 0_usize, 0_usize);
        let mut reader = self.part(lines);
        let mut record = StringRecord::new();
        while reader.read_record(&mut record).unwrap_or(false) {
            survey.has_row_names |= survey.lines == 1 && self.has_row_names(survey.columns, &record);
            let is_first_row = survey.lines == 1 && survey.has_row_names;
            if survey.lines > 0 && record.len() != survey.columns && !is_first_row {
                return Survey::default();
            }
            survey.columns = record.len();
            let values = record.iter().skip(survey.has_row_names.into()).map(str::trim);
            for cell in values.filter(|cell| !cell.is_empty() && !self.is_missing(cell)) {
                let has_comma = self.delimiter != b',' && is_decimal(cell, ',');
                commas += usize::from(has_comma);
                points += usize::from(is_decimal(cell, '.'));
                let mut guess = Guess::new();
                guess.add_cell(cell);
                let is_typed = has_comma || !guess.is_text();
                cells += 1;
                typed += usize::from(is_typed);
                survey.is_all_numbers &= survey.lines == 0 || has_comma || is_typed && guess.number().is_some();
            }
            survey.lines += 1;
        }
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let share = typed as f64 / cells.max(1) as f64;
        survey.typed = share;
        survey.has_decimal_commas = commas > 0 && points == 0;
        survey
    }

    /// A reader of the cells of a file.
    pub(super) fn reader<R: Read>(&self, file: R) -> Reader<Lines<R>> {
        self.cells(Lines::new(file, self.hint, self.delimiter, self.comment))
    }

    /// A reader of the cells of some lines of a file.
    fn part<R: Read>(&self, lines: R) -> Reader<Lines<R>> {
        self.cells(Lines::new(lines, 0, self.delimiter, self.comment))
    }

    fn cells<R: Read>(&self, lines: Lines<R>) -> Reader<Lines<R>> {
        // Lines of other lengths are found by the caller, for a better message.
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.delimiter)
            .comment(self.comment)
            .buffer_capacity(1 << 18)
            .from_reader(lines);
        // The reader would keep two copies of the first line as headers. The empty ones come first, and nothing is read for them.
        reader.set_headers(StringRecord::new());
        let _ = reader.read_record(&mut StringRecord::new());
        reader
    }

    /// The line in which a record begins, from 1.
    pub(super) fn line_of(&self, record: &StringRecord) -> u64 {
        record.position().map_or(0, |position| position.line() + u64::from(self.has_two_ends && position.byte() > 0))
    }

    /// Whether the first line, of `names` names, has none for the names of the rows, as R's `write.table` writes it.
    pub(super) fn has_row_names(&self, names: usize, row: &StringRecord) -> bool {
        // More columns may be those of a decimal comma, or end with a delimiter.
        let is_likely = self.has_quoted_rows || names > 1 && self.delimiter != b',';
        is_likely && row.len() == names + 1 && row.iter().next_back().is_some_and(|cell| !cell.is_empty())
    }

    /// Whether a cell is a word for what is missing.
    pub(super) fn is_missing(&self, cell: &str) -> bool {
        let cell = cell.trim_matches([' ', '\t']);
        match &self.missing {
            Some(words) => words.iter().any(|word| word == cell),
            None => matches!(cell.as_bytes(), [b'N' | b'n' | b'#' | b'<', _, ..]) && MISSING.contains(&cell),
        }
    }

    /// Whether the words for what is missing were given, so that they are missing in columns of text as well.
    pub(super) fn has_given_words(&self) -> bool {
        self.missing.is_some()
    }

    /// A cell with a point where it has a decimal comma. `None` if it has the other one of the two, so that it is no number.
    pub(super) fn number<'a>(&self, cell: &'a str) -> Option<Cow<'a, str>> {
        let text = cell.trim_matches([' ', '\t']);
        match self.has_decimal_comma {
            true if is_decimal(text, ',') => Some(Cow::Owned(cell.replacen(',', ".", 1))),
            true => (!text.contains('.') || split_complex(text).is_none()).then_some(Cow::Borrowed(cell)),
            false => (!is_decimal(text, ',')).then_some(Cow::Borrowed(cell)),
        }
    }

    /// The decimal sign, and the other one, with which [`number`](Self::number) takes no cell.
    pub(super) fn decimal_signs(&self) -> (&'static str, &'static str) {
        if self.has_decimal_comma { ("comma", "point") } else { ("point", "comma") }
    }
}

/// The cells of lines by one delimiter; the default if lines differ in the number of columns.
#[derive(Clone, Copy, Debug, Default)]
struct Survey {
    columns: usize,
    lines: usize,
    /// The share of cells that are numbers, bools or dates.
    typed: f64,
    /// Whether all cells but those of the first line are numbers.
    is_all_numbers: bool,
    has_decimal_commas: bool,
    /// Whether the first line has no name for the first column.
    has_row_names: bool,
}

/// Whether a cell has digits around one point.
fn is_decimal(cell: &str, point: char) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = cell.split(['e', 'E']).next().unwrap_or_default();
    let number = number.strip_prefix(['+', '-']).unwrap_or(number);
    let is_float = || cell.replacen(point, ".", 1).parse::<f64>().is_ok();
    number.split_once(point).is_some_and(|(whole, fraction)| digits(whole) && digits(fraction)) && is_float()
}

/// The first lines of a file.
fn head(file: File) -> Result<Vec<u8>> {
    let failed = Failure::cannot("read the file");
    let mut head = Vec::new();
    file.take(HEAD as u64).read_to_end(&mut head).map_err(failed)?;
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        let hint = "convert it with `iconv -f UTF-16 -t UTF-8`";
        return Err(Failure::Nameless(format!("expected UTF-8, found UTF-16; {hint}")));
    }
    if head.len() == HEAD {
        let end = head.iter().rposition(|byte| *byte == b'\n').map_or(head.len(), |last| last + 1);
        head.truncate(end);
    }
    Ok(head)
}

/// The bytes before the end of the line `sep=;`, if that is the first one, and its delimiter.
fn hint(head: &[u8]) -> (usize, Option<u8>) {
    match head.strip_prefix(MARK).unwrap_or(head) {
        line @ [b's', b'e', b'p', b'=', delimiter, b'\n' | b'\r', ..] if delimiter.is_ascii() => {
            (head.len() - line.len() + 5, Some(*delimiter))
        }
        _ => (0, None),
    }
}

/// Whether all cells of the first line are in quotes that none of them needs, and one of the second line is not.
fn has_quoted_names(lines: &[u8], delimiter: u8) -> bool {
    let mut lines = lines.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let cells = |line: &[u8], is: &dyn Fn(&[u8]) -> bool| line.split(|byte| *byte == delimiter).all(is);
    let is_name = |cell: &[u8]| matches!(cell, [b'"', name @ .., b'"'] if !name.contains(&b'"'));
    let is_quoted = |cell: &[u8]| matches!(cell, [] | [b'"', ..]);
    match (lines.next(), lines.next()) {
        (Some(names), Some(values)) => names.len() > 2 && cells(names, &is_name) && !cells(values, &is_quoted),
        _ => false,
    }
}

/// Whether the second line begins with a quote.
fn has_quoted_rows(lines: &[u8]) -> bool {
    lines.split(|byte| *byte == b'\n').nth(1).is_some_and(|line| line.starts_with(b"\""))
}

/// The lines at the beginning that begin with this character, and all after them. There are none if nothing follows.
fn split_comments(head: &[u8], comment: u8) -> (Vec<&str>, &[u8]) {
    let mut comments = Vec::new();
    let mut rest = head;
    while rest.first().is_some_and(|first| *first == comment || matches!(first, b'\n' | b'\r')) {
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        let (line, after) = rest.split_at(end);
        rest = after;
        if let Ok(line) = std::str::from_utf8(line) {
            comments.extend(Some(line.trim()).filter(|line| !line.is_empty()));
        }
    }
    if rest.is_empty() { (Vec::new(), head) } else { (comments, rest) }
}
