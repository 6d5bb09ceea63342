//! Plans, which decide once for a whole file how a Rust type reads its dtype. [`Planner`] collects
//! mismatches.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind, Result, first_names};
use crate::format::dtype::{ByteOrder, Class, DType, Field, Record, Scalar, ScalarKind};
use crate::format::leaves::FieldAt;
use crate::memory::reserve_exact;

/// How to read and write a type as a given dtype, decided once for the whole array.
pub trait Plan: Copy + PartialEq + Send + Sync {
    /// This plan of a layout, but with the offsets that the fields of records have in the file.
    #[inline(always)]
    #[must_use]
    fn relocate(self, file: &Self) -> Self {
        let _ = file;
        self
    }
}

impl Plan for () {}
impl Plan for usize {}
impl Plan for ByteOrder {}

impl<P: Plan> Plan for Option<P> {
    #[inline(always)]
    fn relocate(self, file: &Self) -> Self {
        Some(self?.relocate(file.as_ref()?))
    }
}

/// A layout known at compile time: the itemsize, and the plan for reading and writing.
#[derive(Clone, Copy, Debug)]
pub struct Layout<P> {
    /// The size of an element in bytes.
    pub itemsize: usize,
    /// The plan for reading and writing an element.
    pub plan: P,
}

/// Collects all mismatches between a file's dtype and a Rust type.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each of them answers another question")]
pub struct Planner {
    path: String,
    mismatches: Vec<String>,
    /// Whether the field has `#[npy(dtype = …)]`.
    is_dtype_given: bool,
    /// Whether the field is a column requested by name, not a field of a struct.
    is_column: bool,
    /// Whether elements are to be written as the dtype, not read.
    is_writing: bool,
    /// Whether elements have fields that are not written, and get a missing value.
    is_filled: bool,
}

impl Planner {
    pub(crate) fn new() -> Self {
        Self {
            path: String::new(),
            mismatches: Vec::new(),
            is_dtype_given: false,
            is_column: false,
            is_writing: false,
            is_filled: false,
        }
    }

    pub(crate) fn for_writing() -> Self {
        Self { is_writing: true, ..Self::new() }
    }

    pub(crate) fn is_writing(&self) -> bool {
        self.is_writing
    }

    /// Fills the fields that are not written with a missing value.
    pub(crate) fn fill(&mut self) {
        self.is_filled = true;
    }

    pub(crate) fn is_filled(&self) -> bool {
        self.is_filled
    }

    /// The error that lists every mismatch.
    #[cold]
    pub(crate) fn into_error(self, rust_type: &str) -> Error {
        let action = if self.is_writing { "write" } else { "read" };
        let mismatches = match &self.mismatches[..] {
            [only] => only.clone(),
            several => format!("found {} mismatches\n  {}", several.len(), several.join("\n  ")),
        };
        Error::new(ErrorKind::Mismatch, format!("cannot {action} {rust_type}: {mismatches}"))
    }

    /// Records that the dtype of the file is not the one that the Rust type needs.
    #[cold]
    pub fn mismatch(&mut self, file: &DType, rust: &DType) {
        let advice = match suggest(file) {
            Some(name) if self.path.is_empty() && is_number(file) && is_number(rust) => {
                format!(
                    "`{name}` reads it; `DynValues::cast` (feature `dynamic`) converts it, or in Python `.astype({})`",
                    rust.descr()
                )
            }
            Some(name) if self.path.is_empty() && is_time(file) && is_time(rust) => {
                format!("`{name}` reads it; in Python, `.astype({})` converts it", rust.descr())
            }
            _ if self.is_dtype_given => Self::other_dtype(file),
            Some(name) => format!("`{name}` reads it"),
            None if file.record().is_some() => "a struct with `#[derive(NpyRecord)]` reads it".to_owned(),
            None => "`DynValues` reads it".to_owned(),
        };
        self.mismatch_with(file, &show(rust), Some(advice));
    }

    /// Returns the plan. Records a [`mismatch`](Self::mismatch) if there is none.
    pub(super) fn require<P>(&mut self, plan: Option<P>, file: &DType, rust: impl FnOnce() -> DType) -> Option<P> {
        if plan.is_none() {
            self.mismatch(file, &rust());
        }
        plan
    }

    /// [`mismatch`](Self::mismatch) where `widen` would read it.
    #[cold]
    pub(crate) fn mismatch_of_narrower(&mut self, file: &DType, rust: &DType) {
        match suggest(file) {
            Some(name) if !self.path.is_empty() && !self.is_dtype_given && !self.is_column => {
                self.mismatch_with(file, &show(rust), Some(format!("`{name}` or `#[npy(widen)]` reads it")));
            }
            _ => self.mismatch(file, rust),
        }
    }

