//! Reads some fields of records, each into its own vector.

use std::io::Read;
use std::path::Path;

use super::elements::Elements;
use super::reader::NpyReader;
#[cfg(any(unix, windows))]
use super::stage::{BoxedDecode, Decode};
use crate::element;
#[cfg(any(unix, windows))]
use crate::element::CodecOf;
use crate::element::plan::{Planner, find_field};
use crate::element::{Codec, NpyElement, PlanOf};
use crate::error::{Error, Result, rust_type};
use crate::format::dtype::DType;
use crate::memory::reserve_exact;
#[cfg(any(unix, windows))]
use crate::memory::slots::Sent;
use crate::memory::slots::{Reserved, Slots};
use crate::options::ReadOptions;

/// Reads single fields of a file of records, each into its own vector.
///
/// The file has one dimension. Other fields are not decoded.
///
/// `C` is a tuple of the types of up to 12 fields. A dot names a field of a nested record, such as
/// `"origin.depth"`. A sub-array of records has several values for each record, so its fields are no
/// columns; `DynValues::field` (feature `dynamic`) reads them.
///
/// - For files of other shapes see [`NpyReader::into_columns`].
/// - For several fields in one struct, derive [`NpyRecord`](crate::NpyRecord) for a struct of only
///   those.
/// - In a file in memory or a map, [`view_column`](crate::view_column) borrows a field in place.
///
/// Fails like [`load`](crate::load), and names each field that is missing or has another type.
///
/// ```
/// use npy_core::{Header, Order};
///
/// // Made by Python: np.save(path, np.zeros(2, [("time", "f8"), ("name", "S2"), ("x", "f4")]))
/// let header = Header::new("[('time', '<f8'), ('name', '|S2'), ('x', '<f4')]".parse()?, Order::C, &[2])?;
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// std::fs::write(&path, [header.to_bytes(), vec![0; 2 * 14]].concat())?;
///
/// let (x, time) = npy_core::load_columns::<(f32, f64)>(&path, ["x", "time"])?;
/// assert_eq!((x, time), (vec![0.0; 2], vec![0.0; 2]));
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn load_columns<C: NpyColumns>(path: impl AsRef<Path>, names: C::Names<'_>) -> Result<C::Vecs> {
    load_columns_with::<C>(path, names, ReadOptions::new())
}

/// [`load_columns`] with options: limits, threads.
pub fn load_columns_with<C: NpyColumns>(
    path: impl AsRef<Path>,
    names: C::Names<'_>,
    options: impl Into<ReadOptions>,
) -> Result<C::Vecs> {
    let path = path.as_ref();
    let load = || {
        let reader = NpyReader::open_with(path, options)?;
        reader.state.check_dimensions(1)?;
        reader.into_columns::<C>(names)
    };
    load().map_err(|error| error.with_path(path))
}

impl<R: Read> NpyReader<R> {
    /// Reads single fields of all remaining records, each into its own vector.
    ///
    /// Other fields are not decoded. See [`load_columns`].
    pub fn into_columns<C: NpyColumns>(mut self, names: C::Names<'_>) -> Result<C::Vecs> {
        let count = self.remaining();
        self.read_columns::<C>(names, count)
    }

    /// Reads single fields of the next `count` records, each into its own vector.
    ///
    /// Call it repeatedly for bounded memory. Fails if fewer records [remain](Self::remaining).
    pub fn read_columns<C: NpyColumns>(&mut self, names: C::Names<'_>, count: usize) -> Result<C::Vecs> {
        if self.header().dtype().has_object() {
            return Err(Error::object_array());
        }
        let remaining = self.remaining();
        if count > remaining {
            return Err(Error::wrong_count(count as u64, remaining as u64));
        }
        C::read(&mut self.elements(), names, count)
    }
}

/// The types of single fields of a record: a tuple of up to 12 elements. This trait is sealed.
///
/// See [`load_columns`] for an example.
pub trait NpyColumns: sealed::Sealed + Sized {
    /// An array with one name for each type.
    type Names<'a>: Copy;
    /// A tuple of vectors.
    type Vecs: Default;

    #[doc(hidden)]
    fn read(elements: &mut Elements<'_>, names: Self::Names<'_>, count: usize) -> Result<Self::Vecs>;

