//! Parts of arrays of objects, for `npy-cli`.

use super::PyObject;
use super::array::{ObjectArray, StringDType, flatten, part, taken_apart};
use super::encode::encode;
use super::subclass::ArrayClass;
use crate::dynamic::array::missing_field;
use crate::error::{Error, Result, ValueError};
use crate::format::dtype::{DType, Field, Record};
use crate::format::shape::element_count;
use crate::options::Order;

/// Appends an element of a dtype without objects; `None` if the object is not a value of it.
#[doc(hidden)]
pub fn encode_object(dtype: &DType, object: &PyObject, out: &mut Vec<u8>) -> Option<()> {
    encode(dtype, object, out)
}

/// Returns an item of a record, which is a tuple.
#[doc(hidden)]
pub fn record_item(record: &PyObject, place: usize) -> Option<&PyObject> {
    part(record, place)
}

/// Returns the items of sub-arrays of these axes, one after another. The inner error is the index of
/// an object that is not such a sub-array.
#[doc(hidden)]
pub fn items_of_sub_arrays<'o>(arrays: &[&'o PyObject], axes: &[usize]) -> Result<Result<Vec<&'o PyObject>, usize>> {
    taken_apart(arrays, axes)
}

/// Appends the items of a sub-array of this number of axes.
#[doc(hidden)]
pub fn sub_items<'o>(array: &'o PyObject, axes: usize, items: &mut Vec<&'o PyObject>) {
    flatten(array, axes, items);
}

impl PyObject {
    /// The objects in a container, an array or an object of an unknown class; none in a plain value.
    #[doc(hidden)]
    pub fn children(&self) -> Vec<&Self> {
        fn of_entries(entries: &[(PyObject, PyObject)]) -> impl Iterator<Item = &PyObject> {
            entries.iter().flat_map(|(key, value)| [key, value])
        }
        match self {
            Self::List(items) | Self::Tuple(items) | Self::Set(items) | Self::FrozenSet(items) => items.iter().collect(),
            Self::Dict(entries) | Self::OrderedDict(entries) => of_entries(entries).collect(),
            Self::Slice(parts) => parts.iter().collect(),
            Self::Objects(array) => array.items().iter().collect(),
            Self::Subclass(object) => match &object.class {
                ArrayClass::Masked { fill_value, .. } => vec![&object.base, fill_value],
                ArrayClass::Matrix
                | ArrayClass::RecArray
                | ArrayClass::Record
                | ArrayClass::MaskedElement
                | ArrayClass::MaskedConstant => vec![&object.base],
            },
            Self::Opaque(opaque) => {
                let parts = opaque.arguments.iter().flatten().chain(&opaque.state).chain(&opaque.items);
                parts.chain(of_entries(&opaque.entries)).collect()
            }
            // Each by its name, so that none is forgotten that holds objects.
            Self::None
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Float(_)
            | Self::Complex { .. }
            | Self::Str(_)
            | Self::SurrogateStr(_)
            | Self::Bytes(_)
            | Self::ByteArray(_)
            | Self::Range(_)
            | Self::Date(_)
            | Self::Time(_)
            | Self::DateTime(_)
            | Self::TimeDelta(_)
            | Self::TimeZone(_)
            | Self::Decimal(_)
            | Self::Fraction(_)
            | Self::Uuid(_)
            | Self::DType(_)
            | Self::Scalar(_)
            | Self::Array(_) => Vec::new(),
        }
    }
}

/// The items of a field.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum ObjectItems {
    /// The bytes of each item, one after another.
    Values(Vec<u8>),
    /// The objects, those of sub-arrays one after another.
    Objects(Vec<PyObject>),
}

