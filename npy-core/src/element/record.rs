//! Rust structs as records: the functions that `#[derive(NpyRecord)]` calls.

use std::collections::HashSet;
use std::iter::Map;
use std::{fmt, slice};

use super::plan::{Layout, Plan, Planner, rust_type};
use super::{Codec, CodecOf, NpyElement, PlanOf, outside};
use crate::error::{Result, ValueError, ValueProblem};
use crate::format::dtype::{ByteOrder, DType, Field, Record};

/// A Rust struct that is a record: each of its fields is a field of a structured dtype.
///
/// Derive it. Fields are matched by name, in any order. Padding and fields that the struct lacks
/// are skipped.
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
    note = "use `#[derive(NpyRecord)]` on a struct with two or more fields, or with named ones"
)]
pub trait NpyRecord: NpyElement {
    /// The names of the fields, and their other names.
    #[doc(hidden)]
    const NAMES: &'static [FieldName];

    /// Finds the fields in a record of the file. Notes the missing and mismatched ones in
    /// `planner`.
    #[doc(hidden)]
    fn plan_fields(record: FileRecord<'_>, planner: &mut Planner) -> Option<PlanOf<Self>>;

    /// The names of the fields in the file, in the order in which they are written.
    fn field_names() -> Vec<&'static str> {
        let mut names = Vec::new();
        for_each_name(Self::NAMES, &mut |name, _| names.push(name));
        names
    }
}

/// The name of a field, or the names of the fields of a flattened struct.
#[derive(Clone, Copy, Debug)]
pub enum FieldName {
    /// A field.
    Own {
        /// Its name.
        name: &'static str,
        /// Alternative names that the field may have in a file.
        aliases: &'static [&'static str],
        /// NumPy's second name of it.
        title: Option<&'static str>,
    },
    /// The fields of another struct.
    Flattened(&'static [Self]),
}

impl FieldName {
    /// Creates the name of a field without aliases or a title.
    pub const fn own(name: &'static str) -> Self {
        Self::Own { name, aliases: &[], title: None }
    }

    /// Adds alternative names that the field may have in a file.
    #[must_use]
    pub const fn with_aliases(self, aliases: &'static [&'static str]) -> Self {
        match self {
            Self::Own { name, title, .. } => Self::Own { name, aliases, title },
            flattened @ Self::Flattened(_) => flattened,
        }
    }

    /// Adds the title, NumPy's second name of the field.
    #[must_use]
    pub const fn with_title(self, title: &'static str) -> Self {
        match self {
            Self::Own { name, aliases, .. } => Self::Own { name, aliases, title: Some(title) },
            flattened @ Self::Flattened(_) => flattened,
        }
    }
}

/// Calls `each` with the names and the aliases of all fields.
fn for_each_name(names: &'static [FieldName], each: &mut dyn FnMut(&'static str, &'static [&'static str])) {
    for name in names {
        match name {
            FieldName::Own { name, aliases, .. } => each(name, aliases),
            FieldName::Flattened(names) => for_each_name(names, each),
        }
    }
}

