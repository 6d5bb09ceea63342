//! Arrays of any dtype into files and streams.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use npy_core::adapter::ElementBytes;
use npy_core::{DType, DynValues, Header, NpyElement, Result, SaveOptions};

use super::super::write::WriteNpyExt;
use super::array::DynArray;
use super::read::stored_dtype;
use super::typed::TypedArray;

impl DynArray {
    /// Saves the array as a file, atomically.
    pub fn save_npy<P: AsRef<Path>>(&self, path: P) -> Result<()> {
        WriteNpyExt::save_npy(self, path)
    }

    /// [`save_npy`](Self::save_npy) with options: order, durable, in place.
    pub fn save_npy_with<P: AsRef<Path>>(&self, path: P, options: impl Into<SaveOptions>) -> Result<()> {
        WriteNpyExt::save_npy_with(self, path, options)
    }

    /// Writes the array to a stream.
    pub fn write_npy<W: Write>(&self, writer: W) -> Result<()> {
        WriteNpyExt::write_npy(self, writer)
    }

    /// [`write_npy`](Self::write_npy) with options: order.
    pub fn write_npy_with<W: Write>(&self, writer: W, options: impl Into<SaveOptions>) -> Result<()> {
        WriteNpyExt::write_npy_with(self, writer, options)
    }

    /// Copies the array to bytes with a dtype. Fails if the elements are Python objects.
    pub fn to_values(&self) -> Result<DynValues> {
        each!(
            self,
            numbers => to_values(numbers, numbers.dtype()),
            values => Ok(values.clone()),
            _objects => Err(super::object::instead_of::<DynValues>()),
        )
    }
}

impl WriteNpyExt for DynArray {
    fn write_npy_with<W: Write>(&self, writer: W, options: impl Into<SaveOptions>) -> Result<()> {
        let options = options.into();
        each!(self,
        numbers => numbers.write_npy_with(writer, options),
        values => match options.order {
            Some(order) => values.write_in_order(writer, order),
            None => values.write(writer),
        },
        objects => match options.order {
            Some(order) => objects.clone().with_order(order).write(writer),
            None => objects.write(writer),
        })
    }

    fn data_bytes(&self) -> u64 {
        each!(self, numbers => numbers.data_bytes(), values => values.header().data_bytes(), _objects => 0)
    }
}

/// Writes the dtype of the file.
impl<T: NpyElement> WriteNpyExt for TypedArray<T> {
    fn write_npy_with<W: Write>(&self, mut writer: W, options: impl Into<SaveOptions>) -> Result<()> {
        let order = options.into().order.unwrap_or(self.order());
        match ElementBytes::new(self.items(), &stored_as(self.dtype())) {
            Some(items) => items.write(&mut writer, &header(self, self.dtype())?, order),
            None => to_values(self, self.dtype())?.write_in_order(writer, order),
        }
    }

    fn data_bytes(&self) -> u64 {
        (**self).data_bytes()
    }
}

/// The numbers as bytes with a dtype.
pub(super) fn to_values<T: NpyElement>(numbers: &TypedArray<T>, dtype: &DType) -> Result<DynValues> {
    DynValues::from_items(header(numbers, dtype)?, &stored_as(dtype), numbers.items())
}

pub(super) fn header<T>(numbers: &TypedArray<T>, dtype: &DType) -> Result<Header> {
    Header::new(dtype.clone(), numbers.order(), numbers.shape())
}

/// The dtype under which numbers of this one are stored.
pub(super) fn stored_as(dtype: &DType) -> Cow<'_, DType> {
    match dtype {
        DType::Scalar(scalar) => Cow::Owned(stored_dtype(*scalar)),
        dtype => Cow::Borrowed(dtype),
    }
}
