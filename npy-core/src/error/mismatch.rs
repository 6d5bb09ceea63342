//! How a file's dtype and a Rust type differ.

use std::fmt;

use super::describe::list;

/// One place where a file's dtype and a Rust type differ.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The field, such as `origin.depth`, or `picks[].time` inside a sub-array; empty for the whole
    /// array.
    pub path: String,
    /// How they differ.
    pub kind: MismatchKind,
}

/// How a file's dtype and a Rust type differ.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MismatchKind {
    /// The file has another dtype than the Rust type needs.
    DType {
        /// The file's dtype.
        file: String,
        /// The dtype that the Rust type needs.
        rust: String,
        /// What to do about it.
        advice: Option<String>,
    },
    /// A requested column has another dtype in the file.
    Column {
        /// The file's dtype.
        file: String,
        /// The requested dtype.
        rust: String,
        /// What to do about it.
        advice: Option<String>,
    },
    /// A column is requested of elements, or of a field, that are not records.
    NoFields {
        /// That field; empty for the elements themselves.
        parent: String,
        /// The file's dtype of it.
        file: String,
    },
    /// The header that elements are to be written under has another dtype than theirs.
    Written {
        /// The dtype of the elements.
        expected: String,
        /// The dtype of the header.
        found: String,
        /// The Rust type whose elements fit, if there is one.
        fits: Option<String>,
    },
    /// The header that records are to be written under has no field of that name.
    UnwrittenField {
        /// The dtype of the struct's field.
        expected: String,
        /// The first names that the header has.
        available: Vec<String>,
        /// How many more it has.
        omitted: usize,
    },
    /// The header has a field for which the records that are to be written have no value. At most 12
    /// are reported.
    UnfilledField {
        /// The header's dtype of the field.
        found: String,
    },
    /// The file has no field of that name.
    MissingField {
        /// The dtype that the Rust type needs.
        rust: String,
        /// The first names that the file has.
        available: Vec<String>,
        /// How many more it has.
        omitted: usize,
    },
    /// The file has no field of the name of a requested column.
    MissingColumn {
        /// The field that is a record without such a field; empty for the file's elements
        /// themselves.
        parent: String,
        /// The first names that it has.
        available: Vec<String>,
        /// How many more it has.
        omitted: usize,
    },
    /// The file has an unknown field, and the Rust type denies unknown fields. At most 12 are
    /// reported.
    UnknownField {
        /// The file's dtype of the field.
        file: String,
        /// The names that the Rust type has.
        known: Vec<String>,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        match &self.kind {
            MismatchKind::DType { file, rust, advice } | MismatchKind::Column { file, rust, advice } => {
                write!(f, "expected dtype {rust}, found {file}")?;
                advice.as_ref().map_or(Ok(()), |advice| write!(f, "; {advice}"))
            }
            MismatchKind::Written { expected, found, fits } => {
                write!(f, "expected dtype {expected} in the header, found {found}")?;
                let what = if self.path.is_empty() { "write elements of" } else { "declare the field as" };
                fits.as_ref().map_or(Ok(()), |fits| write!(f, "; {what} `{fits}`, or use a header with {expected}"))
            }
            MismatchKind::UnwrittenField { expected, available, omitted } => {
                let names = describe_names(available, *omitted);
                write!(f, "expected a field of dtype {expected} in the header, found {names}; ")?;
                f.write_str("`#[npy(rename = \"…\")]` names another, `#[npy(skip)]` omits it")
            }
            MismatchKind::UnfilledField { found } => {
                write!(f, "expected a value of dtype {found}, found no such field in the struct; ")?;
                f.write_str("`#[npy(fill_unknown_fields)]` writes NaT, NaN, empty text or 0")
            }
            MismatchKind::NoFields { parent, file } if parent.is_empty() => {
                write!(f, "expected a record, found elements of dtype {file}")
            }
            MismatchKind::NoFields { parent, file } => write!(f, "expected {parent} to be a record, found dtype {file}"),
            MismatchKind::MissingField { rust, available, omitted } => {
                write!(f, "expected a field of dtype {rust}, found {}; ", describe_names(available, *omitted))?;
                f.write_str("`#[npy(rename = \"…\")]` or `alias` names another, `#[npy(default)]` makes it optional")
            }
            MismatchKind::MissingColumn { parent, available, omitted } => {
                write!(f, "missing field: found {}", describe_names(available, *omitted))?;
                if parent.is_empty() { Ok(()) } else { write!(f, " in {parent}") }
            }
            MismatchKind::UnknownField { file, known } => {
                write!(f, "unknown field of dtype {file}: expected {}", describe_names(known, 0))
            }
        }
    }
}

/// Which fields there are.
fn describe_names(available: &[String], omitted: usize) -> String {
    if available.is_empty() { "no fields".to_owned() } else { list(available, omitted) }
}

/// All mismatches, as a message.
pub(super) fn describe_mismatches(rust_type: &str, mismatches: &[Mismatch]) -> String {
    use fmt::Write as _;
    let is_written = |mismatch: &Mismatch| {
        use MismatchKind::{UnfilledField, UnwrittenField, Written};
        matches!(mismatch.kind, Written { .. } | UnwrittenField { .. } | UnfilledField { .. })
    };
    let is_writing = mismatches.iter().any(is_written);
    match mismatches {
        [only] if is_writing => format!("cannot write {rust_type}: {only}"),
        [only] => format!("cannot read {rust_type}: {only}"),
        several => {
            let mut text = if is_writing {
                format!("cannot write {rust_type}: found {} mismatches", several.len())
            } else {
                format!("cannot read {rust_type}: found {} mismatches", several.len())
            };
            for mismatch in several {
                let _ = write!(text, "\n  {mismatch}");
            }
            text
        }
    }
}
