//! The visitor of pickled objects, which makes values of a caller's own types.

use std::borrow::Cow;

use super::value::int::PyInt;
use super::value::surrogates::SurrogateStr;
use super::value::time::{PyDate, PyDateTime, PyTime, PyTimeDelta, PyTimeZone};
use crate::dynamic::DynValues;
use crate::error::{Error, ErrorKind, Result};
use crate::format::dtype::DType;
use crate::format::header::Header;
use crate::options::Order;

/// Makes values of any type from the objects of a pickle, without a [`PyObject`](super::PyObject) in between.
///
/// [`NpyReader::visit_objects`](crate::NpyReader::visit_objects) calls one method for each object. Each method that is not implemented
/// calls [`unexpected`](Self::unexpected), which fails by default. An object that can change is made empty and filled
/// afterwards, so that it may contain itself: [`extend`](Self::extend), [`set_items`](Self::set_items),
/// [`add_items`](Self::add_items), [`set_elements`](Self::set_elements), [`set_state`](Self::set_state).
///
/// Nothing is imported, called or run. All limits of [`ObjectOptions`](super::ObjectOptions) hold. Unknown classes are refused before
/// the visitor sees them, unless [`UnknownGlobals::Opaque`](super::UnknownGlobals::Opaque) is set.
///
/// An error of the kind [`ErrorKind::InvalidPickle`] gets the offset of the object. Other errors are returned as they are.
///
/// # Examples
///
/// Counts the texts of an array without making any:
///
/// ```
/// use std::borrow::Cow;
///
/// use npy_core::object::{ObjectArray, ObjectOptions, PyObject, Visitor};
/// use npy_core::{NpyReader, Result};
///
/// struct CountTexts(usize);
///
/// impl Visitor for CountTexts {
///     type Value = ();
///
///     fn str(&mut self, _: Cow<'_, str>) -> Result<()> {
///         self.0 += 1;
///         Ok(())
///     }
///
///     // Every other object.
///     fn unexpected(&mut self, _: &'static str) -> Result<()> {
///         Ok(())
///     }
/// }
///
/// let list = PyObject::List(vec![PyObject::from("b"), PyObject::from(7)]);
/// let mut file = Vec::new();
/// ObjectArray::from(vec![PyObject::from("a"), PyObject::None, list]).write(&mut file)?;
///
/// let mut texts = CountTexts(0);
/// NpyReader::from_bytes(&file)?.visit_objects(&mut texts, ObjectOptions::new())?;
/// assert_eq!(texts.0, 2);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub trait Visitor {
    /// A value, or a handle of one.
    type Value: Clone;

    /// Whether a clone of a [`Value`](Self::Value) is the same object, as with an `Rc` or a reference of Python.
    ///
    /// Then an object in several places of the pickle is visited once, and its value is cloned for the other places. It may
    /// contain itself. Otherwise, it is visited in each place, [`ObjectOptions::expansion`](super::ObjectOptions::expansion)
    /// limits these copies, and an object that contains itself is an error. With
    /// [`keep_cycles`](super::ObjectOptions::keep_cycles), the reference to itself is an [`opaque`](Self::opaque) `...` without a module.
    const SHARES: bool = false;

    /// Makes the value of an object whose method is not implemented. Fails by default.
    ///
    /// `found` is the Python type, such as `datetime.date`.
    ///
    /// # Errors
    ///
    /// Fails by default, with the type.
    fn unexpected(&mut self, found: &'static str) -> Result<Self::Value> {
        Err(Error::new(ErrorKind::InvalidPickle, format!("unexpected {found}")))
    }

    /// Makes `None`.
    fn none(&mut self) -> Result<Self::Value> {
        self.unexpected("None")
    }

    /// Makes a `bool`.
    fn bool(&mut self, value: bool) -> Result<Self::Value> {
        let _ = value;
        self.unexpected("bool")
    }

    /// Makes an `int` that fits.
    fn int(&mut self, value: i64) -> Result<Self::Value> {
        let _ = value;
        self.unexpected("int")
    }

    /// Makes an `int` that does not fit an `i64`. [`PyInt::to_le_bytes`] has its bytes.
    fn big_int(&mut self, value: PyInt) -> Result<Self::Value> {
        let _ = value;
        self.unexpected("int")
    }

    /// Makes a `float`.
    fn float(&mut self, value: f64) -> Result<Self::Value> {
        let _ = value;
        self.unexpected("float")
    }

    /// Makes a `complex`.
    fn complex(&mut self, re: f64, im: f64) -> Result<Self::Value> {
        let _ = (re, im);
        self.unexpected("complex")
    }

    /// Makes a `str`. It is borrowed unless the pickle has escapes, or another encoding.
    fn str(&mut self, text: Cow<'_, str>) -> Result<Self::Value> {
        let _ = text;
        self.unexpected("str")
    }

    /// Makes a `str` with lone surrogates.
    fn surrogate_str(&mut self, text: SurrogateStr) -> Result<Self::Value> {
        let _ = text;
        self.unexpected("str with a lone surrogate")
    }

    /// Makes `bytes`.
    fn bytes(&mut self, bytes: Cow<'_, [u8]>) -> Result<Self::Value> {
        let _ = bytes;
        self.unexpected("bytes")
    }

    /// Makes a `bytearray`.
    fn byte_array(&mut self, bytes: Cow<'_, [u8]>) -> Result<Self::Value> {
        let _ = bytes;
        self.unexpected("bytearray")
    }

    /// Makes an empty `list`, to which `length` items are added.
    fn list(&mut self, length: usize) -> Result<Self::Value> {
        let _ = length;
        self.unexpected("list")
    }

    /// Adds the items of a [`list`](Self::list), all at once.
    fn extend(&mut self, list: &mut Self::Value, items: Vec<Self::Value>) -> Result<()> {
        let _ = (list, items);
        Ok(())
    }

    /// Makes a `tuple`.
    fn tuple(&mut self, items: Vec<Self::Value>) -> Result<Self::Value> {
        let _ = items;
        self.unexpected("tuple")
    }

    /// Makes an empty `dict`, to which `length` entries are added.
    fn dict(&mut self, length: usize) -> Result<Self::Value> {
        let _ = length;
        self.unexpected("dict")
    }

    /// Makes an empty `collections.OrderedDict`, to which `length` entries are added.
    fn ordered_dict(&mut self, length: usize) -> Result<Self::Value> {
        let _ = length;
        self.unexpected("OrderedDict")
    }

    /// Sets the entries of a [`dict`](Self::dict) or an [`ordered_dict`](Self::ordered_dict), all at once. A key may occur twice.
    fn set_items(&mut self, dict: &mut Self::Value, entries: Vec<(Self::Value, Self::Value)>) -> Result<()> {
        let _ = (dict, entries);
        Ok(())
    }

    /// Makes an empty `set`, to which `length` items are added.
    fn set(&mut self, length: usize) -> Result<Self::Value> {
        let _ = length;
        self.unexpected("set")
    }

    /// Adds the items of a [`set`](Self::set), all at once. An item may occur twice.
    fn add_items(&mut self, set: &mut Self::Value, items: Vec<Self::Value>) -> Result<()> {
        let _ = (set, items);
        Ok(())
    }

    /// Makes a `frozenset`. An item may occur twice.
    fn frozen_set(&mut self, items: Vec<Self::Value>) -> Result<Self::Value> {
        let _ = items;
        self.unexpected("frozenset")
    }

    /// Makes a `range` of start, stop and step, or Python 2's `xrange`.
    fn range(&mut self, parts: [PyInt; 3]) -> Result<Self::Value> {
        let _ = parts;
        self.unexpected("range")
    }

    /// Makes a `slice` of start, stop and step.
    fn slice(&mut self, parts: [Self::Value; 3]) -> Result<Self::Value> {
        let _ = parts;
        self.unexpected("slice")
    }

    /// Makes a `datetime.date`.
    fn date(&mut self, date: PyDate) -> Result<Self::Value> {
        let _ = date;
        self.unexpected("datetime.date")
    }

    /// Makes a `datetime.time`.
    fn time(&mut self, time: PyTime) -> Result<Self::Value> {
        let _ = time;
        self.unexpected("datetime.time")
    }

    /// Makes a `datetime.datetime`.
    fn date_time(&mut self, time: PyDateTime) -> Result<Self::Value> {
        let _ = time;
        self.unexpected("datetime.datetime")
    }

    /// Makes a `datetime.timedelta`.
    fn time_delta(&mut self, delta: PyTimeDelta) -> Result<Self::Value> {
        let _ = delta;
        self.unexpected("datetime.timedelta")
    }

    /// Makes a `datetime.timezone`.
    fn time_zone(&mut self, zone: PyTimeZone) -> Result<Self::Value> {
        let _ = zone;
        self.unexpected("datetime.timezone")
    }

    /// Makes a `decimal.Decimal` from its `str`.
    fn decimal(&mut self, text: Cow<'_, str>) -> Result<Self::Value> {
        let _ = text;
        self.unexpected("Decimal")
    }

    /// Makes a `fractions.Fraction` of a numerator and a denominator, which is positive.
    fn fraction(&mut self, parts: [PyInt; 2]) -> Result<Self::Value> {
        let _ = parts;
        self.unexpected("Fraction")
    }

    /// Makes a `uuid.UUID`, the most significant byte first.
    fn uuid(&mut self, bytes: [u8; 16]) -> Result<Self::Value> {
        let _ = bytes;
        self.unexpected("UUID")
    }

    /// Makes a `numpy.dtype`.
    fn dtype(&mut self, dtype: DType) -> Result<Self::Value> {
        let _ = dtype;
        self.unexpected("numpy.dtype")
    }

    /// Makes a scalar of NumPy, such as `np.float32(1.5)`. The header has no dimensions, and its dtype the size of the bytes.
    fn scalar(&mut self, header: &Header, bytes: Cow<'_, [u8]>) -> Result<Self::Value> {
        let _ = (header, bytes);
        self.unexpected("NumPy scalar")
    }

    /// Makes an array of a dtype without objects. The bytes are in the order of the header, and match its shape.
    fn array(&mut self, header: &Header, bytes: Cow<'_, [u8]>) -> Result<Self::Value> {
        let _ = (header, bytes);
        self.unexpected("numpy.ndarray")
    }

    /// Makes an array of objects, or of records with objects, whose elements are set afterwards.
    fn object_array(&mut self, dtype: DType, shape: Vec<usize>, order: Order) -> Result<Self::Value> {
        let _ = (dtype, shape, order);
        self.unexpected("numpy.ndarray")
    }

    /// Makes an array of NumPy 2's [`StringDType`](super::StringDType) of these parameters, whose elements are set afterwards.
    ///
    /// An element is a `str`, or equal to the `na_object`.
    fn string_array(
        &mut self,
        coerce: bool,
        na_object: Option<Self::Value>,
        shape: Vec<usize>,
        order: Order,
    ) -> Result<Self::Value> {
        let _ = (coerce, na_object, shape, order);
        self.unexpected("numpy.ndarray")
    }

    /// Sets the elements of an [`object_array`](Self::object_array) or a [`string_array`](Self::string_array), all at once.
    ///
    /// They are in C order, whatever the order of the array, and as many as the shape has. An element of a record is a tuple.
    fn set_elements(&mut self, array: &mut Self::Value, elements: Vec<Self::Value>) -> Result<()> {
        let _ = (array, elements);
        Ok(())
    }

    /// Makes a `numpy.matrix` of an array. Returns the array by default.
    fn matrix(&mut self, array: Self::Value) -> Result<Self::Value> {
        Ok(array)
    }

    /// Makes a `numpy.recarray` of an array. Returns the array by default.
    fn rec_array(&mut self, array: Self::Value) -> Result<Self::Value> {
        Ok(array)
    }

    /// Makes a `numpy.record` of a scalar. Returns the scalar by default.
    fn record(&mut self, scalar: Self::Value) -> Result<Self::Value> {
        Ok(scalar)
    }

    /// Makes a `numpy.ma.MaskedArray` of an array.
    ///
    /// The mask has a bool for each value, in the order of the array. The fill value is `None` for the default of the dtype.
    fn masked_array(&mut self, array: Self::Value, mask: DynValues, fill_value: Self::Value) -> Result<Self::Value> {
        let _ = (array, mask, fill_value);
        self.unexpected("numpy.ma.MaskedArray")
    }

    /// Makes a `numpy.ma.core.mvoid`, one record of a masked array, with the parts of a [`masked_array`](Self::masked_array).
    fn masked_void(&mut self, array: Self::Value, mask: DynValues, fill_value: Self::Value) -> Result<Self::Value> {
        let _ = (array, mask, fill_value);
        self.unexpected("numpy.ma.core.mvoid")
    }

    /// Makes `numpy.ma.masked`.
    fn masked_constant(&mut self) -> Result<Self::Value> {
        self.unexpected("numpy.ma.masked")
    }

    /// Makes an object of an unknown class, or without arguments the class or function itself.
    ///
    /// Only [`UnknownGlobals::Opaque`](super::UnknownGlobals::Opaque) leads here.
    fn opaque(&mut self, module: &str, name: &str, arguments: Option<Vec<Self::Value>>) -> Result<Self::Value> {
        let _ = (module, name, arguments);
        self.unexpected("object of an unknown class")
    }

    /// Sets the state of an [`opaque`](Self::opaque) object, appends items to it, and sets entries in it.
    fn set_state(
        &mut self,
        object: &mut Self::Value,
        state: Option<Self::Value>,
        items: Vec<Self::Value>,
        entries: Vec<(Self::Value, Self::Value)>,
    ) -> Result<()> {
        let _ = (object, state, items, entries);
        Ok(())
    }
}
