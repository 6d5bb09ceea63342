//! Rust structs as records: what the code that `#[derive(NpyRecord)]` writes is made of.

use crate::dtype::{ByteOrder, DType, Record};
use crate::element::{NpyElement, outside};
use crate::error::{Result, ValueError};
use crate::plan::{Layout, Planner};

/// A Rust struct that is a record: each of its fields is a field of a structured dtype.
///
/// Derive it; fields are matched by name, in any order, and padding and fields that the struct lacks are passed over.
///
#[cfg_attr(feature = "derive", doc = "```")]
#[cfg_attr(not(feature = "derive"), doc = "```ignore")]
/// use npy_core::{NpyElement, NpyRecord};
///
/// #[derive(NpyRecord, Debug, PartialEq)]
/// struct Pose {
///     id: u32,
///     position: [f64; 3],
/// }
///
/// assert_eq!(Pose::dtype().to_string(), "[('id', '<u4'), ('position', '<f8', (3,))]");
/// assert_eq!(Pose::FIELDS, ["id", "position"]);
///
/// let mut file = Vec::new();
/// npy_core::write(&mut file, &[Pose { id: 7, position: [1.0, 2.0, 3.0] }])?;
/// let poses: Vec<Pose> = npy_core::read(&file[..])?;
/// assert_eq!(poses[0].position[2], 3.0);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no record",
    note = "use `#[derive(NpyRecord)]` on a struct with named fields"
)]
pub trait NpyRecord: NpyElement {
    /// The names of the fields in the file, in the order in which they are written.
    const FIELDS: &'static [&'static str];
}

/// Where a field lies in a record of the file, and how to read and write it there.
#[derive(Debug)]
pub struct FieldPlan<T: NpyElement> {
    offset: usize,
    plan: T::Plan,
}

impl<T: NpyElement> Clone for FieldPlan<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: NpyElement> Copy for FieldPlan<T> {}

impl<T: NpyElement> PartialEq for FieldPlan<T> {
    fn eq(&self, other: &Self) -> bool {
        self.offset == other.offset && self.plan == other.plan
    }
}

impl<T: NpyElement> FieldPlan<T> {
    /// Places the field at `end`, which moves behind it, for a layout that is known at compile time.
    pub const fn place(end: &mut usize, order: ByteOrder) -> Option<Self> {
        let layout: Option<Layout<T::Plan>> = match order {
            ByteOrder::Little => T::LITTLE,
            ByteOrder::Big => T::BIG,
        };
        match layout {
            Some(Layout { itemsize, plan }) => {
                let offset = *end;
                *end = end.saturating_add(itemsize);
                Some(Self { offset, plan })
            }
            None => None,
        }
    }

    /// Finds the field in the file's record; notes it in `planner` if it is not there or does not fit.
    pub fn find(record: &Record, name: &'static str, hint: usize, planner: &mut Planner) -> Option<Self> {
        let Some(field) = lookup(record, name, hint) else {
            planner.in_field(name, |planner| planner.missing_field(&T::dtype(), record));
            return None;
        };
        let plan = planner.in_field(name, |planner| T::plan(field.dtype(), planner))?;
        Some(Self { offset: field.offset(), plan })
    }

    /// Finds the field in the file's record. The outer `None` tells that it does not fit; the inner one, that it is not there.
    pub fn find_if_there(record: &Record, name: &'static str, hint: usize, planner: &mut Planner) -> Option<Option<Self>> {
        match lookup(record, name, hint) {
            Some(_) => Self::find(record, name, hint, planner).map(Some),
            None => Some(None),
        }
    }

    /// Reads the field of a record.
    ///
    /// # Errors
    ///
    /// When its bytes are no value of `T`.
    #[inline(always)]
    pub fn decode(&self, name: &'static str, record: &[u8]) -> Result<T, ValueError> {
        let bytes = record.get(self.offset..).ok_or_else(outside)?;
        T::decode(&self.plan, bytes).map_err(|error| error.in_field(name))
    }

    /// Writes the field of a record.
    ///
    /// # Errors
    ///
    /// When the value does not fit the file's dtype.
    #[inline(always)]
    pub fn encode(&self, name: &'static str, value: &T, record: &mut [u8]) -> Result<(), ValueError> {
        let bytes = record.get_mut(self.offset..).ok_or_else(outside)?;
        value.encode(&self.plan, bytes).map_err(|error| error.in_field(name))
    }
}

/// The field of that name; `hint` is where it stands if file and struct have the same fields in the same order.
fn lookup<'a>(record: &'a Record, name: &str, hint: usize) -> Option<&'a crate::dtype::Field> {
    record.fields().get(hint).filter(|field| field.name() == name).or_else(|| record.field(name))
}

/// The file's dtype as a record; notes it in `planner` if it is none.
pub fn expect_record<'a, T: NpyElement>(dtype: &'a DType, planner: &mut Planner) -> Option<&'a Record> {
    match dtype {
        DType::Record(record) => Some(record),
        other => {
            planner.mismatch(other, &T::dtype());
            None
        }
    }
}

/// The dtype of a struct whose fields follow one another without padding.
pub fn packed(fields: impl IntoIterator<Item = (&'static str, DType)>) -> DType {
    Record::packed_unchecked(fields).into()
}
