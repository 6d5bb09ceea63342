//! Arrays of Python objects as arrays of a Rust type, and as text.

use std::any::{Any, TypeId};

use super::super::ndarray::{ArrayBase, ArrayD, DataOwned, Dimension};
use npy_core::error::rust_type;
use npy_core::object::{FromPyObject, ObjectArray};
use npy_core::{Error, NpyElement, Order, Result};

use super::super::order::layout_of;
use super::array::DynArray;
use super::read::shaped;

impl DynArray {
    /// Converts Python objects to values of a Rust type.
    ///
    /// `Option<f64>` has `None` for Python's, and `Vec<i64>` is a list or an array.
    ///
    /// # Errors
    ///
    /// Fails if an object is not of that type, and names it. Arrays without Python objects are an
    /// error too: use [`into`](Self::into).
    ///
    /// ```
    /// use npy_ndarray::{DynArray, npy_core::object::{ObjectArray, PyObject}};
    ///
    /// let objects = ObjectArray::new(&[3], vec![1.5.into(), PyObject::None, 2.into()])?;
    /// let numbers = DynArray::Object(objects).objects_as::<Option<f64>>()?;
    /// assert_eq!(numbers.as_slice(), Some(&[Some(1.5), None, Some(2.0)][..]));
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn objects_as<T: FromPyObject>(&self) -> Result<ArrayD<T>> {
        match self {
            Self::Object(objects) => shaped(objects.shape(), Order::C, objects.to_vec()?),
            other => Err(Error::not_objects(other.dtype())),
        }
    }
}

#[cfg(feature = "serde")]
impl DynArray {
    /// Converts Python objects to any type that implements `Deserialize`.
    ///
    /// Records with such fields are converted too. Dictionaries and records are structs, lists and
    /// tuples are sequences, and `None` is an `Option` without a value.
    ///
    /// # Errors
    ///
    /// Fails if an object does not fit the type, and names it. Arrays without Python objects are an
    /// error too.
    ///
    /// ```
    /// use npy_ndarray::{DynArray, npy_core::object::ObjectArray};
    ///
    /// let words = DynArray::from(ObjectArray::from(vec!["a", "b"])).deserialize::<char>()?;
    /// assert_eq!(words.as_slice(), Some(&['a', 'b'][..]));
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn deserialize<T: serde::de::DeserializeOwned>(&self) -> Result<ArrayD<T>> {
        match self {
            Self::Object(objects) => shaped(objects.shape(), Order::C, objects.deserialize()?),
            other => Err(Error::not_objects(other.dtype())),
        }
    }
}

impl From<ObjectArray> for DynArray {
    fn from(objects: ObjectArray) -> Self {
        Self::Object(objects)
    }
}

/// An array of the objects, for types that are elements of other arrays too.
pub(super) fn into_array<A, S, D>(objects: &ObjectArray) -> Result<ArrayBase<S, D>>
where
    A: NpyElement + 'static,
    S: DataOwned<Elem = A>,
    D: Dimension,
{
    let layout = layout_of::<D>(objects.shape(), Order::C)?;
    let items = to_vec_of_element(objects).unwrap_or_else(|| Err(instead_of::<A>()))?;
    let overflow = || Error::shape_overflow(objects.shape(), size_of::<A>());
    ArrayBase::from_shape_vec(layout, items).map_err(|_| overflow())
}

/// The objects as values of a type, if objects can become it.
fn to_vec_of_element<A: 'static>(objects: &ObjectArray) -> Option<Result<Vec<A>>> {
    macro_rules! try_each {
        ($($type:ty)*) => {$(
            if TypeId::of::<A>() == TypeId::of::<$type>() {
                return Some(objects.to_vec::<$type>().map(same));
            }
            if TypeId::of::<A>() == TypeId::of::<Option<$type>>() {
                return Some(objects.to_vec::<Option<$type>>().map(same));
            }
        )*};
    }
    try_each!(String f64 f32 i64 i32 i16 i8 u64 u32 u16 u8 bool);
    None
}

/// A vector of the same type.
fn same<T: 'static, A: 'static>(items: Vec<T>) -> Vec<A> {
    let mut items = Some(items);
    (&mut items as &mut dyn Any).downcast_mut::<Option<Vec<A>>>().and_then(Option::take).unwrap_or_default()
}

/// Creates the error of a Rust type that Python objects are not converted to.
#[cold]
pub(super) fn instead_of<T>() -> Error {
    Error::objects_as(&rust_type::<T>())
}
