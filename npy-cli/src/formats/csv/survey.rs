//! The first reading of CSV: how many rows it has, what its columns are, and whether its first line has their names.

use std::collections::{HashMap, HashSet};

use csv::StringRecord;
use npy_core::DType;
use npy_core::dtype::{ByteOrder, Record, Scalar, ScalarKind};

use super::cells::{Column, Columns};
use super::dialect::Dialect;
use super::lines::next;
use crate::failure::{Failure, Result};
use crate::formats::format::ReadOptions;
use crate::formats::source::FileOrSpool;
use crate::formats::text::guess::Guess;
use crate::formats::text::slot::{Encoding, Slot, is_supported};
use crate::signals;
use crate::values::columns::{self, Names};
use crate::values::quantity::counted;

/// The result of the first reading.
pub(super) struct Survey {
    first: StringRecord,
    /// Of the columns, by the first line or a comment before it.
    pub(super) names: Option<Vec<String>>,
    /// Whether the first line is no data.
    pub(super) has_header: bool,
    guesses: Vec<Guess>,
    /// Without the header.
    pub(super) rows: usize,
    /// Whether the first column has the names of rows, for which the first line has none.
    has_row_names: bool,
    /// Whether the first column counts the lines after the first one from 0, as the index of a table does.
    is_counted: bool,
}

/// The evidence of the first line for and against names.
#[derive(Debug, Default)]
struct Evidence {
    /// Text above numbers, or an empty corner above an index: these are names.
    names: usize,
    /// Numbers above numbers, which names may be as well.
    values: usize,
    /// The ones that are not integers.
    fractions: usize,
    /// Text above text, which may be either.
    texts: usize,
}

impl Survey {
    pub(super) fn new(file: &FileOrSpool, dialect: &mut Dialect, options: &ReadOptions) -> Result<Self> {
        let mut survey = Self::read(file, dialect, options)?;
        survey.find_names(dialect, options)?;
        Ok(survey)
    }

    fn read(file: &FileOrSpool, dialect: &Dialect, options: &ReadOptions) -> Result<Self> {
        let mut reader = dialect.reader(file.text()?);
        let mut record = StringRecord::new();
        next(&mut reader, &mut record)?;
        let mut columns = record.len();
        let mut guesses = Vec::new();
        let bytes = columns.saturating_mul(size_of::<Guess>());
        guesses.try_reserve_exact(columns).map_err(|_| Failure::allocation(bytes))?;
        guesses.resize(columns, Guess::new());
        let (mut rows, mut is_counted, mut has_row_names) = (0_usize, true, false);
        while next(&mut reader, &mut record)? {
            if rows.is_multiple_of(1 << 16) {
                signals::check()?;
            }
            if rows == 0 && options.csv.has_header != Some(false) && dialect.has_row_names(columns, &record) {
                (has_row_names, columns) = (true, columns + 1);
                guesses.push(Guess::new());
            }
            if record.len() != columns {
                let message = format!("expected {}, found {}", counted(columns as u64, "column"), record.len());
                let is_comment = record.get(0).is_some_and(|cell| cell.starts_with('#'));
                let hint = match columns {
                    _ if is_comment => "; skip comments with --comment \"#\"",
                    1 => "; --delimiter and --comment say how the file is written",
                    _ => "",
                };
                return Err(Failure::Nameless(format!("line {}: {message}{hint}", dialect.line_of(&record))));
            }
            is_counted = is_counted && record.get(0).is_some_and(|cell| cell.parse() == Ok(rows));
            if options.dtype.is_none() {
                guesses.iter_mut().zip(&record).for_each(|(guess, cell)| add(guess, cell, dialect));
            }
            rows += 1;
        }
        drop(reader);
        // The first line once more, in the same memory: a line of a million cells takes far more than its text.
        let mut reader = dialect.reader(file.text()?);
        next(&mut reader, &mut record)?;
        if has_row_names {
            record = std::iter::once("").chain(&record).collect();
        }
        Ok(Self { first: record, names: None, has_header: false, guesses, rows, has_row_names, is_counted })
    }