/// Fails the build if two names are equal, and returns the names. For structs with flattened
/// fields.
///
/// # Panics
///
/// In a constant: then the compiler shows the message.
pub const fn distinct(names: &'static [FieldName]) -> &'static [FieldName] {
    let mut i = 0;
    while i < names.len() {
        let mut k = i + 1;
        while k < names.len() {
            assert!(!overlap(&names[i], &names[k]), "duplicate name, alias or title in a flattened struct and in this struct");
            k += 1;
        }
        i += 1;
    }
    names
}

const fn overlap(left: &FieldName, right: &FieldName) -> bool {
    match (left, right) {
        (FieldName::Own { name, aliases, title }, other @ FieldName::Own { .. }) => {
            let mut i = 0;
            while i < aliases.len() {
                if has(other, aliases[i]) {
                    return true;
                }
                i += 1;
            }
            let has_title = match title {
                Some(title) => has(other, title),
                None => false,
            };
            has_title || has(other, name)
        }
        (FieldName::Flattened(names), other) | (other, FieldName::Flattened(names)) => {
            let mut i = 0;
            while i < names.len() {
                if overlap(&names[i], other) {
                    return true;
                }
                i += 1;
            }
            false
        }
    }
}

/// Whether the field has this name, alias or title.
const fn has(field: &FieldName, text: &str) -> bool {
    match field {
        FieldName::Own { name, aliases, title } => {
            let is_title = match title {
                Some(title) => equal(title, text),
                None => false,
            };
            is_title || equal(name, text) || contains(aliases, text)
        }
        FieldName::Flattened(_) => false,
    }
}

const fn contains(names: &[&str], name: &str) -> bool {
    let mut i = 0;
    while i < names.len() {
        if equal(names[i], name) {
            return true;
        }
        i += 1;
    }
    false
}

const fn equal(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut i = 0;
    while i < left.len() {
        if left[i] != right[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// The position of the next field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    end: usize,
    /// Of the whole record; `None` if fields are not aligned.
    alignment: Option<usize>,
}

impl Cursor {
    /// Begins a record without padding.
    pub const fn packed() -> Self {
        Self { end: 0, alignment: None }
    }

    /// Begins a record whose fields are aligned.
    pub const fn aligned() -> Self {
        Self { end: 0, alignment: Some(1) }
    }

    /// Skips the bytes before `offset`.
    ///
    /// # Panics
    ///
    /// When fields are there already; in a constant, so that the compiler shows the message.
    pub const fn at(&mut self, offset: usize) {
        assert!(self.end <= offset, "invalid `offset`: it lies in the field before");
        self.end = offset;
    }

    const fn place(&mut self, itemsize: usize, alignment: usize) -> usize {
        if let Some(most) = self.alignment {
            self.end = round_up(self.end, alignment);
            self.alignment = Some(if alignment > most { alignment } else { most });
        }
        let offset = self.end;
        self.end = self.end.saturating_add(itemsize);
        offset
    }

    /// Adds the padding at the end.
    const fn close(&mut self) {
        if let Some(alignment) = self.alignment {
            self.end = round_up(self.end, alignment);
        }
    }

    /// Returns the itemsize of the record.
    pub const fn finish(mut self) -> usize {
        self.close();
        self.end
    }

    /// Returns the itemsize of the record, which is given.
    ///
    /// # Panics
    ///
    /// When the fields take more; in a constant, so that the compiler shows the message.
    pub const fn finish_at(self, itemsize: usize) -> usize {
        assert!(self.end <= itemsize, "invalid `itemsize`: the fields take more bytes");
        itemsize
    }
}

/// What is larger than any record can be stays so.
const fn round_up(bytes: usize, alignment: usize) -> usize {
    match bytes.checked_next_multiple_of(alignment) {
        Some(bytes) => bytes,
        None => usize::MAX,
    }
}

/// Returns the largest of the alignments, which is that of an aligned record.
pub const fn largest(alignments: &[usize]) -> usize {
    let mut largest = 1;
    let mut i = 0;
    while i < alignments.len() {
        if alignments[i] > largest {
            largest = alignments[i];
        }
        i += 1;
    }
    largest
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
    /// # Errors
    ///
    /// When its bytes are no value of `T`.
    #[inline(always)]
    pub fn decode(&self, name: &'static str, record: &[u8]) -> Result<T, ValueError> {
        self.decode_flattened(record).map_err(|error| error.in_field(name))
    }

    /// Writes the field of a record.
    ///
    /// # Errors
    ///
    /// When the value does not fit the file's dtype.
    #[inline(always)]
    pub fn encode(&self, name: &'static str, value: &T, record: &mut [u8]) -> Result<(), ValueError> {
        self.encode_flattened(value, record).map_err(|error| error.in_field(name))
    }

    /// [`decode`](Self::decode) for a flattened struct.
    ///
    /// # Errors
    ///
    /// Like [`decode`](Self::decode).
    #[inline(always)]
    pub fn decode_flattened(&self, record: &[u8]) -> Result<T, ValueError> {
        let bytes = record.get(self.offset..).ok_or_else(outside)?;
        C::decode(&self.plan, bytes)
    }

    /// [`encode`](Self::encode) for a flattened struct.
    ///
    /// # Errors
    ///
    /// Like [`encode`](Self::encode).
    #[inline(always)]
    pub fn encode_flattened(&self, value: &T, record: &mut [u8]) -> Result<(), ValueError> {
        let bytes = record.get_mut(self.offset..).ok_or_else(outside)?;
        C::encode(value, &self.plan, bytes)
    }

    /// [`Codec::decode_option`], for a newtype.
    ///
    /// # Errors
    ///
    /// Like [`decode`](Self::decode).
    #[inline(always)]
    pub fn decode_option(&self, element: &[u8]) -> Result<Option<T>, ValueError> {
        C::decode_option(&self.plan, element)
    }

    /// [`Codec::encode_none`], for a newtype.
    ///
    /// # Errors
    ///
    /// When the dtype has no bytes that mean that there is no value.
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

    /// The field of that name or alias. It is at `index` if file and struct have the same fields in
    /// the same order.
    fn lookup(self, name: &str, aliases: &[&str], index: usize) -> Option<&'a Field> {
        let expected = self.record.fields().get(index).filter(|field| field.name() == name);
        expected.or_else(|| self.record.field(name)).or_else(|| aliases.iter().find_map(|alias| self.record.field(alias)))
    }
}

/// Returns the dtype of a struct without regard to values.
pub fn dtype_of_record<T: NpyRecord>() -> DType {
    T::Codec::dtype_of(None::<slice::Iter<'_, T>>)
}

/// Decides how to read and write a struct as `dtype`.
pub fn plan_record<T: NpyRecord>(dtype: &DType, planner: &mut Planner) -> Option<PlanOf<T>> {
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
    // Not all are reported: a file may have very many.
    const SHOWN: usize = 12;
    let plan = plan_record::<T>(dtype, planner);
    let DType::Record(record) = dtype else { return plan };
    let mut known = HashSet::new();
    for_each_name(T::NAMES, &mut |name, aliases| {
        known.insert(name);
        known.extend(aliases);
    });
    let unknown: Vec<_> = record.fields().iter().filter(|field| !known.contains(field.name())).collect();
    for field in unknown.iter().take(SHOWN) {
        planner.unknown_field(field.name(), field.dtype(), &T::field_names());
    }
    plan.filter(|_| unknown.is_empty())
}

/// Builds the dtype of a struct.
#[derive(Debug)]
pub struct RecordBuilder {
    cursor: Cursor,
    /// The byte order of all fields that have none of their own.
    order: Option<ByteOrder>,
    fields: Vec<Field>,
    /// The title of the next field.
    title: Option<&'static str>,
}

impl RecordBuilder {
    /// Creates a record without fields.
    pub fn new(cursor: Cursor, order: Option<ByteOrder>) -> Self {
        Self { cursor, order, fields: Vec::new(), title: None }
    }

    /// Skips the bytes before `offset`, unless a field of varying width occupies them already.
    #[must_use]
    pub fn at(mut self, offset: usize) -> Self {
        self.cursor.end = self.cursor.end.max(offset);
        self
    }

    /// Adds a field whose dtype fits the values that it has in the records. Without records, it is
    /// the dtype of the type.
    #[must_use]
    pub fn field<'a, R: 'a, T: 'a, C: Codec<T>>(
        self,
        name: &'static str,
        records: &Option<impl Iterator<Item = &'a R> + Clone>,
        value: impl Fn(&'a R) -> &'a T + Clone,
    ) -> Self {
        // Of most types nothing has to be compiled to look at the values.
        if const { C::VARIES } {
            let dtype = || C::dtype_of(records.clone().map(|records| records.map(value.clone())));
            return self.field_of(name, &dtype, C::HAS_ORDER, C::ALIGNMENT);
        }
        self.field_of(name, &C::dtype, C::HAS_ORDER, C::ALIGNMENT)
    }

    fn field_of(mut self, name: &'static str, dtype: &dyn Fn() -> DType, has_order: bool, alignment: usize) -> Self {
        let dtype = dtype();
        let dtype = match self.order {
            Some(order) if !has_order => dtype.with_byte_order(order),
            _ => dtype,
        };
        let offset = self.cursor.place(dtype.itemsize(), alignment);
        let field = Field::new(name, offset, dtype);
        self.fields.push(match self.title.take() {
            Some(title) => field.with_title(title),
            None => field,
        });
        self
    }

    /// Adds an optional field. It is absent if there are values and all of them are missing.
    #[must_use]
    pub fn optional<'a, R: 'a, T: 'a, C: Codec<Option<T>>>(
        self,
        name: &'static str,
        records: &Option<impl Iterator<Item = &'a R> + Clone>,
        value: impl Fn(&'a R) -> &'a Option<T> + Clone,
    ) -> Self {
        if const { !C::HAS_NONE } {
            let mut every = records.clone().into_iter().flatten().map(&value);
            let first = every.next();
            if first.is_some_and(Option::is_none) && every.all(Option::is_none) {
                return Self { title: None, ..self };
            }
        }
        self.field::<R, Option<T>, C>(name, records, value)
    }

    /// Sets the title of the next field.
    #[must_use]
    pub fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// Adds the fields of a flattened struct.
    #[must_use]
    pub fn flatten<'a, R: 'a, T: NpyRecord + 'a>(
        self,
        records: &Option<impl Iterator<Item = &'a R> + Clone>,
        value: impl Fn(&'a R) -> &'a T + Clone,
    ) -> Self {
        let dtype = if const { T::Codec::VARIES } {
            T::Codec::dtype_of(records.clone().map(|records| records.map(value)))
        } else {
            T::dtype()
        };
        self.flatten_of(dtype, T::Codec::ALIGNMENT)
    }

    fn flatten_of(mut self, dtype: DType, alignment: usize) -> Self {
        let dtype = match self.order {
            Some(order) => dtype.with_byte_order(order),
            None => dtype,
        };
        let begin = self.cursor.place(dtype.itemsize(), alignment);
        if let DType::Record(record) = dtype {
            self.fields.extend(record.into_fields().into_iter().map(|field| field.moved_by(begin)));
        }
        self
    }

    /// Returns the record.
    pub fn finish(mut self) -> DType {
        self.cursor.close();
        Record::new_unchecked(self.fields, self.cursor.end).into()
    }

    /// Returns the record, with a given itemsize.
    pub fn finish_at(self, itemsize: usize) -> DType {
        Record::new_unchecked(self.fields, self.cursor.end.max(itemsize)).into()
    }
}

/// Creates the error for a number that is not a variant of the enum `T`.
#[cold]
pub fn unknown_variant<T>(value: impl Into<i128>) -> ValueError {
    ValueProblem::UnknownVariant { value: value.into(), rust_type: rust_type::<T>() }.into()
}

/// Returns the values of a field, if there are records.
pub fn each<'a, R: 'a, T: 'a, I, F>(records: &Option<I>, field: F) -> Option<Map<I, F>>
where
    I: Iterator<Item = &'a R> + Clone,
    F: Fn(&'a R) -> &'a T,
{
    Some(records.clone()?.map(field))
}

/// [`each`] for a packed struct, whose fields cannot be borrowed.
pub fn copies<'a, R: 'a, T>(records: &Option<impl Iterator<Item = &'a R> + Clone>, field: impl Fn(&'a R) -> T) -> Copies<T> {
    Copies(records.clone().map(|records| records.map(field).collect()))
}

/// Copies of the values of a packed field, if there are records.
#[derive(Debug)]
pub struct Copies<T>(Option<Vec<T>>);

impl<T> Copies<T> {
    /// Borrows the values.
    pub fn each(&self) -> Option<slice::Iter<'_, T>> {
        Some(self.0.as_ref()?.iter())
    }
}