    /// Moves all elements of `more` to the ends of `vecs`. For `npy-remote`.
    #[doc(hidden)]
    fn append(vecs: &mut Self::Vecs, more: Self::Vecs);
}

mod sealed {
    #[expect(unnameable_types, reason = "that is the point: it cannot be implemented outside of this crate")]
    pub trait Sealed {}
}

/// The bytes of `count` records of `itemsize` bytes, the first of which has the index `first`.
#[derive(Clone, Copy)]
struct Chunk<'a> {
    bytes: &'a [u8],
    itemsize: usize,
    count: usize,
    first: u64,
}

/// A field, and how to read it.
struct Column<'a, T: NpyElement> {
    name: &'a str,
    offset: usize,
    plan: PlanOf<T>,
}

impl<T: NpyElement> Clone for Column<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: NpyElement> Copy for Column<'_, T> {}

impl<'a, T: NpyElement> Column<'a, T> {
    /// Finds the field; notes it in `planner` if it is not there or does not fit.
    fn find(name: &'a str, dtype: &DType, planner: &mut Planner) -> Option<Self> {
        let (offset, field) = find_field(name, dtype, planner)?;
        let plan = planner.in_column(name, |planner| T::Codec::plan(field.dtype(), planner))?;
        Some(Self { name, offset, plan })
    }

    /// Decodes the field of the records. An error comes with the index of its record.
    fn decode(self, slots: &mut Slots<'_, T>, chunk: Chunk<'_>) -> Result<(), (u64, Error)> {
        let Self { name, offset, plan } = self;
        let Chunk { bytes, itemsize, count, first } = chunk;
        // Widths and byte order are constants in the first two loops.
        let result = if let Some(plan) = element::relocated::<T>(const { element::native::<T>() }, &plan, itemsize) {
            slots.extend(bytes.chunks_exact(itemsize), |record| T::Codec::decode(&plan, &record[offset..]))
        } else if let Some(plan) = element::relocated::<T>(const { element::swapped::<T>() }, &plan, itemsize) {
            slots.extend(bytes.chunks_exact(itemsize), |record| T::Codec::decode(&plan, &record[offset..]))
        } else if itemsize == 0 {
            slots.extend(0..count, |_| T::Codec::decode(&plan, &[]))
        } else {
            slots.extend(bytes.chunks_exact(itemsize), |record| T::Codec::decode(&plan, &record[offset..]))
        };
        result.map_err(|(at, error)| {
            let index = first + at as u64;
            (index, error.in_path(name.to_owned()).in_element(index))
        })
    }

    /// [`decode`](Self::decode) to the end of a vector, which is to have `total` elements.
    fn append(self, items: &mut Vec<T>, total: usize, chunk: Chunk<'_>) -> Result<(), (u64, Error)> {
        // A failed allocation concerns all records.
        let mut reserved = Reserved::new(items, chunk.count, total).map_err(|error| (0, error))?;
        let mut slots = reserved.slots();
        self.decode(&mut slots, chunk)?;
        slots.keep();
        reserved.finish().map_err(|error| (0, error))
    }
}

/// Of the errors of several columns that of the first record is the one to report, however many
/// records are decoded at a time.
#[derive(Default)]
struct FirstProblem(Option<(u64, Error)>);

impl FirstProblem {
    fn note(&mut self, result: Result<(), (u64, Error)>) {
        if let Err((index, error)) = result
            && self.0.as_ref().is_none_or(|(first, _)| index < *first)
        {
            self.0 = Some((index, error));
        }
    }

    fn into_result(self) -> Result<()> {
        self.0.map_or(Ok(()), |(_, error)| Err(error))
    }
}

/// Part of a column that threads read.
#[cfg(any(unix, windows))]
struct ColumnPart<'n, 'a, T: NpyElement> {
    column: Column<'n, T>,
    slots: Sent<Slots<'a, T>>,
}

#[cfg(any(unix, windows))]
impl<'n, 'a, T: NpyElement> ColumnPart<'n, 'a, T> {
    /// `None` if values of `T` must not go to another thread.
    fn new(column: Column<'n, T>, slots: Slots<'a, T>) -> Option<Self> {
        T::Codec::SENDS.map(|sends| Self { column, slots: Sent::of_slots(sends, slots) })
    }