    /// Decides whether the first line has names, and counts it as a row if it has none.
    fn find_names(&mut self, dialect: &mut Dialect, options: &ReadOptions) -> Result<()> {
        self.has_header = !self.first.is_empty()
            && match options.csv.has_header {
                Some(has_header) => has_header,
                None if self.has_row_names => true,
                None => self.guess_header(dialect, options)?,
            };
        let commented = dialect.commented_names.take().filter(|_| options.csv.has_header != Some(false) && can_have_names(options));
        if self.has_row_names {
            dialect.guesses.push("names of rows in column 1, for which line 1 has no name (--no-header)".to_owned());
        }
        if self.has_header {
            if !self.has_plain_names(options) {
                self.expect_few_names(options)?;
                self.names = Some(distinct(self.first.iter().map(str::trim), dialect));
            }
        } else {
            self.rows += usize::from(!self.first.is_empty());
            self.guesses.iter_mut().zip(&self.first).for_each(|(guess, cell)| add(guess, cell, dialect));
            self.names = commented.map(|names| distinct(names.iter().map(String::as_str), dialect));
        }
        if options.dtype.is_none() {
            self.tell_of_text(dialect);
        }
        Ok(())
    }

    /// Notes a column that is text although its cells are nearly numbers.
    fn tell_of_text(&self, dialect: &mut Dialect) {
        if let Some(column) = self.guesses.iter().position(Guess::has_leading_zero) {
            let place = place_of(self.names.as_deref(), column);
            dialect.guesses.push(format!("text in {place}, since numbers do not begin with 0 (--dtype)"));
        }
        if let Some(column) = self.guesses.iter().position(Guess::has_other_decimal) {
            let (place, (sign, other)) = (place_of(self.names.as_deref(), column), dialect.decimal_signs());
            dialect.guesses.push(format!("text in {place}, since it has a {other} where decimals have a {sign} (--decimal)"));
        }
    }

    fn guess_header(&self, dialect: &mut Dialect, options: &ReadOptions) -> Result<bool> {
        if self.has_plain_names(options) {
            return Ok(true);
        }
        // Only records have names: where the dtype is plain, text in the first line is a value.
        if !can_have_names(options) {
            return Ok(false);
        }
        let first = || self.first.iter().map(str::trim);
        let evidence = match &options.dtype {
            Some(dtype) => {
                let columns = self.columns(dtype, options.is_lossy)?;
                let names: HashSet<&str> = first().collect();
                if columns.iter().all(|(_, name)| names.contains(name.as_str())) {
                    return Ok(true);
                }
                let slots: Vec<Slot> = columns.iter().map(|(column, _)| column.slot).collect();
                Evidence::by_slots(first(), &slots, dialect)
            }
            None => self.evidence(dialect),
        };
        if dialect.has_quoted_names {
            return Ok(true);
        }
        if options.dtype.is_none() && self.are_numbered() {
            dialect.guesses.push("names in line 1 (--no-header)".to_owned());
            return Ok(true);
        }
        let are_different = || {
            let mut different = HashSet::new();
            first().filter(|name| !name.is_empty()).all(|name| different.insert(name))
        };
        let is_commented = dialect.commented_names.is_some();
        let is_header = evidence.names > 0 || !is_commented && evidence.values == 0 && evidence.texts > 0 && are_different();
        let is_doubtful = match evidence.names {
            0 if evidence.texts > 0 => evidence.values == 0 || evidence.fractions == 0 && self.rows > 0,
            0 => self.first.len() > 1 && self.rows > 0 && counts(first()),
            _ => evidence.values > 0 && !self.is_counted,
        };
        if is_doubtful && !is_commented {
            let guess = if is_header { "names in line 1 (--no-header)" } else { "data in line 1 (--header)" };
            dialect.guesses.push(guess.to_owned());
        }
        Ok(is_header)
    }

