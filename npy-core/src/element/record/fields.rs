//! Fields of a Rust struct in the records of a file.

use std::collections::HashSet;
use std::fmt;

use super::cursor::Cursor;
use super::names::{FieldName, for_each_name};
use crate::element::bytes::outside;
use crate::element::codec::{Codec, CodecOf, NpyElement, PlanOf};
use crate::element::plan::{Layout, Plan, Planner};
use crate::error::{Result, ValueError, first_names, rust_type};
use crate::format::dtype::{ByteOrder, DType, Field, Record};

/// A Rust struct that is a record: each of its fields is a field of a structured dtype.
///
/// Derive it: `#[derive(NpyRecord)]` needs the feature `derive` of this crate. Fields are matched by
/// name, in any order. Padding and fields that the struct lacks are skipped.
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
/// assert_eq!(Pose::field_names(), ["id", "position"]);
///
/// let mut file = Vec::new();
/// npy_core::write(&mut file, &[Pose { id: 7, position: [1.0, 2.0, 3.0] }])?;
/// let poses: Vec<Pose> = npy_core::read(&file[..])?;
/// assert_eq!(poses[0].position[2], 3.0);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a record",
    note = "use `#[derive(NpyRecord)]` of the feature `derive` on a struct with two or more fields, or with named ones"
)]
pub trait NpyRecord: NpyElement {
    /// The names of the fields, and their other names.
    #[doc(hidden)]
    const NAMES: &'static [FieldName];

    /// Finds the fields in a record of the file. Records the missing and mismatched ones in `planner`.
    #[doc(hidden)]
    fn plan_fields(record: FileRecord<'_>, planner: &mut Planner) -> Option<PlanOf<Self>>;

    /// The names of the fields in the file, in the order in which they are written.
    fn field_names() -> Vec<&'static str> {
        let mut names = Vec::new();
        for_each_name(Self::NAMES, &mut |name, _| names.push(name));
        names
    }
}

/// The position of a field in a record of the file, and the plan for it.
pub struct FieldPlan<T, C: Codec<T> = CodecOf<T>> {
    // Not last: the compiler follows the last fields of nested structs only to a certain depth.
    plan: C::Plan,
    offset: usize,
}

impl<T, C: Codec<T>> Clone for FieldPlan<T, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, C: Codec<T>> Copy for FieldPlan<T, C> {}

impl<T, C: Codec<T>> PartialEq for FieldPlan<T, C> {
    fn eq(&self, other: &Self) -> bool {
        self.offset == other.offset && self.plan == other.plan
    }
}

impl<T, C: Codec<T>> Plan for FieldPlan<T, C> {
    #[inline(always)]
    fn relocate(self, file: &Self) -> Self {
        Self { offset: file.offset, plan: self.plan.relocate(&file.plan) }
    }
}

impl<T, C: Codec<T>> fmt::Debug for FieldPlan<T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FieldPlan").field("offset", &self.offset).finish_non_exhaustive()
    }
}

impl<T, C: Codec<T>> FieldPlan<T, C> {
    /// The alignment of the field in NumPy.
    pub const ALIGNMENT: usize = C::ALIGNMENT;

    /// Whether the dtype of the field depends on the values.
    pub const VARIES: bool = C::VARIES;

    /// Whether the dtype of the type holds every value of the field.
    pub const GROWS: bool = C::GROWS;

    /// Places the field at `cursor`, which it advances, for a layout known at compile time.
    pub const fn place(cursor: &mut Cursor, order: ByteOrder) -> Option<Self> {
        let layout = match order {
            ByteOrder::Little => C::LITTLE,
            ByteOrder::Big => C::BIG,
        };
        match layout {
            Some(Layout { itemsize, plan }) => Some(Self { offset: cursor.place(itemsize, C::ALIGNMENT), plan }),
            None => None,
        }
    }

    /// Returns the offset of the field.
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Plans the whole element as a field, for a newtype.
    pub fn whole(dtype: &DType, planner: &mut Planner) -> Option<Self> {
        C::plan(dtype, planner).map(|plan| Self { offset: 0, plan })
    }