    fn split(self, count: usize) -> (Self, Self) {
        let (slots, rest) = self.slots.split(count);
        (Self { slots, ..self }, Self { slots: rest, column: self.column })
    }

    fn decode(&mut self, chunk: Chunk<'_>) -> Result<(), (u64, Error)> {
        self.column.decode(self.slots.get(), chunk)
    }
}

macro_rules! columns {
    ($length:literal: $($type:ident $name:ident)*) => {
        impl<$($type: NpyElement),*> sealed::Sealed for ($($type,)*) {}

        impl<$($type: NpyElement),*> NpyColumns for ($($type,)*) {
            type Names<'a> = [&'a str; $length];
            type Vecs = ($(Vec<$type>,)*);

            #[allow(non_snake_case, reason = "a vector has the name of its elements' type")]
            fn read(elements: &mut Elements<'_>, [$($name),*]: [&str; $length], count: usize) -> Result<Self::Vecs> {
                let mut planner = Planner::new();
                $(let $name = Column::<$type>::find($name, elements.state.header.dtype(), &mut planner);)*
                let ($(Some($name),)*) = ($($name,)*) else { return Err(planner.into_error(&rust_type::<Self>())) };
                let itemsize = elements.itemsize();
                let first = elements.state.position as u64;
                $(let mut $type = Vec::new();)*
                if elements.is_there::<Self>(count) {
                    $(reserve_exact(&mut $type, count)?;)*
                    #[cfg(any(unix, windows))]
                    if elements.part_to_decode(count).is_some() $(&& <CodecOf<$type>>::SENDS.is_some())* {
                        let mut reserved = ($(Reserved::new(&mut $type, count, count)?,)*);
                        let is_read = {
                            let ($($type,)*) = &mut reserved;
                            match ($(ColumnPart::new($name, $type.slots()),)*) {
                                ($(Some($name),)*) => elements.decode_next_by_threads(Box::new(($($name,)*)), count)?,
                                _ => false,
                            }
                        };
                        if is_read {
                            let ($($name,)*) = reserved;
                            $($name.finish()?;)*
                            return Ok(($($type,)*));
                        }
                    }
                }
                let mut done = first;
                elements.for_each_of(count, &mut |bytes, step| {
                    let mut problem = FirstProblem::default();
                    let chunk = Chunk { bytes, itemsize, count: step, first: done };
                    $(problem.note($name.append(&mut $type, count, chunk));)*
                    done += step as u64;
                    problem.into_result()
                })?;
                Ok(($($type,)*))
            }

            #[allow(non_snake_case, reason = "a vector has the name of its elements' type")]
            fn append(($($type,)*): &mut Self::Vecs, ($(mut $name,)*): Self::Vecs) {
                $($type.append(&mut $name);)*
            }
        }

        #[cfg(any(unix, windows))]
        impl<'n: 'a, 'a, $($type: NpyElement + 'a),*> Decode<'a> for ($(ColumnPart<'n, 'a, $type>,)*) {
            fn divide(self: Box<Self>, count: usize) -> (BoxedDecode<'a>, BoxedDecode<'a>) {
                let ($($name,)*) = *self;
                $(let $name = $name.split(count);)*
                (Box::new(($($name.0,)*)), Box::new(($($name.1,)*)))
            }

            fn keep(self: Box<Self>) {
                let ($($name,)*) = *self;
                $($name.slots.keep();)*
            }

            fn decode(&mut self, bytes: &[u8], itemsize: usize, count: usize, first: u64) -> Result<()> {
                let ($($name,)*) = self;
                let mut problem = FirstProblem::default();
                let chunk = Chunk { bytes, itemsize, count, first };
                $(problem.note($name.decode(chunk));)*
                problem.into_result()
            }
        }
    };
}

columns!(1: A a);
columns!(2: A a B b);
columns!(3: A a B b C c);
columns!(4: A a B b C c D d);
columns!(5: A a B b C c D d E e);
columns!(6: A a B b C c D d E e F f);
columns!(7: A a B b C c D d E e F f G g);
columns!(8: A a B b C c D d E e F f G g H h);
columns!(9: A a B b C c D d E e F f G g H h I i);
columns!(10: A a B b C c D d E e F f G g H h I i J j);
columns!(11: A a B b C c D d E e F f G g H h I i J j K k);
columns!(12: A a B b C c D d E e F f G g H h I i J j K k L l);