    /// Whether the first line has the names that an array without fields has in CSV.
    fn has_plain_names(&self, options: &ReadOptions) -> bool {
        let is_text = |guess: &Guess| guess.is_blank() || guess.is_text();
        let is_plain = match &options.dtype {
            Some(dtype) => !matches!(dtype, DType::Record(_)),
            None => self.guesses.iter().all(is_text),
        };
        is_plain && are_of_plain_array(self.first.iter().map(str::trim))
    }

    /// Fails where the cells of the first line are too many names, or too long ones. A dtype says itself how many there are.
    fn expect_few_names(&self, options: &ReadOptions) -> Result<()> {
        if options.dtype.is_some() {
            return Ok(());
        }
        let mut names = Names::default();
        let added = self.first.iter().try_for_each(|name| names.add(name.trim()));
        added.map_err(|problem| {
            let hint = format!("; without names, a line may have {} (--no-header)", counted(columns::MOST as u64, "number"));
            Failure::Nameless(format!("line 1: {problem}{hint}"))
        })
    }

    /// Whether integers from 0 stand above fractions, as the names of a table of pandas that has none.
    fn are_numbered(&self) -> bool {
        let is_counted = counts(self.first.iter().map(str::trim));
        self.first.len() > 1 && self.rows > 0 && is_counted && self.guesses.iter().all(Guess::is_fraction)
    }

    fn evidence(&self, dialect: &Dialect) -> Evidence {
        let mut evidence = Evidence::default();
        let first = || self.first.iter().map(str::trim);
        let is_full = || first().skip(1).all(|name| !name.is_empty());
        for (i, (cell, below)) in first().zip(&self.guesses).enumerate() {
            if cell.is_empty() {
                let is_corner = i == 0 && self.first.len() > 1 && self.rows > 0 && !below.has_missing() && is_full();
                evidence.names += usize::from(is_corner && (below.is_text() || self.is_counted));
                continue;
            }
            let guess = guess_of(cell, dialect);
            // An identifier is a value, as a number is.
            let is_text = guess.is_text() && !guess.has_leading_zero();
            if below.has_leading_zero() && is_text {
                evidence.names += 1;
                continue;
            }
            if dialect.is_missing(cell) || below.is_text() {
                evidence.texts += usize::from(is_text && !dialect.is_missing(cell));
                continue;
            }
            let mut with_it = below.clone();
            add_value(&mut with_it, cell, dialect);
            match (below.is_blank(), is_text) {
                (true, true) => evidence.texts += 1,
                _ if with_it.is_text() && !guess.has_leading_zero() => evidence.names += 1,
                _ => evidence.add_value(cell),
            }
        }
        evidence
    }

    /// The dtype by the cells, and how many elements a line has if they are an axis.
    pub(super) fn guessed(&self) -> Result<(DType, Option<usize>)> {
        let scalars = || self.guesses.iter().filter_map(Guess::scalar);
        let little = |kind| DType::from(Scalar::new(kind, ByteOrder::Little));
        let count = self.first.len();
        if self.has_header && self.names.is_none() {
            let lengths = scalars().map(|scalar| scalar.itemsize() / 4).max();
            let dtype = little(ScalarKind::Unicode { length: lengths.filter(|_| self.rows > 0).unwrap_or(1) });
            return Ok((dtype, Some(count).filter(|count| *count > 1)));
        }
        if self.names.is_none() {
            match (count, scalars().next()) {
                (0, _) => return Ok((little(ScalarKind::Float64), None)),
                (1, Some(scalar)) => return Ok((scalar.into(), None)),
                _ => {}
            }
            if let Some(kind) = self.common_number() {
                return Ok((little(kind), Some(count)));
            }
            let mut names = Names::default();
            let added = (0..count).try_for_each(|_| names.add(""));
            added.map_err(|problem| Failure::Nameless(format!("{problem}; give columns of one type, or a plain --dtype")))?;
        }
        let fields = scalars().enumerate().map(|(i, scalar)| (self.name(i), DType::from(scalar)));
        Ok((Record::packed(fields)?.into(), None))
    }

