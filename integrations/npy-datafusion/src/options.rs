//! Options of tables.

use std::collections::HashMap;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, config_err};
use npy_arrow::BatchOptions;

/// Options of a table of `.npy` files: columns, partitions and order.
///
/// In SQL, each setting is an option of `CREATE EXTERNAL TABLE … OPTIONS ('flatten' 'true')`, and the
/// partition columns and the order are its clauses `PARTITIONED BY` and `WITH ORDER`.
///
/// ```
/// use npy_datafusion::NpyOptions;
/// use npy_datafusion::datafusion::arrow::datatypes::DataType;
///
/// let options = NpyOptions::new()
///     .flatten(true)
///     .partitioned_by([("year", DataType::Int32)])
///     .sorted_by(["time"]);
/// # let _ = options;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct NpyOptions {
    pub(crate) columns: ColumnOptions,
    /// Those that the names of directories have, if there are none.
    pub(crate) partition_columns: Option<Vec<(String, DataType)>>,
    pub(crate) sorted_by: Vec<String>,
}

/// The settings that apply to each file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct ColumnOptions {
    name: String,
    flatten: bool,
    bytes_as_text: bool,
    times_as_integers: bool,
    matrix_columns: bool,
    /// The members of archives that are columns; all of them without names.
    members: Option<Vec<String>>,
}

impl NpyOptions {
    /// Returns the defaults: nested structs, bytes as text, neither partitions nor an order.
    pub fn new() -> Self {
        let columns = ColumnOptions {
            name: "value".to_owned(),
            flatten: false,
            bytes_as_text: true,
            times_as_integers: false,
            matrix_columns: false,
            members: None,
        };
        Self { columns, partition_columns: None, sorted_by: Vec::new() }
    }

    /// Sets the name of the only column of arrays that are not of records. By default `value`.
    pub fn column_name(mut self, name: impl Into<String>) -> Self {
        self.columns.name = name.into();
        self
    }

    /// Sets whether the fields of nested records become columns of their own, such as
    /// `"origin.time"`, instead of a struct.
    pub fn flatten(mut self, flatten: bool) -> Self {
        self.columns.flatten = flatten;
        self
    }

    /// Sets whether bytes (`S`) become text, which they do by default, or `Binary`. They must be UTF-8
    /// to become text.
    pub fn bytes_as_text(mut self, is_text: bool) -> Self {
        self.columns.bytes_as_text = is_text;
        self
    }

    /// Sets whether times (`M8`, `m8`) of every unit become integers, as those of units that Arrow
    /// lacks do.
    pub fn times_as_integers(mut self, are_integers: bool) -> Self {
        self.columns.times_as_integers = are_integers;
        self
    }

    /// Sets whether a matrix becomes a column per column, `value_0`, `value_1` and so on, instead of
    /// one column of lists.
    pub fn matrix_columns(mut self, are_columns: bool) -> Self {
        self.columns.matrix_columns = are_columns;
        self
    }

    /// Sets the members of `.npz` archives that are columns, in their order. By default all are, which
    /// must then have the same number of rows.
    ///
    /// In SQL their names are divided by commas: `OPTIONS ('members' 'time,depth')`. A comma or a
    /// backslash in a name has a backslash before it.
    pub fn members<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.columns.members = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the columns that are in the names of directories: `year=2026/month=7/picks.npy`, by default those that
    /// all files have there, as text. Without columns, the names mean nothing.
    ///
    /// A file that is added later outside of such directories is not part of the table.
    pub fn partitioned_by<N: Into<String>>(mut self, columns: impl IntoIterator<Item = (N, DataType)>) -> Self {
        self.partition_columns = Some(columns.into_iter().map(|(name, data_type)| (name.into(), data_type)).collect());
        self
    }

