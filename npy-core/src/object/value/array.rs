//! Arrays of Python objects.

use super::PyObject;
use super::encode::c_order;
use super::subclass::{cover, is_covered, uncover};
use crate::dynamic::DynValues;
use crate::error::{Error, Result, ValueError};
use crate::format::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::format::shape::element_count;
use crate::options::Order;

/// An array of Python objects (`|O`), or of records with such fields, whose elements are tuples.
///
/// ```
/// use npy_core::object::{self, ObjectArray, PyObject};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let array = ObjectArray::new(&[3], vec![PyObject::from(1), PyObject::Float(0.5), PyObject::None])?;
/// array.save(&path)?; // in Python: np.load(path, allow_pickle=True)
///
/// let array = object::load(&path)?;
/// assert_eq!(array.items()[1].to_string(), "0.5");
/// assert_eq!(array.to_vec::<Option<f64>>()?, [Some(1.0), Some(0.5), None]);
/// let error = array.to_vec::<i64>().unwrap_err();
/// assert_eq!(error.to_string(), "element 1: cannot represent 0.5 exactly as i64");
///
/// let names = ObjectArray::from(vec!["Ada", "Grace"]);
/// assert_eq!(names.to_string(), "['Ada' 'Grace']");
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectArray {
    dtype: DType,
    order: Order,
    shape: Vec<usize>,
    items: Vec<PyObject>,
    string_dtype: Option<Box<StringDType>>,
}

/// NumPy 2's dtype of variable-length text, which a file stores as objects.
///
/// ```
/// use npy_core::object::{ObjectArray, PyObject, StringDType};
///
/// // np.dtypes.StringDType(na_object=None)
/// let dtype = StringDType::new(true, Some(PyObject::None));
/// assert_eq!((dtype.coerce(), dtype.na_object()), (true, Some(&PyObject::None)));
///
/// let array = ObjectArray::from(vec!["a", "bc"]).with_string_dtype(dtype)?;
/// assert_eq!(array.dtype().to_string(), "|O"); // as in the file's header
/// assert!(array.string_dtype().is_some());
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StringDType {
    coerce: bool,
    na_object: Option<PyObject>,
}

impl StringDType {
    /// Creates the dtype with these parameters.
    pub fn new(coerce: bool, na_object: Option<PyObject>) -> Self {
        Self { coerce, na_object }
    }

    /// Returns whether NumPy converts other objects to text.
    pub fn coerce(&self) -> bool {
        self.coerce
    }

    /// Returns the object for missing texts, usually `None` or NaN.
    pub fn na_object(&self) -> Option<&PyObject> {
        self.na_object.as_ref()
    }

    /// Returns whether an item is a text, or the object for missing ones.
    pub(crate) fn holds(&self, item: &PyObject) -> bool {
        matches!(item, PyObject::Str(_)) || self.na_object().is_some_and(|missing| is_same(missing, item))
    }
}

impl ObjectArray {
    /// Creates an array of that shape from objects in C order: the last axis fastest.
    ///
    /// Fails if there are more or fewer objects than the shape needs, or if it has more than 64 axes.
    pub fn new(shape: &[usize], items: Vec<PyObject>) -> Result<Self> {
        Self::with_dtype(object_dtype(), shape, items, None)
    }

    /// Creates an array of items of a dtype. For `npy-cli`.
    #[doc(hidden)]
    pub fn with_dtype(dtype: DType, shape: &[usize], items: Vec<PyObject>, string_dtype: Option<StringDType>) -> Result<Self> {
        let (expected, found) = (element_count(shape, size_of::<PyObject>())? as u64, items.len() as u64);
        if expected != found {
            return Err(Error::wrong_count(expected, found));
        }
        Ok(Self::from_pickle(dtype, Order::C, shape.to_vec(), items, string_dtype.map(Box::new)))
    }

    /// Creates an array of parts that match: the shape has as many elements as there are items.
    pub(crate) fn from_pickle(
        dtype: DType,
        order: Order,
        shape: Vec<usize>,
        items: Vec<PyObject>,
        string_dtype: Option<Box<StringDType>>,
    ) -> Self {
        Self { dtype, order, shape, items, string_dtype }
    }

    /// Sets the items of an array that was created without any.
    pub(crate) fn fill(&mut self, items: Vec<PyObject>) {
        self.items = items;
    }

    /// Masks elements. `None` if the mask covers a part of a sub-array.
    pub(crate) fn cover(&mut self, mask: &DynValues) -> Option<()> {
        let size = mask.dtype().itemsize();
        c_order(mask)
            .zip(&mut self.items)
            .try_for_each(|(index, item)| cover(&self.dtype, item, mask.bytes().get(index * size..)?.get(..size)?))
    }

