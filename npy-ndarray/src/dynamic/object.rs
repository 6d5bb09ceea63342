//! Arrays of Python objects as arrays of a Rust type, and as text.

use std::any::{Any, TypeId};

use super::super::ndarray::{ArrayBase, ArrayD, DataOwned, Dimension};
use npy_core::__private::rust_type;
use npy_core::object::{FromPyObject, ObjectArray};
use npy_core::{Error, ErrorKind, NpyElement, Order, Result};

use super::super::order::layout_of;
use super::DynArray;
use super::read::shaped;

impl DynArray {
    /// Converts the Python objects to values of a Rust type.
    ///
    /// `Option<f64>` is `None` for Python's `None`. `Vec<i64>` is a list or an array.
    ///
    /// # Errors
    ///
    /// Fails if an object does not fit the type; the error names it. Arrays that hold no Python
    /// objects are an error too: [`into`](Self::into) is for them.
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
            other => Err(ErrorKind::NotObjects { dtype: other.dtype().to_string() }.into()),
        }
    }
}

/// [`DynArray::bitwise_eq`] for Python objects.
pub(super) fn bitwise_eq(one: &ObjectArray, other: &ObjectArray) -> bool {
    let file = |array: &ObjectArray| {
        let mut file = Vec::new();
        array.write(&mut file).ok().map(|()| file)
    };
    match (file(one), file(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

#[cfg(feature = "serde")]
impl DynArray {
    /// Converts Python objects, or records of them, to a type that implements `Deserialize`.
    ///
    /// Dictionaries and records become structs, lists and tuples become sequences, and `None`
    /// becomes an `Option` without a value.
    ///
    /// # Errors
    ///
    /// Fails if an object does not fit the type; the error names it. Arrays that hold no Python
    /// objects are an error too.
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
            other => Err(ErrorKind::NotObjects { dtype: other.dtype().to_string() }.into()),
        }
    }
}

impl From<ObjectArray> for DynArray {
    fn from(objects: ObjectArray) -> Self {
        Self::Object(objects)
    }
}

/// An array of the objects, for the types that elements of other arrays have too.
pub(super) fn into_array<A, S, D>(objects: &ObjectArray) -> Result<ArrayBase<S, D>>
where
    A: NpyElement + 'static,
    S: DataOwned<Elem = A>,
    D: Dimension,
{
    let layout = layout_of::<D>(objects.shape(), Order::C)?;
    let items = to_vec_of_element(objects).unwrap_or_else(|| Err(instead_of::<A>()))?;
    let overflow = || ErrorKind::ShapeOverflow { shape: objects.shape().to_vec(), itemsize: size_of::<A>() };
    ArrayBase::from_shape_vec(layout, items).map_err(|_| overflow().into())
}

/// The objects as values of a type that happens to be one of those that objects become.
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

/// A vector of the type that it is.
fn same<T: 'static, A: 'static>(items: Vec<T>) -> Vec<A> {
    let mut items = Some(items);
    (&mut items as &mut dyn Any).downcast_mut::<Option<Vec<A>>>().and_then(Option::take).unwrap_or_default()
}

/// The error for a type that Python objects do not become.
#[cold]
pub(super) fn instead_of<T>() -> Error {
    ErrorKind::ObjectsInstead { rust_type: rust_type::<T>() }.into()
}

#[cold]
pub(super) fn no_numbers<T: NpyElement>(objects: &ObjectArray) -> Error {
    ErrorKind::NoNumbers { from: objects.dtype().to_string(), to: T::dtype().to_string() }.into()
}