    /// The kind of number that holds the cells of all columns.
    fn common_number(&self) -> Option<ScalarKind> {
        let first = self.guesses.first()?.number()?;
        let has = |kind| self.guesses.iter().any(|guess| guess.number() == Some(kind));
        Some(match first {
            _ if self.guesses.iter().any(|guess| guess.number().is_none()) => return None,
            _ if self.guesses.iter().all(|guess| guess.number() == Some(first)) => first,
            _ if has(ScalarKind::Bool) => return None,
            _ if has(ScalarKind::Complex128) => ScalarKind::Complex128,
            _ => ScalarKind::Float64,
        })
    }

    /// The names of the header, or those of `np.genfromtxt`.
    fn name(&self, column: usize) -> String {
        let name = self.names.as_ref().and_then(|names| names.get(column));
        name.map_or_else(|| format!("f{column}"), String::clone)
    }

    /// The dtype that the user gave, and how many elements a line has if they are an axis.
    pub(super) fn row_of(&self, dtype: &DType) -> (DType, Option<usize>) {
        let row_shape = match dtype {
            DType::Scalar(_) if self.first.len() > 1 => Some(self.first.len()),
            _ => None,
        };
        (dtype.clone(), row_shape)
    }

    /// Which cell is stored where, by the order of the dtype, and what that calls it.
    fn columns(&self, dtype: &DType, is_lossy: bool) -> Result<Vec<(Column, String)>> {
        let mut columns = Vec::new();
        for part in columns::of(dtype)? {
            let slot = Slot { scalar: part.scalar, encoding: Encoding::Utf8, is_lossy };
            expect_support(slot)?;
            for i in 0..part.count {
                let name = format!("{}{}", part.path, columns::index_text(&part.axes, i));
                columns.push((Column { index: columns.len(), offset: part.offset + i * part.scalar.itemsize(), slot }, name));
            }
        }
        if !self.first.is_empty() && columns.len() != self.first.len() {
            let message =
                format!("expected {}, as in the dtype, found {}", counted(columns.len() as u64, "column"), self.first.len());
            return Err(Failure::Nameless(message));
        }
        Ok(columns)
    }

    /// Which cell is stored where: by their names, if the file has these in another order.
    pub(super) fn placed_columns(&self, dtype: &DType, row_shape: Option<usize>, is_lossy: bool) -> Result<Columns> {
        if let (Some(count), DType::Scalar(scalar)) = (row_shape, dtype) {
            let slot = Slot { scalar: *scalar, encoding: Encoding::Utf8, is_lossy };
            expect_support(slot)?;
            return Ok(Columns::Axis { count, slot });
        }
        let mut columns = self.columns(dtype, is_lossy)?;
        let names = self.names.as_deref().unwrap_or_default();
        let places: HashMap<&str, usize> = names.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
        let by_name: Option<Vec<usize>> = columns.iter().map(|(_, name)| places.get(name.as_str()).copied()).collect();
        match by_name {
            Some(indices) => columns.iter_mut().zip(indices).for_each(|((column, _), index)| column.index = index),
            // By their order, unless one of them would get what is called as another one.
            None => {
                let taken =
                    columns.iter().find(|(column, name)| places.get(name.as_str()).is_some_and(|place| *place != column.index));
                if let Some((column, name)) = taken {
                    let found = names.get(column.index).map(String::as_str).unwrap_or_default();
                    let message = format!("expected the names of the dtype, found {found:?} where it has {name:?}");
                    return Err(Failure::Nameless(format!("{message}; give the dtype the names of the file")));
                }
            }
        }
        Ok(Columns::Each(columns.into_iter().map(|(column, _)| column).collect()))
    }
}

impl Evidence {
    fn add_value(&mut self, cell: &str) {
        self.values += 1;
        self.fractions += usize::from(cell.parse::<i64>().is_err());
    }