    /// Reads the field of a record.
    ///
    /// Fails if its bytes are not a value of `T`.
    #[inline(always)]
    pub fn decode(&self, name: &'static str, record: &[u8]) -> Result<T, ValueError> {
        self.decode_flattened(record).map_err(|error| error.in_field(name))
    }

    /// Writes the field of a record.
    ///
    /// Fails if the value does not fit the file's dtype.
    #[inline(always)]
    pub fn encode(&self, name: &'static str, value: &T, record: &mut [u8]) -> Result<(), ValueError> {
        self.encode_flattened(value, record).map_err(|error| error.in_field(name))
    }

    /// [`decode`](Self::decode) for a flattened struct.
    #[inline(always)]
    pub fn decode_flattened(&self, record: &[u8]) -> Result<T, ValueError> {
        let bytes = record.get(self.offset..).ok_or_else(outside)?;
        C::decode(&self.plan, bytes)
    }

    /// [`encode`](Self::encode) for a flattened struct.
    #[inline(always)]
    pub fn encode_flattened(&self, value: &T, record: &mut [u8]) -> Result<(), ValueError> {
        let bytes = record.get_mut(self.offset..).ok_or_else(outside)?;
        C::encode(value, &self.plan, bytes)
    }

    /// [`Codec::decode_option`], for a newtype.
    #[inline(always)]
    pub fn decode_option(&self, element: &[u8]) -> Result<Option<T>, ValueError> {
        C::decode_option(&self.plan, element)
    }

    /// [`Codec::encode_none`], for a newtype.
    ///
    /// Fails if the dtype has no bytes that mean that there is no value.
    pub fn encode_none(&self, element: &mut [u8]) -> Result<(), ValueError> {
        C::encode_none(&self.plan, element)
    }
}

/// A record of the file, in which the fields of a struct are looked up.
#[derive(Clone, Copy, Debug)]
pub struct FileRecord<'a> {
    record: &'a Record,
    /// The offset from which the plan counts.
    base: usize,
    /// The fields of the struct.
    names: &'static [FieldName],
}

impl<'a> FileRecord<'a> {
    fn new<T: NpyRecord>(record: &'a Record, base: usize) -> Self {
        Self { record, base, names: T::NAMES }
    }

    /// Finds field `index` of the struct. Records in `planner` if it is missing or mismatched.
    pub fn find<T, C: Codec<T>>(self, index: usize, planner: &mut Planner) -> Option<FieldPlan<T, C>> {
        let Some(FieldName::Own { name, aliases, .. }) = self.names.get(index) else { return None };
        let Some(field) = self.lookup(name, aliases, index) else {
            planner.in_field(name, |planner| planner.missing_field(&C::dtype(), self.record));
            return None;
        };
        let plan = planner.in_field(field.name(), |planner| C::plan(field.dtype(), planner))?;
        Some(FieldPlan { plan, offset: field.offset() - self.base })
    }

    /// [`find`](Self::find) for an optional field, which is `Some(None)` if the file lacks it.
    pub fn find_if_there<T, C: Codec<T>>(self, index: usize, planner: &mut Planner) -> Option<Option<FieldPlan<T, C>>> {
        let Some(FieldName::Own { name, aliases, .. }) = self.names.get(index) else { return None };
        match self.lookup(name, aliases, index) {
            Some(_) => self.find(index, planner).map(Some),
            None => Some(None),
        }
    }

    /// Finds the fields of a flattened struct.
    pub fn flatten<T: NpyRecord>(self, planner: &mut Planner) -> Option<FieldPlan<T>> {
        // Offsets count from its first field, so that its own layout is recognised wherever it
        // begins.
        let mut begin = None;
        for_each_name(T::NAMES, &mut |name, aliases| {
            for name in std::iter::once(&name).chain(aliases) {
                let offset = self.record.field(name).map(Field::offset);
                begin = begin.into_iter().chain(offset).min();
            }
        });
        let begin = begin.unwrap_or(self.base);
        let plan = T::plan_fields(FileRecord::new::<T>(self.record, begin), planner)?;
        Some(FieldPlan { plan, offset: begin - self.base })
    }