    /// Returns the advice for a field with another `dtype`.
    fn other_dtype(file: &DType) -> String {
        format!("its `dtype` says otherwise; the file's is `#[npy(dtype = \"{file}\")]`")
    }

    /// Plans a field with `#[npy(dtype = …)]`.
    pub(crate) fn with_dtype_given<T>(&mut self, plan: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.is_dtype_given, true);
        let result = plan(self);
        self.is_dtype_given = outside;
        result
    }

    #[cold]
    pub(crate) fn mismatch_with(&mut self, file: &DType, rust: &str, advice: Option<String>) {
        let fits = suggest(file).filter(|_| self.is_writing);
        let (place, advice) = match fits {
            _ if !self.is_writing => ("", advice),
            None => (" in the header", None),
            Some(fits) => {
                let what = if self.path.is_empty() { "write elements of" } else { "declare the field as" };
                (" in the header", Some(format!("{what} `{fits}`, or use a header with {rust}")))
            }
        };
        let advice = advice.map_or_else(String::new, |advice| format!("; {advice}"));
        self.push(&format!("expected dtype {rust}{place}, found {file}{advice}"));
    }

    #[cold]
    pub(crate) fn missing_field(&mut self, rust: &DType, record: &Record) {
        let (place, way_out) = if self.is_writing {
            (" in the header", "`#[npy(rename = \"…\")]` names another, `#[npy(skip)]` omits it")
        } else {
            ("", "`#[npy(rename = \"…\")]` or `alias` names another, `#[npy(default)]` makes it optional")
        };
        self.push(&format!("expected a field of dtype {}{place}, found {}; {way_out}", show(rust), names_of(record)));
    }

    #[cold]
    pub(crate) fn missing_column(&mut self, parent: &str, record: &Record) {
        let parent = if parent.is_empty() { String::new() } else { format!(" in {parent}") };
        self.push(&format!("missing field: found {}{parent}", names_of(record)));
    }

    #[cold]
    pub(crate) fn no_fields(&mut self, parent: &str, file: &DType) {
        self.push(&match parent {
            "" => format!("expected a record, found elements of dtype {file}"),
            parent => format!("expected {parent} to be a record, found dtype {file}"),
        });
    }

    /// Records a field of the file that the struct does not have.
    #[cold]
    pub(crate) fn unknown_field(&mut self, name: &str, file: &DType, known: &[&str]) {
        let known = if known.is_empty() { "no fields".to_owned() } else { known.join(", ") };
        self.in_field(name, |planner| planner.push(&format!("unknown field of dtype {file}: expected {known}")));
    }

    /// Records a field of the header that the struct to be written does not have.
    #[cold]
    pub(crate) fn unfilled_field(&mut self, name: &str, file: &DType) {
        let way_out = "`#[npy(fill_unknown_fields)]` writes NaT, NaN, empty text or 0";
        let message = format!("expected a value of dtype {file}, found no such field in the struct; {way_out}");
        self.in_field(name, |planner| planner.push(&message));
    }

    /// Records a mismatch at the path.
    fn push(&mut self, message: &str) {
        let path = if self.path.is_empty() { String::new() } else { format!("{}: ", self.path) };
        self.mismatches.push(path + message);
    }

    pub(crate) fn in_field<T>(&mut self, name: &str, plan: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.path.len();
        if outside > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        let is_column = std::mem::replace(&mut self.is_column, false);
        let result = plan(self);
        self.is_column = is_column;
        self.path.truncate(outside);
        result
    }

    /// [`in_field`](Self::in_field) for a column requested by name.
    pub(crate) fn in_column<T>(&mut self, name: &str, plan: impl FnOnce(&mut Self) -> T) -> T {
        self.in_field(name, |planner| {
            planner.is_column = true;
            plan(planner)
        })
    }

    pub(crate) fn in_items<T>(&mut self, plan: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.path.len();
        self.path.push_str("[]");
        let result = plan(self);
        self.path.truncate(outside);
        result
    }
}

/// The bytes of an element without any value: NaT, NaN, empty text, zeros.
pub(crate) fn missing_element(dtype: &DType) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reserve_exact(&mut bytes, dtype.itemsize())?;
    bytes.resize(dtype.itemsize(), 0);
    for leaf in dtype.leaves() {
        leaf.runs().for_each(|run| fill_scalar(leaf.scalar(), &mut bytes[run]));
    }
    Ok(bytes)
}