    /// Separates the array and its mask, both in C order. `None` if no element is masked.
    pub(crate) fn uncovered(&self) -> Option<(Self, Vec<u8>)> {
        if !self.items.iter().any(|item| is_covered(&self.dtype, item)) {
            return None;
        }
        let mut mask = Vec::new();
        let items = self.items.iter().map(|item| uncover(&self.dtype, item, &mut mask)).collect();
        Some((Self::from_pickle(self.dtype.clone(), Order::C, self.shape.clone(), items, None), mask))
    }

    /// Marks the array as one of NumPy 2's `StringDType`. Only NumPy 2 opens the file.
    ///
    /// Fails if an item is neither a text nor equal to the dtype's `na_object`.
    pub fn with_string_dtype(mut self, dtype: StringDType) -> Result<Self> {
        if let Some(index) = self.items.iter().position(|item| !dtype.holds(item)) {
            let found = self.items.get(index).map_or("None", PyObject::type_name);
            let error = ValueError::new(format!("expected a str or the `na_object`, found {found}"));
            return Err(error.in_element(index as u64));
        }
        self.string_dtype = Some(Box::new(dtype));
        Ok(self)
    }

    /// Returns the dtype: `|O`, or that of records with fields `|O`.
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Returns NumPy 2's `StringDType`, if the array has it. Then [`dtype`](Self::dtype) is `|O`, as in
    /// the header.
    pub fn string_dtype(&self) -> Option<&StringDType> {
        self.string_dtype.as_deref()
    }

    /// Returns the lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the order of the array in NumPy's memory. The items are in C order nevertheless.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Sets the order of the array in NumPy's memory. The items stay in C order.
    #[must_use]
    pub fn with_order(self, order: Order) -> Self {
        // NumPy takes C for arrays that are contiguous in both orders.
        Self { order: if Order::are_same(&self.shape) { Order::C } else { order }, ..self }
    }

    /// Returns the objects in C order: the last axis fastest.
    pub fn items(&self) -> &[PyObject] {
        &self.items
    }

    /// Converts the array into its shape and objects.
    pub fn into_parts(self) -> (Vec<usize>, Vec<PyObject>) {
        (self.shape, self.items)
    }
}

/// Creates a one-dimensional array.
impl<T: Into<PyObject>> From<Vec<T>> for ObjectArray {
    fn from(items: Vec<T>) -> Self {
        let items: Vec<_> = items.into_iter().map(Into::into).collect();
        Self::from_pickle(object_dtype(), Order::C, vec![items.len()], items, None)
    }
}

/// Returns an item of a record, which is a tuple.
#[doc(hidden)]
pub fn record_item(record: &PyObject, index: usize) -> Option<&PyObject> {
    match record {
        PyObject::Tuple(items) => items.get(index),
        _ => None,
    }
}

/// Returns the items of sub-arrays of these axes, one after another. The inner error is the index of
/// an object that is not such a sub-array.
#[doc(hidden)]
pub fn items_of_sub_arrays<'o>(arrays: &[&'o PyObject], axes: &[usize]) -> Result<Result<Vec<&'o PyObject>, usize>> {
    let count = element_count(axes, size_of::<PyObject>())?;
    let mut items = Vec::new();
    for (index, array) in arrays.iter().enumerate() {
        let before = items.len();
        push_sub_items(array, axes.len(), &mut items);
        if items.len().checked_sub(before) != Some(count) {
            return Ok(Err(index));
        }
    }
    Ok(Ok(items))
}

/// Appends the items of a sub-array: an array in pickles of NumPy, or nested lists.
#[doc(hidden)]
pub fn push_sub_items<'o>(object: &'o PyObject, axes: usize, items: &mut Vec<&'o PyObject>) {
    match object {
        PyObject::Objects(array) if axes > 0 => items.extend(array.items()),
        PyObject::List(list) if axes > 0 => list.iter().for_each(|item| push_sub_items(item, axes.saturating_sub(1), items)),
        object => items.push(object),
    }
}

/// `|O`
pub(crate) fn object_dtype() -> DType {
    Scalar::new(ScalarKind::Object, ByteOrder::NATIVE).into()
}

/// Returns whether two missing values are the same. NaN equals NaN.
fn is_same(one: &PyObject, other: &PyObject) -> bool {
    match (one, other) {
        (PyObject::Float(one), PyObject::Float(other)) if one.is_nan() => other.is_nan(),
        _ => one == other,
    }
}