    /// The evidence of a dtype: text that it cannot hold is a name.
    fn by_slots<'a>(first: impl Iterator<Item = &'a str>, slots: &[Slot], dialect: &Dialect) -> Self {
        let mut evidence = Self::default();
        for (cell, slot) in first.zip(slots).filter(|(cell, _)| !cell.is_empty() && !dialect.is_missing(cell)) {
            let is_text = guess_of(cell, dialect).is_text();
            match (is_text, slot.is_text()) {
                (true, true) => evidence.texts += 1,
                (true, false) => evidence.names += 1,
                (false, false) => evidence.add_value(cell),
                (false, true) => {}
            }
        }
        evidence
    }
}

/// Whether these are the integers from 0.
fn counts<'a>(cells: impl Iterator<Item = &'a str>) -> bool {
    cells.enumerate().all(|(i, cell)| cell.parse() == Ok(i))
}

/// A column as a message names it.
pub(super) fn place_of(names: Option<&[String]>, column: usize) -> String {
    let name = names.and_then(|names| names.get(column));
    format!("column {}{}", column + 1, name.map(|name| format!(" ({name})")).unwrap_or_default())
}

/// Adds a cell to what its column can be.
fn add(guess: &mut Guess, cell: &str, dialect: &Dialect) {
    match dialect.is_missing(cell) {
        true if dialect.has_given_words() => guess.add_missing(),
        true => guess.add_missing_word(cell),
        false => add_value(guess, cell, dialect),
    }
}

fn add_value(guess: &mut Guess, cell: &str, dialect: &Dialect) {
    match dialect.number(cell) {
        Some(number) => guess.add_cell(&number),
        None => guess.add_other_decimal(cell),
    }
}

/// The guess by one cell.
fn guess_of(cell: &str, dialect: &Dialect) -> Guess {
    let mut guess = Guess::new();
    add_value(&mut guess, cell, dialect);
    guess
}

/// Only records have names.
fn can_have_names(options: &ReadOptions) -> bool {
    !matches!(options.dtype, Some(DType::Scalar(_) | DType::SubArray(_)))
}

/// Whether these are the names that arrays without fields have in CSV.
fn are_of_plain_array<'a>(mut names: impl Iterator<Item = &'a str>) -> bool {
    let Some(first) = names.next() else { return false };
    let axes = first.split(',').count();
    let is_index = |name: &str| {
        let index = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or_default();
        index.split(',').count() == axes && index.split(',').all(|number| number.parse::<usize>().is_ok())
    };
    match names.next() {
        None => first == columns::PLAIN || first == "[0]",
        Some(second) => first.starts_with("[0") && [first, second].into_iter().chain(names).all(is_index),
    }
}

/// Fails where there is no text for a scalar.
fn expect_support(slot: Slot) -> Result<()> {
    if is_supported(slot.scalar) {
        return Ok(());
    }
    Err(Failure::Nameless(format!("cannot read {} from text: expected another dtype", slot.scalar)))
}

/// The names of fields: numbered where there is none, and different.
fn distinct<'a>(names: impl Iterator<Item = &'a str>, dialect: &mut Dialect) -> Vec<String> {
    let mut used: HashMap<String, usize> = HashMap::new();
    let mut distinct = Vec::new();
    let mut renamed = None;
    for (column, name) in names.enumerate() {
        let plain = if name.is_empty() { format!("f{column}") } else { name.to_owned() };
        let mut name = plain.clone();
        while let Some(count) = used.get(&name).copied() {
            name = format!("{plain}_{count}");
            used.insert(plain.clone(), count + 1);
        }
        if name != plain {
            renamed.get_or_insert_with(|| format!("the name {name:?} for column {}, as {plain:?} is taken", column + 1));
        }
        used.insert(name.clone(), 1);
        distinct.push(name);
    }
    dialect.guesses.extend(renamed);
    distinct
}