fn fill_scalar(scalar: Scalar, bytes: &mut [u8]) {
    let part = scalar.part().unwrap_or(scalar);
    for bytes in bytes.chunks_exact_mut(part.itemsize().max(1)) {
        match part.class() {
            Class::Float => part.encode_float(f64::NAN, bytes),
            Class::Datetime | Class::Timedelta => part.encode_integer(i64::MIN.into(), bytes),
            _ => return,
        };
    }
}

/// Returns whether NumPy casts every value of a dtype to other numbers.
fn is_number(dtype: &DType) -> bool {
    let DType::Scalar(scalar) = dtype else { return false };
    let is_number = matches!(scalar.class(), Class::Bool | Class::Signed | Class::Unsigned | Class::Float | Class::Complex);
    is_number
        && !matches!(scalar.kind(), ScalarKind::Complex32 | ScalarKind::Void { .. } | ScalarKind::Float8E5M2 | ScalarKind::Ml(_))
}

fn is_time(dtype: &DType) -> bool {
    matches!(dtype, DType::Scalar(scalar) if scalar.time_unit().is_some())
}

/// The names of a record's fields, as far as a message lists them.
fn names_of(record: &Record) -> String {
    let names: Vec<_> = record.fields().iter().map(Field::name).collect();
    if names.is_empty() { "no fields".to_owned() } else { first_names(&names) }
}

/// Formats the dtype that a Rust type needs, without the width of `String` and `Void`, which is any.
fn show(rust: &DType) -> String {
    rust.to_string().replace("<U0", "<U").replace(">U0", ">U").replace("|V0", "|V")
}

/// The Rust type that reads a dtype; `None` for records, and for dtypes that no type has.
fn suggest(file: &DType) -> Option<String> {
    crate::format::dtype::rust_type(file, "")
}

/// Returns the byte order of a scalar of this kind, native if it has none; `None` for other dtypes.
pub(super) fn order_of(dtype: &DType, kind: ScalarKind) -> Option<ByteOrder> {
    match dtype {
        DType::Scalar(scalar) if scalar.kind() == kind => Some(scalar.byte_order().unwrap_or(ByteOrder::NATIVE)),
        _ => None,
    }
}

/// Returns the length of a sub-array's outermost axis, and the dtype of its items; `None` for other dtypes.
pub(crate) fn outermost_axis(dtype: &DType) -> Option<(usize, Cow<'_, DType>)> {
    let DType::SubArray(array) = dtype else { return None };
    let (&length, inner) = array.shape().split_first()?;
    let item = match inner {
        [] => Cow::Borrowed(array.base()),
        inner => Cow::Owned(crate::format::dtype::SubArray::new_unchecked(array.base().clone(), inner.to_vec()).into()),
    };
    Some((length, item))
}

/// Returns the field at a path, and its offset. Records in `planner` if there is none.
pub(crate) fn find_field<'d>(name: &str, dtype: &'d DType, planner: &mut Planner) -> Option<(usize, &'d Field)> {
    // A column has one item for each record, so that none goes through a sub-array.
    let is_of_each = |field: &FieldAt<'_>| field.shape().is_empty();
    let found = dtype.field(name).filter(is_of_each);
    if found.is_none() {
        let outer = dtype.fields_before(name).find(|(_, field)| is_of_each(field));
        let (path, parent) = outer.map_or(("", dtype), |(path, field)| (path, field.dtype()));
        planner.in_column(name, |planner| match parent {
            DType::Record(record) => planner.missing_column(path, record),
            other => planner.no_fields(path, other),
        });
    }
    found.map(|found| (found.offset(), found.field()))
}

#[cfg(test)]
mod tests {
    use super::missing_element;

    #[test]
    fn missing_values_are_nan_and_nat() {
        let dtype = "[('h', '>f2', (2,)), ('b', '<V2'), ('c', '>c8'), ('l', '<f12'), ('t', '<M8[s]'), ('u', '<U1'), ('i', '<i2')]";
        let expected = [
            &[0x7e, 0, 0x7e, 0, 0xc0, 0x7f][..],
            &[0x7f, 0xc0, 0, 0, 0x7f, 0xc0, 0, 0],
            &[0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0x7f, 0, 0],
            &[0, 0, 0, 0, 0, 0, 0, 0x80],
            &[0; 6],
        ];
        assert_eq!(missing_element(&dtype.parse().unwrap()).unwrap(), expected.concat());
    }
}