    /// Declares that each file is sorted by these columns, ascending, so that a range of the first one
    /// is found by a few reads, files that a condition on it excludes are left out, and no sort is needed where one is asked for.
    ///
    /// The declaration is trusted: rows of a file that is not sorted may be missed. Only a file whose last row comes before its
    /// first one is an error.
    pub fn sorted_by<N: Into<String>>(mut self, columns: impl IntoIterator<Item = N>) -> Self {
        self.sorted_by = columns.into_iter().map(Into::into).collect();
        self
    }
}

impl Default for NpyOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// The name of a setting in SQL, and its place.
type Switch = (&'static str, fn(&mut ColumnOptions) -> &mut bool);

/// The settings that are true or false.
const SWITCHES: [Switch; 4] = [
    ("flatten", |options| &mut options.flatten),
    ("bytes_as_text", |options| &mut options.bytes_as_text),
    ("times_as_integers", |options| &mut options.times_as_integers),
    ("matrix_columns", |options| &mut options.matrix_columns),
];

const COLUMN_NAME: &str = "column_name";
const MEMBERS: &str = "members";

impl ColumnOptions {
    /// The options of a statement in SQL, which prefixes those without a namespace by `format.`.
    pub(crate) fn from_sql(options: &HashMap<String, String>) -> Result<Self> {
        let mut columns = NpyOptions::new().columns;
        for (key, value) in options {
            let name = key.strip_prefix("format.").unwrap_or(key);
            if name == COLUMN_NAME {
                columns.name.clone_from(value);
            } else if name == MEMBERS {
                columns.members = Some(split_names(value));
            } else if let Some((_, switch)) = SWITCHES.iter().find(|(known, _)| *known == name) {
                let Ok(is_on) = value.parse() else {
                    return config_err!("invalid option {name:?} of NPY: expected true or false, found {value:?}");
                };
                *switch(&mut columns) = is_on;
            } else {
                let known = SWITCHES.map(|(known, _)| known).join(", ");
                return config_err!("unknown option {name:?} of NPY; known are {COLUMN_NAME}, {MEMBERS}, {known}");
            }
        }
        Ok(columns)
    }

    /// The same as they would stand in SQL.
    #[cfg(feature = "proto")]
    pub(crate) fn to_sql(&self) -> HashMap<String, String> {
        let mut own = self.clone();
        let switches = SWITCHES.map(|(name, switch)| (name.to_owned(), switch(&mut own).to_string()));
        let members = self.members.iter().map(|members| (MEMBERS.to_owned(), join_names(members)));
        switches.into_iter().chain([(COLUMN_NAME.to_owned(), self.name.clone())]).chain(members).collect()
    }

    pub(crate) fn members(&self) -> Option<&[String]> {
        self.members.as_deref()
    }
}

/// Names that are divided by commas.
fn split_names(text: &str) -> Vec<String> {
    let (mut names, mut name) = (Vec::new(), String::new());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => name.extend(characters.next()),
            ',' => names.push(std::mem::take(&mut name)),
            other => name.push(other),
        }
    }
    names.push(name);
    names
}

#[cfg(feature = "proto")]
fn join_names(names: &[String]) -> String {
    names.iter().map(|name| name.replace('\\', r"\\").replace(',', r"\,")).collect::<Vec<_>>().join(",")
}

impl From<&ColumnOptions> for BatchOptions {
    fn from(options: &ColumnOptions) -> Self {
        Self::new()
            .column_name(&options.name)
            .flatten(options.flatten)
            .bytes_as_text(options.bytes_as_text)
            .times_as_integers(options.times_as_integers)
            .matrix_columns(options.matrix_columns)
    }
}

#[cfg(all(test, feature = "proto"))]
mod tests {
    use super::*;

    #[test]
    fn options_survive_sql() {
        for members in [vec!["time"], vec!["a,b", r"c\", r"\,", "", " d "], vec![""]] {
            let options = NpyOptions::new().flatten(true).column_name("x").members(members).columns;
            assert_eq!(ColumnOptions::from_sql(&options.to_sql()).unwrap(), options);
        }
    }
}