    /// Returns the field of a name or alias: the one at `index` if file and struct have the same fields in the
    /// same order.
    fn lookup(self, name: &str, aliases: &[&str], index: usize) -> Option<&'a Field> {
        let expected = self.record.fields().get(index).filter(|field| field.name() == name);
        expected.or_else(|| self.record.field(name)).or_else(|| aliases.iter().find_map(|alias| self.record.field(alias)))
    }
}

/// Decides how to read and write a struct as `dtype`. Reading skips fields that the struct lacks; writing
/// needs all of them.
pub fn plan_record<T: NpyRecord>(dtype: &DType, planner: &mut Planner) -> Option<PlanOf<T>> {
    let plan = plan_own_fields::<T>(dtype, planner);
    if !planner.is_writing() {
        return plan;
    }
    let unwritten = unwritten(dtype, T::NAMES);
    for field in unwritten.iter().take(MOST_REPORTED) {
        planner.unfilled_field(field.name(), field.dtype());
    }
    plan.filter(|_| unwritten.is_empty())
}

/// [`plan_record`] for a struct that leaves fields without a value when it is written.
pub fn plan_filled_record<T: NpyRecord>(dtype: &DType, planner: &mut Planner) -> Option<PlanOf<T>> {
    let plan = plan_own_fields::<T>(dtype, planner);
    if planner.is_writing() && !unwritten(dtype, T::NAMES).is_empty() {
        planner.fill();
    }
    plan
}

/// Not all fields are reported: a file may have very many.
const MOST_REPORTED: usize = 12;

/// Returns the fields of a record that no field of a struct is written to.
fn unwritten<'a>(dtype: &'a DType, names: &'static [FieldName]) -> Vec<&'a Field> {
    let DType::Record(record) = dtype else { return Vec::new() };
    let mut written = HashSet::new();
    for_each_name(names, &mut |name, aliases| {
        let field = std::iter::once(&name).chain(aliases).find_map(|name| record.field(name));
        written.extend(field.map(Field::name));
    });
    record.fields().iter().filter(|field| !written.contains(field.name())).collect()
}

fn plan_own_fields<T: NpyRecord>(dtype: &DType, planner: &mut Planner) -> Option<PlanOf<T>> {
    match dtype {
        DType::Record(record) => T::plan_fields(FileRecord::new::<T>(record, 0), planner),
        other => {
            planner.mismatch(other, &T::dtype());
            None
        }
    }
}

/// [`plan_record`] for a struct that accepts only its own fields.
pub fn plan_whole_record<T: NpyRecord>(dtype: &DType, planner: &mut Planner) -> Option<PlanOf<T>> {
    let plan = plan_own_fields::<T>(dtype, planner);
    let DType::Record(record) = dtype else { return plan };
    let mut known = HashSet::new();
    for_each_name(T::NAMES, &mut |name, aliases| {
        known.insert(name);
        known.extend(aliases);
    });
    let unknown: Vec<_> = record.fields().iter().filter(|field| !known.contains(field.name())).collect();
    for field in unknown.iter().take(MOST_REPORTED) {
        planner.unknown_field(field.name(), field.dtype(), &T::field_names());
    }
    plan.filter(|_| unknown.is_empty())
}

/// Creates the error for a number that is not a variant of the enum `T`.
#[cold]
pub fn unknown_variant<T>(value: impl Into<i128>, known: &'static [(&'static str, i128)]) -> ValueError {
    let (value, rust_type) = (value.into(), rust_type::<T>());
    let known: Vec<_> = known.iter().map(|(name, number)| format!("{number} ({name})")).collect();
    ValueError::new(format!("unknown variant {value} of {rust_type}: expected {}", first_names(&known)))
}
