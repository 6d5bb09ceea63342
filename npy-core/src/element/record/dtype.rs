//! The dtype of a struct, by its fields and their values.

use std::iter::Map;
use std::slice;

use super::cursor::Cursor;
use super::fields::NpyRecord;
use crate::element::codec::Codec;
use crate::format::dtype::{ByteOrder, DType, Field, Record};

/// Returns the dtype of a struct without regard to values.
pub fn dtype_of_record<T: NpyRecord>() -> DType {
    T::Codec::dtype_of(None::<slice::Iter<'_, T>>)
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
        let mut every = records.clone().into_iter().flatten().map(&value);
        let first = every.next();
        if first.is_some_and(Option::is_none) && every.all(Option::is_none) {
            return Self { title: None, ..self };
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
#[expect(unnameable_types, reason = "generated code passes it on")]
pub struct Copies<T>(Option<Vec<T>>);

impl<T> Copies<T> {
    /// Borrows the values.
    pub fn each(&self) -> Option<slice::Iter<'_, T>> {
        Some(self.0.as_ref()?.iter())
    }
}