impl ObjectArray {
    /// Returns the items of the field that these names lead to, each a field of the one before, or
    /// several fields of it. Sub-arrays on the way are taken apart; the dtype is that of an item.
    #[doc(hidden)]
    pub fn items_of_field(&self, path: &[String], several: Option<&[String]>) -> Result<(DType, ObjectItems)> {
        let mut dtype = self.dtype();
        let mut items: Vec<&PyObject> = self.items().iter().collect();
        let mut names = path.iter();
        loop {
            if !dtype.has_object() {
                let mut bytes = Vec::new();
                for (index, item) in items.iter().enumerate() {
                    encode(dtype, item, &mut bytes).ok_or_else(|| not_a_record(index))?;
                }
                return values_of_field(dtype, bytes, names, several);
            }
            if let DType::SubArray(array) = dtype {
                let (base, axes) = array.flattened();
                items = taken_apart(&items, &axes)?.map_err(not_a_record)?;
                dtype = base;
                continue;
            }
            let Some(name) = names.next() else { break };
            let (place, field) = find(dtype, name)?;
            items = items
                .iter()
                .enumerate()
                .map(|(index, item)| part(item, place).ok_or_else(|| not_a_record(index)))
                .collect::<Result<_>>()?;
            dtype = field.dtype();
        }
        let Some(several) = several else {
            return Ok((dtype.clone(), ObjectItems::Objects(items.into_iter().cloned().collect())));
        };
        let fields = several.iter().map(|name| find(dtype, name)).collect::<Result<Vec<_>>>()?;
        let pick = |(index, item): (usize, &&PyObject)| {
            let parts = fields.iter().map(|(place, _)| part(item, *place).cloned().ok_or_else(|| not_a_record(index)));
            Ok(PyObject::Tuple(parts.collect::<Result<_>>()?))
        };
        let items = items.iter().enumerate().map(pick).collect::<Result<_>>()?;
        Ok((packed(&fields)?, ObjectItems::Objects(items)))
    }

    /// Creates an array of these items, which are of this dtype.
    #[doc(hidden)]
    pub fn with_dtype(dtype: DType, shape: &[usize], items: Vec<PyObject>, string_dtype: Option<StringDType>) -> Result<Self> {
        let (expected, found) = (element_count(shape, size_of::<PyObject>())? as u64, items.len() as u64);
        if expected != found {
            return Err(Error::wrong_count(expected, found));
        }
        Ok(Self::from_pickle(dtype, Order::C, shape.to_vec(), items, string_dtype.map(Box::new)))
    }
}

/// The same of elements without objects, by their bytes.
fn values_of_field<'n>(
    mut dtype: &DType,
    mut bytes: Vec<u8>,
    mut names: impl Iterator<Item = &'n String>,
    several: Option<&[String]>,
) -> Result<(DType, ObjectItems)> {
    loop {
        if let DType::SubArray(array) = dtype {
            // Its elements follow one another.
            dtype = array.base();
            continue;
        }
        let Some(name) = names.next() else { break };
        let (_, field) = find(dtype, name)?;
        bytes = parts(&bytes, dtype.itemsize(), &[field]);
        dtype = field.dtype();
    }
    let Some(several) = several else { return Ok((dtype.clone(), ObjectItems::Values(bytes))) };
    let fields = several.iter().map(|name| find(dtype, name)).collect::<Result<Vec<_>>>()?;
    let chosen: Vec<&Field> = fields.iter().map(|(_, field)| *field).collect();
    Ok((packed(&fields)?, ObjectItems::Values(parts(&bytes, dtype.itemsize(), &chosen))))
}

/// The bytes of some fields of each record.
fn parts(bytes: &[u8], itemsize: usize, fields: &[&Field]) -> Vec<u8> {
    let mut selected = Vec::new();
    for record in bytes.chunks_exact(itemsize.max(1)) {
        for field in fields {
            let rest = record.get(field.offset()..).unwrap_or_default();
            selected.extend_from_slice(rest.get(..field.dtype().itemsize()).unwrap_or_default());
        }
    }
    selected
}

fn find<'d>(dtype: &'d DType, name: &str) -> Result<(usize, &'d Field)> {
    let DType::Record(record) = dtype else { return Err(missing_field(name, dtype)) };
    let field = record.fields().iter().enumerate().find(|(_, field)| field.name() == name);
    field.ok_or_else(|| missing_field(name, dtype))
}

/// The record of these fields without padding.
fn packed(fields: &[(usize, &Field)]) -> Result<DType> {
    Ok(Record::packed(fields.iter().map(|(_, field)| (field.name(), field.dtype().clone())))?.into())
}

fn not_a_record(index: usize) -> crate::error::Error {
    ValueError::not_a_record().in_element(index as u64)
}
